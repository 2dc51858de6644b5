#include "memory/state_options.hpp"

#include <charconv>
#include <optional>

namespace training_monitor {
namespace {

// The number before the unit, of at most 9 digits: products with a unit don't overflow.
std::optional<std::uint64_t> take_number(std::string_view& text) {
    std::uint64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc{} || end - text.data() > 9) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

kcontrol::error bad(const char* text) { return kcontrol::error(kcontrol::errc::invalid_argument, text); }

}  // namespace

kcontrol::result<kcontrol::duration> parse_period(std::string_view text) {
    const auto number = take_number(text);
    std::int64_t unit = 0;
    if (text == "d") unit = 86400;
    if (text == "h") unit = 3600;
    if (text == "m") unit = 60;
    if (text == "s") unit = 1;
    constexpr std::int64_t most = 36500LL * 86400;
    const auto seconds = static_cast<std::int64_t>(number.value_or(0)) * unit;
    if (seconds < 1 || seconds > most) return bad("give a time such as 30d, 12h, 90m or 45s, at most 36500d");
    return kcontrol::duration(std::chrono::seconds(seconds));
}

kcontrol::result<std::uint64_t> parse_size(std::string_view text) {
    const auto number = take_number(text);
    int shift = -1;
    if (text == "KiB") shift = 10;
    if (text == "MiB") shift = 20;
    if (text == "GiB") shift = 30;
    if (text == "TiB") shift = 40;
    constexpr std::uint64_t least = std::uint64_t{1} << 20, most = std::uint64_t{1} << 50;
    if (shift >= 0 && number.value_or(0) <= (most >> shift)) {
        const std::uint64_t bytes = number.value_or(0) << shift;
        if (bytes >= least) return bytes;
    }
    return bad("give a size such as 500MiB or 1GiB, at least 1MiB and at most 1024TiB");
}

}  // namespace training_monitor
