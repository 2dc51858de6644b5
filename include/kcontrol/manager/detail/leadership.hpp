// What a manager with leader election keeps beside the rest.
#pragma once

#include <kcontrol/controller/host.hpp>
#include <kcontrol/leader/leader_elector.hpp>
#include <kcontrol/manager/run_group.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// The host of the group `always`.
class always_host final : public controller_host {
public:
    cluster& get_cluster() noexcept override { return beside->get_cluster(); }
    void adjust(controller_options& of) const override { beside->adjust(of); }
    result<void> add(std::shared_ptr<any_controller> added) override { return take(std::move(added)); }

    controller_host* beside = nullptr;  // for all else
    std::function<result<void>(std::shared_ptr<any_controller>)> take;
};

class leadership {
public:
    explicit leadership(std::unique_ptr<leader_elector> e) : elector(std::move(e)) {}

    /// Whether what is in that group runs only while this process leads.
    bool waits(run_group group) const noexcept { return elector && group == run_group::leading; }
    /// What has begun in a term of leadership and is waited for.
    std::size_t left() const noexcept { return tasks ? tasks->awaited() : 0; }

    std::unique_ptr<leader_elector> elector;  // none: all run
    std::shared_ptr<task_group> tasks;        // of the present term, or of the last one that has not ended
    std::stop_token stop;                     // of the present term
    std::vector<std::shared_ptr<any_controller>> in_always;
    always_host always;
};

}  // namespace kcontrol::detail
