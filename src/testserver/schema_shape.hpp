// How lists and maps are merged, by the schema of their kind: what field managers own, and as what.
#pragma once

#include "testserver/builtin_schema.hpp"
#include "testserver/owned_fields.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::testing {
namespace detail {

// How a list is merged: as a whole, item by item under keys, or as a set of scalars (no keys).
class list_shape {
public:
    bool merged = false;
    std::vector<std::string> keys;
};

// The members of the path, without the items of lists: what a schema calls a field.
inline std::string schema_path(const owned_path& path) {
    std::string out;
    for (const auto& step : path) {
        if (!step.starts_with("f:")) continue;
        if (!out.empty()) out += '.';
        out.append(step, 2);
    }
    return out;
}

// The field of a built-in kind's schema at that place, or null: a map's value, an item, or nothing that is known.
inline const schema_field* builtin_field(const resource_type& type, const owned_path& path) {
    const schema_type* at = type.schema;
    const schema_field* field = nullptr;
    std::string_view form;
    for (const auto& step : path) {
        if (at != nullptr && step.starts_with("f:")) {
            field = at->find(std::string_view(step).substr(2));
            if (field == nullptr) return nullptr;
            form = field->form;
        } else if (form.size() > 1) {
            field = nullptr;
            form = element_form(form);
        } else {
            return nullptr;
        }
        at = builtin_schema::get().type_of(form);
    }
    return field;
}

inline list_shape builtin_shape(const resource_type& type, const owned_path& path) {
    const schema_field* field = builtin_field(type, path);
    if (field == nullptr || !field->is_list()) return {};
    if (field->set) return {true, {}};
    list_shape out;
    for (std::string_view keys = field->list_keys; !keys.empty();) {
        const std::size_t end = std::min(keys.find('+'), keys.size());
        out.keys.emplace_back(keys.substr(0, end));
        keys.remove_prefix(std::min(end + 1, keys.size()));
    }
    out.merged = !out.keys.empty();
    std::sort(out.keys.begin(), out.keys.end());
    return out;
}

inline list_shape shape_of(const resource_type& type, const owned_path& path) {
    const std::string at = schema_path(path);
    if (at == "metadata.finalizers") return {true, {}};
    if (at == "metadata.ownerReferences") return {true, {"uid"}};
    if (const auto found = type.list_keys.find(at); found != type.list_keys.end()) return {true, found->second};
    return type.schema == nullptr ? list_shape() : builtin_shape(type, path);
}

// Structs that are owned as a whole: an owner reference, a label selector of a built-in kind.
inline bool is_atomic_map(const resource_type& type, const owned_path& path) {
    if (path.empty()) return false;
    const bool is_item = path.back().starts_with("k:");
    if (is_item && schema_path(path) == "metadata.ownerReferences") return true;
    if (type.schema == nullptr) return false;
    if (is_item) {
        const schema_field* list = builtin_field(type, owned_path(path.begin(), std::prev(path.end())));
        if (list == nullptr || !list->is_list()) return false;
        const schema_type* own = builtin_schema::get().type_of(element_form(list->form));
        return own != nullptr && own->atomic;
    }
    const schema_field* field = builtin_field(type, path);
    if (field == nullptr) return false;
    const schema_type* own = builtin_schema::get().type_of(field->form);
    return field->atomic || (own != nullptr && own->atomic);
}

inline bool is_merged_map(const resource_type& type, const owned_path& path, const json::value& v) {
    return v.is_object() && !v.get_object().empty() && !is_atomic_map(type, path);
}

inline bool is_merged_list(const list_shape& shape, const json::value& v) {
    if (!shape.merged || !v.is_array() || v.get_array().empty()) return false;
    const auto fits = [&shape](const json::value& item) {
        return shape.keys.empty() ? !item.is_structured() : item.is_object();
    };
    const auto& items = v.get_array();
    return std::all_of(items.begin(), items.end(), fits);
}

inline bool is_list_of_items(const list_shape& shape, const json::value& v) {
    return is_merged_list(shape, v) || (shape.merged && v.is_array() && v.get_array().empty());
}

inline bool is_merged(const resource_type& type, const owned_path& path, const json::value& v) {
    return is_merged_map(type, path, v) || is_merged_list(shape_of(type, path), v);
}

inline std::string item_step(const list_shape& shape, const json::value& item) {
    if (shape.keys.empty()) return "v:" + json::serialize(item);
    json::object key;
    for (const auto& name : shape.keys) {
        const json::value* found = item.get_object().if_contains(name);
        if (found != nullptr) {
            key[name] = *found;
        } else if (name == "protocol") {
            key[name] = "TCP";
        }
    }
    return "k:" + json::serialize(key);
}

inline owned_path below(const owned_path& path, std::string step) {
    owned_path out = path;
    out.push_back(std::move(step));
    return out;
}

// Whether the step is a field of the kind's schema, as far as the server knows one.
inline bool is_declared(const resource_type& type, const owned_path& path) {
    if (!path.back().starts_with("f:")) return false;
    return !type.custom || path.front() == "f:metadata" || type.declared_fields.contains(schema_path(path));
}

// Whether a map's owner owns it as such, besides its members. A field that the kind's schema declares is not, the value
// of a map is; metadata has a schema everywhere. An update counts what it adds in any case.
inline bool is_owned_map(const resource_type& type, const owned_path& path, bool whole) {
    if (path.empty() || path == owned_path{"f:metadata"}) return false;
    if (whole) return type.custom || (path != owned_path{"f:spec"} && path != owned_path{"f:status"});
    return !is_declared(type, path);
}

inline const json::value* find_item(const list_shape& shape, const json::array& items, const std::string& step) {
    const auto is_it = [&](const json::value& item) { return item_step(shape, item) == step; };
    const auto found = std::find_if(items.begin(), items.end(), is_it);
    return found == items.end() ? nullptr : &*found;
}

}  // namespace detail

}  // namespace kcontrol::testing
