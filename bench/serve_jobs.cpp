// serve_jobs: in-process API servers full of training jobs, for measuring the monitor from outside.
//
// usage: serve_jobs DIR CLUSTERS JOBS [KINDS]
// Writes DIR/cluster-N.yaml for each cluster, each with KINDS (1 to 4, default 4) kinds of JOBS objects, prints "ready"
// and serves until its standard input ends. A line "change RATE" there makes it change so many PyTorchJobs a second,
// spread over all clusters: each from running to restarting or back, with the time (CLOCK_MONOTONIC, ns) in the
// message.
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/local_api_server.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using kcontrol::testing::local_api_server;
namespace json = kcontrol::json;

struct served_kind {
    const char* group;
    const char* version;
    const char* kind;
    const char* plural;
    const char* replica_specs;  // where the pod templates are
};

constexpr served_kind all_kinds[] = {
    {"kubeflow.org", "v1", "PyTorchJob", "pytorchjobs", "pytorchReplicaSpecs"},
    {"kubeflow.org", "v2beta1", "MPIJob", "mpijobs", "mpiReplicaSpecs"},
    {"trainer.kubeflow.org", "v1alpha1", "TrainJob", "trainjobs", nullptr},
    {"batch", "v1", "Job", "jobs", nullptr},
};

std::string team_of(int number) { return "team-" + std::to_string(number % 20); }

json::value job(const served_kind& kind, int number) {
    const json::value pod = {{"spec",
                              {{"restartPolicy", "Never"},
                               {"containers",
                                {{{"name", "trainer"},
                                  {"image", "registry.example/team/trainer:v1.2.3"},
                                  {"command", {"python", "/opt/train.py", "--epochs=90", "--data=/data/imagenet"}},
                                  {"env", {{{"name", "NCCL_DEBUG"}, {"value", "INFO"}}}},
                                  {"resources", {{"limits", {{"nvidia.com/gpu", "8"}, {"memory", "512Gi"}}}}}}}}}}};
    json::object spec;
    json::object status = {{"startTime", "2026-01-02T03:04:05Z"}};
    if (kind.replica_specs != nullptr) {
        spec[kind.replica_specs] = {{"Worker", {{"replicas", 4}, {"restartPolicy", "OnFailure"}, {"template", pod}}}};
        status["conditions"] = {{{"type", "Created"}, {"status", "True"}, {"reason", "JobCreated"}},
                                {{"type", "Running"},
                                 {"status", "True"},
                                 {"reason", "JobRunning"},
                                 {"message", "the job is running"},
                                 {"lastTransitionTime", "2026-01-02T03:04:06Z"}}};
        status["replicaStatuses"] = {{"Worker", {{"active", 4}}}};
    } else if (std::string_view(kind.kind) == "Job") {
        spec["template"] = pod;
        status["active"] = 1;
        status["ready"] = 1;
    } else {
        spec["runtimeRef"] = {{"name", "torch-distributed"}};
        spec["trainer"] = {{"numNodes", 4}};
    }
    const std::string api = std::string(kind.group) + "/" + kind.version;
    const std::string name = "job-" + std::to_string(number);
    return {{"apiVersion", api},
            {"kind", kind.kind},
            {"metadata",
             {{"name", name}, {"namespace", team_of(number)}, {"labels", {{"app", name}, {"team", team_of(number)}}}}},
            {"spec", std::move(spec)},
            {"status", std::move(status)}};
}

void fill(local_api_server& server, std::span<const served_kind> kinds, int jobs) {
    for (const auto& kind : kinds) {
        kcontrol::testing::resource_type type(kind.group, kind.version, kind.kind, kind.plural);
        type.status_subresource = false;  // so that one write sets all
        server.api().register_resource(type);
    }
    for (int team = 0; team < 20; ++team) {
        (void)server.api().create(
            {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "team-" + std::to_string(team)}}}});
    }
    for (const auto& kind : kinds) {
        for (int i = 0; i < jobs; ++i) (void)server.api().create(job(kind, i)).value();
    }
}

// Changes jobs one after the other, cluster by cluster, at a steady rate.
class changer {
public:
    changer(boost::asio::io_context& context, std::vector<std::unique_ptr<local_api_server>>& servers, int jobs)
        : timer_(context), servers_(servers), jobs_(jobs) {}

    void start(int rate) {
        period_ = std::chrono::nanoseconds(1'000'000'000 / rate);
        due_ = std::chrono::steady_clock::now();  // seam: ok, a program that measures
        next();
    }

private:
    void next() {
        timer_.expires_at(due_);
        timer_.async_wait([this](boost::system::error_code failed) {
            if (failed) return;
            change();
            due_ += period_;
            next();
        });
    }

    void change() {
        const auto cluster = done_ % servers_.size();
        const int number = static_cast<int>(done_ / servers_.size() % static_cast<std::size_t>(jobs_));
        const bool restarting = done_ / servers_.size() / static_cast<std::size_t>(jobs_) % 2 == 0;
        const auto now = std::chrono::steady_clock::now().time_since_epoch();  // seam: ok, a program that measures
        const json::value patch = {{"status",
                                    {{"conditions",
                                      {{{"type", "Created"}, {"status", "True"}},
                                       {{"type", restarting ? "Restarting" : "Running"},
                                        {"status", "True"},
                                        {"message", std::to_string(std::chrono::nanoseconds(now).count())}}}}}}};
        (void)servers_[cluster]->api().patch({"kubeflow.org", "pytorchjobs"},
                                             {team_of(number), "job-" + std::to_string(number)}, patch);
        ++done_;
    }

    boost::asio::steady_timer timer_;
    std::vector<std::unique_ptr<local_api_server>>& servers_;
    int jobs_;
    std::chrono::nanoseconds period_{};
    std::chrono::steady_clock::time_point due_;
    std::size_t done_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4 && argc != 5) {
        std::fputs("usage: serve_jobs DIR CLUSTERS JOBS [KINDS]\n", stderr);
        return 2;
    }
    const std::string directory = argv[1];
    const int clusters = std::atoi(argv[2]);
    const int jobs = std::atoi(argv[3]);
    const auto count = static_cast<std::size_t>(std::clamp(argc == 5 ? std::atoi(argv[4]) : 4, 1, 4));
    const auto kinds = std::span(all_kinds).first(count);
    kcontrol::system_environment env;
    boost::asio::io_context context(1);
    std::vector<std::unique_ptr<local_api_server>> servers;
    for (int i = 0; i < clusters; ++i) {
        servers.push_back(std::make_unique<local_api_server>(env, context.get_executor()));
        fill(*servers.back(), kinds, jobs);
        if (const auto started = servers.back()->start(); !started) {
            std::fprintf(stderr, "serve_jobs: %s\n", started.error().what().c_str());
            return 1;
        }
        std::ofstream(directory + "/cluster-" + std::to_string(i) + ".yaml") << servers.back()->kubeconfig();
    }
    std::puts("ready");
    std::fflush(stdout);
    boost::asio::posix::stream_descriptor input(context, ::dup(STDIN_FILENO));
    changer changes(context, servers, jobs);
    std::string line;
    std::function<void()> read = [&] {
        boost::asio::async_read_until(input, boost::asio::dynamic_buffer(line), '\n',
                                      [&](boost::system::error_code ended, std::size_t) {
                                          if (ended) return context.stop();
                                          if (line.starts_with("change ")) changes.start(std::atoi(line.c_str() + 7));
                                          line.clear();
                                          read();
                                      });
    };
    read();
    context.run();
    std::_Exit(0);  // the servers' coroutines die with the process
}
