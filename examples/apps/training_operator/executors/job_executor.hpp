// What runs the ranks of jobs. Whatever it makes for that, each rank ends up as a pod with the operator's labels: by
// these the operator sees what becomes of it.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/controllerutil/kueue.hpp>

#include "gang/rank.hpp"
#include "job/training_job.hpp"

#include <memory>
#include <stop_token>
#include <vector>

namespace training_operator {

/// All are called again with the same until it is done, so what is there already, or gone, is right. `c` is the client
/// of the reconcile: what it asks for is traced as a part of that.
///
/// Errors: those of the API. `invalid` means that no other try will help: the template is wrong.
class job_executor {
public:
    virtual ~job_executor() = default;

    /// Makes these ranks of the attempt in the job's status; or what holds all of them.
    virtual awaitable<result<void>> create(client c, training_job job, std::vector<std::int32_t> ranks,
                                           std::stop_token stop) = 0;
    /// Begins to end these. One of a node that is lost is not waited for.
    awaitable<result<void>> remove(client c, training_job job, std::vector<rank> ranks, wall_time now,
                                   std::stop_token stop);

    /// Whether create() makes an object that holds all ranks, whose pods the operator does not make itself. It has the
    /// name of the job.
    virtual bool holds_ranks() const { return false; }
    /// It as the server has it, if it is there.
    virtual awaitable<result<std::optional<holder>>> find_holder(client c, training_job job, std::stop_token stop);
    /// Why its queue has not admitted it; empty: it has.
    awaitable<result<std::string>> pending_reason(client c, training_job job, std::stop_token stop);
    virtual awaitable<result<void>> end_holder(client c, training_job job, std::string uid, std::stop_token stop);

protected:
    /// By which ranks find each other.
    awaitable<result<void>> apply_service(client c, training_job job, std::stop_token stop);

private:
    kueue::workloads queued_;
};

}  // namespace training_operator
