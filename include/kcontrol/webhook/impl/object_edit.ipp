#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/codec/list_elements.hpp>
#include <kcontrol/documents/patch.hpp>
#include <kcontrol/webhook/impl/hidden_members.hpp>
#include <kcontrol/webhook/object_edit.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

// Carries the differences of two encodings over to a document of which they show a part.
class edit_carrier {
public:
    void carry(const place_in_kind& place, json::value& onto, const json::value& from, const json::value& to) {
        if (from == to) return;
        if (from.is_object() && to.is_object()) {
            if (!onto.is_object()) onto.emplace_object();  // it was null or absent, and is read as if it were empty
            carry_members(place, onto.get_object(), from.get_object(), to.get_object());
        } else if (from.is_array() && to.is_array() && onto.is_array()) {
            carry_elements(place, onto.get_array(), from.get_array(), to.get_array());
        } else {
            onto = to;
        }
    }

    /// Why the edit can't be carried over; empty: it is.
    const std::string& refusal() const noexcept { return refusal_; }

private:
    template <class Action>
    void at(const std::string& step, Action action) {
        const std::size_t length = path_.size();
        path_ += step;
        action();
        path_.resize(length);
    }
    std::string step_to(std::string_view name) const { return (path_.empty() ? "" : ".") + escape_control(name); }

    void carry_members(const place_in_kind& place, json::object& onto, const json::object& from,
                       const json::object& to) {
        const json::value empty = json::object();
        for (const auto& member : from) {
            if (to.contains(member.key())) continue;
            const place_in_kind below = place.member(member.key());
            auto* there = onto.if_contains(member.key());
            if (there == nullptr) continue;
            // A struct that is cleared is not written; what the type does not declare is still in it.
            if (member.value().is_object() && there->is_object() && below.omits_struct()) {
                at(step_to(member.key()), [&] { carry(below, *there, member.value(), empty); });
                if (!there->get_object().empty()) continue;
            }
            onto.erase(member.key());
        }
        for (const auto& member : to) {
            const auto* old = from.if_contains(member.key());
            const auto* there = onto.if_contains(member.key());
            // Not shown and there: nothing that the type declares was set in it.
            const bool unseen = old == nullptr && there != nullptr && there->is_object() && member.value().is_object();
            if (old == nullptr && !unseen) {
                onto[member.key()] = member.value();
            } else if (unseen || *old != member.value()) {
                at(step_to(member.key()), [&] {
                    carry(place.member(member.key()), onto[member.key()], unseen ? empty : *old, member.value());
                });
            }
        }
    }

    void carry_elements(const place_in_kind& place, json::array& onto, const json::array& from, const json::array& to) {
        const place_in_kind element = place.element();
        if (onto.size() != from.size()) {  // it reads otherwise than it is written
            const json::value whole(onto);
            if (hides_members(place, whole, json::value())) {
                return refuse(
                    ": it reads otherwise than it is written, and has members that the type does not declare");
            }
            onto = to;
            return;
        }
        const auto hides = [&](std::size_t i) { return hides_members(element, onto[i], from[i]); };
        const element_match match = match_elements(place, from, to, hides);
        if (match.ambiguous) {
            return refuse(
                ": the edited elements can't be told from added and removed ones, and members that their "
                "type does not declare could get to another element; " +
                match.remedy);
        }
        const json::array before = std::exchange(onto, {});
        for (std::size_t i = 0; i < to.size(); ++i) {
            const std::size_t origin = match.origins[i];
            if (origin == element_match::none) {
                onto.push_back(to[i]);
                continue;
            }
            onto.push_back(before[origin]);
            at("[" + std::to_string(i) + "]", [&] { carry(element, onto.back(), from[origin], to[i]); });
        }
    }

    void refuse(const std::string& why) {
        if (refusal_.empty()) refusal_ = path_ + why;
    }

    std::string path_;
    std::string refusal_;
};

inline result<std::string> json_patch_of_edit_at(const place_in_kind& root, json::node original,
                                                 std::string_view before, std::string_view after) {
    if (before == after) return std::string();
    const auto from = json::parse(before);
    if (!from) return from.error();
    const auto to = json::parse(after);
    if (!to) return to.error();
    const auto whole = json::to_value(original);
    if (!whole) return whole.error();
    json::value edited = *whole;
    edit_carrier carrier;
    carrier.carry(root, edited, *from, *to);
    if (!carrier.refusal().empty()) return error(errc::invalid_argument, carrier.refusal());
    const json::array operations = json::diff(*whole, edited);
    if (operations.empty()) return std::string();
    return json::serialize(operations);
}

inline std::string_view text_member(json::node object, std::string_view name) {
    const json::node member = object.is_object() ? object[name] : json::node();
    return member.is_string() ? member.as_string() : std::string_view();
}

}  // namespace detail

KCONTROL_DECL result<std::string> json_patch_of_edit(const resource_info& kind, json::node original,
                                                     std::string_view before, std::string_view after) {
    return detail::json_patch_of_edit_at(place_in_kind(kind), original, before, after);
}

KCONTROL_DECL result<std::string> json_patch_of_edit(json::node original, std::string_view before,
                                                     std::string_view after) {
    const std::string_view api_version = detail::text_member(original, "apiVersion");
    const std::size_t slash = api_version.find('/');
    const bool core = slash == std::string_view::npos;
    const group_version_kind gvk(std::string(core ? std::string_view() : api_version.substr(0, slash)),
                                 std::string(core ? api_version : api_version.substr(slash + 1)),
                                 std::string(detail::text_member(original, "kind")));
    return detail::json_patch_of_edit_at(place_in_kind(gvk), original, before, after);
}

}  // namespace kcontrol
