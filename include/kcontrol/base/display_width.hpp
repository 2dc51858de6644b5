// How wide a text is on a terminal: what everything that prints columns counts with.
#pragma once

#include <kcontrol/config.hpp>

#include <cstddef>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// What a terminal shows in one piece: a character with the marks on it, or a sequence of emoji that is one picture.
struct display_unit {
    std::size_t bytes = 0;    ///< in the text
    std::size_t columns = 0;  ///< on the terminal: 0, 1 or 2
};

/// The unit at the front of `text`; no bytes if it is empty. Texts are UTF-8; a byte that is not counts as a character.
///
/// Characters of East Asia and emoji take two columns (Unicode's East_Asian_Width W and F), as does a character that
/// U+FE0F makes a picture. Marks and format characters take none, nor does what U+200D or a skin tone adds to a
/// picture. A flag is two letters and two columns. A control character takes none: escape_control() comes first.
/// Characters that are wide in some fonts of East Asia only (East_Asian_Width A) count as one column.
KCONTROL_DECL display_unit first_display_unit(std::string_view text) noexcept;

/// The columns of a terminal that `text` takes.
KCONTROL_DECL std::size_t display_width(std::string_view text) noexcept;

/// The longest front of `text`, in whole units, that takes at most so many columns.
KCONTROL_DECL std::string_view display_prefix(std::string_view text, std::size_t columns) noexcept;

/// The same of its end.
KCONTROL_DECL std::string_view display_suffix(std::string_view text, std::size_t columns) noexcept;

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/base/impl/display_width.ipp>
#endif
