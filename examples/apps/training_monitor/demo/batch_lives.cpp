// batch/v1 Job and TrainJob, whose states are numbers of pods.
#include "demo/lives.hpp"

namespace training_monitor::demo {
namespace {

namespace json = kcontrol::json;
using kcontrol::awaitable;

// One run of a batch Job's pod: starting, then ready. False if it is time to stop.
awaitable<bool> batch_pod(life_setting at, simulated_job& job, bool again) {
    job.set("active", 1);
    job.set("ready", 0);
    job.write(again ? "Restarting" : "Pending");
    if (const bool more = co_await at.pass(0.8); !more) co_return false;
    job.set("ready", 1);
    job.write("Running");
    co_return co_await at.pass(2.5);
}

void batch_settle(simulated_job& job, std::string_view interim, std::string_view last, std::string_view reason,
                  std::string_view message) {
    job.set("active", 0);
    job.set("ready", 0);
    job.condition(interim, "True", reason, message);
    job.write("Running");
    job.condition(last, "True", reason, message);
}

void train_child(simulated_job& job, int ready, int active, int succeeded) {
    json::object child{{"name", "node"}, {"failed", 0}, {"suspended", 0}};
    child["ready"] = ready;
    child["active"] = active;
    child["succeeded"] = succeeded;
    json::array children;
    children.emplace_back(std::move(child));
    job.set("jobsStatus", std::move(children));
}

}  // namespace

json::value pod_template(int gpus) {
    json::object container{{"name", "main"}, {"image", "example.invalid/train:1"}};
    if (gpus > 0) container["resources"] = json::object{{"limits", json::object{{"nvidia.com/gpu", gpus}}}};
    json::array containers;
    containers.emplace_back(std::move(container));
    return json::object{{"spec", json::object{{"containers", std::move(containers)}}}};
}

awaitable<void> batch_life(life_setting at, std::string ns, std::string name) {
    simulated_job job(*at.env, *at.cluster, *at.book, batch_kind, ns, name);
    json::object spec;
    spec["template"] = pod_template(static_cast<int>(at.env->random() % 3));
    job.create(std::move(spec), "Created");
    if (const bool more = co_await at.pass(0.3); !more) co_return;
    job.set_time("startTime");
    const bool first = co_await batch_pod(at, job, false);
    if (!first) co_return;
    const double what = random_unit(*at.env);
    if (what < 0.25) {
        json::object suspend{{"suspend", true}};
        job.write_spec(suspend, "Running");
        job.condition("Suspended", "True", "JobSuspended", "Job suspended");
        job.set("active", 0);
        job.set("ready", 0);
        job.set("startTime", nullptr);
        job.write("Suspended");
        if (const bool more = co_await at.pass(2.5); !more) co_return;
        suspend["suspend"] = false;
        job.write_spec(suspend, "Created");
        job.condition("Suspended", "False", "JobResumed", "Job resumed");
        job.set_time("startTime");
        const bool resumed = co_await batch_pod(at, job, false);
        if (!resumed) co_return;
    } else if (what < 0.5) {
        job.set("active", 0);
        job.set("ready", 0);
        job.set("failed", 1);
        job.write("Restarting");  // the back-off before the next pod
        if (const bool more = co_await at.pass(1); !more) co_return;
        const bool retried = co_await batch_pod(at, job, true);
        if (!retried) co_return;
    }
    if (at.chance(0.75)) {
        job.set("succeeded", 1);
        batch_settle(job, "SuccessCriteriaMet", "Complete", "CompletionsReached",
                     "Reached expected number of succeeded pods");
        job.set_time("completionTime");
        job.write("Succeeded");
    } else {
        job.set("failed", 2);
        batch_settle(job, "FailureTarget", "Failed", "BackoffLimitExceeded",
                     "Job has reached the specified backoff limit");
        job.write("Failed");
    }
    if (const bool more = co_await at.pass(6); !more) co_return;
    job.remove();
}

awaitable<void> train_life(life_setting at, std::string ns, std::string name) {
    simulated_job job(*at.env, *at.cluster, *at.book, train_kind, ns, name);
    json::object trainer{{"numNodes", 2}};
    trainer["resourcesPerNode"] = json::object{{"limits", json::object{{"nvidia.com/gpu", "8"}}}};
    json::object spec{{"runtimeRef", json::object{{"name", "torch-distributed"}}}};
    spec["trainer"] = std::move(trainer);
    job.create(std::move(spec), "Created");
    if (const bool more = co_await at.pass(0.6); !more) co_return;
    train_child(job, 0, 1, 0);
    job.write("Pending");
    if (const bool more = co_await at.pass(1.2); !more) co_return;
    train_child(job, 1, 1, 0);
    job.write("Running");
    if (const bool more = co_await at.pass(5); !more) co_return;
    train_child(job, 0, 0, 1);
    job.condition("Complete", "True", "AllJobsCompleted", "jobset completed successfully");
    job.write("Succeeded");
    if (const bool more = co_await at.pass(6); !more) co_return;
    job.remove();
}

}  // namespace training_monitor::demo
