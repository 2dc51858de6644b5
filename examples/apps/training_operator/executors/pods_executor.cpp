// The executor "pods": the operator makes the pods of the ranks itself, and a headless service for their host names.
#include <kcontrol/controllerutil/owner.hpp>
#include <kcontrol/controllerutil/pod_groups.hpp>

#include "executors/job_executor.hpp"
#include "executors/rank_template.hpp"
#include "job/names.hpp"

namespace training_operator {
namespace {

class pods_executor final : public job_executor {
public:
    awaitable<result<void>> create(client c, training_job job, std::vector<std::int32_t> ranks,
                                   std::stop_token stop) override {
        const auto applied = co_await apply_service(c, job, stop);
        if (!applied) co_return applied;
        write_options how;
        how.field_manager(operator_name).stop(stop);
        const std::string scheduler = job.spec.template_.spec.scheduler_name;
        const auto kind = co_await groups_.served(c, scheduler, stop);
        if (!kind) co_return kind.error();
        if (*kind != nullptr) {
            const auto grouped = co_await make_group(c, **kind, job, how);
            if (!grouped) co_return grouped;
        }
        for (const std::int32_t number : ranks) {
            auto pod = make_rank_pod(job, number);
            if (*kind != nullptr) (*kind)->join(start_name(job), pod);
            const auto made = co_await create_owned(c, job, std::move(pod), how);
            if (!made) co_return made.error().with_context("rank " + std::to_string(number));
        }
        co_return result<void>();
    }

private:
    static awaitable<result<void>> make_group(client c, const pod_group_kind& kind, const training_job& job,
                                              write_options how) {
        object_meta group;
        group.name = start_name(job);
        group.labels[job_label] = job.metadata.name;
        list_options of_job;
        of_job.label_selector(job_label + ("=" + job.metadata.name.str())).stop(how.stop());
        return create_pod_group(std::move(c), kind, job, std::move(group), job.status.workers, of_job, how);
    }

    pod_groups groups_;
};

}  // namespace

std::unique_ptr<job_executor> make_pods_executor() { return std::make_unique<pods_executor>(); }

}  // namespace training_operator
