#pragma once

#include <kcontrol/documents/impl/json_pointer.hpp>
#include <kcontrol/documents/patch.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::json {
namespace detail {

inline void patch_diff(const value& from, const value& to, std::string& path, array& out) {
    const auto emit = [&](std::string_view op, std::string_view where, const value* operand) {
        object operation{{"op", op}, {"path", where}};
        if (operand) operation.emplace("value", *operand);
        out.push_back(std::move(operation));
    };
    const std::size_t length = path.size();
    const auto descend = [&](std::string_view token) { path.append("/").append(token); };

    if (from.is_object() && to.is_object()) {
        const auto& old_members = from.get_object();
        const auto& new_members = to.get_object();
        for (const auto& [name, old_value] : old_members) {
            descend(patch_escape_token(name));
            if (const value* new_value = new_members.if_contains(name)) {
                patch_diff(old_value, *new_value, path, out);
            } else {
                emit("remove", path, nullptr);
            }
            path.resize(length);
        }
        for (const auto& [name, new_value] : new_members) {
            if (old_members.contains(name)) continue;
            descend(patch_escape_token(name));
            emit("add", path, &new_value);
            path.resize(length);
        }
    } else if (from.is_array() && to.is_array()) {
        const auto& old_list = from.get_array();
        const auto& new_list = to.get_array();
        const std::size_t common = std::min(old_list.size(), new_list.size());
        for (std::size_t i = 0; i < common; ++i) {
            descend(std::to_string(i));
            patch_diff(old_list[i], new_list[i], path, out);
            path.resize(length);
        }
        for (std::size_t i = old_list.size(); i > common; --i) {  // from the end: the other indexes stay valid
            descend(std::to_string(i - 1));
            emit("remove", path, nullptr);
            path.resize(length);
        }
        for (std::size_t i = common; i < new_list.size(); ++i) {
            descend(std::to_string(i));
            emit("add", path, &new_list[i]);
            path.resize(length);
        }
    } else if (!equal(from, to)) {
        emit("replace", path, &to);
    }
}

}  // namespace detail

KCONTROL_DECL array diff(const value& from, const value& to) {
    array out;
    std::string path;
    detail::patch_diff(from, to, path, out);
    return out;
}

}  // namespace kcontrol::json
