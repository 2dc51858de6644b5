// Servers that answer nonsense: each is a state with a reason people can act upon, and the other clusters go on.
#include <kcontrol/multicluster/multicluster_manager.hpp>

#include "support/print.hpp"
#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using testing::fault;

struct fixture : widget_world {
    fixture() {
        multicluster_options o;
        o.kinds({kind_choice(resource_of<widget>())}).informers(informer_options().probe_period(5s));
        o.transport(network.factory());
        o.on_event([this](const std::string& cluster, const resource_info&, const any_event&) { ++events[cluster]; });
        o.on_status([this](const cluster_status& s) { statuses[s.name] = s; });
        manager.emplace(env, home, std::move(o));
        for (const auto* name : {"bad", "good"}) {
            auth::cluster_config c;
            c.server(http::endpoint("https", name, 443));
            c.token(secret_string("canary-token-9f27"));
            desired.emplace_back(name, c);
            add(name).create("x");
        }
    }

    // A context that dies with coroutines suspended on their own events would leak them.
    ~fixture() {
        ends_within(1s, manager->stop());
        context.run_for(1s);
    }

    std::vector<desired_cluster> desired;
    std::map<std::string, int> events;
    std::map<std::string, cluster_status> statuses;
    std::optional<multicluster_manager> manager;
};

struct row {
    const char* name;
    std::function<fault()> make;
    cluster_state state;
    const char* reason;  // is part of the reason
};

TEST_CASE("hostile server: every answer that is none is a state with a reason, and ends with the nonsense") {
    const row rows[] = {
        {"html", [] { return fault().html(200); }, cluster_state::failed, "API server"},
        {"html 502", [] { return fault().html(502); }, cluster_state::failed, "API server"},
        {"redirect", [] { return fault().redirect(302, "https://elsewhere/"); }, cluster_state::failed, "redirect"},
        {"unauthorized", [] { return fault().status(401, "Unauthorized", "Unauthorized"); }, cluster_state::failed,
         "Unauthorized"},
        {"drop", [] { return fault().drop(); }, cluster_state::unreachable, "connection was lost"},
        {"truncated list", [] { return fault().cut_after_bytes(40); }, cluster_state::unreachable, "lost"},
        {"stall", [] { return fault().hang(); }, cluster_state::unreachable, "deadline"},
        {"overload", [] { return fault().status(429, "TooManyRequests", "slow down"); }, cluster_state::failed,
         "slow down"},
    };
    for (const auto& r : rows) {
        CAPTURE(r.name);
        fixture f;
        auto* server = &f.add("bad");
        server->api.set_faults([&](const http::server_request&) { return r.make(); });
        f.manager->set_desired(f.desired);
        f.context.run_for(75s);
        CHECK(f.statuses.at("bad").state == r.state);
        CHECK_MESSAGE(f.statuses.at("bad").reason.find(r.reason) != std::string::npos, f.statuses.at("bad").reason);
        CHECK(f.statuses.at("bad").reason.find("canary") == std::string::npos);
        CHECK(f.statuses.at("good").state == cluster_state::live);
        CHECK(f.events["good"] == 1);
        server->api.set_faults(nullptr);
        f.context.run_for(90s);
        CHECK(f.statuses.at("bad").state == cluster_state::live);
        CHECK(f.statuses.at("good").kinds.at(0).informer.watches == 1);
    }
}

TEST_CASE("hostile server: an event beyond every measure is one invalid object, and all others flow on") {
    fixture f;
    f.manager->set_desired(f.desired);
    f.context.run_for(2s);
    auto* server = &f.add("bad");
    server->api.set_faults([&](const http::server_request& request) {
        const bool watch = request.target.find("watch=") != std::string::npos;
        return watch ? fault().huge_before_event(0, std::size_t{40} << 20) : fault();
    });
    server->api.break_watches();
    f.context.run_for(1s);
    server->create("y");
    f.context.run_for(20s);
    CHECK(f.statuses.at("bad").state == cluster_state::live);
    CHECK(f.events["bad"] == 2);
    server->api.set_faults(nullptr);
    f.context.run_for(90s);
    CHECK(f.statuses.at("bad").state == cluster_state::live);
    CHECK(f.events["bad"] == 2);
    CHECK(f.statuses.at("good").kinds.at(0).informer.watches == 1);
}

}  // namespace
