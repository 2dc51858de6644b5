// Splits a command line into flags with their values and words without a flag, as kubectl's users write them.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/config.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {

/// What stands behind a flag.
enum class flag_value {
    none,      ///< nothing: `--once`
    text,      ///< `--name VALUE` or `--name=VALUE`, not empty
    any,       ///< the same, and `--name=` for an empty one
    optional,  ///< the same as text, or nothing
    joined     ///< nothing, or `--name=VALUE`: of a switch, `--name=false`
};

/// A flag that a program knows. `name` is what is typed, dashes included, and outlives the call.
struct flag_shape {
    std::string_view name;                ///< such as "--kubeconfig"
    flag_value value = flag_value::text;  ///< what may stand behind it
};

/// One flag of a command line with its value, or one word. `text` points into what was split.
struct argument {
    static constexpr auto word = static_cast<std::size_t>(-1);  ///< what `flag` is for a word

    std::size_t flag = word;  ///< its place among the program's flags
    std::string_view text;    ///< the value, or the word; empty for a flag without one

    bool is_word() const noexcept { return flag == word; }  ///< whether it belongs to no flag
};

/// Splits `arguments` (without the program's name), in their order. A lone `-` is a word, and so is everything behind
/// `--`. A value that begins with `--` is written `--name=VALUE`, so that a forgotten one is noticed. A flag may be
/// there several times.
///
/// Errors: invalid_argument with a flag that is not among `flags` (and the one that is spelled nearly so), lacks its
/// value or has one that it does not take. They refer to `help`, like "gpu_labeler --help".
KCONTROL_DECL result<std::vector<argument>> split_arguments(const std::vector<std::string_view>& arguments,
                                                            std::span<const flag_shape> flags,
                                                            std::string_view help = "--help");

/// The shapes of a table whose rows have a `name` and a `value` and whatever else the program keeps of a flag.
template <class Table>
std::vector<flag_shape> shapes_of(const Table& table) {
    std::vector<flag_shape> out;
    for (const auto& row : table) out.push_back({row.name, row.value});
    return out;
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/base/impl/flags.ipp>
#endif
