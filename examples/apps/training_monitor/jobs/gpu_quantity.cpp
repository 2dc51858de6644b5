#include "jobs/gpu_quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace training_monitor {
namespace {

struct suffix {
    std::string_view text;
    double factor;
};

constexpr std::array suffixes{suffix{"", 1.0},
                              suffix{"n", 1e-9},
                              suffix{"u", 1e-6},
                              suffix{"m", 1e-3},
                              suffix{"k", 1e3},
                              suffix{"M", 1e6},
                              suffix{"G", 1e9},
                              suffix{"Ki", 1024.0},
                              suffix{"Mi", 1024.0 * 1024.0},
                              suffix{"Gi", 1024.0 * 1024.0 * 1024.0}};

// No cluster has as many; sums of it over a job's pods stay far from overflow.
constexpr double most = 1e9;

}  // namespace

std::int64_t quantity_ceil(std::string_view text) {
    double number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc{}) return 0;
    text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
    const auto found = std::find_if(suffixes.begin(), suffixes.end(), [&](const suffix& s) { return s.text == text; });
    if (found == suffixes.end() || !std::isfinite(number)) return 0;
    return static_cast<std::int64_t>(std::ceil(std::clamp(number * found->factor, 0.0, most)));
}

}  // namespace training_monitor

namespace kcontrol {

result<void> custom_codec<training_monitor::gpu_quantity>::decode(json::node from,
                                                                  training_monitor::gpu_quantity& out) {
    if (from.kind() == json::kind::integer) {
        out.count = std::clamp<std::int64_t>(from.as_int64(), 0, 1'000'000'000);
    } else if (from.is_string()) {
        out.count = training_monitor::quantity_ceil(from.as_string());
    } else {
        out.count = 0;
    }
    return {};
}

void custom_codec<training_monitor::gpu_quantity>::encode(const training_monitor::gpu_quantity& quantity,
                                                          json::writer& to) {
    to.value(std::to_string(quantity.count));
}

}  // namespace kcontrol
