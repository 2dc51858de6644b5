// The parts of a text that match a pattern of Go's regexp, which has RE2's syntax and meaning.
#pragma once

#include <kcontrol/base/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {

/// The parts of `text` that match, from left to right, none overlapping: FindAllString of Go's regexp. `most`: no more
/// than so many; negative: all. Errors: invalid_argument, with what is wrong with the pattern.
KCONTROL_DECL result<std::vector<std::string>> find_pattern(std::string_view pattern, std::string_view text,
                                                            std::int64_t most);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/schema/impl/pattern_search.ipp>
#endif
