// serve_jobs: in-process API servers full of training jobs, for measuring the monitor from outside.
//
// usage: serve_jobs DIR CLUSTERS JOBS     writes DIR/cluster-N.yaml for each cluster, each with four kinds of JOBS
//                                         objects, prints "ready" and serves until its standard input ends
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/local_api_server.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
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

constexpr served_kind kinds[] = {
    {"kubeflow.org", "v1", "PyTorchJob", "pytorchjobs", "pytorchReplicaSpecs"},
    {"kubeflow.org", "v2beta1", "MPIJob", "mpijobs", "mpiReplicaSpecs"},
    {"trainer.kubeflow.org", "v1alpha1", "TrainJob", "trainjobs", nullptr},
    {"batch", "v1", "Job", "jobs", nullptr},
};

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
             {{"name", name},
              {"namespace", "team-" + std::to_string(number % 20)},
              {"labels", {{"app", name}, {"team", "team-" + std::to_string(number % 20)}}}}},
            {"spec", std::move(spec)},
            {"status", std::move(status)}};
}

void fill(local_api_server& server, int jobs) {
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

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fputs("usage: serve_jobs DIR CLUSTERS JOBS\n", stderr);
        return 2;
    }
    const std::string directory = argv[1];
    const int clusters = std::atoi(argv[2]);
    const int jobs = std::atoi(argv[3]);
    kcontrol::system_environment env;
    boost::asio::io_context context(1);
    std::vector<std::unique_ptr<local_api_server>> servers;
    for (int i = 0; i < clusters; ++i) {
        servers.push_back(std::make_unique<local_api_server>(env, context.get_executor()));
        fill(*servers.back(), jobs);
        if (const auto started = servers.back()->start(); !started) {
            std::fprintf(stderr, "serve_jobs: %s\n", started.error().what().c_str());
            return 1;
        }
        std::ofstream(directory + "/cluster-" + std::to_string(i) + ".yaml") << servers.back()->kubeconfig();
    }
    std::puts("ready");
    std::fflush(stdout);
    boost::asio::posix::stream_descriptor input(context, ::dup(STDIN_FILENO));
    char byte = 0;
    input.async_read_some(boost::asio::buffer(&byte, 1),
                          [&](boost::system::error_code, std::size_t) { context.stop(); });
    context.run();
    std::_Exit(0);  // the servers' coroutines die with the process
}
