// What the health of all its GPUs says of the node, and when that is worth telling: damped, so that a GPU that goes
// back and forth does not make a condition that does.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "defaults.hpp"
#include "health/sample.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace gpu_labeler {

/// The worst of the node's GPUs.
enum class node_health { ok, unknown, degraded, failed };

/// As the label has it.
std::string_view to_string(node_health health) noexcept;

struct node_verdict {
    node_health health = node_health::ok;
    std::string reason;   ///< one word in CamelCase
    std::string message;  ///< which GPUs, and why

    bool operator==(const node_verdict&) const = default;
};

/// Nothing while nobody has asked the GPUs yet.
std::optional<node_verdict> judge_node(const node_sample& sample);

/// How long a verdict must stand before it is told. That a GPU failed is told at once, and so is the first verdict.
class health_patience {
public:
    kcontrol::duration unknown_after = defaults::health_unknown_after;  ///< a driver that is loaded, or loaded anew
    kcontrol::duration known_after = defaults::health_known_after;      ///< well, after nothing was known
    kcontrol::duration well_after = defaults::health_well_after;        ///< after something was wrong
};
inline constexpr auto degraded_after = std::chrono::seconds(30);
/// Other words for the same health are told no more often than that.
inline constexpr auto words_after = std::chrono::minutes(1);

/// A plain state machine: verdicts and time in, what is to be told out.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class health_damper {
public:
    explicit health_damper(health_patience patience = {}) : patience_(patience) {}

    /// Holds from now on, for what was seen already, too.
    void change(health_patience patience) { patience_ = patience; }

    /// What is told already, as the Node has it: it is no news then. Nothing: nobody was told yet.
    void assume(std::optional<node_verdict> told) { told_ = std::move(told); }

    void see(node_verdict now, kcontrol::time_point at);

    /// What to tell at `now`; nothing: nothing yet. It stays so until told() is called.
    std::optional<node_verdict> due(kcontrol::time_point now) const;

    /// When there may be something to tell; nothing: not before the next see().
    std::optional<kcontrol::time_point> next() const;

    void told(node_verdict what, kcontrol::time_point at);

    bool has_seen() const noexcept { return seen_.has_value(); }

private:
    kcontrol::duration patience_for(node_health health) const;

    health_patience patience_;
    std::optional<node_verdict> seen_, told_;
    kcontrol::time_point since_{};  ///< the health that was seen last is so since then
    kcontrol::time_point told_at_{};
};

}  // namespace gpu_labeler
