#include "usage/usage_options.hpp"

#include <kcontrol/model/label_selector.hpp>

#include "flag_values.hpp"
#include "memory/state_options.hpp"

namespace training_monitor {
kcontrol::result<void> switch_usage_on(usage_options& o, std::string_view) {
    o.on(true).asked_for(true);
    return {};
}

kcontrol::result<void> switch_usage_off(usage_options& o, std::string_view) {
    o.on(false).asked_for(false);
    return {};
}

kcontrol::result<void> read_usage_interval(usage_options& o, std::string_view value) {
    const auto parsed = parse_period(value);
    if (!parsed || *parsed < std::chrono::seconds(5) || *parsed > std::chrono::hours(1)) {
        return not_right("--gpu-usage-interval", value, "a time from 5s to 1h, such as 30s");
    }
    o.interval(*parsed);
    return {};
}

kcontrol::result<void> read_labeler_selector(usage_options& o, std::string_view value) {
    const auto parsed = kcontrol::label_selector::parse(value);
    if (!parsed || parsed->requirements().empty()) {
        return not_right("--labeler-selector", value,
                         "a selector of labels, such as app.kubernetes.io/name=gpu-labeler");
    }
    o.labeler_selector(std::string(value));
    return {};
}

kcontrol::result<void> read_labeler_port(usage_options& o, std::string_view value) {
    const auto port = number_in<std::uint16_t>(value, 1, 65535);
    if (!port) return not_right("--labeler-port", value, "a port, a number from 1 to 65535");
    o.labeler_port(*port);
    return {};
}

}  // namespace training_monitor
