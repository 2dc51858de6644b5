// The differences of two encodings of an object as JSON Patch operations that leave alone what neither shows.
#pragma once

#include <kcontrol/documents/value.hpp>

#include <algorithm>
#include <array>
#include <map>
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

/// The member whose string tells elements apart, in both lists; empty if there is none.
inline std::string_view identity_of(const json::array& a, const json::array& b) {
    static constexpr std::array<std::string_view, 4> candidates{"name", "type", "key", "uid"};
    const auto unique_in = [](const json::array& list, std::string_view name) {
        std::vector<std::string_view> seen;
        for (const auto& element : list) {
            const auto* members = element.if_object();
            const auto* value = members != nullptr ? members->if_contains(name) : nullptr;
            if (value == nullptr || !value->is_string()) return false;
            seen.emplace_back(value->get_string());
        }
        std::sort(seen.begin(), seen.end());
        return std::adjacent_find(seen.begin(), seen.end()) == seen.end();
    };
    for (const auto name : candidates) {
        if (unique_in(a, name) && unique_in(b, name)) return name;
    }
    return {};
}

/// Collects operations.
class object_diff {
public:
    void set(std::string_view path, const json::value& v) { emit("add", path, &v); }
    json::array take() { return std::move(operations_); }

    void compare(const json::value& from, const json::value& to) {
        if (from == to) return;
        if (from.is_object() && to.is_object()) {
            compare_objects(from.get_object(), to.get_object());
        } else if (from.is_array() && to.is_array()) {
            const auto identity = identity_of(from.get_array(), to.get_array());
            if (identity.empty()) {
                compare_by_place(from.get_array(), to.get_array());
            } else {
                compare_by_identity(from.get_array(), to.get_array(), identity);
            }
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
        path_ += '/';
        for (const char c : name) {
            if (c == '~' || c == '/') {
                path_ += c == '~' ? "~0" : "~1";
            } else {
                path_ += c;
            }
        }
        action();
        path_.resize(length);
    }
    template <class Action>
    void at(std::size_t index, Action&& action) {
        at(std::string_view(std::to_string(index)), std::forward<Action>(action));
    }

    void compare_objects(const json::object& from, const json::object& to) {
        for (const auto& member : from) {
            if (!to.contains(member.key())) at(member.key(), [&] { emit("remove", path_, nullptr); });
        }
        for (const auto& member : to) {
            const auto* old = from.if_contains(member.key());
            const bool descend = old != nullptr && ((old->is_object() && member.value().is_object()) ||
                                                    (old->is_array() && member.value().is_array()));
            if (old != nullptr && *old == member.value()) continue;
            at(member.key(), [&] {
                if (descend) {
                    compare(*old, member.value());
                } else {
                    // "add" also replaces, and does not mind that the server leaves out a zero we write.
                    emit("add", path_, &member.value());
                }
            });
        }
    }

    void compare_by_place(const json::array& from, const json::array& to) {
        std::size_t begin = 0;
        std::size_t from_end = from.size();
        std::size_t to_end = to.size();
        while (begin < from_end && begin < to_end && from[begin] == to[begin]) ++begin;
        while (from_end > begin && to_end > begin && from[from_end - 1] == to[to_end - 1]) --from_end, --to_end;
        const std::size_t common = std::min(from_end, to_end);
        for (std::size_t i = begin; i < common; ++i) at(i, [&] { compare(from[i], to[i]); });
        for (std::size_t i = from_end; i > common; --i) at(i - 1, [&] { emit("remove", path_, nullptr); });
        for (std::size_t i = common; i < to_end; ++i) at(i, [&] { emit("add", path_, &to[i]); });
    }

    void compare_by_identity(const json::array& from, const json::array& to, std::string_view identity) {
        const auto key_of_element = [&](const json::value& element) {
            return std::string_view(element.get_object().at(identity).get_string());
        };
        const auto find_from = [&](const auto& list, std::string_view key, std::size_t start) {
            while (start < list.size() && key_of_element(*list[start]) != key) ++start;
            return start;
        };
        std::map<std::string_view, bool> wanted;
        for (const auto& element : to) wanted[key_of_element(element)] = true;

        std::vector<const json::value*> current;  // the list as the operations so far leave it
        for (const auto& element : from) current.push_back(&element);
        for (std::size_t i = current.size(); i > 0; --i) {
            if (wanted.count(key_of_element(*current[i - 1])) != 0) continue;
            at(i - 1, [&] { emit("remove", path_, nullptr); });
            current.erase(current.begin() + static_cast<std::ptrdiff_t>(i - 1));
        }
        for (std::size_t i = 0; i < to.size(); ++i) {
            const std::size_t found = find_from(current, key_of_element(to[i]), i);
            const auto place = current.begin() + static_cast<std::ptrdiff_t>(i);
            if (found == current.size()) {
                at(i, [&] { emit("add", path_, &to[i]); });
                current.insert(place, &to[i]);
                continue;
            }
            if (found != i) {
                move(found, i);
                std::rotate(place, current.begin() + static_cast<std::ptrdiff_t>(found),
                            current.begin() + static_cast<std::ptrdiff_t>(found + 1));
            }
            const auto& old = *current[i];
            at(i, [&] { compare(old, to[i]); });
        }
    }

    void move(std::size_t from, std::size_t to) {
        const std::string source = path_ + "/" + std::to_string(from);
        const std::string target = path_ + "/" + std::to_string(to);
        operations_.push_back(json::object{{"op", "move"}, {"from", source}, {"path", target}});
    }

    std::string path_;
    json::array operations_;
};

}  // namespace kcontrol::detail
