// The page at "/": one file, made part of the program by the build.
#pragma once

#include <string_view>

namespace gpu_labeler {

/// The HTML of the page, with its script and style inside.
std::string_view page_html() noexcept;

/// A Content-Security-Policy that lets exactly that script and that style run, and the page reach its own server only.
std::string_view page_policy() noexcept;

}  // namespace gpu_labeler
