#pragma once

#include <kcontrol/base/flags.hpp>
#include <kcontrol/base/log.hpp>

#include <algorithm>
#include <numeric>
#include <string>

namespace kcontrol::inline v0_1 {
namespace detail {

// How many letters must be added, dropped or replaced to make one text the other (Levenshtein).
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

inline error unknown_flag(std::string_view name, std::span<const flag_shape> flags, std::string_view help) {
    constexpr std::size_t longest = 100;  // of what is repeated, and compared
    name = name.substr(0, longest);
    const flag_shape* nearest = nullptr;
    std::size_t best = 4;  // further away it is no slip of the finger
    for (const auto& f : flags) {
        if (!f.name.starts_with("--")) continue;
        const auto distance = edit_distance(name, f.name);
        if (distance < best) nearest = &f, best = distance;
    }
    std::string text = "unknown flag \"" + escape_control(name) + "\"; ";
    text += nearest ? "did you mean " + std::string(nearest->name) + "?" : "see " + std::string(help);
    return error(errc::invalid_argument, std::move(text));
}

inline error lacks_value(std::string_view name, std::string_view help) {
    return error(errc::invalid_argument, std::string(name) + " needs a value; see " + std::string(help));
}

}  // namespace detail

KCONTROL_DECL result<std::vector<argument>> split_arguments(const std::vector<std::string_view>& arguments,
                                                            std::span<const flag_shape> flags, std::string_view help) {
    std::vector<argument> out;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const auto text = arguments[i];
        if (text == "--") {
            for (++i; i < arguments.size(); ++i) out.push_back({argument::word, arguments[i]});
            break;
        }
        if (text == "-" || !text.starts_with('-')) {
            out.push_back({argument::word, text});
            continue;
        }
        const auto name = text.substr(0, text.find('='));
        const auto found =
            std::find_if(flags.begin(), flags.end(), [&](const flag_shape& f) { return f.name == name; });
        if (found == flags.end()) return detail::unknown_flag(name, flags, help);
        const bool joined = name.size() < text.size();
        const bool follows =
            found->value != flag_value::joined && i + 1 < arguments.size() && !arguments[i + 1].starts_with("--");
        std::string_view value;
        if (found->value == flag_value::none) {
            if (joined) return error(errc::invalid_argument, std::string(name) + " takes no value");
        } else if (joined || follows) {
            value = joined ? text.substr(name.size() + 1) : arguments[++i];
            if (value.empty() && found->value != flag_value::any) return detail::lacks_value(name, help);
        } else if (found->value != flag_value::optional && found->value != flag_value::joined) {
            return detail::lacks_value(name, help);
        }
        out.push_back({static_cast<std::size_t>(found - flags.begin()), value});
    }
    return out;
}

}  // namespace kcontrol
