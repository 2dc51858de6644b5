#include <kcontrol/testing/temporary_directory.hpp>

#include "service/stage.hpp"
#include "support/has.hpp"

#include <doctest/doctest.h>

#include <optional>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using service::freshness;

json::value lease_json(const std::string& holder, int renewal, const std::string& address = {}) {
    json::object metadata{{"name", "l"}};
    if (!address.empty()) metadata["annotations"] = {{service::address_annotation, address}};
    char renewed[40];
    std::snprintf(renewed, sizeof renewed, "2026-01-01T00:%02d:%02d.000000Z", renewal / 60 % 60, renewal % 60);
    return {{"apiVersion", "coordination.k8s.io/v1"},
            {"kind", "Lease"},
            {"metadata", std::move(metadata)},
            {"spec", {{"holderIdentity", holder}, {"leaseDurationSeconds", 15}, {"renewTime", renewed}}}};
}

struct followed {
    explicit followed(service_stage& s, service::leader_follower_options options = {})
        : stage(s),
          of(
              s.world.env(), s.world.get_executor(), s.cl, {"default", "l"}, std::move(options),
              [this](const service::leader_change& change) {
                  told.push_back((change.leader_changed ? "leader " + change.leader->address : "same") + " " +
                                 std::string(to_string(change.state)));
              },
              s.log) {}
    ~followed() { stage.world.run(of.stop()); }

    void put(const json::value& lease) { stage.put(lease, stage.leases); }
    bool until(const std::string& address, duration limit = 10s) {
        return stage.world.run_until([&] { return of.leader()->version != 0 && of.leader()->address == address; },
                                     limit);
    }

    service_stage& stage;
    std::vector<std::string> told;
    service::leader_follower of;
};

}  // namespace

TEST_CASE("leader_follower: who leads, and where") {
    service_stage s;
    followed f(s);
    REQUIRE(f.of.start());
    REQUIRE(f.until(""));
    CHECK(*f.of.problem() == api_errc::not_found);
    f.put(lease_json("a_1", 1, "10.0.0.1:80"));
    REQUIRE(f.until("10.0.0.1:80"));
    CHECK(f.of.leader()->holder == "a_1");
    CHECK_FALSE(f.of.problem());
    const auto version = f.of.leader()->version;
    for (int i = 2; i < 40; ++i) {  // renewals change nothing
        f.put(lease_json("a_1", i, "10.0.0.1:80"));
        s.world.run_for(2s);
    }
    CHECK(f.of.leader()->version == version);
    CHECK(f.of.state() == freshness::live);
    f.put(lease_json("b:81", 50, ""));
    (void)s.api.patch(s.leases, {"default", "l"}, {{"metadata", {{"annotations", nullptr}}}}).value();
    REQUIRE(f.until("b:81"));
    f.put(lease_json("", 51));
    REQUIRE(f.until(""));
    CHECK(f.of.leader()->holder.empty());
    f.put(lease_json("c_2", 52));
    REQUIRE(s.world.run_until([&] { return f.of.leader()->holder == "c_2"; }, 5s));
    CHECK(f.of.leader()->address.empty());
    CHECK(test::has(f.of.problem()->message(), "its holder \"c_2\" is not of the form HOST:PORT"));
    (void)s.api.remove(s.leases, {"default", "l"}).value();
    REQUIRE(s.world.run_until([&] { return f.of.leader()->holder.empty(); }, 5s));
}

TEST_CASE("leader_follower: a holder that renews no more leads no more") {
    service_stage s;
    followed f(s);
    f.put(lease_json("a:80", 1));
    REQUIRE(f.of.start());
    REQUIRE(f.until("a:80"));
    const auto seen = s.world.env().now();
    s.world.env().set_wall_clock(-1h);  // clocks of others do not matter
    REQUIRE(f.until("", 20s));
    CHECK(s.world.env().now() - seen >= 14s);
    CHECK(s.world.env().now() - seen <= 15s);
    CHECK(f.of.state() == freshness::live);
    CHECK(f.told.back() == "leader  live");
    f.put(lease_json("a:80", 2));
    REQUIRE(f.until("a:80"));
    // A suspended machine: the time went on.
    s.world.env().suspend(1h);
    s.world.run_until([&] { return f.of.leader()->address.empty(); }, 15s);
    CHECK(f.of.leader()->address.empty());
}

TEST_CASE("leader_follower: an outage") {
    service_stage s;
    followed f(s);
    f.put(lease_json("a:80", 1));
    REQUIRE(f.of.start());
    REQUIRE(f.until("a:80"));
    REQUIRE(s.world.run(f.of.wait_live()));
    s.kill_server();
    s.world.run_for(9s);
    CHECK(f.of.leader()->address == "a:80");
    s.world.run_for(3s);
    CHECK(f.of.state() == freshness::stale);
    s.world.run_for(5min);
    CHECK(f.of.leader()->address.empty());  // nobody can have renewed, as far as is known
    f.put(lease_json("b:80", 400));
    s.revive_server();
    CHECK(f.until("b:80", 2s));
    CHECK(f.of.state() != freshness::stale);
}

TEST_CASE("leader_follower: a warm start, and waits") {
    const testing::temporary_directory folder;
    const auto options = service::leader_follower_options().cache_file(folder.path("leader"));
    {
        service_stage s;
        followed f(s, options);
        f.put(lease_json("a_1", 1, "10.0.0.1:80"));
        CHECK(s.world.run(f.of.wait(0)).error() == errc::unavailable);
        REQUIRE(f.of.start());
        CHECK((*s.world.run(f.of.wait(0)))->address == "10.0.0.1:80");
        REQUIRE(s.world.run(f.of.wait_live()));
        CHECK(s.world.run(f.of.wait(f.of.leader()->version, {}, s.world.env().now() + 1s)).error() == errc::timeout);
    }
    service_stage s;
    s.kill_server();
    followed f(s, options);
    REQUIRE(f.of.start());
    CHECK(f.of.leader()->address == "10.0.0.1:80");
    CHECK(f.of.state() == freshness::stale);
    s.world.run_for(20s);
    CHECK(f.of.leader()->address.empty());
}

TEST_CASE("leader_follower: a missing right is logged once, with the rule") {
    service_stage s;
    s.api.access().forbid({"*", "*", "leases"});
    followed f(s);
    REQUIRE(f.of.start());
    s.world.run_for(5min);
    CHECK(*f.of.problem() == api_errc::forbidden);
    CHECK(s.lines_with(R"("resources":["leases"],"resourceNames":["l"],"verbs":["list","watch"])") == 1);
    CHECK(service::leader_follower(s.world.env(), s.world.get_executor(), s.cl, {"", "l"}).start().has_error());
}
