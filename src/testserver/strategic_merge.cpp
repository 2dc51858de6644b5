#include "testserver/strategic_merge.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

// As Go prints a map: "map[image:x name:c]", keys in order.
std::string go_text(const json::value& v) {
    if (v.is_string()) return std::string(v.get_string());
    if (v.is_null()) return "<nil>";
    if (v.is_array()) {
        std::string out = "[";
        for (const auto& item : v.get_array()) out += (out.size() > 1 ? " " : "") + go_text(item);
        return out + "]";
    }
    if (!v.is_object()) return json::serialize(v);
    std::set<std::string> members;
    for (const auto& member : v.get_object()) members.insert(std::string(member.key()) + ":" + go_text(member.value()));
    std::string out = "map[";
    for (const auto& member : members) out += (out.size() > 4 ? " " : "") + member;
    return out + "]";
}

failure merge_failure(std::string message) { return failure(500, "", std::move(message)); }

class strategic_merger {
public:
    explicit strategic_merger(const json::object& whole) : whole_(whole) {}

    outcome<void> merge_object(const schema_type* type, json::object& into, const json::object& patch) {
        if (const json::value* directive = patch.if_contains("$patch")) {
            const std::string what = go_text(*directive);
            if (what == "delete") return into.clear(), outcome<void>();
            if (what == "replace") return into = without_directives(patch), outcome<void>();
            if (what != "merge") {
                return merge_failure("unknown patch type: " + what + " in map: " + go_text(json::value(patch)));
            }
        }
        retain(into, patch);
        for (const auto& member : patch) {
            const std::string_view name = member.key();
            if (name == "$patch" || name == "$retainKeys") continue;
            if (name.starts_with('$')) {
                drop_scalars(into, name, member.value());
                continue;
            }
            const schema_field* field = type == nullptr ? nullptr : type->find(name);
            if (auto merged = merge_member(field, into, name, member.value()); !merged) return merged;
        }
        for (const auto& member : patch) {
            constexpr std::string_view order = "$setElementOrder/";
            if (!std::string_view(member.key()).starts_with(order) || !member.value().is_array()) continue;
            const std::string name = std::string(member.key()).substr(order.size());
            const schema_field* field = type == nullptr ? nullptr : type->find(name);
            json::value* list = into.if_contains(name);
            if (list != nullptr && list->is_array()) {
                set_order(key_of(field), list->get_array(), member.value().get_array());
            }
        }
        return {};
    }

private:
    static std::string_view key_of(const schema_field* field) {
        return field == nullptr ? std::string_view() : field->patch_key;
    }

    static json::object without_directives(const json::object& from) {
        json::object out;
        for (const auto& member : from) {
            if (!member.key().starts_with('$')) out[member.key()] = member.value();
        }
        return out;
    }

    static void retain(json::object& into, const json::object& patch) {
        const json::value* names = patch.if_contains("$retainKeys");
        if (names == nullptr || !names->is_array()) return;
        std::vector<std::string> others;
        for (const auto& member : into) {
            const auto& kept = names->get_array();
            if (std::find(kept.begin(), kept.end(), json::value(member.key())) == kept.end()) {
                others.emplace_back(member.key());
            }
        }
        for (const auto& name : others) into.erase(name);
    }

    static void drop_scalars(json::object& into, std::string_view name, const json::value& value) {
        constexpr std::string_view removes = "$deleteFromPrimitiveList/";
        if (!name.starts_with(removes) || !value.is_array()) return;
        json::value* list = into.if_contains(name.substr(removes.size()));
        if (list == nullptr || !list->is_array()) return;
        json::array rest;
        const auto& gone = value.get_array();
        for (const auto& item : list->get_array()) {
            if (std::find(gone.begin(), gone.end(), item) == gone.end()) rest.push_back(item);
        }
        *list = std::move(rest);
    }

    outcome<void> merge_member(const schema_field* field, json::object& into, std::string_view name,
                               const json::value& wanted) {
        if (wanted.is_null()) return into.erase(name), outcome<void>();
        json::value* there = into.if_contains(name);
        if (wanted.is_object()) {
            if (field != nullptr && field->is_list()) {
                return failure::invalid(
                    {}, "", "patch", "FieldValueInvalid",
                    "Invalid value: \"" + go_text(json::value(whole_)) + "\": cannot restore slice from map");
            }
            if (there == nullptr || !there->is_object()) {
                into[name] = json::object();
                there = into.if_contains(name);
            }
            const json::value* directive = wanted.get_object().if_contains("$patch");
            if (directive != nullptr && *directive == "delete") return into.erase(name), outcome<void>();
            const std::string_view form = field == nullptr ? std::string_view() : field->form;
            if (form == "r") {
                if (auto known = check_raw(there->get_object(), wanted.get_object()); !known) return known;
            }
            return merge_object(builtin_schema::get().type_of(form), there->get_object(), wanted.get_object());
        }
        const bool merges = wanted.is_array() && field != nullptr && field->patch_merge;
        if (!merges) {
            into[name] = wanted;
            return {};
        }
        if (there == nullptr || !there->is_array()) {
            into[name] = json::array();
            there = into.if_contains(name);
        }
        if (field->patch_key.empty()) {
            merge_scalars(there->get_array(), wanted.get_array());
            return {};
        }
        return merge_items(*field, there->get_array(), wanted.get_array());
    }

    // Go looks up how members are merged that are maps or lists on both sides, and a raw member has none to look up.
    static outcome<void> check_raw(const json::object& into, const json::object& wanted) {
        for (const auto& [name, value] : wanted) {
            const json::value* there = into.if_contains(name);
            if (there == nullptr) continue;
            if ((value.is_object() && there->is_object()) || (value.is_array() && there->is_array())) {
                return merge_failure("unable to find api field in struct RawExtension for the json field \"" +
                                     std::string(name) + "\"");
            }
        }
        return {};
    }

    // What is new comes first.
    static void merge_scalars(json::array& into, const json::array& wanted) {
        json::array merged;
        for (const auto& item : wanted) {
            if (std::find(into.begin(), into.end(), item) == into.end()) merged.push_back(item);
        }
        for (auto& item : into) merged.push_back(std::move(item));
        into = std::move(merged);
    }

    outcome<void> merge_items(const schema_field& field, json::array& into, const json::array& wanted) {
        const schema_type* type = builtin_schema::get().type_of(element_form(field.form));
        const std::string_view key = field.patch_key;
        bool replaces = false;
        for (const auto& item : wanted) {
            const json::value* directive = item.is_object() ? item.get_object().if_contains("$patch") : nullptr;
            replaces = replaces || (directive != nullptr && *directive == "replace");
        }
        if (replaces) into.clear();
        json::array added;
        for (const auto& item : wanted) {
            if (!item.is_object()) continue;
            const json::object& one = item.get_object();
            const json::value* directive = one.if_contains("$patch");
            if (directive != nullptr && *directive == "replace") continue;
            const json::value* id = one.if_contains(key);
            if (id == nullptr) {
                return merge_failure("map: " + go_text(item) +
                                     " does not contain declared merge key: " + std::string(key));
            }
            const auto is_it = [&](const json::value& known) {
                const json::value* own = known.is_object() ? known.get_object().if_contains(key) : nullptr;
                return own != nullptr && *own == *id;
            };
            const auto found = std::find_if(into.begin(), into.end(), is_it);
            if (directive != nullptr && *directive == "delete") {
                if (found != into.end()) into.erase(found);
                continue;
            }
            if (found != into.end()) {
                if (auto merged = merge_object(type, found->get_object(), one); !merged) return merged;
                continue;
            }
            json::object fresh;
            if (auto merged = merge_object(type, fresh, one); !merged) return merged;
            added.push_back(std::move(fresh));
        }
        for (auto& item : into) added.push_back(std::move(item));
        into = std::move(added);
        return {};
    }

    // Items that the order names stand as it says; the others stay behind the item that they stood behind.
    static void set_order(std::string_view key, json::array& list, const json::array& order) {
        const auto id_of = [key](const json::value& item) -> json::value {
            if (key.empty() || !item.is_object()) return item;
            const json::value* own = item.get_object().if_contains(key);
            return own == nullptr ? json::value() : *own;
        };
        std::vector<json::value> wanted;
        for (const auto& item : order) wanted.push_back(id_of(item));
        const auto rank = [&](const json::value& item) {
            return std::find(wanted.begin(), wanted.end(), id_of(item)) - wanted.begin();
        };
        std::vector<json::value> named, others;
        for (auto& item : list) {
            auto& to = rank(item) < static_cast<std::ptrdiff_t>(wanted.size()) ? named : others;
            to.push_back(std::move(item));
        }
        std::stable_sort(named.begin(), named.end(),
                         [&](const json::value& a, const json::value& b) { return rank(a) < rank(b); });
        json::array sorted;
        for (auto& item : named) sorted.push_back(std::move(item));
        for (auto& item : others) sorted.push_back(std::move(item));
        list = std::move(sorted);
    }

    const json::object& whole_;  // the patch, which errors show
};

}  // namespace
}  // namespace detail

outcome<void> apply_strategic_patch(const schema_type& type, json::object& object, const json::object& patch) {
    return detail::strategic_merger(patch).merge_object(&type, object, patch);
}

}  // namespace kcontrol::testing
