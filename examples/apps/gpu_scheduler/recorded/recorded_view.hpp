// A scheduler over a recording: it decides as the program does, and writes nothing.
#pragma once

#include <kcontrol/scheduling/cache.hpp>
#include <kcontrol/scheduling/gang_book.hpp>
#include <kcontrol/scheduling/profile.hpp>
#include <kcontrol/scheduling/volume_catalog.hpp>

#include "cluster/board.hpp"
#include "cluster/view.hpp"
#include "plugins/registry.hpp"
#include "recorded/recording.hpp"

#include <memory>
#include <vector>

namespace gpu_scheduler {

/// Object lifetime: the recording outlives it.
class recorded_view final : public cluster_view {
public:
    /// Errors: invalid_argument for the configuration or the selector.
    static result<std::shared_ptr<recorded_view>> make(const recording& of);

    const std::shared_ptr<board>& known() const noexcept { return board_; }

    /// What is decided for the pods that wait, one after the other, in the order of the queue. They have their places
    /// then. Nobody is evicted.
    std::vector<recorded_decision> decide();

    kcontrol::wall_time now() override { return of_.time; }
    std::vector<pod_object> pods() override { return of_.all<kcontrol::api::core::v1::pod>(); }
    pod_object find(const kcontrol::namespaced_name& pod) override;
    bool schedules(const kcontrol::api::core::v1::pod& pod) override { return profile_of(pod) != nullptr; }
    bool look_at(const look_function& look) override { return look(nodes_.snapshot()), true; }
    result<kcontrol::scheduling::explanation> explain(const kcontrol::namespaced_name& pod) override;
    result<kcontrol::scheduling::preemption_plan> what_must_go(
        const kcontrol::namespaced_name& pod, const kcontrol::scheduling::preemption_policy& policy) override;

private:
    using pod_pointer = std::shared_ptr<const kcontrol::scheduling::pod_info>;

    explicit recorded_view(const recording& of);
    result<void> fill();
    const kcontrol::scheduling::profile* profile_of(const kcontrol::api::core::v1::pod& pod) const;
    result<std::pair<pod_pointer, const kcontrol::scheduling::profile*>> named(const kcontrol::namespaced_name& pod);
    void decide_one(const pod_pointer& pod, std::vector<recorded_decision>& out);
    void decide_gang(const kcontrol::scheduling::gang_id& gang, std::vector<recorded_decision>& out);
    void place(const pod_pointer& pod, kcontrol::scheduling::placement to, recorded_decision& out);

    const recording& of_;
    std::shared_ptr<board> board_;
    kcontrol::scheduling::volume_catalog volumes_;
    std::shared_ptr<kcontrol::scheduling::claim_catalog> claims_ = make_claims();
    std::vector<kcontrol::scheduling::placement> placed_;  // they hold what claims were given
    std::vector<kcontrol::scheduling::profile> profiles_;
    kcontrol::scheduling::cache nodes_;
    kcontrol::scheduling::gang_book gangs_;
};

}  // namespace gpu_scheduler
