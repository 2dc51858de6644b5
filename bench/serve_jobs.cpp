// serve_jobs: in-process API servers full of training jobs, for measuring the monitor from outside.
//
// usage: serve_jobs DIR CLUSTERS JOBS [KINDS [PODS]]
// Writes DIR/cluster-N.yaml for each cluster, each with KINDS (1 to 4, default 4) kinds of JOBS objects and PODS
// running pods (default 0) of each PyTorchJob, prints "ready" and serves until its standard input ends. It takes lines
// there:
//   change RATE   so many PyTorchJobs a second change, spread over all clusters: each from running to restarting or
//                 back, with the time (CLOCK_MONOTONIC, ns) in the message
//   fail RATE     so many fail, once each: a pod with exit code 1 and the time as its last words, then the job
//   forbid        pods and events are forbidden from now on
//   count         prints the requests so far, {"VERB RESOURCE": N}
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/local_api_server.hpp>

#include "served_pods.hpp"

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

using server_list = std::vector<std::unique_ptr<local_api_server>>;

void forbid_pods(server_list& servers) {
    for (const auto& server : servers) {
        server->api().set_faults([](const kcontrol::http::server_request& request) {
            kcontrol::testing::fault out;
            const std::string_view path = std::string_view(request.target).substr(0, request.target.find('?'));
            if (path.ends_with("/pods") || path.ends_with("/events")) out.status(403, "Forbidden", "forbidden");
            return out;
        });
    }
}

void print_counts(server_list& servers) {
    std::string text = "{";
    for (const auto* verb : {"list", "watch"}) {
        for (const auto* resource : {"pods", "events", "pytorchjobs", "jobs", ""}) {
            std::size_t count = 0;
            for (const auto& server : servers) count += server->api().request_log().count(verb, resource);
            text += std::string(text.size() > 1 ? ", " : "") + "\"" + verb + " " + (*resource ? resource : "all") +
                    "\": " + std::to_string(count);
        }
    }
    std::puts((text + "}").c_str());
    std::fflush(stdout);
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
    changer(boost::asio::io_context& context, server_list& servers, int jobs)
        : timer_(context), servers_(servers), jobs_(jobs) {}

    void start(int rate, bool fails) {
        fails_ = fails;
        period_ = std::chrono::nanoseconds(1'000'000'000 / rate);
        due_ = std::chrono::steady_clock::now();  // seam: ok, a program that measures
        next();
    }

private:
    void next() {
        timer_.expires_at(due_);
        timer_.async_wait([this](boost::system::error_code failed) {
            if (failed) return;
            if (fails_ && done_ == servers_.size() * static_cast<std::size_t>(jobs_)) return;  // all have
            fails_ ? fail() : change();
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

    void fail() {
        auto& api = servers_[done_ % servers_.size()]->api();
        const int number = static_cast<int>(done_ / servers_.size() % static_cast<std::size_t>(jobs_));
        const std::string ns = team_of(number);
        const std::string name = "job-" + std::to_string(number);
        const auto now = std::chrono::steady_clock::now().time_since_epoch();  // seam: ok, a program that measures
        const json::value ended = {{"exitCode", 1},
                                   {"reason", "Error"},
                                   {"finishedAt", "2026-01-02T04:04:05Z"},
                                   {"message", std::to_string(std::chrono::nanoseconds(now).count())}};
        const json::value container = {{"name", "pytorch"}, {"state", {{"terminated", ended}}}};
        (void)api.patch({"", "pods"}, {ns, name + "-worker-0"},
                        {{"status", {{"phase", "Failed"}, {"containerStatuses", json::array{container}}}}});
        const json::value condition = {{"type", "Failed"}, {"status", "True"}, {"reason", "PyTorchJobFailed"}};
        (void)api.patch({"kubeflow.org", "pytorchjobs"}, {ns, name},
                        {{"status", {{"conditions", json::array{condition}}}}});
        ++done_;
    }

    boost::asio::steady_timer timer_;
    server_list& servers_;
    int jobs_;
    bool fails_ = false;
    std::chrono::nanoseconds period_{};
    std::chrono::steady_clock::time_point due_;
    std::size_t done_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4 || argc > 6) {
        std::fputs("usage: serve_jobs DIR CLUSTERS JOBS [KINDS [PODS]]\n", stderr);
        return 2;
    }
    const std::string directory = argv[1];
    const int clusters = std::atoi(argv[2]);
    const int jobs = std::atoi(argv[3]);
    const auto count = static_cast<std::size_t>(std::clamp(argc > 4 ? std::atoi(argv[4]) : 4, 1, 4));
    const int pods = argc > 5 ? std::atoi(argv[5]) : 0;
    const auto kinds = std::span(all_kinds).first(count);
    kcontrol::system_environment env;
    boost::asio::io_context context(1);
    server_list servers;
    for (int i = 0; i < clusters; ++i) {
        servers.push_back(std::make_unique<local_api_server>(env, context.get_executor()));
        fill(*servers.back(), kinds, jobs);
        if (pods > 0) kcontrol_bench::register_pods(*servers.back());
        for (int j = 0; pods > 0 && j < jobs; ++j) kcontrol_bench::add_pods(*servers.back(), team_of(j), j, pods);
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
                                      [&](boost::system::error_code ended, std::size_t size) {
                                          if (ended) return context.stop();
                                          const std::string said = line.substr(0, size);
                                          line.erase(0, size);
                                          const bool fails = said.starts_with("fail ");
                                          if (fails || said.starts_with("change ")) {
                                              changes.start(std::atoi(said.c_str() + said.find(' ')), fails);
                                          }
                                          if (said == "forbid\n") forbid_pods(servers);
                                          if (said == "count\n") print_counts(servers);
                                          read();
                                      });
    };
    read();
    context.run();
    std::_Exit(0);  // the servers' coroutines die with the process
}
