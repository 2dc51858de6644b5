// PyTorchJob and MPIJob.
#include "demo/lives.hpp"

namespace training_monitor::demo {
namespace {

namespace json = kcontrol::json;
using kcontrol::awaitable;

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

void create_launcher(simulated_job& launcher, const simulated_job& job) {
    json::object owner{{"apiVersion", "kubeflow.org/v2beta1"}, {"kind", "MPIJob"}, {"name", job.name()}};
    owner["uid"] = job.uid();
    owner["controller"] = true;
    json::array owners;
    owners.emplace_back(std::move(owner));
    json::object metadata;
    metadata["ownerReferences"] = std::move(owners);
    json::object spec;
    spec["template"] = pod_template(0);
    launcher.create(std::move(spec), "Created", std::move(metadata));
}

}  // namespace

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
    if (v2beta1) create_launcher(launcher, job);
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

}  // namespace training_monitor::demo
