// The tokens of CEL.
#pragma once

#include "testserver/cel_value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

class cel_token {
public:
    enum class kind { end, name, number, text, sign };

    kind what = kind::end;
    std::string text;  ///< as it is written; of a text: what it says
    cel_value value;   ///< of numbers and texts
};

/// Cuts an expression into tokens, the last of which is `end`. What it does not know it says in `problem`.
std::vector<cel_token> cel_tokens(std::string_view text, std::string& problem);

}  // namespace kcontrol::testing::detail
