// The executor "pods": the operator makes the pods of the ranks itself, and a headless service for their host names.
#include <kcontrol/controllerutil/owner.hpp>

#include "decide/failure.hpp"
#include "executors/job_executor.hpp"
#include "executors/rank_template.hpp"
#include "job/names.hpp"

namespace training_operator {
namespace {

class pods_executor final : public job_executor {
public:
    explicit pods_executor(client c) : client_(std::move(c)) {}

    awaitable<result<void>> create(training_job job, std::vector<std::int32_t> ranks, std::stop_token stop) override {
        apply_options by(operator_name);
        by.force().stop(stop);
        auto service = make_rank_service(job);
        const auto applied = co_await apply_owned(client_, job, std::move(service), by);
        if (!applied) co_return applied.error();
        write_options how;
        how.field_manager(operator_name).stop(stop);
        for (const std::int32_t number : ranks) {
            auto pod = make_rank_pod(job, number);
            if (auto owned = set_controller_reference(job, pod); !owned) co_return owned;
            const auto made = co_await client_.create(pod, how);
            // One of that name is seen, and judged, the next time.
            if (!made && made.error() != api_errc::already_exists) {
                co_return made.error().with_context("rank " + std::to_string(number));
            }
        }
        co_return result<void>();
    }

    awaitable<result<void>> remove(training_job job, std::vector<rank> ranks, wall_time now,
                                   std::stop_token stop) override {
        for (const rank& one : ranks) {
            delete_options how;
            how.precondition_uid(one.uid).ignore_not_found().stop(stop);
            if (is_lost(one, now)) how.grace_period(std::chrono::seconds(0));
            const namespaced_name key(job.metadata.namespace_, one.pod);
            const auto gone = co_await client_.delete_<rank_pod>(key, how);
            // Another one has its name: it is seen the next time.
            if (!gone && gone.error() != condition::conflict) co_return gone;
        }
        co_return result<void>();
    }

private:
    client client_;
};

}  // namespace

std::unique_ptr<job_executor> make_pods_executor(client c) { return std::make_unique<pods_executor>(std::move(c)); }

}  // namespace training_operator
