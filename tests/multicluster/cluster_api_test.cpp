// Clusters from the Secrets that Cluster API makes, and Secrets that are chosen otherwise.
#include <kcontrol/base/base64.hpp>
#include <kcontrol/multicluster/secret_source.hpp>

#include "multicluster/object_fixture.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

const testing::group_resource secrets{"", "secrets"};
constexpr const char* name_label = "cluster.x-k8s.io/cluster-name";

std::string kubeconfig(const std::string& server, const std::string& user = "{token: t1}") {
    return "apiVersion: v1\nkind: Config\ncurrent-context: x\n"
           "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
           "clusters: [{name: c, cluster: {server: \"" +
           server + "\"}}]\nusers: [{name: u, user: " + user + "}]\n";
}

json::value secret(const std::string& ns, const std::string& name, const json::value& labels, const std::string& key,
                   const std::string& text, const std::string& type = "cluster.x-k8s.io/secret") {
    return {{"apiVersion", "v1"},
            {"kind", "Secret"},
            {"metadata", {{"name", name}, {"namespace", ns}, {"labels", labels}}},
            {"type", type},
            {"data", {{key, encode_base64(text)}}}};
}

struct fixture : object_fixture {
    // As Cluster API makes it.
    void put_cluster(const std::string& ns, const std::string& name, const std::string& text) {
        put(secrets, secret(ns, name + "-kubeconfig", {{name_label, name}}, "value", text));
    }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "Cluster API: each workload cluster's kubeconfig is a cluster, and nothing else is") {
    put_cluster("default", "prod", kubeconfig("https://prod"));
    put_cluster("kube-system", "prod", kubeconfig("https://other"));
    for (const char* what : {"ca", "etcd", "sa", "proxy"}) {
        put(secrets, secret("default", std::string("prod-") + what, {{name_label, "prod"}}, "tls.key", "k"));
    }
    // Some providers make one for people beside it.
    put(secrets, secret("default", "prod-user-kubeconfig", {{name_label, "prod"}}, "value", kubeconfig("https://u")));
    put(secrets, secret("default", "x-kubeconfig", {{name_label, "x"}}, "value", kubeconfig("https://x"), "Opaque"));
    put(secrets, secret("default", "y-kubeconfig", {{"other", "y"}}, "value", kubeconfig("https://y")));
    use<secret_source>(secret_source_options::cluster_api());
    start();
    CHECK(told == 1);
    CHECK(names() == words{"default/prod", "kube-system/prod"});
    CHECK(last.at("default/prod").config->server_url() == "https://prod:443");
    CHECK(last.at("default/prod").config->token().reveal() == "t1");
    CHECK(last.at("default/prod").labels == cluster_labels{{name_label, "prod"}});
    put_cluster("default", "prod", kubeconfig("https://prod", "{token: t2}"));
    CHECK(last.at("default/prod").config->token().reveal() == "t2");
    remove(secrets, "kube-system", "prod-kubeconfig");
    CHECK(names() == words{"default/prod"});
    remove(secrets, "default", "prod-ca");
    CHECK(told == 3);
}

TEST_CASE_FIXTURE(fixture, "Cluster API: in one namespace a cluster has the name that it has there") {
    use<secret_source>(secret_source_options::cluster_api().in_namespace("default"));
    put_cluster("default", "prod", kubeconfig("https://prod"));
    put_cluster("kube-system", "prod", kubeconfig("https://other"));
    start();
    CHECK(names() == words{"prod"});
}

TEST_CASE_FIXTURE(fixture,
                  "Cluster API: a kubeconfig that may not be used, or is not there, is that cluster's affair") {
    use<secret_source>(secret_source_options::cluster_api().in_namespace("default"));
    put_cluster("default", "good", kubeconfig("https://good"));
    put_cluster("default", "exec", kubeconfig("https://a", "{exec: {command: /bin/sh}}"));
    put(secrets, secret("default", "new-kubeconfig", {{name_label, "new"}}, "other", "x"));
    start();
    CHECK(names() == words{"exec", "good", "new"});
    CHECK(why("good").empty());
    CHECK(last.at("good").config->server_url() == "https://good:443");
    CHECK(has(why("exec"), "secret default/exec-kubeconfig, data.value"));
    CHECK(has(why("exec"), "may not run programs"));
    CHECK(has(why("new"), "data.value: not there"));
}

TEST_CASE_FIXTURE(fixture, "Cluster API: a Secret whose label names another cluster is none") {
    use<secret_source>(secret_source_options::cluster_api().in_namespace("default"));
    put_cluster("default", "a", kubeconfig("https://a"));
    start();
    CHECK(names() == words{"a"});
    (void)at_home.api.patch(secrets, {"default", "a-kubeconfig"}, {{"metadata", {{"labels", {{name_label, "b"}}}}}})
        .value();
    settle();
    CHECK(last.empty());
}

TEST_CASE_FIXTURE(fixture, "Secrets: any selector, and a type, in place of the label") {
    use<secret_source>(secret_source_options().selector("tier in (gold,silver),!off").type("my/type").key("k"));
    put(secrets, secret("default", "a", {{"tier", "gold"}}, "k", kubeconfig("https://a"), "my/type"));
    put(secrets, secret("default", "b", {{"tier", "silver"}, {"off", ""}}, "k", kubeconfig("https://b"), "my/type"));
    put(secrets, secret("default", "c", {{"tier", "lead"}}, "k", kubeconfig("https://c"), "my/type"));
    put(secrets, secret("default", "d", {{"tier", "gold"}}, "k", kubeconfig("https://d"), "Opaque"));
    start();
    CHECK(names() == words{"default/a"});
}

TEST_CASE_FIXTURE(fixture,
                  "Secrets: what is asked for if nothing is said is what multicluster-runtime's provider asks for") {
    const json::value labels{{"sigs.k8s.io/multicluster-runtime-kubeconfig", "true"}};
    put(secrets, secret("default", "a", labels, "kubeconfig", kubeconfig("https://a"), "Opaque"));
    put(secrets, secret("kube-system", "b", labels, "value", kubeconfig("https://b"), "my/type"));
    put(secrets, secret("default", "c", {{"sigs.k8s.io/multicluster-runtime-kubeconfig", "false"}}, "kubeconfig",
                        kubeconfig("https://c"), "Opaque"));
    put(secrets, secret("default", "d", {{"other", "true"}}, "kubeconfig", kubeconfig("https://d"), "Opaque"));
    use<secret_source>(secret_source_options());
    start();
    CHECK(names() == words{"default/a", "kube-system/b"});
    CHECK(last.at("default/a").config->server_url() == "https://a:443");
    CHECK(has(why("kube-system/b"), "data.kubeconfig: not there"));
    // The server does not send the others.
    std::size_t asked = 0;
    for (const auto& request : at_home.api.request_log().requests()) {
        if (request.resource != secrets || (request.verb != "list" && request.verb != "watch")) continue;
        ++asked;
        CAPTURE(request.target);
        CHECK(has(request.target, "labelSelector=sigs.k8s.io%2Fmulticluster-runtime-kubeconfig%3Dtrue"));
        CHECK_FALSE(has(request.target, "fieldSelector="));
    }
    CHECK(asked >= 2);
}
