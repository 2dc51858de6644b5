#include <kcontrol/testing/fake_cluster.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace std::chrono_literals;
using testing::group_resource;

namespace {

const group_resource accounts("", "serviceaccounts"), namespaces("", "namespaces");

struct fixture {
    explicit fixture(bool wanted) : fakes(world, server, testing::fake_cluster_options().service_accounts(wanted)) {}

    bool has_account(const std::string& ns) { return server.api().get(accounts, {ns, "default"}).has_value(); }
    void make_namespace(const std::string& name) {
        json::object metadata;
        metadata["name"] = name;
        json::object body;
        body["apiVersion"] = "v1";
        body["kind"] = "Namespace";
        body["metadata"] = std::move(metadata);
        server.api().create(json::value(std::move(body))).value();
    }

    testing::sim_world world;
    testing::sim_server& server = world.add_server("cluster", testing::api_server_options().default_and_validate(true));
    testing::fake_cluster fakes;
};

}  // namespace

TEST_CASE("each namespace has a service account, which comes back when it is deleted") {
    fixture f(true);
    CHECK(f.has_account("default"));
    CHECK(f.has_account("kube-system"));
    f.make_namespace("lab");
    CHECK_FALSE(f.has_account("lab"));
    f.world.run_for(1s);
    CHECK(f.has_account("lab"));
    REQUIRE(f.server.api().remove(accounts, {"lab", "default"}));
    CHECK_FALSE(f.has_account("lab"));
    f.world.run_for(1s);
    CHECK(f.has_account("lab"));
    // It goes with its namespace.
    REQUIRE(f.server.api().remove(namespaces, {"", "lab"}));
    f.world.run_for(1s);
    CHECK_FALSE(f.server.api().get(namespaces, {"", "lab"}));
    CHECK_FALSE(f.has_account("lab"));
    CHECK(f.fakes.idle());
}

TEST_CASE("there are no service accounts unless they are asked for") {
    fixture f(false);
    f.make_namespace("lab");
    f.world.run_for(1s);
    CHECK(f.server.api().list(accounts).empty());
}
