// What an engaged cluster keeps where its controllers run only while this process leads.
#pragma once

#include <kcontrol/controller/host.hpp>
#include <kcontrol/leader/leader_fence.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/user_task.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// The host of a cluster's controllers that run whether this process leads or not.
class always_in_cluster final : public controller_host {
public:
    cluster& get_cluster() noexcept override { return *of; }
    result<void> add(std::shared_ptr<any_controller> added) override { return take(std::move(added)); }

    cluster* of = nullptr;
    std::function<result<void>(std::shared_ptr<any_controller>)> take;
};

/// Thread-safety: shared objects unsafe; use it on the cluster's strand.
class cluster_leadership {
public:
    explicit cluster_leadership(std::optional<leader_fence> f) : fence(std::move(f)) {}

    /// Whether that controller runs only while this process leads.
    bool waits(const any_controller& one) const {
        const auto is_it = [&](const auto& each) { return each.get() == &one; };
        return fence && std::none_of(in_always.begin(), in_always.end(), is_it);
    }
    client guarded(client cl) const { return fence ? cl.guarded(fence->guard()) : cl; }
    void exclude(const user_task& caller) const {
        if (tasks) tasks->exclude(caller);
    }

    std::optional<leader_fence> fence;  // none: all run
    std::optional<client> unfenced;
    std::shared_ptr<task_group> tasks;  // of the present term, or of the last one that has not ended
    std::stop_token stop;               // of the present term
    std::vector<std::shared_ptr<any_controller>> in_always;
    always_in_cluster always;
};

}  // namespace kcontrol::detail
