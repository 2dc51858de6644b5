// The executor "batch-job": an Indexed Job of Kubernetes' own, whose index is the rank.
#include <kcontrol/api/batch/v1.hpp>

#include "executors/holding_executor.hpp"
#include "executors/rank_template.hpp"

namespace training_operator {
namespace {

using api::batch::v1::job;

class batch_job_executor final : public holding_executor<job> {
public:
    awaitable<result<void>> create(client c, training_job of, std::vector<std::int32_t> ranks,
                                   std::stop_token stop) override {
        const auto applied = co_await apply_service(c, of, stop);
        if (!applied) co_return applied;
        const auto made = co_await holding_executor::create(c, of, std::move(ranks), stop);
        co_return made;
    }

protected:
    job make(const training_job& of, bool suspended) const override {
        job out;
        if (suspended) out.spec.suspend = true;
        out.spec.completion_mode = "Indexed";
        out.spec.completions = out.spec.parallelism = of.status.workers;
        out.spec.backoff_limit = 0;  // whether there is another attempt is the operator's to say
        out.spec.template_ = make_template(of);
        give_rendezvous(of, out.spec.template_.spec);
        return out;
    }
    bool is_suspended(const job& object) const override { return object.spec.suspend.value_or(false); }
};

}  // namespace

std::unique_ptr<job_executor> make_batch_job_executor() { return std::make_unique<batch_job_executor>(); }

}  // namespace training_operator
