// When a value that is derived from a cache is built again.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/runtime/time.hpp>

#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// How published<V> follows its informer.
class published_options {
public:
    /// A burst is over when no event has come for so long; then the value is built again, at most twice that time after
    /// the last event. Zero: as soon as the informer has told what it has in hand. Default 20 ms.
    published_options& quiet_period(duration d) { return quiet_ = d > duration() ? d : duration(), *this; }
    /// While events keep coming, the value is built again so long after the first of them. Default 250 ms.
    published_options& longest_delay(duration d) { return longest_ = d > duration() ? d : duration(), *this; }
    /// What the log calls the value. Default: "a published value".
    published_options& named(std::string n) { return name_ = std::move(n), *this; }

    duration quiet_period() const noexcept { return quiet_; }
    duration longest_delay() const noexcept { return longest_; }
    const std::string& name() const noexcept { return name_; }

private:
    duration quiet_ = std::chrono::milliseconds(20);
    duration longest_ = std::chrono::milliseconds(250);
    std::string name_ = "a published value";
};

}  // namespace kcontrol
