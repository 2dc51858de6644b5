#include "job_lives.hpp"

#include <array>

namespace training_monitor::demo {
namespace {

namespace json = kcontrol::json;
using kcontrol::awaitable;

constexpr job_kind pytorch_kind{"kubeflow.org/v1", "PyTorchJob", "kubeflow.org", "pytorchjobs"};
constexpr job_kind mpi_v1_kind{"kubeflow.org/v1", "MPIJob", "kubeflow.org", "mpijobs"};
constexpr job_kind mpi_v2beta1_kind{"kubeflow.org/v2beta1", "MPIJob", "kubeflow.org", "mpijobs"};
constexpr job_kind train_kind{"trainer.kubeflow.org/v1alpha1", "TrainJob", "trainer.kubeflow.org", "trainjobs"};
constexpr job_kind batch_kind{"batch/v1", "Job", "batch", "jobs"};

constexpr std::array<const char*, 2> namespaces{"research", "production"};

json::value pod_template(int gpus) {
    json::object container{{"name", "main"}, {"image", "example.invalid/train:1"}};
    if (gpus > 0) container["resources"] = json::object{{"limits", json::object{{"nvidia.com/gpu", gpus}}}};
    json::array containers;
    containers.emplace_back(std::move(container));
    return json::object{{"spec", json::object{{"containers", std::move(containers)}}}};
}

json::object replica(int count, int gpus) {
    return json::object{{"replicas", count}, {"restartPolicy", "OnFailure"}, {"template", pod_template(gpus)}};
}

// Kubeflow's operators write the same conditions, with the kind before the reason.
class kubeflow_pen {
public:
    kubeflow_pen(simulated_job& job, std::string_view kind) : job_(job), kind_(kind) {}

    void created() { set("Created", "True", "Created", "is created"); }
    void running() {
        job_.drop_condition("Restarting");
        set("Running", "True", "Running", "is running");
    }
    void restarting() {
        job_.drop_condition("Running");
        set("Restarting", "True", "Restarting", "is restarting because 1 Worker replica(s) failed");
    }
    void succeeded() {
        set("Running", "False", "Running", "is running");
        set("Succeeded", "True", "Succeeded", "is successfully completed");
        job_.set_time("completionTime");
    }
    void failed() {
        set("Running", "False", "Running", "is running");
        set("Failed", "True", "Failed", "is failed because 1 Worker replica(s) failed");
        job_.set_time("completionTime");
    }
    void set(std::string_view type, std::string_view status, std::string_view reason, std::string_view message) {
        job_.condition(type, status, std::string(kind_) + std::string(reason),
                       std::string(kind_) + " " + job_.namespace_() + "/" + job_.name() + " " + std::string(message));
    }

private:
    simulated_job& job_;
    std::string_view kind_;
};

awaitable<void> pytorch_life(life_setting at, std::string ns, std::string name) {
    simulated_job job(*at.env, *at.cluster, *at.book, pytorch_kind, ns, name);
    kubeflow_pen pen(job, "PyTorchJob");
    const int workers = 1 + static_cast<int>(at.env->random() % 4);
    json::object replicas;
    replicas["Master"] = replica(1, 8);
    replicas["Worker"] = replica(workers, 8);
    json::object spec;
    spec["pytorchReplicaSpecs"] = std::move(replicas);
    job.create(std::move(spec), "Unknown");
    if (const bool more = co_await at.pass(0.4); !more) co_return;
    pen.created();
    job.write("Created");
    if (const bool more = co_await at.pass(0.3); !more) co_return;
    job.set_time("startTime");
    job.replicas("Master", 0, 0, 0);
    job.replicas("Worker", 0, 0, 0);
    job.write("Pending");
    if (const bool more = co_await at.pass(1.2); !more) co_return;
    pen.running();
    job.replicas("Master", 1, 0, 0);
    job.write("Running");
    for (int i = 1; i <= workers; ++i) {
        if (const bool more = co_await at.pass(0.3); !more) co_return;
        job.replicas("Worker", i, 0, 0);
        job.write("Running");
    }
    if (const bool more = co_await at.pass(2.5); !more) co_return;
    if (at.chance(0.35)) {
        pen.restarting();
        job.replicas("Worker", workers - 1, 0, 1);
        job.write("Restarting");
        if (const bool more = co_await at.pass(1.5); !more) co_return;
        pen.running();
        job.replicas("Worker", workers, 0, 0);
        job.write("Running");
        if (const bool more = co_await at.pass(2); !more) co_return;
    }
    if (at.chance(0.75)) {
        pen.succeeded();
        job.replicas("Master", 0, 1, 0);
        job.replicas("Worker", 0, workers, 0);
        job.write("Succeeded");
    } else {
        pen.failed();
        job.replicas("Worker", 0, 0, 1);
        job.write("Failed");
    }
    if (const bool more = co_await at.pass(6); !more) co_return;
    job.remove();
}

// The training operator's MPIJob, and the MPI operator's, whose launcher is a batch Job of its own.
awaitable<void> mpi_life(life_setting at, std::string ns, std::string name, bool v2beta1) {
    simulated_job job(*at.env, *at.cluster, *at.book, v2beta1 ? mpi_v2beta1_kind : mpi_v1_kind, ns, name);
    simulated_job launcher(*at.env, *at.cluster, *at.book, batch_kind, ns, name + "-launcher", false);
    kubeflow_pen pen(job, "MPIJob");
    json::object replicas;
    replicas["Launcher"] = replica(1, 0);
    replicas["Worker"] = replica(2, 4);
    json::object spec;
    spec["slotsPerWorker"] = 1;
    spec["mpiReplicaSpecs"] = std::move(replicas);
    job.create(std::move(spec), "Unknown");
    if (const bool more = co_await at.pass(0.4); !more) co_return;
    pen.created();
    job.write("Created");
    if (v2beta1) {
        json::object owner{{"apiVersion", "kubeflow.org/v2beta1"}, {"kind", "MPIJob"}, {"name", name}};
        owner["uid"] = job.uid();
        owner["controller"] = true;
        json::array owners;
        owners.emplace_back(std::move(owner));
        json::object metadata;
        metadata["ownerReferences"] = std::move(owners);
        json::object launcher_spec;
        launcher_spec["template"] = pod_template(0);
        launcher.create(std::move(launcher_spec), "Created", std::move(metadata));
    }
    if (const bool more = co_await at.pass(0.5); !more) co_return;
    job.set_time("startTime");
    job.replicas("Launcher", 0, 0, 0);
    job.replicas("Worker", 1, 0, 0);
    job.write("Pending");
    if (const bool more = co_await at.pass(1); !more) co_return;
    const bool quick = v2beta1 && at.chance(0.3);  // over before anybody saw it running
    if (!quick) {
        pen.running();
        job.replicas("Launcher", 1, 0, 0);
        job.replicas("Worker", 2, 0, 0);
        job.write("Running");
        if (const bool more = co_await at.pass(4); !more) co_return;
    }
    if (at.chance(0.2)) {
        pen.set("Running", "False", "Running", "is running");
        pen.set("Failed", "True", v2beta1 ? "Evicted" : "MPIJobFailed", "has failed");
        job.set_time("completionTime");
        job.replicas("Launcher", 0, 0, 1);
        job.write("Failed");
    } else {
        if (quick) pen.set("Succeeded", "True", "Succeeded", "is successfully completed");
        pen.succeeded();  // of a quick one, Running=False comes after Succeeded
        job.replicas("Launcher", 0, 1, 0);
        job.replicas("Worker", 0, 0, 0);
        job.write("Succeeded");
    }
    if (const bool more = co_await at.pass(6); !more) co_return;
    launcher.remove();
    job.remove();
}

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

void train_child(simulated_job& job, int ready, int active, int succeeded) {
    json::object child{{"name", "node"}, {"failed", 0}, {"suspended", 0}};
    child["ready"] = ready;
    child["active"] = active;
    child["succeeded"] = succeeded;
    json::array children;
    children.emplace_back(std::move(child));
    job.set("jobsStatus", std::move(children));
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

}  // namespace

awaitable<bool> life_setting::pass(double seconds) const {
    const double scaled = seconds * pace * (2.0 + random_unit(*env)) * 0.4;
    const auto delay = std::chrono::duration_cast<kcontrol::duration>(std::chrono::duration<double>(scaled));
    const auto woken = co_await kcontrol::sleep_for(*env, delay, stop);
    co_return woken == kcontrol::wake::timeout;
}

void prepare(simulated_cluster& cluster, job_mix mix) {
    using kcontrol::testing::resource_type;
    auto& api = cluster.api();
    api.register_resource(resource_type("kubeflow.org", "v1", "PyTorchJob", "pytorchjobs"));
    api.register_resource(resource_type("kubeflow.org", mix.mpi_v2beta1 ? "v2beta1" : "v1", "MPIJob", "mpijobs"));
    if (mix.train_jobs) {
        api.register_resource(resource_type("trainer.kubeflow.org", "v1alpha1", "TrainJob", "trainjobs"));
    }
    for (const char* name : namespaces) {
        json::object object{{"apiVersion", "v1"}, {"kind", "Namespace"}};
        object["metadata"] = json::object{{"name", name}};
        static_cast<void>(api.create(std::move(object)));
    }
}

awaitable<void> run_jobs(life_setting at, job_mix mix, kcontrol::task_group& tasks) {
    static constexpr std::array<const char*, 6> work{"pretrain", "finetune", "eval", "distill", "sweep", "align"};
    static constexpr std::array<const char*, 6> models{"bert", "llama", "resnet", "whisper", "dlrm", "vit"};
    for (unsigned number = 1; !at.stop.stop_requested(); ++number) {
        const std::string ns = namespaces[at.env->random() % namespaces.size()];
        const std::string name = std::string(models[at.env->random() % models.size()]) + "-" +
                                 work[at.env->random() % work.size()] + "-" + std::to_string(number);
        switch (number % (mix.train_jobs ? 4 : 3)) {
        case 0: tasks.spawn(batch_life(at, ns, name)); break;
        case 1: tasks.spawn(pytorch_life(at, ns, name)); break;
        case 2: tasks.spawn(mpi_life(at, ns, name, mix.mpi_v2beta1)); break;
        default: tasks.spawn(train_life(at, ns, name));
        }
        const bool more = co_await at.pass(1.6);
        if (!more) co_return;
    }
}

}  // namespace training_monitor::demo
