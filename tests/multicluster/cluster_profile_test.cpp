// Clusters from ClusterProfiles: where they are is a stranger's word, how to log in the program's.
#include <kcontrol/base/base64.hpp>
#include <kcontrol/multicluster/cluster_profile_source.hpp>

#include "multicluster/object_fixture.hpp"
#include "support/throws.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

const testing::group_resource profiles{"multicluster.x-k8s.io", "clusterprofiles"};

auth::exec_command plugin() {
    return auth::exec_command("client.authentication.k8s.io/v1", "/bin/login").arguments({"--for", "me"});
}

json::value access(const std::string& name, const json::value& cluster) {
    return {{"name", name}, {"cluster", cluster}};
}

struct no_credentials final : auth::credential_provider {
    awaitable<result<auth::issued_credentials>> issue(std::stop_token) override {
        co_return error(errc::unavailable, "none");
    }
};

struct fixture : object_fixture {
    fixture() {
        testing::resource_type type("multicluster.x-k8s.io", "v1alpha1", "ClusterProfile", "clusterprofiles");
        type.versions = {"v1alpha1", "v1alpha2"};
        type.status_subresource = false;  // else each test would write twice
        at_home.api.register_resource(type);
        put({"", "namespaces"}, {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "fleet"}}}});
    }

    void put_profile(const std::string& name, json::array providers, const std::string& healthy = "True",
                     const std::string& field = "accessProviders", const std::string& ns = "fleet") {
        json::value status{{field, std::move(providers)}};
        if (!healthy.empty()) {
            json::array conditions;
            conditions.push_back({{"type", "Joined"}, {"status", "True"}, {"reason", "r"}, {"message", ""}});
            conditions.push_back(
                {{"type", "ControlPlaneHealthy"}, {"status", healthy}, {"reason", "r"}, {"message", "etcd is slow"}});
            status.get_object()["conditions"] = std::move(conditions);
        }
        put(profiles, {{"apiVersion", "multicluster.x-k8s.io/v1alpha1"},
                       {"kind", "ClusterProfile"},
                       {"metadata", {{"name", name}, {"namespace", ns}, {"labels", {{"region", "east"}}}}},
                       {"spec", {{"clusterManager", {{"name", "fleet"}}}}},
                       {"status", std::move(status)}});
    }
    void put_server(const std::string& name, const json::value& cluster) { put_profile(name, {access("p", cluster)}); }
    cluster_profile_options with_plugin() {
        return cluster_profile_options().in_namespace("fleet").access("p", plugin());
    }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "ClusterProfile: the server is the profile's, the login is the program's") {
    const std::string ca = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n";
    put_server(
        "a", {{"server", "https://a:6443/base"},
              {"certificate-authority-data", encode_base64(ca)},
              {"tls-server-name", "api.a"},
              {"extensions",
               {{{"name", "client.authentication.k8s.io/exec"}, {"extension", {{"account", "x"}}}},
                {{"name", "clusterprofiles.multicluster.x-k8s.io/exec/additional-args"}, {"extension", {"--evil"}}}}}});
    use<cluster_profile_source>(with_plugin());
    start();
    CHECK(told == 1);
    REQUIRE(names() == words{"a"});
    REQUIRE_MESSAGE(last.at("a").config.has_value(), why("a"));
    const auto& config = *last.at("a").config;
    CHECK(config.server_url() == "https://a:6443/base");
    CHECK(config.tls().ca_pem() == ca);
    CHECK(config.tls().server_name() == "api.a");
    REQUIRE(config.exec().has_value());
    CHECK(config.exec()->program() == "/bin/login");
    CHECK(config.exec()->arguments() == words{"--for", "me"});
    CHECK(has(config.exec()->cluster_info(), R"("server":"https://a:6443/base")"));
    CHECK(has(config.exec()->cluster_info(), R"("config":{"account":"x"})"));
    CHECK(last.at("a").labels == cluster_labels{{"region", "east"}});
    // A heartbeat is no news; another server is.
    put_server("a", {{"server", "https://b"}});
    CHECK(told == 2);
    (void)at_home.api.patch(profiles, {"fleet", "a"}, {{"status", {{"version", {{"kubernetes", "1.36"}}}}}}).value();
    settle();
    CHECK(told == 2);
    remove(profiles, "fleet", "a");
    CHECK(told == 3);
    CHECK(last.empty());
}

TEST_CASE_FIXTURE(fixture, "ClusterProfile: in all namespaces, names tell the namespace") {
    use<cluster_profile_source>(cluster_profile_options().access("p", plugin()));
    put_server("a", {{"server", "https://a"}});
    put_profile("a", {access("p", {{"server", "https://b"}})}, "True", "accessProviders", "default");
    start();
    CHECK(names() == words{"default/a", "fleet/a"});
    CHECK(last.at("default/a").config->server().host == "b");
}

TEST_CASE_FIXTURE(fixture, "ClusterProfile: only some of them, by a selector") {
    use<cluster_profile_source>(with_plugin().selector("region=west"));
    put_server("a", {{"server", "https://a"}});
    start();
    CHECK(told == 1);
    CHECK(last.empty());
}

TEST_CASE_FIXTURE(fixture, "ClusterProfile: the first login of the program that the profile offers counts") {
    use<cluster_profile_source>(
        with_plugin().access("q", auth::exec_command("client.authentication.k8s.io/v1", "/bin/other")));
    put_profile("both", {access("q", {{"server", "https://q"}}), access("p", {{"server", "https://p"}})});
    put_profile("second", {access("q", {{"server", "https://q"}})});
    put_profile("old", {access("p", {{"server", "https://old"}})}, "True", "credentialProviders");
    put_profile("none", {access("x", {{"server", "https://x"}}), access("y", {{"server", "https://y"}})});
    put_profile("empty", {});
    start();
    CHECK(last.at("both").config->server().host == "p");
    CHECK(last.at("both").config->exec()->program() == "/bin/login");
    CHECK(last.at("second").config->exec()->program() == "/bin/other");
    CHECK(last.at("old").config->server().host == "old");
    CHECK(has(why("none"), "failed: clusterprofile fleet/none: status.accessProviders: only x, y: this program can"));
    CHECK(has(why("empty"), "status.accessProviders: none"));
}

TEST_CASE_FIXTURE(fixture, "ClusterProfile: what a stranger may not say is refused, with the profile and the field") {
    struct row {
        const char* name;
        json::value cluster;
        const char* why;
    };
    const row rows[] = {
        {"http", {{"server", "http://a"}}, "http://a:80 is plain http"},
        {"loopback", {{"server", "http://127.0.0.1:1"}}, "must name an https server"},
        {"file", {{"server", "https://a"}, {"certificate-authority", "/etc/passwd"}}, "may not name files"},
        {"insecure", {{"server", "https://a"}, {"insecure-skip-tls-verify", true}}, "may not turn verification off"},
        {"proxy", {{"server", "https://a"}, {"proxy-url", "http://evil"}}, "may not choose a proxy"},
        {"no-server", json::object(), "server: empty"},
        {"not-base64", {{"server", "https://a"}, {"certificate-authority-data", "%"}}, "not base64"},
        {"text", "https://a", "cluster"},
        {"null", nullptr, "there is no cluster"},
        {"large", {{"server", "https://a"}, {"tls-server-name", std::string(300'000, 'a')}}, "is larger than 262144"},
        {"userinfo", {{"server", "https://user:canary@a"}}, "server"},
    };
    use<cluster_profile_source>(with_plugin());
    start();
    for (const auto& one : rows) {
        CAPTURE(std::string(one.name));
        put_server(one.name, one.cluster);
        REQUIRE(last.contains(one.name));
        CHECK_FALSE(last.at(one.name).config.has_value());
        CHECK_MESSAGE(has(why(one.name), one.why), why(one.name));
        CHECK_MESSAGE(has(why(one.name), std::string("clusterprofile fleet/") + one.name + ", access provider \"p\""),
                      why(one.name));
        CHECK_FALSE(has(why(one.name), "canary"));
    }
    put_server("good", {{"server", "https://a"}});
    CHECK(why("good").empty());
}

TEST_CASE_FIXTURE(fixture, "ClusterProfile: what the program allows a stranger, and nothing beside it") {
    const auto level = auth::trust::untrusted.allow(auth::kubeconfig_feature::proxy_url);
    use<cluster_profile_source>(with_plugin().trust(level));
    put_server("proxy", {{"server", "https://a"}, {"proxy-url", "http://ours:3128"}});
    put_server("file", {{"server", "https://a"}, {"certificate-authority", "/etc/passwd"}});
    start();
    CHECK(why("proxy").empty());
    CHECK(has(why("file"), "may not name files"));
}

TEST_CASE_FIXTURE(fixture, "ClusterProfile: a plugin stays limited to the paths that the program says") {
    auto limited = plugin();
    limited.only(words{"/bin/login"});
    use<cluster_profile_source>(cluster_profile_options().in_namespace("fleet").access("p", limited));
    put_server("a", {{"server", "https://a"}});
    start();
    CHECK(last.at("a").config->exec()->only() == words{"/bin/login"});
}

TEST_CASE_FIXTURE(fixture, "ClusterProfile: a cluster is waited for until it is healthy") {
    use<cluster_profile_source>(with_plugin());
    start();
    put_profile("a", {access("p", {{"server", "https://a"}})}, "");
    CHECK(has(why("a"), "failed: clusterprofile fleet/a: there is no condition ControlPlaneHealthy"));
    put_profile("a", {access("p", {{"server", "https://a"}})}, "False");
    CHECK(has(why("a"), "is False (etcd is slow): a cluster is engaged once it is True"));
    put_profile("a", {access("p", {{"server", "https://a"}})});
    CHECK(why("a").empty());
    put_profile("a", {access("p", {{"server", "https://a"}})}, "Unknown");
    CHECK(last.at("a").config.has_value());
    CHECK(has(why("a"), "is Unknown (etcd is slow)"));
    CHECK(has(why("a"), "the configuration before it stays in use"));
}

TEST_CASE_FIXTURE(fixture, "ClusterProfile: the condition does not count where the program says so") {
    use<cluster_profile_source>(with_plugin().wait_for_healthy(false));
    put_profile("a", {access("p", {{"server", "https://a"}})}, "False");
    start();
    CHECK(why("a").empty());
}

TEST_CASE_FIXTURE(fixture, "ClusterProfile: credentials of the program are made once for what a profile says") {
    words made;
    bool null = false, throws = false;
    const auto make = [&](const namespaced_name& profile,
                          const auth::cluster_config& server) -> std::shared_ptr<auth::credential_provider> {
        made.push_back(to_string(profile) + " " + server.server().host);
        if (throws) throw_it(thrown::runtime_error);
        return null ? nullptr : std::make_shared<no_credentials>();
    };
    use<cluster_profile_source>(cluster_profile_options().in_namespace("fleet").access("p", make));
    put_server("a", {{"server", "https://a"}});
    start();
    CHECK(made == words{"fleet/a a"});
    CHECK(last.at("a").config->credentials_from() != nullptr);
    CHECK_FALSE(last.at("a").config->exec().has_value());
    (void)at_home.api.patch(profiles, {"fleet", "a"}, {{"metadata", {{"annotations", {{"seen", "now"}}}}}}).value();
    settle();
    CHECK(made.size() == 1);
    CHECK(told == 1);
    put_server("a", {{"server", "https://b"}});
    CHECK(made == words{"fleet/a a", "fleet/a b"});
    CHECK(told == 2);
    null = true;
    put_server("b", {{"server", "https://b"}});
    CHECK(has(why("b"), "failed: clusterprofile fleet/b, access provider \"p\": the program makes no credentials"));
    throws = true;
    put_server("c", {{"server", "https://c"}});
    CHECK(has(why("c"), "makes no credentials"));
    CHECK(why("a").empty());
    // Of one that comes back they are made anew.
    null = throws = false;
    remove(profiles, "fleet", "a");
    made.clear();
    put_server("a", {{"server", "https://b"}});
    CHECK(made == words{"fleet/a b"});
}

TEST_CASE_FIXTURE(fixture, "ClusterProfile: another version of the kind") {
    use<cluster_profile_source>(with_plugin().version("v1alpha2"));
    put_server("a", {{"server", "https://a"}});
    start();
    CHECK(names() == words{"a"});
    use<cluster_profile_source>(with_plugin().version("v7"));
    const auto started = source->start([](std::vector<desired_cluster>) {});
    REQUIRE_FALSE(started.has_value());
    CHECK(has(started.error().message(), "version: \"v7\" is not known"));
}

TEST_CASE_FIXTURE(fixture, "ClusterProfile: while the home cluster is away the clusters stay") {
    use<cluster_profile_source>(with_plugin());
    put_server("a", {{"server", "https://a"}});
    start();
    network.set_link("home", testing::link_state::black_hole);
    network.break_connections("home");
    (void)at_home.api.remove(profiles, {"fleet", "a"});
    settle(60s);
    CHECK(names() == words{"a"});
    network.set_link("home", testing::link_state::up);
    settle(300s);
    CHECK(last.empty());
}
