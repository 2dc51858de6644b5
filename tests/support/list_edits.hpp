// Random edits of the lists of any kind, as a type sees them that declares a random part of the kind. What the type
// does not declare has to stay with its element.
#pragma once

#include <kcontrol/codec/list_elements.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/model/metadata_fields.hpp>

#include "lossless/random_object.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace kcontrol_test {

/// A type that declares some of the members of another one, of the same C++ objects.
class projection {
public:
    projection(const kcontrol::resource_info& whole, random_source& random, unsigned percent)
        : info_(whole), random_(random), percent_(percent) {
        info_.type = &part_of(*whole.type, true);
    }
    const kcontrol::resource_info& info() const { return info_; }

private:
    const kcontrol::type_descriptor& part_of(const kcontrol::type_descriptor& type, bool root) {
        if (&type == &kcontrol::describe<kcontrol::object_meta>()) return type;
        if (const auto known = parts_.find(&type); known != parts_.end()) return *known->second;
        auto& out = types_.emplace_back(type);
        parts_[&type] = &out;
        if (type.element != nullptr) out.element = &part_of(*type.element, false);
        if (type.kind != kcontrol::type_kind::structure) return out;
        auto& fields = fields_.emplace_back();
        for (std::uint32_t i = 0; i < type.field_count; ++i) {
            if ((root && i == 0) || random_.chance(percent_)) fields.push_back(type.fields[i]);
        }
        for (auto& field : fields) field.type = &part_of(*field.type, false);
        out.fields = fields.data();
        out.field_count = static_cast<std::uint32_t>(fields.size());
        return out;
    }

    kcontrol::resource_info info_;
    random_source& random_;
    unsigned percent_;
    std::deque<kcontrol::type_descriptor> types_;
    std::deque<std::vector<kcontrol::field_descriptor>> fields_;
    std::map<const kcontrol::type_descriptor*, const kcontrol::type_descriptor*> parts_;
};

inline const kcontrol::type_descriptor& bare(const kcontrol::type_descriptor& type) {
    const kcontrol::type_descriptor* at = &type;
    while (at->kind == kcontrol::type_kind::optional) at = at->element;
    return *at;
}

/// What of a value the type declares.
inline json::value declared_part(const kcontrol::type_descriptor& wrapped, const json::value& v) {
    const auto& type = bare(wrapped);
    if (type.kind == kcontrol::type_kind::structure && v.is_object()) {
        json::object out;
        for (std::uint32_t i = 0; i < type.field_count; ++i) {
            if (const auto* there = v.get_object().if_contains(type.fields[i].name)) {
                out[type.fields[i].name] = declared_part(*type.fields[i].type, *there);
            }
        }
        return out;
    }
    if (type.kind == kcontrol::type_kind::map && v.is_object()) {
        json::object out;
        for (const auto& entry : v.get_object()) out[entry.key()] = declared_part(*type.element, entry.value());
        return out;
    }
    if (type.kind == kcontrol::type_kind::list && v.is_array()) {
        json::array out;
        for (const auto& element : v.get_array()) out.push_back(declared_part(*type.element, element));
        return out;
    }
    return v;
}

/// Without what is the same as absent, and with members in the order of their names.
inline json::value normal(const json::value& v) {
    if (const auto* members = v.if_object()) {
        std::map<std::string, json::value> sorted;
        for (const auto& member : *members) {
            json::value inner = normal(member.value());
            const bool zero = inner.is_null() || inner == json::value(false) || inner == json::value(0) ||
                              inner == json::value("") || (inner.is_array() && inner.get_array().empty()) ||
                              (inner.is_object() && inner.get_object().empty());
            if (!zero) sorted[std::string(member.key())] = std::move(inner);
        }
        json::object out;
        for (auto& [name, inner] : sorted) out[name] = std::move(inner);
        return out;
    }
    if (const auto* list = v.if_array()) {
        json::array out;
        for (const auto& element : *list) out.push_back(normal(element));
        return out;
    }
    return v;
}

/// A list of objects that the type declares.
struct placed_list {
    json::array* list;
    const kcontrol::type_descriptor* element;
    kcontrol::place_in_kind place;
    std::string path;
};

inline void find_lists(const kcontrol::type_descriptor& wrapped, const kcontrol::place_in_kind& place, json::value& at,
                       const std::string& path, std::vector<placed_list>& out) {
    const auto& type = bare(wrapped);
    const std::string dot = path.empty() ? "" : ".";
    if (type.kind == kcontrol::type_kind::structure && at.is_object()) {
        for (std::uint32_t i = 0; i < type.field_count; ++i) {
            const std::string name(type.fields[i].name);
            auto* there = at.get_object().if_contains(name);
            if (there != nullptr) find_lists(*type.fields[i].type, place.member(name), *there, path + dot + name, out);
        }
    } else if (type.kind == kcontrol::type_kind::map && at.is_object()) {
        for (auto& entry : at.get_object()) {
            const std::string name(entry.key());
            find_lists(*type.element, place.member(name), entry.value(), path + dot + name, out);
        }
    } else if (type.kind == kcontrol::type_kind::list && at.is_array()) {
        auto& list = at.get_array();
        if (bare(*type.element).kind == kcontrol::type_kind::structure) {
            out.push_back({&list, &bare(*type.element), place, path});
        }
        for (std::size_t i = 0; i < list.size(); ++i) {
            find_lists(*type.element, place.element(), list[i], path + "[" + std::to_string(i) + "]", out);
        }
    }
}

/// Takes away what no type declares where the projection has all members that Kubernetes has: a kind's own type is
/// taken at its word.
inline void keep_declared_where_complete(const std::vector<placed_list>& lists) {
    for (auto one = lists.rbegin(); one != lists.rend(); ++one) {  // the inner ones first: the outer ones replace them
        if (!one->place.element().declares_all()) continue;
        for (auto& element : *one->list) element = declared_part(*one->element, element);
    }
}

/// Whether the type can't tell some of the elements apart.
inline bool has_alike(const placed_list& at) {
    std::vector<std::string> seen;
    for (const auto& element : *at.list) seen.push_back(json::serialize(normal(declared_part(*at.element, element))));
    std::sort(seen.begin(), seen.end());
    return std::adjacent_find(seen.begin(), seen.end()) != seen.end();
}

/// Edits lists of objects at random, where the type sees it.
class list_editor {
public:
    explicit list_editor(random_source& random) : random_(random) {}

    /// Doubles elements here and there: as the type sees them they are the same, but for what it does not see.
    static void double_some(std::vector<placed_list>& lists, random_source& random) {
        for (auto& one : lists) {
            if (!one.place.keys().empty() || !random.chance(20) || one.list->empty()) continue;
            json::value twin = declared_part(*one.element, one.list->front());
            if (!twin.is_object()) continue;
            twin.get_object()["x-twin"] = json::value(random.word());
            one.list->push_back(std::move(twin));
            return;  // the places of the others are no longer known
        }
    }

    /// Returns what it did. All calls are for one list. No element becomes one that looks like another one that is or
    /// was there: that could be either.
    std::string edit(placed_list& at) {
        json::array& list = *at.list;
        for (const auto& element : list) seen_.insert(shown(at, element));
        switch (random_.below(5)) {
        case 0:
            for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random_.below(i)]);
            return "permutation";
        case 1:
            if (list.empty()) break;
            list.erase(list.begin() + static_cast<std::ptrdiff_t>(random_.below(list.size())));
            return "deletion";
        case 2: {
            if (list.empty()) break;
            json::value fresh = declared_part(*at.element, list[random_.below(list.size())]);
            if (!fresh.is_object()) break;
            renew(*at.element, fresh.get_object());
            if (seen_.contains(shown(at, fresh))) break;
            list.insert(list.begin() + static_cast<std::ptrdiff_t>(random_.below(list.size() + 1)), std::move(fresh));
            return "insertion";
        }
        case 3: {  // another element at the same place
            if (list.empty()) break;
            json::value& old = list[random_.below(list.size())];
            json::value fresh = declared_part(*at.element, old);
            if (!fresh.is_object()) break;
            renew(*at.element, fresh.get_object());
            if (seen_.contains(shown(at, fresh)) || same_key(at, fresh, old)) break;
            old = std::move(fresh);
            return "replacement";
        }
        default: {
            if (list.empty()) break;
            json::value& element = list[random_.below(list.size())];
            json::value edited = element;
            if (!edited.is_object() || !change_one(*at.element, at, edited.get_object())) break;
            if (seen_.contains(shown(at, edited))) break;
            if (!has_common_member(declared_part(*at.element, element), edited)) changed_wholly_ = true;
            element = std::move(edited);
            return "edit";
        }
        }
        return "nothing";
    }

    /// Whether an edited element has nothing in common with what it was: if others are moved as well, it could be
    /// another.
    bool changed_wholly() const noexcept { return changed_wholly_; }

private:
    static bool has_common_member(const json::value& a, const json::value& b) {
        for (const auto& member : a.get_object()) {
            const auto* other = b.get_object().if_contains(member.key());
            if (other != nullptr && *other == member.value()) return true;
        }
        return false;
    }
    static bool is_key(const placed_list& at, std::string_view name) {
        const auto keys = at.place.keys();
        return std::any_of(keys.begin(), keys.end(), [&](const auto& key) { return key.name == name; });
    }
    static bool same_key(const placed_list& at, const json::value& a, const json::value& b) {
        const auto keys = at.place.keys();
        if (keys.empty()) return false;
        return std::all_of(keys.begin(), keys.end(), [&](const auto& key) {
            const auto *x = json::find(a, {key.name}), *y = json::find(b, {key.name});
            return (x == nullptr) == (y == nullptr) && (x == nullptr || *x == *y);
        });
    }

    // Other values for all scalars of an element.
    void renew(const kcontrol::type_descriptor& type, json::object& element) {
        for (std::uint32_t i = 0; i < type.field_count; ++i) {
            if (auto* there = element.if_contains(type.fields[i].name)) change(*type.fields[i].type, *there);
        }
    }

    bool change(const kcontrol::type_descriptor& type, json::value& v) {
        switch (bare(type).kind) {
        case kcontrol::type_kind::text: v = json::value(random_.word()); return true;
        case kcontrol::type_kind::int32:
        case kcontrol::type_kind::int64: v = static_cast<std::int64_t>(1000 + random_.below(100000)); return true;
        case kcontrol::type_kind::boolean: v = !(v.is_bool() && v.get_bool()); return true;
        default: return false;
        }
    }

    bool change_one(const kcontrol::type_descriptor& type, const placed_list& at, json::object& element) {
        if (type.field_count == 0) return false;
        const std::size_t start = random_.below(type.field_count);
        for (std::uint32_t i = 0; i < type.field_count; ++i) {
            const auto& field = type.fields[(start + i) % type.field_count];
            if (is_key(at, field.name)) continue;  // it would be another element
            auto* there = element.if_contains(field.name);
            if (there == nullptr) continue;
            if (there->is_object() && bare(*field.type).kind == kcontrol::type_kind::structure) {
                const placed_list below{at.list, &bare(*field.type), at.place.element().member(field.name), {}};
                if (change_one(bare(*field.type), below, there->get_object())) return true;
            }
            const auto kind = bare(*field.type).kind;
            const bool scalar = kind == kcontrol::type_kind::text || kind == kcontrol::type_kind::int32 ||
                                kind == kcontrol::type_kind::int64;
            if (scalar && !field.required && random_.chance(25)) return element.erase(field.name), true;
            if (change(*field.type, *there)) return true;
        }
        return false;
    }

    static std::string shown(const placed_list& at, const json::value& element) {
        return json::serialize(normal(declared_part(*at.element, element)));
    }

    random_source& random_;
    std::set<std::string> seen_;
    bool changed_wholly_ = false;
};

/// A random object of a kind, with members everywhere that no type declares.
inline json::value random_object_of(const kcontrol::resource_info& kind, random_source& random) {
    json::object out{{"apiVersion", kind.gvk.api_version()},
                     {"kind", kind.gvk.kind},
                     {"metadata", {{"name", "n"}, {"namespace", "ns"}, {"resourceVersion", "7"}}}};
    random_object(random, true).fill(*kind.type, out, {"apiVersion", "kind"});
    return out;
}

/// The order of a list does not count where elements look alike.
inline json::value without_order(const json::value& v) {
    if (const auto* members = v.if_object()) {
        json::object out;
        for (const auto& member : *members) out[member.key()] = without_order(member.value());
        return out;
    }
    if (const auto* list = v.if_array()) {
        std::vector<std::string> texts;
        for (const auto& element : *list) texts.push_back(json::serialize(without_order(element)));
        std::sort(texts.begin(), texts.end());
        json::array out;
        for (const auto& text : texts) out.push_back(json::value(text));
        return out;
    }
    return v;
}

}  // namespace kcontrol_test
