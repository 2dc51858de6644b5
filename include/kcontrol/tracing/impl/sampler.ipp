#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/tracing/sampler.hpp>

#include <string>

namespace kcontrol::inline v0_1 {
namespace detail {

// As OpenTelemetry's SDKs do it: the last eight bytes of the id, without their lowest bit, below a share of 2^63.
inline bool is_in_ratio(const trace_context& of, double ratio) {
    std::uint64_t number = 0;
    for (std::size_t i = 8; i < of.trace_id.size(); ++i) number = number << 8U | of.trace_id[i];
    if (ratio >= 1) return true;
    return number >> 1U < static_cast<std::uint64_t>(ratio * 0x1.0p63);
}

}  // namespace detail

KCONTROL_DECL result<trace_sampler> sampler_of(std::string_view name, double ratio) {
    constexpr std::string_view by_parent = "parentbased_";
    const bool asks_parent = name.starts_with(by_parent);
    const std::string_view root = asks_parent ? name.substr(by_parent.size()) : name;
    if (!(ratio >= 0 && ratio <= 1)) {
        return error(errc::invalid_argument, "the ratio of a sampler of traces is from 0 to 1");
    }
    if (root == "always_on") {
        ratio = 1;
    } else if (root == "always_off") {
        ratio = 0;
    } else if (root != "traceidratio") {
        return error(errc::invalid_argument, "sampler of traces \"" + escape_control(name) +
                                                 "\": not one of always_on, always_off, traceidratio, and these "
                                                 "with parentbased_ before their name");
    }
    return trace_sampler([asks_parent, ratio](const trace_context& of, const trace_context& under) {
        return asks_parent && under.is_valid() ? under.sampled : detail::is_in_ratio(of, ratio);
    });
}

}  // namespace kcontrol
