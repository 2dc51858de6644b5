// Where on a node a pod goes, and how good that is, by the policy of the configuration.
#pragma once

#include "messages.hpp"
#include "placement/fragmentation.hpp"
#include "placement/room.hpp"
#include "topology/gpu_links.hpp"

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_scheduler {

/// `placement:` of the configuration, and `--placement`.
enum class placement_policy {
    fragmentation,  ///< the least growth of what the usual pods can't use
    best_fit,       ///< the least that is left
    spread,         ///< the most that is left
    topology,       ///< GPUs that are connected best; then as best_fit
};

/// "fragmentation", "best-fit", "spread", "topology". Errors: any other word, with these four.
result<placement_policy> parse_placement(std::string_view word);

/// GPUs of a node for a pod. Of two choices the smaller is the better one.
struct choice {
    std::int64_t cost = 0;
    std::int64_t tie = 0;  ///< between equal costs
    gpu_places gpus;

    friend auto operator<=>(const choice&, const choice&) = default;
};

/// Decides with one policy.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class placer {
public:
    /// The usual pods are what `fragmentation` protects; other policies don't look at them. `unknown_links`: what GPUs
    /// cost together of which nothing is known.
    placer(placement_policy policy, std::vector<usual_pod> usual, cost_time unknown_links = link_costs().between(0, {}))
        : policy_(policy), usual_(std::move(usual)), unknown_links_(unknown_links) {}

    /// The best GPUs on a node of that product, or none if the pod doesn't fit. `links`: between all GPUs of the node;
    /// null: not known.
    std::optional<choice> best_on(const room& free, const demand& what, std::string_view product,
                                  const gpu_links* links = nullptr);
    /// The usual pods, as nodes of that product see them. Valid as long as the placer.
    const fragmentation& usual_on(std::string_view product);

private:
    choice judge(const room& free, const demand& what, std::string_view product, gpu_places gpus, cost_time apart);

    placement_policy policy_;
    std::vector<usual_pod> usual_;
    cost_time unknown_links_;
    std::map<std::string, fragmentation, std::less<>> by_product_;
};

}  // namespace gpu_scheduler
