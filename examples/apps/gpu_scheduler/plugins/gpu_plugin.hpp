// The plugin that hands out GPUs: its answers at Kubernetes' plugin points.
#pragma once

#include <kcontrol/model/label_selector.hpp>
#include <kcontrol/scheduling/plugin.hpp>

#include "cluster/board.hpp"
#include "hami/hami_protocol.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpu_scheduler {

/// Which GPUs of which node a pod gets, from the nodes and pods of the snapshot. A decision is in the pod's Binding, as
/// an annotation: the plugin keeps nothing that a restart would lose.
class gpu_plugin {
public:
    static constexpr std::string_view name = "Gpu";
    static constexpr std::string_view tenant_resource = "scheduling.kcontrol.dev/Tenant";

    /// What it knows of a pod during one round.
    struct state {
        std::shared_ptr<const pod_claim> claim;  ///< null: the pod requests no GPUs
        std::size_t kind = 0;
        std::int64_t amount = 0;
        std::vector<tenant_limit> limits;
        bool may_take_claims = false;  ///< it names claims, or a class stands for a resource of it
        /// In a trial: how many pods of a claim are left that have it.
        std::map<gpu_claims::claim_name, std::int64_t> users;
        std::string domain;                               ///< of the gang's key, where its other pods are; empty: none
        std::vector<std::pair<std::size_t, int>> scores;  ///< by slot
        bool needs_lock = false;                          ///< HAMi's plugin gives the GPUs
        std::string lock;                                 ///< what may be written as the node's lock; empty: nothing
    };

    /// `nodes`: only these are used; empty: all. `hami`: tells HAMi's device plugin; null: nobody is told.
    gpu_plugin(std::shared_ptr<board> known, kcontrol::label_selector nodes, std::shared_ptr<hami_protocol> hami)
        : board_(std::move(known)), nodes_(std::move(nodes)), hami_(std::move(hami)) {}

    static std::vector<kcontrol::scheduling::event_kind> events();
    /// Of claims: whether devices became free.
    static bool may_help(const kcontrol::scheduling::pod_info& waiting,
                         const kcontrol::scheduling::cluster_event& event);
    kcontrol::scheduling::queue_rank queue_sort(const kcontrol::scheduling::queued_pod& pod) const;
    std::uint64_t queue_version() const { return board_->hunger_version(); }
    kcontrol::scheduling::status pre_filter(state& of, const kcontrol::scheduling::pod_info& pod,
                                            const kcontrol::scheduling::snapshot& nodes) const;
    kcontrol::scheduling::status filter(const state& of, const kcontrol::scheduling::pod_info& pod,
                                        const kcontrol::scheduling::node_info& node) const;
    void add_pod(state& of, const kcontrol::scheduling::pod_info&, const kcontrol::scheduling::pod_info& other,
                 const kcontrol::scheduling::node_info& node) const {
        change(of, other, node, -1);
    }
    void remove_pod(state& of, const kcontrol::scheduling::pod_info&, const kcontrol::scheduling::pod_info& other,
                    const kcontrol::scheduling::node_info& node) const {
        change(of, other, node, 1);
    }
    kcontrol::scheduling::status pre_score(state& of, const kcontrol::scheduling::pod_info& pod,
                                           const kcontrol::scheduling::snapshot& nodes,
                                           std::span<const kcontrol::scheduling::node_info* const> feasible) const;
    std::int64_t score(const state& of, const kcontrol::scheduling::pod_info&,
                       const kcontrol::scheduling::node_info& node) const;
    std::vector<std::vector<const kcontrol::scheduling::node_info*>> generate_placements(
        std::span<const std::shared_ptr<const kcontrol::scheduling::pod_info>> members, std::int32_t needed,
        const kcontrol::scheduling::snapshot& nodes) const;
    kcontrol::scheduling::status reserve(state& of, kcontrol::scheduling::placement& to,
                                         const kcontrol::scheduling::node_info& node);
    void unreserve(state& of, const kcontrol::scheduling::placement& from) noexcept;
    kcontrol::awaitable<kcontrol::scheduling::status> pre_bind(state& of, kcontrol::scheduling::placement& to);

private:
    void change(state& of, const kcontrol::scheduling::pod_info& other, const kcontrol::scheduling::node_info& node,
                int times) const;
    bool is_by_claim(const gpu_request& request, const kcontrol::scheduling::pod_info& pod,
                     const kcontrol::scheduling::node_info& node) const;
    std::string wrong_with(const pod_claim& claim, const kcontrol::scheduling::pod_info& pod,
                           const kcontrol::scheduling::snapshot& nodes) const;
    kcontrol::scheduling::status refusal(const pod_claim& claim, const node_state& on, bool could_ever) const;
    bool takes(const kcontrol::scheduling::node_info& node) const;

    std::shared_ptr<board> board_;
    kcontrol::label_selector nodes_;
    std::shared_ptr<hami_protocol> hami_;
    kcontrol::scheduling::interned_name not_ours_{"node(s) didn't match --node-selector"};
    kcontrol::scheduling::interned_name for_claims_{"node(s) give their GPUs to ResourceClaims alone"};
    kcontrol::scheduling::interned_name unreadable_{"node(s) had GPUs that can't be read"};
    kcontrol::scheduling::interned_name no_shares_{"node(s) give no shares of GPUs"};
    kcontrol::scheduling::interned_name no_slices_{"node(s) had no such slices of GPUs"};
    kcontrol::scheduling::interned_name few_{"node(s) had too few GPUs"};
    kcontrol::scheduling::interned_name few_free_{"node(s) had too few free GPUs"};
    kcontrol::scheduling::interned_name little_{"node(s) had too little memory on each GPU"};
    kcontrol::scheduling::interned_name little_free_{"node(s) had too little free memory or time on each GPU"};
    kcontrol::scheduling::interned_name no_place_{"node(s) had no free place for the slices"};
    kcontrol::scheduling::interned_name elsewhere_{"node(s) were in another domain than the gang"};
};

}  // namespace gpu_scheduler
