// What an expression consists of.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/cel/value.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::cel::detail {

class expression_node {
public:
    /// What a node stands for; calls are of functions, methods and macros.
    enum class kind {
        literal,
        list,
        map,            ///< children: keys and values by turns
        optional_item,  ///< `?x` in a list or, as a key, in a map: left out if it is optional.none()
        name,
        member,
        index,
        call,
        negation,
        minus,
        conditional,
        binary
    };

    kind what = kind::literal;              ///< says which other members count
    std::string text;                       ///< the name, function or operator
    value literal;                          ///< value of a literal, else null
    std::vector<expression_node> children;  ///< of a call of a method the target is first; of cel.bind() the value
    std::size_t at = 0;                     ///< its place in the expression's text
    bool is_method = false;                 ///< of a call: `x.f()`, not `f(x)`
    bool is_optional = false;               ///< of a member or index: `x.?f`, `x[?i]`
    int depth = 1;                          ///< nodes on the longest way down from here, this one included

    /// How many of the children behind the first are names of variables: `x` in all(x, x > 0). 0: it is no macro with
    /// variables.
    std::size_t macro_variables() const {
        if (what != kind::call) return 0;
        if (!is_method) return text == "cel.bind" ? 1 : 0;
        if (text == "all" || text == "exists" || text == "exists_one" || text == "existsOne") {
            return children.size() - 2;
        }
        if (text == "filter" || text == "map" || text == "sortBy" || text == "optMap" || text == "optFlatMap") return 1;
        return text.starts_with("transform") ? 2 : 0;
    }
};

struct parsed_expression {
    std::string text;
    expression_node root;
};

/// "LINE:COLUMN: WHAT"; columns count characters.
inline error error_at(std::string_view text, std::size_t at, const std::string& what) {
    const std::string_view before = text.substr(0, at), line = before.substr(before.rfind('\n') + 1);
    const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
    return error(errc::invalid_argument, std::to_string(std::count(before.begin(), before.end(), '\n') + 1) + ":" +
                                             std::to_string(std::count_if(line.begin(), line.end(), is_start) + 1) +
                                             ": " + what);
}

}  // namespace kcontrol::cel::detail
