// The tokens of CEL.
#pragma once

#include <kcontrol/cel/value.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::cel::detail {

class expression_token {
public:
    enum class kind { end, name, number, text, sign };

    kind what = kind::end;
    std::string text;    ///< as it is written; of a text: what it says
    cel::value held;     ///< of numbers and texts
    std::size_t at = 0;  ///< its place
};

/// Cuts an expression into tokens, the last of which is `end`; the place of a problem is the last one's.
KCONTROL_DECL std::vector<expression_token> tokens_of(std::string_view text, std::string& problem);

}  // namespace kcontrol::cel::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cel/impl/lexer.ipp>
#endif
