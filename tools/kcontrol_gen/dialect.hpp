// The C++ vocabulary that generated code is written in, as data.
#pragma once

#include "ir.hpp"

#include <string_view>

namespace kcontrol_gen {

/// What stands around a scalar that may be absent.
enum class absence {
    own,       ///< nothing: it has a state of its own for it
    optional,  ///< dialect::optional
    boxed,     ///< dialect::boxed
};

/// How one shape is spelled. In `spelling`, "@" stands for the element.
struct vocabulary_word {
    std::string_view spelling;
    std::string_view header;  ///< what declares it
    absence when_absent = absence::own;
    std::string_view initializer = {};  ///< of a plain member
    bool allows_incomplete = false;     ///< of a container: its element may be declared later
};

struct dialect {
    vocabulary_word text, boolean, int32, int64, number, bytes, quantity, time, date_time, micro_time, int_or_string,
        raw;
    vocabulary_word list, dict, boxed, nullable, optional;

    const vocabulary_word& word(shape form) const;
};

/// kcontrol's own: text, list, dict, boxed.
const dialect& compact_dialect();

}  // namespace kcontrol_gen
