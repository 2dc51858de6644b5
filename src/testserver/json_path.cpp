#include "testserver/json_path.hpp"

#include <algorithm>
#include <charconv>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

using path_values = std::vector<const json::value*>;

path_values members_named(const path_values& from, std::string_view name) {
    path_values out;
    for (const json::value* v : from) {
        if (!v->is_object()) continue;
        if (const json::value* found = v->get_object().if_contains(name)) out.push_back(found);
    }
    return out;
}

// filter: `@.type=="Ready"`.
bool passes_filter(const json::value& element, std::string_view filter) {
    const std::size_t equals = filter.find("==");
    if (equals == std::string_view::npos || !filter.starts_with("@.")) return false;
    std::string_view name = filter.substr(2, equals - 2);
    std::string_view wanted = filter.substr(equals + 2);
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    while (!wanted.empty() && wanted.front() == ' ') wanted.remove_prefix(1);
    if (wanted.size() < 2 || (wanted.front() != '"' && wanted.front() != '\'')) return false;
    return json::get_string(element, {name}) == wanted.substr(1, wanted.size() - 2);
}

path_values elements_at(const path_values& from, std::string_view subscript) {
    path_values out;
    for (const json::value* v : from) {
        if (!v->is_array()) continue;
        const json::array& list = v->get_array();
        if (subscript.starts_with("?(") && subscript.ends_with(")")) {
            for (const auto& element : list) {
                if (passes_filter(element, subscript.substr(2, subscript.size() - 3))) out.push_back(&element);
            }
        } else if (subscript == "*") {
            for (const auto& element : list) out.push_back(&element);
        } else if (subscript == "-1:" || subscript == "-1") {
            if (!list.empty()) out.push_back(&list.back());
        } else {
            std::size_t index = 0;
            const auto [end, problem] = std::from_chars(subscript.data(), subscript.data() + subscript.size(), index);
            if (problem == std::errc() && end == subscript.data() + subscript.size() && index < list.size()) {
                out.push_back(&list[index]);
            }
        }
    }
    return out;
}

}  // namespace
}  // namespace detail

std::vector<const json::value*> select_path(const json::value& root, std::string_view path) {
    detail::path_values at(1, &root);
    while (!path.empty() && !at.empty()) {
        if (path.front() == '[') {
            const std::size_t filter_end = path.starts_with("[?(") ? path.find(")]") : std::string_view::npos;
            const std::size_t end = filter_end != std::string_view::npos ? filter_end + 1 : path.find(']');
            if (end == std::string_view::npos) return {};
            at = detail::elements_at(at, path.substr(1, end - 1));
            path.remove_prefix(end + 1);
            continue;
        }
        if (path.front() == '.') path.remove_prefix(1);
        const std::size_t end = std::min(path.find_first_of(".["), path.size());
        if (end == 0) return {};
        at = detail::members_named(at, path.substr(0, end));
        path.remove_prefix(end);
    }
    return at;
}

}  // namespace kcontrol::testing
