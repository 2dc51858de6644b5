// A template cut into its tags and the text between them.
#pragma once

#include <kcontrol/base/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace follow::mustache {

/// Text, or a tag.
class token {
public:
    char kind = 't';        ///< 't' text, 'v' variable, '#', '^' and '/' of sections; comments are dropped
    std::string_view text;  ///< the text, or the tag's name
    std::size_t line = 0;   ///< where it begins, from 1
};

/// Cuts `text`, into which the tokens point. A section's tag or a comment that stands alone on its line takes the line
/// with it, as Mustache has it. Errors: invalid_argument with FILE:LINE.
kcontrol::result<std::vector<token>> split_tags(std::string_view text, const std::string& file);

}  // namespace follow::mustache
