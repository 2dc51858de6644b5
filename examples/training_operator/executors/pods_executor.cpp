// The executor "pods": the operator makes the pods of the ranks itself, and a headless service for their host names.
#include <kcontrol/controllerutil/owner.hpp>

#include "executors/job_executor.hpp"
#include "executors/rank_template.hpp"
#include "job/names.hpp"

namespace training_operator {
namespace {

class pods_executor final : public job_executor {
public:
    using job_executor::job_executor;

    awaitable<result<void>> create(training_job job, std::vector<std::int32_t> ranks, std::stop_token stop) override {
        const auto applied = co_await apply_service(job, stop);
        if (!applied) co_return applied;
        write_options how;
        how.field_manager(operator_name).stop(stop);
        for (const std::int32_t number : ranks) {
            auto pod = make_rank_pod(job, number);
            const auto made = co_await create_owned(client_, job, std::move(pod), how);
            if (!made) co_return made.error().with_context("rank " + std::to_string(number));
        }
        co_return result<void>();
    }
};

}  // namespace

std::unique_ptr<job_executor> make_pods_executor(client c) { return std::make_unique<pods_executor>(std::move(c)); }

}  // namespace training_operator
