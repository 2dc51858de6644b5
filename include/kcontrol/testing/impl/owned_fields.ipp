#pragma once

#include <kcontrol/testing/owned_fields.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace kcontrol::testing {
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

// The lists of built-in kinds that Kubernetes' schema merges (x-kubernetes-list-type), by the name of the member.
inline list_shape builtin_shape(std::string_view path) {
    struct row {
        std::string_view member;
        std::vector<std::string> keys;
    };
    static const std::array<row, 17> table = {{{"containers", {"name"}},
                                               {"initContainers", {"name"}},
                                               {"ephemeralContainers", {"name"}},
                                               {"env", {"name"}},
                                               {"ports", {"containerPort", "protocol"}},
                                               {"volumeMounts", {"mountPath"}},
                                               {"volumeDevices", {"devicePath"}},
                                               {"volumes", {"name"}},
                                               {"imagePullSecrets", {"name"}},
                                               {"hostAliases", {"ip"}},
                                               {"topologySpreadConstraints", {"topologyKey", "whenUnsatisfiable"}},
                                               {"schedulingGates", {"name"}},
                                               {"resourceClaims", {"name"}},
                                               {"podIPs", {"ip"}},
                                               {"addresses", {"type"}},
                                               {"conditions", {"type"}},
                                               {"podCIDRs", {}}}};
    const std::string_view member = path.substr(path.rfind('.') + 1);
    for (const auto& entry : table) {
        if (entry.member == member) return {true, entry.keys};
    }
    return {};
}

inline list_shape shape_of(const resource_type& type, const owned_path& path) {
    const std::string at = schema_path(path);
    if (at == "metadata.finalizers") return {true, {}};
    if (at == "metadata.ownerReferences") return {true, {"uid"}};
    if (const auto found = type.list_keys.find(at); found != type.list_keys.end()) return {true, found->second};
    const bool job_conditions = type.group == "batch" && at == "status.conditions";
    if (type.custom || job_conditions) return {};
    return builtin_shape(at);
}

// Structs that are owned as a whole: an owner reference, a label selector of a built-in kind.
inline bool is_atomic_map(const resource_type& type, const owned_path& path) {
    if (path.empty()) return false;
    if (path.back().starts_with("k:")) return schema_path(path) == "metadata.ownerReferences";
    return !type.custom && path.back() == "f:selector";
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

inline void collect_fields(const resource_type& type, const owned_path& path, const json::value& v, bool whole,
                           owned_set& out) {
    if (is_merged_map(type, path, v)) {
        if (is_owned_map(type, path, whole) || (!path.empty() && path.back().starts_with("k:"))) out.insert(path);
        for (const auto& member : v.get_object()) {
            collect_fields(type, below(path, "f:" + std::string(member.key())), member.value(), whole, out);
        }
        return;
    }
    const list_shape shape = shape_of(type, path);
    // Who applies an empty list owns no item.
    if (!whole && is_list_of_items(shape, v) && v.get_array().empty()) return;
    if (!is_merged_list(shape, v)) {
        out.insert(path);
        return;
    }
    if (whole) out.insert(path);
    for (const auto& item : v.get_array()) {
        collect_fields(type, below(path, item_step(shape, item)), item, whole, out);
    }
}

inline const json::value* find_item(const list_shape& shape, const json::array& items, const std::string& step) {
    const auto is_it = [&](const json::value& item) { return item_step(shape, item) == step; };
    const auto found = std::find_if(items.begin(), items.end(), is_it);
    return found == items.end() ? nullptr : &*found;
}

// Calls `visit(step, before, after)` for each member that either has; a null pointer where it is absent.
template <class Visit>
void visit_members(const json::object& before, const json::object& after, const Visit& visit) {
    for (const auto& member : before) {
        visit("f:" + std::string(member.key()), &member.value(), after.if_contains(member.key()));
    }
    for (const auto& member : after) {
        if (!before.contains(member.key())) visit("f:" + std::string(member.key()), nullptr, &member.value());
    }
}

template <class Visit>
void visit_items(const list_shape& shape, const json::array& before, const json::array& after, const Visit& visit) {
    for (const auto& item : before) {
        const std::string step = item_step(shape, item);
        visit(step, &item, find_item(shape, after, step));
    }
    for (const auto& item : after) {
        const std::string step = item_step(shape, item);
        if (find_item(shape, before, step) == nullptr) visit(step, nullptr, &item);
    }
}

inline void compare_values(const resource_type& type, const owned_path& path, const json::value* before,
                           const json::value* after, field_changes& out) {
    if (before == nullptr) return collect_fields(type, path, *after, true, out.written);
    if (after == nullptr) return collect_fields(type, path, *before, true, out.removed);
    if (json::equal(*before, *after)) return;
    const auto deeper = [&](const std::string& step, const json::value* a, const json::value* b) {
        compare_values(type, below(path, step), a, b, out);
    };
    const list_shape shape = shape_of(type, path);
    if (before->is_object() && after->is_object() && !is_atomic_map(type, path)) {
        visit_members(before->get_object(), after->get_object(), deeper);
    } else if (is_list_of_items(shape, *before) && is_list_of_items(shape, *after)) {
        visit_items(shape, before->get_array(), after->get_array(), deeper);
    } else {
        owned_set had;
        owned_set has;
        collect_fields(type, path, *before, true, had);
        collect_fields(type, path, *after, true, has);
        std::set_difference(had.begin(), had.end(), has.begin(), has.end(),
                            std::inserter(out.removed, out.removed.end()));
        out.written.merge(has);
    }
}

inline void merge_value(const resource_type& type, const owned_path& path, json::value& into,
                        const json::value& applied);

// The order in which the items of two merged lists stand: as in both, those of the applied list first where nothing
// else says so. Source: structured-merge-diff v6, merge.go, visitListItems
class item_order {
public:
    item_order(std::vector<std::string> live, std::vector<std::string> applied)
        : live_(std::move(live)), applied_(std::move(applied)) {
        for (const auto& step : applied_) {
            if (in(live_, step)) shared_.push_back(step);
        }
    }

    std::vector<std::string> merged() {
        while (l_ < live_.size() || a_ < applied_.size()) take_one();
        return std::move(out_);
    }

private:
    static bool in(const std::vector<std::string>& steps, const std::string& step) {
        return std::find(steps.begin(), steps.end(), step) != steps.end();
    }
    bool is_next_shared(const std::string& step) const { return s_ < shared_.size() && shared_[s_] == step; }

    void take_one() {
        if (l_ < live_.size() && a_ < applied_.size()) {
            const std::string& live = live_[l_];
            if (live == applied_[a_]) {
                ++l_;
                return take_applied();
            }
            // In both, but its turn comes with another item of the applied list.
            if (in(applied_, live) && s_ < shared_.size() && !is_next_shared(live)) {
                ++l_;
                return;
            }
        }
        if (l_ < live_.size()) {
            const std::string& live = live_[l_];
            if (!in(applied_, live)) {
                out_.push_back(live);
                ++l_;
                return;
            }
            if (in(out_, live)) ++l_;
        }
        if (a_ < applied_.size()) take_applied();
    }
    void take_applied() {
        const std::string& step = applied_[a_++];
        if (is_next_shared(step)) ++s_;
        out_.push_back(step);
    }

    std::vector<std::string> live_, applied_, shared_, out_;
    std::size_t l_ = 0, a_ = 0, s_ = 0;
};

inline std::vector<std::string> item_steps(const list_shape& shape, const json::array& items) {
    std::vector<std::string> out;
    for (const auto& item : items) out.push_back(item_step(shape, item));
    return out;
}

inline void merge_items(const resource_type& type, const owned_path& path, const list_shape& shape, json::array& into,
                        const json::array& applied) {
    json::array merged;
    for (const auto& step : item_order(item_steps(shape, into), item_steps(shape, applied)).merged()) {
        const json::value* live = find_item(shape, std::as_const(into), step);
        const json::value* wanted = find_item(shape, applied, step);
        merged.push_back(live != nullptr ? *live : *wanted);
        if (live != nullptr && wanted != nullptr) merge_value(type, below(path, step), merged.back(), *wanted);
    }
    into = std::move(merged);
}

inline void merge_value(const resource_type& type, const owned_path& path, json::value& into,
                        const json::value& applied) {
    const list_shape shape = shape_of(type, path);
    if (into.is_object() && applied.is_object() && !is_atomic_map(type, path)) {
        for (const auto& member : applied.get_object()) {
            json::value* found = into.get_object().if_contains(member.key());
            if (found != nullptr) {
                merge_value(type, below(path, "f:" + std::string(member.key())), *found, member.value());
            } else {
                into.get_object()[member.key()] = member.value();
            }
        }
    } else if (is_merged_list(shape, into) && is_merged_list(shape, applied)) {
        merge_items(type, path, shape, into.get_array(), applied.get_array());
    } else if (!is_merged_list(shape, into) || !applied.is_array() || !applied.get_array().empty()) {
        into = applied;
    }
}

inline bool is_empty_structure(const json::value& v) {
    return (v.is_object() && v.get_object().empty()) || (v.is_array() && v.get_array().empty());
}

class field_remover {
public:
    field_remover(const resource_type& type, const owned_set& gone, const owned_set& kept)
        : type_(type), gone_(gone), kept_(kept) {}

    void clean(const owned_path& path, json::value& v) const {
        const list_shape shape = shape_of(type_, path);
        if (v.is_object() && !is_atomic_map(type_, path)) {
            json::object rest;
            for (auto& member : v.get_object()) {
                if (stays(below(path, "f:" + std::string(member.key())), member.value())) {
                    rest[member.key()] = std::move(member.value());
                }
            }
            v = std::move(rest);
        } else if (is_merged_list(shape, v)) {
            json::array rest;
            for (auto& item : v.get_array()) {
                if (stays(below(path, item_step(shape, item)), item)) rest.push_back(std::move(item));
            }
            v = std::move(rest);
        }
    }

private:
    // A declared field belongs to those who own something in it; an item of a list or map only to those who own it.
    bool is_owned(const owned_path& path) const {
        return kept_.contains(path) || (is_declared(type_, path) && owns_below(kept_, path));
    }

    bool stays(const owned_path& path, json::value& v) const {
        if (gone_.contains(path) && !is_owned(path)) return false;
        if (!owns_below(gone_, path)) return true;
        clean(path, v);
        return kept_.contains(path) || !is_empty_structure(v);
    }

    const resource_type& type_;
    const owned_set& gone_;
    const owned_set& kept_;
};

inline std::optional<std::string> duplicate_below(const resource_type& type, const owned_path& path,
                                                  const json::value& v) {
    if (v.is_object()) {
        for (const auto& member : v.get_object()) {
            auto found = duplicate_below(type, below(path, "f:" + std::string(member.key())), member.value());
            if (found) return found;
        }
    }
    const list_shape shape = shape_of(type, path);
    if (!is_merged_list(shape, v)) return std::nullopt;
    std::set<std::string> seen;
    for (const auto& item : v.get_array()) {
        const std::string step = item_step(shape, item);
        if (!seen.insert(step).second) {
            return path_text(path) + ": duplicate entries for key " + path_text({step});
        }
        if (auto found = duplicate_below(type, below(path, step), item)) return found;
    }
    return std::nullopt;
}

inline void append_fields_v1(const owned_set& fields, json::object& root) {
    for (const auto& path : fields) {
        json::object* at = &root;
        for (const auto& step : path) {
            json::value& next = (*at)[step];
            if (!next.is_object()) next = json::object();
            at = &next.get_object();
        }
        // A member with members of its own below says so with a dot; they come after it in the set.
        if (owns_below(fields, path)) (*at)["."] = json::object();
    }
}

inline void read_fields_v1(const json::object& from, const owned_path& path, owned_set& out) {
    if (!path.empty() && (from.empty() || from.contains("."))) out.insert(path);
    for (const auto& member : from) {
        if (member.key() == "." || !member.value().is_object()) continue;
        read_fields_v1(member.value().get_object(), below(path, std::string(member.key())), out);
    }
}

}  // namespace detail

KCONTROL_DECL std::string path_text(const owned_path& path) {
    std::string out;
    for (const auto& step : path) {
        const std::string rest = step.substr(std::min<std::size_t>(2, step.size()));
        if (step.starts_with("v:")) {
            out += "[=" + rest + "]";
        } else if (step.starts_with("k:")) {
            std::string keys;
            if (const auto key = json::parse(rest); key && key->is_object()) {
                for (const auto& member : key->get_object()) {
                    if (!keys.empty()) keys += ',';
                    keys.append(member.key()).append("=").append(json::serialize(member.value()));
                }
            }
            out += "[" + keys + "]";
        } else {
            out += "." + rest;
        }
    }
    return out;
}

KCONTROL_DECL json::object fields_v1(const owned_set& fields) {
    json::object root;
    detail::append_fields_v1(fields, root);
    return root;
}

KCONTROL_DECL owned_set parse_fields_v1(const json::value& fields) {
    owned_set out;
    if (fields.is_object()) detail::read_fields_v1(fields.get_object(), {}, out);
    return out;
}

KCONTROL_DECL bool owns_below(const owned_set& fields, const owned_path& path) {
    const auto next = fields.upper_bound(path);
    return next != fields.end() && next->size() > path.size() && std::equal(path.begin(), path.end(), next->begin());
}

KCONTROL_DECL owned_set fields_of(const resource_type& type, const json::object& object, bool whole) {
    owned_set out;
    for (const auto& member : object) {
        detail::collect_fields(type, {"f:" + std::string(member.key())}, member.value(), whole, out);
    }
    strip_identity(out);
    return out;
}

KCONTROL_DECL void strip_identity(owned_set& fields) {
    for (const char* name : {"apiVersion", "kind", "metadata"}) fields.erase({std::string("f:") + name});
    for (const char* name : {"name", "namespace", "generateName", "selfLink", "uid", "resourceVersion", "generation",
                             "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
        fields.erase({"f:metadata", std::string("f:") + name});
    }
    for (auto it = fields.begin(); it != fields.end();) {
        const bool managed = it->size() > 1 && it->at(0) == "f:metadata" && it->at(1) == "f:managedFields";
        it = managed ? fields.erase(it) : std::next(it);
    }
}

KCONTROL_DECL field_changes compare_fields(const resource_type& type, const json::object& before,
                                           const json::object& after) {
    field_changes out;
    detail::visit_members(before, after, [&](const std::string& step, const json::value* a, const json::value* b) {
        detail::compare_values(type, {step}, a, b, out);
    });
    strip_identity(out.written);
    strip_identity(out.removed);
    return out;
}

KCONTROL_DECL void merge_fields(const resource_type& type, json::object& object, const json::object& applied) {
    for (const auto& member : applied) {
        json::value* found = object.if_contains(member.key());
        if (found != nullptr) {
            detail::merge_value(type, {"f:" + std::string(member.key())}, *found, member.value());
        } else {
            object[member.key()] = member.value();
        }
    }
}

KCONTROL_DECL void remove_fields(const resource_type& type, json::object& object, const owned_set& gone,
                                 const owned_set& kept) {
    if (gone.empty()) return;
    json::value whole(std::move(object));
    detail::field_remover(type, gone, kept).clean({}, whole);
    object = std::move(whole.get_object());
}

KCONTROL_DECL std::optional<std::string> find_duplicate_item(const resource_type& type, const json::object& object) {
    for (const auto& member : object) {
        auto found = detail::duplicate_below(type, {"f:" + std::string(member.key())}, member.value());
        if (found) return found;
    }
    return std::nullopt;
}

}  // namespace kcontrol::testing
