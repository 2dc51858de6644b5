#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::auth;

namespace {

const std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount/";

class pod_fixture {
public:
    pod_fixture() {
        env.variables = {{"KUBERNETES_SERVICE_HOST", "10.96.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
        env.files = {{folder + "token", "CANARY\n"}, {folder + "ca.crt", "PEM"}, {folder + "namespace", "jobs\n"}};
    }
    error refused() {
        const auto config = in_cluster_config(env);
        REQUIRE(!config.has_value());
        CHECK(config.error().message().find("CANARY") == std::string::npos);
        return config.error();
    }
    testing::manual_environment env;
};

}  // namespace

TEST_CASE_FIXTURE(pod_fixture, "a pod's service account") {
    auto config = in_cluster_config(env);
    REQUIRE(config.has_value());
    CHECK(config->server_url() == "https://10.96.0.1:443");
    CHECK(config->token().empty());
    CHECK(config->token_file() == folder + "token");
    CHECK(config->tls().ca_pem() == "PEM");
    CHECK(config->default_namespace() == "jobs");
    env.variables["KUBERNETES_SERVICE_HOST"] = "fd00::1";
    env.files.erase(folder + "namespace");
    config = in_cluster_config(env);
    REQUIRE(config.has_value());
    CHECK(config->server().host == "fd00::1");
    CHECK(config->server_url() == "https://[fd00::1]:443");
    CHECK(config->default_namespace().empty());
}

TEST_CASE_FIXTURE(pod_fixture, "not in a pod") {
    env.variables.erase("KUBERNETES_SERVICE_PORT");
    CHECK(refused() == errc::invalid_config);
    CHECK(refused().message().find("KUBERNETES_SERVICE_HOST") != std::string::npos);
    for (const char* port : {"", "0", "x", "70000", "443/x"}) {
        env.variables["KUBERNETES_SERVICE_PORT"] = port;
        CHECK(refused() == errc::invalid_config);
    }
}

TEST_CASE_FIXTURE(pod_fixture, "files that are missing or empty") {
    for (const char* file : {"token", "ca.crt"}) {
        pod_fixture broken;
        broken.env.files[folder + file] = "";
        CHECK(broken.refused() == errc::file_failed);
        CHECK(broken.refused().message().find(file) != std::string::npos);
        broken.env.files.erase(folder + file);
        CHECK(broken.refused() == errc::file_failed);
        CHECK(broken.refused().message().find(file) != std::string::npos);
    }
}
