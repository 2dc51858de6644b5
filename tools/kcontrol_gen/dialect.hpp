// The C++ vocabulary that generated code is written in, as data.
#pragma once

#include "ir.hpp"

#include <string_view>

namespace kcontrol_gen {

/// How one shape is spelled. In `spelling`, "@" stands for the element.
struct vocabulary_word {
    std::string_view spelling;
    std::string_view header;            ///< what declares it
    bool needs_optional = false;        ///< where it is not required: it has no state of its own for "absent"
    bool allows_incomplete = false;     ///< of a container: its element may be declared later
    std::string_view initializer = {};  ///< of a plain member
};

struct dialect {
    std::string_view name;
    vocabulary_word text, boolean, int32, int64, number, bytes, quantity, time, micro_time, int_or_string, raw;
    vocabulary_word list, dict, boxed, optional;

    const vocabulary_word& word(shape form) const;
};

/// std::string, std::vector, std::map and std::optional.
const dialect& standard_dialect();

/// What the headers of the built-in kinds, and those of users, are written in.
inline const dialect& builtin_dialect() { return standard_dialect(); }
inline const dialect& user_dialect() { return standard_dialect(); }

}  // namespace kcontrol_gen
