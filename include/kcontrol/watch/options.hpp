// Which objects a reflector mirrors, and how patient it is. The defaults stand here; informer_options hand them on.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/runtime/backoff.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace kcontrol {

/// How a reflector_fsm behaves.
class reflector_policy {
public:
    /// Objects a page of a list; 0 asks for all at once. Default 500, client-go's.
    reflector_policy& page_size(std::int64_t n) { return page_size_ = n, *this; }
    /// How often a kind that is not installed or forbidden is tried again. Default 15 s.
    reflector_policy& probe_period(duration d) { return probe_period_ = d, *this; }
    reflector_policy& backoff(backoff_policy p) { return backoff_ = p, *this; }

    std::int64_t page_size() const noexcept { return page_size_; }
    duration probe_period() const noexcept { return probe_period_; }
    const backoff_policy& backoff() const noexcept { return backoff_; }

private:
    std::int64_t page_size_ = 500;
    duration probe_period_ = std::chrono::seconds(15);
    backoff_policy backoff_;
};

/// Which objects a reflector mirrors, and its policy.
class reflector_options {
public:
    reflector_options() = default;

    /// Empty: all namespaces.
    reflector_options& in_namespace(std::string ns) { return namespace_ = std::move(ns), *this; }
    reflector_options& label_selector(std::string s) { return label_selector_ = std::move(s), *this; }
    reflector_options& field_selector(std::string s) { return field_selector_ = std::move(s), *this; }
    reflector_options& policy(reflector_policy p) { return policy_ = p, *this; }
    /// Bounds of the watch's server-side timeout, drawn anew for each watch. Default 5 to 10 minutes, client-go's.
    reflector_options& watch_timeout(std::chrono::seconds least, std::chrono::seconds most) {
        return watch_timeout_min_ = least, watch_timeout_max_ = most, *this;
    }
    /// A watch without a byte for so long is half-open: it is resumed. Default 90 s.
    reflector_options& watch_idle(duration d) { return watch_idle_ = d, *this; }

    const std::string& in_namespace() const noexcept { return namespace_; }
    const std::string& label_selector() const noexcept { return label_selector_; }
    const std::string& field_selector() const noexcept { return field_selector_; }
    const reflector_policy& policy() const noexcept { return policy_; }
    std::chrono::seconds watch_timeout_min() const noexcept { return watch_timeout_min_; }
    std::chrono::seconds watch_timeout_max() const noexcept { return watch_timeout_max_; }
    duration watch_idle() const noexcept { return watch_idle_; }

private:
    std::string namespace_, label_selector_, field_selector_;
    reflector_policy policy_;
    std::chrono::seconds watch_timeout_min_ = std::chrono::minutes(5);
    std::chrono::seconds watch_timeout_max_ = std::chrono::minutes(10);
    duration watch_idle_ = std::chrono::seconds(90);
};

}  // namespace kcontrol
