#include "sources.hpp"

#include <kcontrol/testing/manual_environment.hpp>

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

using namespace training_monitor;

namespace {

const char* config = R"(
apiVersion: v1
kind: Config
current-context: one
clusters:
- {name: c, cluster: {server: "https://10.0.0.1:6443"}}
users:
- {name: u, user: {token: hush-hush}}
contexts:
- {name: one, context: {cluster: c, user: u}}
- {name: two, context: {cluster: c, user: u}}
- {name: broken, context: {cluster: gone, user: u}}
)";

struct fixture {
    kcontrol::testing::manual_environment env;
    boost::asio::io_context context;
    options o;
    std::vector<kcontrol::desired_cluster> desired;

    // The message of what went wrong, or nothing.
    std::string make() {
        auto source = make_source(env, context.get_executor(), o, nullptr, {});
        if (!source) return source.error().what();
        const auto started =
            (*source)->start([&](std::vector<kcontrol::desired_cluster> d) { desired = std::move(d); });
        return started ? std::string() : started.error().what();
    }
    std::string names() const {
        std::string out;
        for (const auto& d : desired) out += d.name + (d.config ? " " : "! ");
        return out;
    }
};

}  // namespace

TEST_CASE("contexts of a kubeconfig: the current one, or those that are named") {
    fixture f;
    f.env.files["/k"] = config;
    f.o.kubeconfig("/k");
    CHECK(f.make().empty());
    CHECK(f.names() == "one ");
    f.o.contexts({"two", "one", "two"});
    CHECK(f.make().empty());
    CHECK(f.names() == "two one ");
    f.o.contexts({"one", "broken"});
    CHECK(f.make().empty());
    CHECK(f.names() == "one broken! ");  // the other one goes on
    f.o.contexts({"none"});
    const auto message = f.make();
    CHECK(message.find("/k") != std::string::npos);
    CHECK(message.find("none") != std::string::npos);
    CHECK(message.find("hush") == std::string::npos);
    f.o.kubeconfig("/absent");
    CHECK(f.make().find("/absent") != std::string::npos);
}

TEST_CASE("a directory looked at once: names without extension, broken files are failed clusters") {
    fixture f;
    f.env.files["/d/alpha.yaml"] = config;
    f.env.files["/d/alpha.yml"] = config;
    f.env.files["/d/beta.conf.yaml"] = "a: [";
    f.env.files["/d/gamma"] = config;
    f.env.files["/d/.hidden"] = config;
    f.env.files["/d/gamma~"] = config;
    f.o.clusters_directory("/d");
    f.o.once(true);
    CHECK(f.make().empty());
    CHECK(f.names() == "alpha beta.conf! gamma ");
}

TEST_CASE("told nothing: $KUBECONFIG, the pod's own cluster, ~/.kube/config") {
    fixture f;
    f.env.variables["HOME"] = "/home/me";
    f.env.files["/home/me/.kube/config"] = config;
    CHECK(f.make().empty());
    CHECK(f.names() == "one ");
    f.o.contexts({"two", "one"});
    CHECK(f.make().empty());
    CHECK(f.names() == "two one ");
    f.o.contexts({});
    const std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount/";
    f.env.files[folder + "token"] = "t";
    f.env.files[folder + "ca.crt"] = "ca";
    f.env.variables["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
    CHECK(f.make().empty());
    CHECK(f.names() == "one ");  // no pod's own without a port
    f.env.variables["KUBERNETES_SERVICE_PORT"] = "443";
    CHECK(f.make().empty());
    CHECK(f.names() == "in-cluster ");
    // A list, whose first current context counts.
    f.env.files["/k/first"] = "current-context: three\ncontexts: [{name: three, context: {cluster: c, user: u}}]\n";
    f.env.files["/k/second"] = config;
    f.env.variables["KUBECONFIG"] = "/k/missing:/k/first:/k/second";
    CHECK(f.make().empty());
    CHECK(f.names() == "three ");
    f.env.files["/k/first"] = "a: [";
    CHECK(f.make().find("/k/first: not a kubeconfig") == 0);
}

TEST_CASE("without any source it is the pod's own cluster, or a message that says what to give") {
    fixture f;
    const auto message = f.make();
    CHECK(message.find("--clusters") != std::string::npos);
    CHECK(message.find("--kubeconfig") != std::string::npos);
}
