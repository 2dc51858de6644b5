// Which route a request belongs to: patterns of paths and methods, without a network and without handlers.
#pragma once

#include <kcontrol/config.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::http {

/// What the variables of a pattern took from a path.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class path_parameters {
public:
    /// What get() says of that name; of two the one added first.
    void add(std::string name, std::string value) { all_.emplace_back(std::move(name), std::move(value)); }
    /// Empty for a name that the pattern does not have.
    KCONTROL_DECL std::string_view get(std::string_view name) const noexcept;

private:
    std::vector<std::pair<std::string, std::string>> all_;
};

enum class route_outcome {
    found,
    unknown_path,   ///< no pattern fits
    wrong_method,   ///< patterns fit, but for other methods only
    malformed_path  ///< what a variable would take has a broken escape
};

/// What a table says about a request.
class route_match {
public:
    route_outcome outcome = route_outcome::unknown_path;  ///< whether there is a route, or why not
    std::size_t route = 0;                                ///< if found: what add() returned
    path_parameters parameters;                           ///< if found
    std::string allow;                                    ///< of wrong_method: the value of the Allow header
    std::string problem;                                  ///< of malformed_path
};

/// Patterns are paths, segment by segment. `{name}` takes one segment that is not empty, decoded; `{name...}`, as the
/// last one, takes whatever follows, also nothing, as it stands in the request. Anything else stands for itself. The
/// pattern that says most about a path is the one: text before `{name}` before `{name...}`, from the left. A route of
/// GET serves HEAD too, unless there is one of HEAD. Of two routes with the same method and pattern the later counts.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class route_table {
public:
    /// `method` as in a request, or empty for every method. Returns the number of the route: 0, 1, …
    KCONTROL_DECL std::size_t add(std::string method, std::string_view pattern);

    /// `path` is as in the request, without the query.
    KCONTROL_DECL route_match find(std::string_view method, std::string_view path) const;

private:
    enum class part { rest, variable, text };
    struct segment {
        part kind = part::text;
        std::string text;  ///< of a variable: its name
    };
    struct route {
        std::string method;
        std::vector<segment> segments;
    };
    static bool fits(const route& one, const std::vector<std::string_view>& path);
    static bool says_more(const route& a, const route& b);
    static void take(const route& one, const std::vector<std::string_view>& path, route_match& into);

    std::vector<route> routes_;
};

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/serve/impl/route_table.ipp>
#endif
