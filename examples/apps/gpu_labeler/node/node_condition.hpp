// The health of a node's GPUs where Kubernetes has it: a condition of the Node, and a label.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/documents/value.hpp>

#include "health/node_health.hpp"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace gpu_labeler {

inline constexpr std::string_view health_condition_type = "kcontrol.dev/GPUHealthy";
inline constexpr std::string_view health_label = "kcontrol.dev/gpu-health";
/// Beside the labels' own, so that neither takes the other's away.
inline constexpr std::string_view health_field_manager = "kcontrol-gpu-health";

/// What the Node has.
struct told_health {
    std::string uid;                      ///< of the Node
    std::optional<node_verdict> verdict;  ///< nothing: no condition of ours, or one that nobody understands
    std::string since;                    ///< lastTransitionTime of the condition, as it stands there
};

/// What an object of a Node says of it; public for tests.
told_health read_health(const kcontrol::json::value& node);

/// What is applied to the Node's status; `since` and `now` in RFC 3339. Nothing: the condition goes.
std::string condition_text(const std::optional<node_verdict>& verdict, std::string_view since, std::string_view now);

/// Needs the right to patch nodes and nodes/status. Never creates a Node.
///
/// Thread-safety: shared objects unsafe; use it on the client's executor.
class node_condition {
public:
    node_condition(kcontrol::client api, std::string node) : api_(std::move(api)), node_(std::move(node)) {}

    /// Changes nothing.
    kcontrol::awaitable<kcontrol::result<told_health>> look(std::stop_token stop);

    /// Nothing: takes away what is ours. `text` is condition_text's.
    kcontrol::awaitable<kcontrol::result<void>> write(const std::optional<node_verdict>& verdict, std::string text,
                                                      std::string uid, std::stop_token stop);

private:
    kcontrol::awaitable<kcontrol::result<void>> apply(std::string text, std::string subresource, std::string uid,
                                                      std::stop_token stop);
    kcontrol::error explained(const kcontrol::error& what) const;

    kcontrol::client api_;
    std::string node_;
};

}  // namespace gpu_labeler
