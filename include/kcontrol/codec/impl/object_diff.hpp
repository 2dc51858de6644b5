// The differences of two encodings of an object as JSON Patch operations that leave alone what neither shows.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/codec/list_elements.hpp>
#include <kcontrol/documents/value.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::detail {

inline bool contains_null(const json::value& v) {
    if (v.is_null()) return true;
    if (const auto* members = v.if_object()) {
        return std::any_of(members->begin(), members->end(), [](const auto& m) { return contains_null(m.value()); });
    }
    if (const auto* list = v.if_array()) {
        return std::any_of(list->begin(), list->end(), [](const auto& e) { return contains_null(e); });
    }
    return false;
}

inline bool holds_containers(const json::array& list) {
    return std::any_of(list.begin(), list.end(), [](const auto& e) { return e.is_object() || e.is_array(); });
}

/// Whether a merge patch can say it: it replaces lists as a whole, which would lose what elements hold unseen, and
/// reads null as removal.
inline bool merge_is_exact(const json::value& from, const json::value& to) {
    if (from == to) return true;
    if (from.is_object() && to.is_object()) {
        for (const auto& member : to.get_object()) {
            const auto* old = from.get_object().if_contains(member.key());
            if (old == nullptr ? contains_null(member.value()) : !merge_is_exact(*old, member.value())) return false;
        }
        return true;
    }
    if (contains_null(to)) return false;
    return !(from.is_array() && holds_containers(from.get_array()) && to.is_array());
}

/// Whether there is an object in it: something that may have members which are not shown.
inline bool holds_objects(const json::value& v) {
    if (v.is_object()) return true;
    const auto* list = v.if_array();
    return list != nullptr && std::any_of(list->begin(), list->end(), [](const auto& e) { return holds_objects(e); });
}

/// A struct that is cleared is not written any more. `to` gets it as an empty object, so that the patch removes what
/// was set and nothing that the type does not declare.
inline void keep_cleared_structs(const place_in_kind& place, const json::object& from, json::object& to) {
    for (const auto& member : from) {
        const auto* old = member.value().if_object();
        if (old == nullptr) continue;
        const place_in_kind below = place.member(member.key());
        if (!to.contains(member.key()) && below.omits_struct()) to[member.key()].emplace_object();
        auto* kept = to.if_contains(member.key());
        if (kept != nullptr && kept->is_object()) keep_cleared_structs(below, *old, kept->get_object());
    }
}

/// Collects operations.
class object_diff {
public:
    void set(std::string_view path, const json::value& v) { emit("add", path, &v); }
    json::array take() { return std::move(operations_); }
    /// Why the operations must not be sent; empty: they may.
    const std::string& refusal() const noexcept { return refusal_; }

    void compare(const place_in_kind& place, const json::value& from, const json::value& to) {
        if (from == to) return;
        if (from.is_object() && to.is_object()) {
            compare_objects(place, from.get_object(), to.get_object());
        } else if (from.is_array() && to.is_array()) {
            compare_lists(place, from.get_array(), to.get_array());
        } else {
            emit("replace", path_, &to);
        }
    }

private:
    void emit(std::string_view op, std::string_view path, const json::value* v) {
        json::object operation{{"op", op}, {"path", path}};
        if (v != nullptr) operation["value"] = *v;
        operations_.push_back(std::move(operation));
    }

    /// Calls `action` with path_ one step longer.
    template <class Action>
    void at(std::string_view name, Action&& action) {
        const std::size_t length = path_.size();
        const std::size_t shown_length = shown_path_.size();
        shown_path_ += (shown_path_.empty() ? "" : ".") + escape_control(name);
        step(name, std::forward<Action>(action));
        path_.resize(length);
        shown_path_.resize(shown_length);
    }
    template <class Action>
    void at(std::size_t index, Action&& action) {
        const std::size_t length = path_.size();
        const std::size_t shown_length = shown_path_.size();
        const std::string text = std::to_string(index);
        shown_path_ += "[" + text + "]";
        step(text, std::forward<Action>(action));
        path_.resize(length);
        shown_path_.resize(shown_length);
    }
    template <class Action>
    void step(std::string_view name, Action&& action) {
        path_ += '/';
        for (const char c : name) {
            if (c == '~' || c == '/') {
                path_ += c == '~' ? "~0" : "~1";
            } else {
                path_ += c;
            }
        }
        action();
    }

    void compare_objects(const place_in_kind& place, const json::object& from, const json::object& to) {
        for (const auto& member : from) {
            if (to.contains(member.key())) continue;
            const place_in_kind below = place.member(member.key());
            at(member.key(), [&] {
                if (member.value().is_object() && below.omits_struct()) {
                    compare_objects(below, member.value().get_object(), json::object());
                } else {
                    emit("remove", path_, nullptr);
                }
            });
        }
        for (const auto& member : to) {
            const auto* old = from.if_contains(member.key());
            const bool descend = old != nullptr && ((old->is_object() && member.value().is_object()) ||
                                                    (old->is_array() && member.value().is_array()));
            if (old != nullptr && *old == member.value()) continue;
            const place_in_kind below = place.member(member.key());
            at(member.key(), [&] {
                if (descend) return compare(below, *old, member.value());
                if (old == nullptr && below.is_builtin() && below.omits_struct()) {
                    return refuse(
                        ": its type can't tell whether the object has other members here, which a JSON Patch "
                        "would remove; make the member a kcontrol::boxed");
                }
                // "add" also replaces, and does not mind that the server leaves out a zero we write.
                emit("add", path_, &member.value());
            });
        }
    }

    void compare_lists(const place_in_kind& place, const json::array& from, const json::array& to) {
        const place_in_kind element = place.element();
        const bool shows_all = element.declares_all();
        const auto hides = [&](std::size_t i) { return !shows_all && holds_objects(from[i]); };
        const element_match match = match_elements(place, from, to, hides);
        if (match.ambiguous) {
            return refuse(
                ": the edited elements can't be told from added and removed ones, and a patch could give "
                "members that their type does not declare to another element; " +
                match.remedy);
        }

        std::vector<bool> stays(from.size(), false);
        for (const std::size_t origin : match.origins) {
            if (origin != element_match::none) stays[origin] = true;
        }
        for (std::size_t i = from.size(); i > 0; --i) {
            if (!stays[i - 1]) at(i - 1, [&] { emit("remove", path_, nullptr); });
        }
        std::vector<std::size_t> current;  // the list as the operations so far leave it, by indexes of `from`
        for (std::size_t i = 0; i < from.size(); ++i) {
            if (stays[i]) current.push_back(i);
        }
        for (std::size_t i = 0; i < to.size(); ++i) {
            const std::size_t origin = match.origins[i];
            const auto here = current.begin() + static_cast<std::ptrdiff_t>(i);
            if (origin == element_match::none) {
                at(i, [&] { emit("add", path_, &to[i]); });
                current.insert(here, origin);
                continue;
            }
            const auto found = std::find(here, current.end(), origin);
            if (found != here) {
                move(static_cast<std::size_t>(found - current.begin()), i);
                std::rotate(here, found, found + 1);
            }
            at(i, [&] { compare(element, from[origin], to[i]); });
        }
    }

    void refuse(const std::string& why) {
        if (refusal_.empty()) refusal_ = shown_path_ + why + ", or write the whole object";
    }

    void move(std::size_t from, std::size_t to) {
        const std::string source = path_ + "/" + std::to_string(from);
        const std::string target = path_ + "/" + std::to_string(to);
        operations_.push_back(json::object{{"op", "move"}, {"from", source}, {"path", target}});
    }

    std::string path_;        // as a JSON Pointer
    std::string shown_path_;  // as people write it
    std::string refusal_;
    json::array operations_;
};

}  // namespace kcontrol::detail
