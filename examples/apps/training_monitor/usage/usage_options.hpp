// What the command line says about reading the GPUs' usage from the labelers of the nodes.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/time.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace training_monitor {

/// What --gpu-usage, --no-gpu-usage and the flags beside them say. The defaults are those of
/// examples/apps/gpu_labeler/deploy.
class usage_options {
public:
    usage_options() = default;

    usage_options& on(bool v) { return on_ = v, *this; }
    /// By a flag, rather than because it is the default: then a missing right is said.
    usage_options& asked_for(bool v) { return asked_for_ = v, *this; }
    usage_options& interval(kcontrol::duration v) { return interval_ = v, *this; }
    /// Where the labelers' pods are.
    usage_options& labeler_namespace(std::string v) { return namespace_ = std::move(v), *this; }
    /// The labels by which they are found there.
    usage_options& labeler_selector(std::string v) { return selector_ = std::move(v), *this; }
    usage_options& labeler_port(std::uint16_t v) { return port_ = v, *this; }

    bool on() const noexcept { return on_; }
    bool is_asked_for() const noexcept { return on_ && asked_for_; }
    /// Something is said of how to measure.
    bool is_detailed() const {
        const usage_options none;
        return interval_ != none.interval_ || namespace_ != none.namespace_ || selector_ != none.selector_ ||
               port_ != none.port_;
    }
    kcontrol::duration interval() const noexcept { return interval_; }
    const std::string& labeler_namespace() const noexcept { return namespace_; }
    const std::string& labeler_selector() const noexcept { return selector_; }
    std::uint16_t labeler_port() const noexcept { return port_; }

private:
    bool on_ = true;
    bool asked_for_ = false;
    kcontrol::duration interval_ = std::chrono::seconds(30);
    std::string namespace_ = "gpu-labeler";
    std::string selector_ = "app.kubernetes.io/name=gpu-labeler";
    std::uint16_t port_ = 9400;
};

/// What flags of the command line say. Errors: invalid_argument, naming the flag, the value and what would be right.
kcontrol::result<void> switch_usage_on(usage_options& o, std::string_view nothing);
kcontrol::result<void> switch_usage_off(usage_options& o, std::string_view nothing);
kcontrol::result<void> read_usage_interval(usage_options& o, std::string_view value);
kcontrol::result<void> read_labeler_selector(usage_options& o, std::string_view value);
kcontrol::result<void> read_labeler_port(usage_options& o, std::string_view value);

}  // namespace training_monitor
