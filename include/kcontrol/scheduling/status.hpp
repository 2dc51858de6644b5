// status: what a plugin answers at a plugin point.
#pragma once

#include <kcontrol/scheduling/interned_name.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

class node_info;

/// kube-scheduler's codes.
enum class status_code : std::uint8_t {
    success,                         ///< nothing speaks against it
    error,                           ///< something failed; the reason says what. The pod is tried again
    unschedulable,                   ///< refused; it may change if pods are evicted from the node
    unschedulable_and_unresolvable,  ///< refused, whatever is evicted
    wait,                            ///< permit only: the pod waits
    skip,                            ///< the plugin has nothing to do for this pod, and is not called again for it
    pending,                         ///< refused until something that the plugin waits for has happened
};

/// A code and reasons. Each reason is counted over all nodes: "2 Insufficient cpu". A status with one reason allocates
/// nothing if the plugin keeps the interned_name.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class status {
public:
    status() noexcept = default;                                 ///< success
    explicit status(status_code code) noexcept : code_(code) {}  ///< without reasons
    /// With one reason.
    status(status_code code, interned_name reason) noexcept : first_(std::move(reason)), code_(code) {}

    static status skip() noexcept { return status(status_code::skip); }  ///< code skip, without reasons
    /// Code error.
    static status error(std::string_view message) { return {status_code::error, interned_name(message)}; }
    /// Code unschedulable: evicting pods may help.
    static status unschedulable(interned_name reason) noexcept {
        return {status_code::unschedulable, std::move(reason)};
    }
    /// Code unschedulable_and_unresolvable: no eviction helps.
    static status unresolvable(interned_name reason) noexcept {
        return {status_code::unschedulable_and_unresolvable, std::move(reason)};
    }

    status_code code() const noexcept { return code_; }                   ///< what is answered
    bool ok() const noexcept { return code_ == status_code::success; }    ///< code success
    bool is_skip() const noexcept { return code_ == status_code::skip; }  ///< code skip
    /// Whether the node or the pod is refused.
    bool is_rejected() const noexcept {
        return code_ == status_code::unschedulable || code_ == status_code::unschedulable_and_unresolvable ||
               code_ == status_code::pending;
    }

    /// How many reasons there are.
    std::size_t reason_count() const noexcept { return first_.empty() ? 0 : 1 + more_.size(); }
    /// One of them, from 0.
    const interned_name& reason(std::size_t i) const noexcept { return i == 0 ? first_ : more_[i - 1]; }
    /// Adds a reason.
    void add_reason(interned_name reason) {
        if (first_.empty()) {
            first_ = std::move(reason);
        } else {
            more_.push_back(std::move(reason));
        }
    }
    void set_code(status_code code) noexcept { code_ = code; }  ///< keeps the reasons

    friend bool operator==(const status&, const status&) = default;

private:
    interned_name first_;  // empty: no reason
    std::vector<interned_name> more_;
    status_code code_ = status_code::success;
};

/// What pre_filter answers.
class pre_filter_result {
public:
    pre_filter_result() noexcept = default;  ///< success
    /// No nodes are named.
    pre_filter_result(status answer) noexcept : answer_(std::move(answer)) {}  // NOLINT: meant to convert
    /// Success; nodes other than these need not be asked: they are refused, whatever is evicted.
    explicit pre_filter_result(std::vector<const node_info*> nodes) noexcept : nodes_(std::move(nodes)) {}

    const status& answer() const noexcept { return answer_; }  ///< success, or what the pod is refused for
    /// The only nodes that can take the pod; absent: any may.
    const std::optional<std::vector<const node_info*>>& nodes() const noexcept { return nodes_; }

private:
    status answer_;
    std::optional<std::vector<const node_info*>> nodes_;
};

}  // namespace kcontrol::scheduling
