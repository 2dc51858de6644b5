#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/documents/patch.hpp>
#include <kcontrol/webhook/impl/review_words.hpp>
#include <kcontrol/webhook/kind_conversion.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {
namespace detail {

// Brings what neither type knows from the original to what was made of it, at the same places.
class unknown_members {
public:
    static void carry(json::object& onto, const json::object& from, const type_descriptor& source,
                      const type_descriptor& target) {
        for (const auto& member : from) {
            const auto* known_before = find(source, member.key());
            const auto* known_after = find(target, member.key());
            if (known_before == nullptr && known_after == nullptr) {
                if (!onto.contains(member.key())) onto[member.key()] = member.value();
            } else if (known_before != nullptr && known_after != nullptr) {
                if (auto* place = onto.if_contains(member.key())) {
                    carry_value(*place, member.value(), *known_before->type, *known_after->type);
                }
            }
        }
    }

private:
    static void carry_value(json::value& onto, const json::value& from, const type_descriptor& source,
                            const type_descriptor& target) {
        const type_descriptor& a = bare(source);
        const type_descriptor& b = bare(target);
        if (a.kind == type_kind::structure && b.kind == type_kind::structure) {
            if (onto.is_object() && from.is_object()) carry(onto.get_object(), from.get_object(), a, b);
        } else if (a.kind == type_kind::list && b.kind == type_kind::list && onto.is_array() && from.is_array()) {
            carry_elements(onto.get_array(), from.get_array(), *a.element, *b.element);
        }
    }

    // Elements are the same if they are as many and none is called otherwise.
    static void carry_elements(json::array& onto, const json::array& from, const type_descriptor& source,
                               const type_descriptor& target) {
        if (onto.size() != from.size()) return;
        for (std::size_t i = 0; i < onto.size(); ++i) {
            for (const char* name : {"name", "type", "key", "uid"}) {
                if (json::get_string(onto[i], {name}) != json::get_string(from[i], {name})) return;
            }
        }
        for (std::size_t i = 0; i < onto.size(); ++i) carry_value(onto[i], from[i], source, target);
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
                     hub_.gvk.kind + " has no version " + detail::quoted_text(version) + " that can be converted");
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
        detail::unknown_members::carry(members, original->get_object(), *source.type, *target.type);
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
