#pragma once

#include <kcontrol/http/url.hpp>
#include <kcontrol/serve/route_table.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::http {
namespace detail {

// "/a/b" is "a", "b"; "/a/" is "a", ""; what does not begin with a slash has no segments and fits nowhere.
inline std::vector<std::string_view> raw_segments(std::string_view path) {
    std::vector<std::string_view> out;
    while (path.starts_with('/')) {
        path.remove_prefix(1);
        const auto end = std::min(path.find('/'), path.size());
        out.push_back(path.substr(0, end));
        path.remove_prefix(end);
    }
    return out;
}

inline std::string allow_value(const std::vector<std::string_view>& methods) {
    std::string out;
    const bool head = std::find(methods.begin(), methods.end(), "HEAD") != methods.end();
    for (const auto method : methods) {
        if (!out.empty()) out += ", ";
        out += method;
        if (method == "GET" && !head) out += ", HEAD";
    }
    return out;
}

}  // namespace detail

KCONTROL_DECL std::string_view path_parameters::get(std::string_view name) const noexcept {
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& one) { return one.first == name; });
    return found == all_.end() ? std::string_view() : found->second;
}

KCONTROL_DECL std::size_t route_table::add(std::string method, std::string_view pattern) {
    route added;
    added.method = std::move(method);
    const auto segments = detail::raw_segments(pattern);
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const auto text = segments[i];
        segment one;
        one.text = text;
        if (text.size() > 2 && text.starts_with('{') && text.ends_with('}')) {
            const bool last = i + 1 == segments.size();
            const bool rest = last && text.size() > 5 && text.ends_with("...}");
            one.kind = rest ? part::rest : part::variable;
            one.text = text.substr(1, text.size() - (rest ? 5 : 2));
        }
        added.segments.push_back(std::move(one));
    }
    routes_.push_back(std::move(added));
    return routes_.size() - 1;
}

inline bool route_table::fits(const route& one, const std::vector<std::string_view>& path) {
    const auto& wanted = one.segments;
    if (wanted.empty() || path.size() < wanted.size()) return false;
    if (path.size() > wanted.size() && wanted.back().kind != part::rest) return false;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i].kind == part::text && wanted[i].text != path[i]) return false;
        if (wanted[i].kind == part::variable && path[i].empty()) return false;
    }
    return true;
}

// Of two routes that fit the same path.
inline bool route_table::says_more(const route& a, const route& b) {
    return std::lexicographical_compare(b.segments.begin(), b.segments.end(), a.segments.begin(), a.segments.end(),
                                        [](const segment& x, const segment& y) { return x.kind < y.kind; });
}

inline void route_table::take(const route& one, const std::vector<std::string_view>& path, route_match& into) {
    for (std::size_t i = 0; i < one.segments.size(); ++i) {
        const auto& [kind, name] = one.segments[i];
        if (kind == part::rest) {
            const char* end = path.back().data() + path.back().size();
            into.parameters.add(name, std::string(path[i].data(), end));
        } else if (kind == part::variable) {
            auto decoded = percent_decode(path[i]);
            if (!decoded) {
                into.outcome = route_outcome::malformed_path;
                into.problem = decoded.error().message();
                return;
            }
            into.parameters.add(name, std::move(*decoded));
        }
    }
}

KCONTROL_DECL route_match route_table::find(std::string_view method, std::string_view path) const {
    const auto segments = detail::raw_segments(path);
    const route* best = nullptr;
    std::vector<std::string_view> others;
    const auto exact = [&](const route& one) { return one.method.empty() || one.method == method; };
    for (const auto& one : routes_) {
        if (!fits(one, segments)) continue;
        if (!exact(one) && !(method == "HEAD" && one.method == "GET")) {
            if (std::find(others.begin(), others.end(), one.method) == others.end()) others.push_back(one.method);
            continue;
        }
        const bool worse =
            best != nullptr && (says_more(*best, one) || (!says_more(one, *best) && exact(*best) && !exact(one)));
        if (!worse) best = &one;
    }
    route_match out;
    if (best != nullptr) {
        out.outcome = route_outcome::found;
        out.route = static_cast<std::size_t>(best - routes_.data());
        take(*best, segments, out);
    } else if (!others.empty()) {
        out.outcome = route_outcome::wrong_method;
        out.allow = detail::allow_value(others);
    }
    return out;
}

}  // namespace kcontrol::http
