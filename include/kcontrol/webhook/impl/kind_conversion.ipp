#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/codec/list_elements.hpp>
#include <kcontrol/documents/patch.hpp>
#include <kcontrol/webhook/impl/review_words.hpp>
#include <kcontrol/webhook/kind_conversion.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {
namespace detail {

// Brings what neither type knows from the original to what was made of it.
class unknown_members {
public:
    static void carry(json::object& onto, const json::object& from, const resource_info& source,
                      const resource_info& target) {
        carry_members(onto, from, place_in_kind(source), *source.type, *target.type);
    }

private:
    static void carry_members(json::object& onto, const json::object& from, const place_in_kind& place,
                              const type_descriptor& source, const type_descriptor& target) {
        for (const auto& member : from) {
            const auto* known_before = find(source, member.key());
            const auto* known_after = find(target, member.key());
            if (known_before == nullptr && known_after == nullptr) {
                if (!onto.contains(member.key())) onto[member.key()] = member.value();
            } else if (known_before != nullptr && known_after != nullptr) {
                if (auto* there = onto.if_contains(member.key())) {
                    carry_value(*there, member.value(), place.member(member.key()), *known_before->type,
                                *known_after->type);
                }
            }
        }
    }

    static void carry_value(json::value& onto, const json::value& from, const place_in_kind& place,
                            const type_descriptor& source, const type_descriptor& target) {
        const type_descriptor& a = bare(source);
        const type_descriptor& b = bare(target);
        if (a.kind == type_kind::structure && b.kind == type_kind::structure) {
            if (onto.is_object() && from.is_object()) carry_members(onto.get_object(), from.get_object(), place, a, b);
        } else if (a.kind == type_kind::list && b.kind == type_kind::list && onto.is_array() && from.is_array()) {
            carry_elements(onto.get_array(), from.get_array(), place, *a.element, *b.element);
        }
    }

    // Elements are the same if their keys are equal, or else all members that both types know. What could belong to
    // several does not come back: it would be worse with the wrong one.
    static void carry_elements(json::array& onto, const json::array& from, const place_in_kind& place,
                               const type_descriptor& source, const type_descriptor& target) {
        if (onto.size() == 1 && from.size() == 1) {
            return carry_value(onto.front(), from.front(), place.element(), source, target);
        }
        json::array before, after;
        for (const json::value& element : from) before.push_back(common_part(element, source, target));
        for (const json::value& element : onto) after.push_back(common_part(element, source, target));
        const element_match match = match_elements(place, before, after, [](std::size_t) { return true; });
        for (std::size_t i = 0; i < onto.size(); ++i) {
            const std::size_t origin = match.origins[i];
            if (origin == element_match::none) continue;
            const json::value& same = before[origin];
            if (std::count(before.begin(), before.end(), same) > 1) continue;
            carry_value(onto[i], from[origin], place.element(), source, target);
        }
    }

    // What both types know of a value, without what is the same as absent.
    static json::value common_part(const json::value& v, const type_descriptor& source, const type_descriptor& target) {
        const type_descriptor& a = bare(source);
        const type_descriptor& b = bare(target);
        if (a.kind == type_kind::structure && b.kind == type_kind::structure && v.is_object()) {
            json::object out;
            for (const auto& member : v.get_object()) {
                const auto *before = find(a, member.key()), *after = find(b, member.key());
                if (before == nullptr || after == nullptr) continue;
                json::value inner = common_part(member.value(), *before->type, *after->type);
                if (!is_zero(inner)) out[member.key()] = std::move(inner);
            }
            return out;
        }
        if (a.kind == type_kind::list && b.kind == type_kind::list && v.is_array()) {
            json::array out;
            for (const json::value& element : v.get_array()) {
                out.push_back(common_part(element, *a.element, *b.element));
            }
            return out;
        }
        return v;
    }

    static bool is_zero(const json::value& v) {
        return v.is_null() || v == json::value(false) || v == json::value(0) || v == json::value("") ||
               (v.is_object() && v.get_object().empty()) || (v.is_array() && v.get_array().empty());
    }
    static const type_descriptor& bare(const type_descriptor& type) {
        const type_descriptor* at = &type;
        while (at->kind == type_kind::optional) at = at->element;
        return *at;
    }
    static const field_descriptor* find(const type_descriptor& type, std::string_view name) {
        for (std::size_t i = 0; i < type.field_count; ++i) {
            if (type.fields[i].name == name) return &type.fields[i];
        }
        return nullptr;
    }
};

// The API server refuses a conversion that changes anything of the metadata but these two.
inline void keep_metadata(json::object& made, const json::object& original) {
    json::object before;
    if (const auto* meta = original.if_contains("metadata"); meta != nullptr && meta->is_object()) {
        before = meta->get_object();
    }
    const json::value after = made["metadata"];
    for (const char* name : {"labels", "annotations"}) {
        before.erase(name);
        if (const auto* set = json::find(after, {name})) before[name] = *set;
    }
    made["metadata"] = std::move(before);
}

inline result<any_object> call_step(const kind_conversion::step& step, const any_object& from) {
    try {
        return step(from);
    } catch (...) {
        return error_of_thrown("the conversion");
    }
}

}  // namespace detail

KCONTROL_DECL kind_conversion& kind_conversion::add(resource_info spoke_info, step to_hub, step from_hub) {
    spokes_.push_back({std::move(spoke_info), std::move(to_hub), std::move(from_hub)});
    return *this;
}

KCONTROL_DECL std::vector<std::string> kind_conversion::versions() const {
    std::vector<std::string> out{hub_.gvk.api_version()};
    for (const spoke& one : spokes_) out.push_back(one.info.gvk.api_version());
    return out;
}

inline const kind_conversion::spoke* kind_conversion::find(std::string_view api_version) const {
    const auto found = std::find_if(spokes_.begin(), spokes_.end(),
                                    [&](const spoke& one) { return one.info.gvk.api_version() == api_version; });
    return found == spokes_.end() ? nullptr : &*found;
}

KCONTROL_DECL result<std::string> kind_conversion::convert(json::node object, std::string_view api_version) const {
    if (!object.is_object()) return error(errc::decode_failed, "expected an object");
    const json::node named = object["apiVersion"];
    const std::string_view has = named.is_string() ? named.as_string() : std::string_view();
    if (has == api_version) return object.to_json();
    const std::string hub = hub_.gvk.api_version();
    const spoke* const from = find(has);
    const spoke* const to = find(api_version);
    const auto unknown = [&](std::string_view version) {
        return error(errc::invalid_argument,
                     hub_.gvk.kind + " has no version " + in_quotes(version) + " that can be converted");
    };
    if (from == nullptr && has != hub) return unknown(has);
    if (to == nullptr && api_version != hub) return unknown(api_version);

    const resource_info& source = from != nullptr ? from->info : hub_;
    const resource_info& target = to != nullptr ? to->info : hub_;
    auto current = source.decode(object);
    if (current && from != nullptr) current = detail::call_step(from->to_hub, *current);
    if (current && to != nullptr) current = detail::call_step(to->from_hub, *current);
    if (!current) return current.error();
    const auto text = target.encode(*current);
    if (!text) return text.error();
    auto made = json::parse(*text);
    if (!made) return made.error();
    const auto original = json::to_value(object);
    if (!original) return original.error();
    json::object& members = made->as_object();
    detail::keep_metadata(members, original->get_object());
    if (source.type != nullptr && target.type != nullptr) {
        detail::unknown_members::carry(members, original->get_object(), source, target);
    }
    return json::serialize(*made);
}

KCONTROL_DECL result<void> check_round_trips(const kind_conversion& of, std::string_view object) {
    json::document document, other;
    const auto root = document.parse(object);
    if (!root) return root.error();
    if (!root->is_object()) return error(errc::decode_failed, "expected an object");
    const json::node named = (*root)["apiVersion"];
    const std::string version(named.is_string() ? named.as_string() : std::string_view());
    const auto before = json::parse(object);
    if (!before) return before.error();
    for (const std::string& by : of.versions()) {
        if (by == version) continue;
        const auto there = of.convert(*root, by);
        if (!there) return there.error().with_context("to " + by);
        const auto way = other.parse(*there);
        if (!way) return way.error();
        const auto back = of.convert(*way, version);
        if (!back) return back.error().with_context("back from " + by);
        const json::array differences = json::diff(*before, json::parse(*back).value());
        if (differences.empty()) continue;
        return error(errc::decode_failed, version + " by way of " + by + ": it comes back with another " +
                                              std::string(json::get_string(differences.front(), {"path"})) +
                                              "; keep in an annotation what " + by + " has no field for");
    }
    return {};
}

}  // namespace kcontrol
