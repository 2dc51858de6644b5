// kubectl as a client of the in-process API server. Skipped, and counted so, where there is no kubectl.
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include "support/print.hpp"
#include "support/spawn.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kcontrol;
using namespace kcontrol::testing;

namespace {

std::string find_kubectl() {
    system_environment env;
    const auto in = [](const std::string& directory) { return directory + "/kubectl"; };
    if (const auto assets = env.variable("KUBEBUILDER_ASSETS"); assets && ::access(in(*assets).c_str(), X_OK) == 0) {
        return in(*assets);
    }
    std::string path = env.variable("PATH").value_or("/usr/bin:/bin");
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        const std::string candidate = in(path.substr(at, end - at));
        if (::access(candidate.c_str(), X_OK) == 0) return candidate;
        at = end + 1;
    }
    return {};
}

// A server, and runs of kubectl against it; the test's own thread serves while it waits for kubectl.
class cluster {
public:
    cluster() : server_(env_, context_.get_executor()) {
        resource_type jobs("kubeflow.org", "v1", "PyTorchJob", "pytorchjobs");
        jobs.columns.emplace_back("State", "string", ".status.conditions[-1:].type");
        jobs.columns.emplace_back("Workers", "integer", ".spec.workers", 1);
        server_.api().register_resource(std::move(jobs));
        REQUIRE(server_.start());
        write("kubeconfig", server_.kubeconfig("any"));
    }
    ~cluster() { testing::run(context_, server_.stop()); }

    std::string write(const std::string& name, const std::string& text) {
        directory_.write(name, text);
        return path(name);
    }
    std::string path(const std::string& name) const { return directory_.path(name); }

    struct outcome {
        int code = -1;
        std::string text;  // standard output and error together
    };
    outcome run(std::vector<std::string> arguments) { return finish(start(std::move(arguments))); }

    struct child {
        pid_t pid = 0;
        std::shared_ptr<boost::asio::posix::stream_descriptor> output;
        std::string text;
    };
    child start(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {program_, "--kubeconfig", path("kubeconfig"), "--cache-dir", path("cache"),
                                             "--request-timeout=60s"});
        const auto running = test::spawn(std::move(arguments));
        child started;
        started.pid = running.pid;
        started.output = std::make_shared<boost::asio::posix::stream_descriptor>(context_, running.output);
        return started;
    }
    outcome finish(child started) {
        read_until(started, {});
        int status = 0;
        ::waitpid(started.pid, &status, 0);
        outcome out;
        out.text = std::move(started.text);
        out.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return out;
    }
    // Serves until kubectl has said `wanted`, or to its end.
    bool read_until(child& started, std::string_view wanted) {
        char buffer[4096];
        bool open = true;
        while (open && (wanted.empty() || started.text.find(wanted) == std::string::npos)) {
            bool done = false;
            started.output->async_read_some(boost::asio::buffer(buffer), [&](error_code failure, std::size_t n) {
                started.text.append(buffer, n);
                done = true;
                open = !failure;
            });
            context_.restart();
            while (!done && context_.run_one() != 0) {
            }
        }
        return open;
    }

private:
    std::string program_ = find_kubectl();
    testing::temporary_directory directory_;
    system_environment env_;
    boost::asio::io_context context_;
    local_api_server server_;
};

bool has(const cluster::outcome& out, std::string_view text) {
    if (out.text.find(text) != std::string::npos) return true;
    MESSAGE(out.text);
    return false;
}

constexpr const char* job = R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, labels: {team: red}}
spec: {workers: 4}
)";

constexpr const char* lab = R"(apiVersion: v1
kind: Namespace
metadata: {name: lab}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: lab}
data: {a: b}
)";

}  // namespace

TEST_CASE("kubectl works with the in-process API server" * doctest::skip(find_kubectl().empty())) {
    cluster c;
    const std::string file = c.write("job.yaml", job);
    CHECK(has(c.run({"api-resources"}), "pytorchjobs"));
    CHECK(has(c.run({"version"}), "v1.37"));
    CHECK(has(c.run({"create", "-f", file}), "pytorchjob.kubeflow.org/train created"));
    CHECK(has(c.run({"create", "-f", file}), "AlreadyExists"));
    CHECK(has(c.run({"get", "pytorchjobs"}), "NAME    STATE   AGE"));
    CHECK(has(c.run({"get", "pytorchjob", "train", "-o", "wide"}), "WORKERS"));
    CHECK(has(c.run({"get", "pytorchjob", "train", "-o", "json"}), "\"workers\": 4"));
    CHECK(has(c.run({"get", "pytorchjob", "train", "-o", "yaml"}), "workers: 4"));
    CHECK(has(c.run({"get", "pytorchjob", "-A", "-l", "team=blue"}), "No resources found"));
    CHECK(has(c.run({"get", "pytorchjob", "nope"}), "NotFound"));

    auto watch = c.start({"get", "pytorchjobs", "-w"});
    CHECK(c.read_until(watch, "train"));
    CHECK(
        has(c.run({"patch", "pytorchjob", "train", "--type", "merge", "-p", R"({"spec":{"workers":8}})"}), "patched"));
    CHECK(has(c.run({"patch", "pytorchjob", "train", "--type", "json", "-p",
                     R"([{"op":"replace","path":"/spec/workers","value":2}])"}),
              "patched"));
    CHECK(has(c.run({"patch", "pytorchjob", "train", "--subresource", "status", "--type", "merge", "-p",
                     R"({"status":{"conditions":[{"type":"Running","status":"True"}]}})"}),
              "patched"));
    CHECK(c.read_until(watch, "Running"));
    CHECK(has(c.run({"label", "pytorchjob", "train", "team=blue", "--overwrite"}), "labeled"));
    CHECK(has(c.run({"wait", "--for=condition=Running", "pytorchjob/train", "--timeout=60s"}), "condition met"));
    // From files.
    CHECK(has(c.run({"create", "-f", c.write("lab.yaml", lab)}), "configmap/settings created"));
    CHECK(has(c.run({"delete", "pytorchjob", "train"}), "deleted"));
    CHECK(has(c.run({"delete", "namespace", "lab"}), "deleted"));
    CHECK(has(c.run({"get", "configmaps", "-A"}), "No resources found"));
    ::kill(watch.pid, SIGTERM);
    c.finish(watch);
}

TEST_CASE("kubectl apply --server-side" * doctest::skip(find_kubectl().empty())) {
    cluster c;
    const std::string file = c.write("job.yaml", job);
    const std::string other = c.write("other.yaml", R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train}
spec: {workers: 8}
)");
    CHECK(has(c.run({"apply", "--server-side", "-f", file}), "pytorchjob.kubeflow.org/train serverside-applied"));
    CHECK(has(c.run({"apply", "--server-side", "-f", file}), "serverside-applied"));
    CHECK(has(c.run({"get", "pytorchjob", "train", "-o", "yaml", "--show-managed-fields"}), "f:workers"));
    const auto refused = c.run({"apply", "--server-side", "--field-manager", "other", "-f", other});
    CHECK(refused.code != 0);
    CHECK(has(refused, "conflict with \"kubectl\": .spec.workers"));
    CHECK(has(c.run({"apply", "--server-side", "--field-manager", "other", "--force-conflicts", "-f", other}),
              "serverside-applied"));
    CHECK(has(c.run({"get", "pytorchjob", "train", "-o", "jsonpath={.spec.workers}{.metadata.labels.team}"}), "8red"));
    CHECK(has(c.run({"apply", "--server-side", "--dry-run=server", "-f", other}), "(server dry run)"));
}

TEST_CASE("kubectl makes, lists and deletes built-in kinds" * doctest::skip(find_kubectl().empty())) {
    cluster c;
    const std::string file = c.write("kinds.yaml", R"(apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: web}]}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: web}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 10
)");
    const auto listed = c.run({"api-resources", "--no-headers", "-o", "name"});
    for (const std::string_view name :
         {"deployments.apps", "poddisruptionbudgets.policy", "resourceclaims.resource.k8s.io",
          "networkpolicies.networking.k8s.io", "bindings"}) {
        CHECK(has(listed, name));
    }
    CHECK(has(c.run({"create", "-f", file}), "deployment.apps/web created"));
    CHECK(has(c.run({"get", "deploy,svc,sa,pdb", "-o", "name"}), "poddisruptionbudget.policy/web"));
    CHECK(has(c.run({"get", "all", "-o", "name"}), "service/web"));
    CHECK(has(c.run({"get", "deploy"}), "NAME   READY   UP-TO-DATE   AVAILABLE   AGE\nweb    0/1     0            0"));
    CHECK(has(c.run({"get", "svc", "-o", "wide"}), "NAME   TYPE        CLUSTER-IP"));
    CHECK(has(c.run({"get", "pc", "high", "-o", "jsonpath={.value}"}), "10"));
    CHECK(has(c.run({"delete", "-f", file, "--wait=false"}), "priorityclass.scheduling.k8s.io \"high\" deleted"));
    CHECK(has(c.run({"get", "all,sa,pdb"}), "No resources found"));
}
