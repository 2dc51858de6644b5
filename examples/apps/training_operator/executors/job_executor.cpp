#include "executors/job_executor.hpp"

#include <kcontrol/controllerutil/owner.hpp>

#include "executors/rank_template.hpp"
#include "gang/failure.hpp"
#include "job/names.hpp"

namespace training_operator {

awaitable<result<void>> job_executor::remove(client c, training_job job, std::vector<rank> ranks, wall_time now,
                                             std::stop_token stop) {
    std::string ended;
    for (const rank& one : ranks) {
        if (is_held(one, now) && one.group != ended) {
            const namespaced_name group(job.metadata.namespace_, one.group);
            const auto let_go = co_await queued_.end_group(c, group, stop);
            if (!let_go) co_return let_go;
            ended = one.group;
        }
        delete_options how;
        how.stop(stop);
        if (is_lost(one, now)) how.grace_period(std::chrono::seconds(0));
        const namespaced_name key(job.metadata.namespace_, one.name);
        const auto gone = co_await delete_by_uid<rank_pod>(c, key, one.uid, how);
        if (!gone) co_return gone;
    }
    co_return result<void>();
}

awaitable<result<std::optional<holder>>> job_executor::find_holder(client, training_job, std::stop_token) {
    co_return std::optional<holder>();
}

awaitable<result<std::string>> job_executor::pending_reason(client c, training_job job, std::stop_token stop) {
    const auto held = co_await find_holder(c, job, stop);
    if (!held) co_return held.error();
    if (*held) {
        const auto said = co_await queued_.pending_reason(c, job.metadata.namespace_, (*held)->uid, stop);
        co_return said;
    }
    const namespaced_name group(job.metadata.namespace_, start_name(job));
    const auto said = co_await queued_.pending_reason(c, group, stop);
    co_return said;
}

awaitable<result<void>> job_executor::end_holder(client, training_job, std::string, std::stop_token) {
    co_return result<void>();
}

awaitable<result<void>> job_executor::apply_service(client c, training_job job, std::stop_token stop) {
    apply_options by(operator_name);
    by.force().stop(std::move(stop));
    auto service = make_rank_service(job);
    const auto applied = co_await apply_owned(std::move(c), job, std::move(service), by);
    if (!applied) co_return applied.error();
    co_return result<void>();
}

}  // namespace training_operator
