#include "usage/usage_options.hpp"

#include <kcontrol/model/label_selector.hpp>

#include "in_quotes.hpp"
#include "memory/state_options.hpp"

#include <charconv>

namespace training_monitor {
namespace {

kcontrol::error bad(std::string_view flag, std::string_view value, std::string_view what) {
    std::string text(flag);
    text.append(": ").append(in_quotes(value)).append(" is not ").append(what);
    return kcontrol::error(kcontrol::errc::invalid_argument, std::move(text));
}

}  // namespace

kcontrol::result<void> switch_usage_on(usage_options& o, std::string_view) {
    o.on(true);
    return {};
}

kcontrol::result<void> read_usage_interval(usage_options& o, std::string_view value) {
    const auto parsed = parse_period(value);
    if (!parsed || *parsed < std::chrono::seconds(5) || *parsed > std::chrono::hours(1)) {
        return bad("--gpu-usage-interval", value, "a time from 5s to 1h, such as 30s");
    }
    o.interval(*parsed);
    return {};
}

kcontrol::result<void> read_labeler_selector(usage_options& o, std::string_view value) {
    const auto parsed = kcontrol::label_selector::parse(value);
    if (!parsed || parsed->requirements().empty()) {
        return bad("--labeler-selector", value, "a selector of labels, such as app.kubernetes.io/name=gpu-labeler");
    }
    o.labeler_selector(std::string(value));
    return {};
}

kcontrol::result<void> read_labeler_port(usage_options& o, std::string_view value) {
    std::uint16_t port = 0;
    const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), port);
    if (failure != std::errc() || end != value.data() + value.size() || port == 0) {
        return bad("--labeler-port", value, "a port, a number from 1 to 65535");
    }
    o.labeler_port(port);
    return {};
}

}  // namespace training_monitor
