// The watch of CustomResourceDefinitions: open only while kinds are missing, and heard within a second.
#include <kcontrol/cluster/crd_watch.hpp>
#include <kcontrol/cluster/informer_set.hpp>

#include "support/print.hpp"
#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

json::value widget_crd(const std::string& plural = "widgets") {
    return {{"apiVersion", "apiextensions.k8s.io/v1"},
            {"kind", "CustomResourceDefinition"},
            {"metadata", {{"name", plural + ".example.org"}}},
            {"spec",
             {{"group", "example.org"},
              {"scope", "Namespaced"},
              {"names", {{"plural", plural}, {"kind", "Kind" + plural}}},
              {"versions", json::array{json::value{{"name", "v1"}, {"served", true}, {"storage", true}}}}}}};
}

struct fixture : widget_world {
    fixture() : server(add("a")) { make(server.config("1")); }
    void make(const auth::cluster_config& config) {
        watch.emplace(
            env, home, connect(config), [this](const std::string& crd) { probed += crd + " "; },
            logger([this](const log_record& r) {
                told += std::string(to_string(r.level)) + " " + std::string(r.message) + "\n";
            }));
    }
    // A context that dies with coroutines suspended on their own events would leak them.
    ~fixture() {
        ends_within(1min, watch->stop());
        settle();
    }
    void settle(duration d = 2s) { context.run_for(d); }
    std::size_t watches() { return server.api.request_log().count("watch", "customresourcedefinitions"); }
    std::string take() { return std::exchange(probed, {}); }

    widget_server& server;
    std::string probed, told;
    std::optional<crd_watch> watch;
};

const std::string widgets_crd = "widgets.example.org";

TEST_CASE_FIXTURE(fixture, "crd_watch: a definition that comes has its kind asked for within a second") {
    settle();
    CHECK(network.requests("a") == 0);
    watch->set_missing({widgets_crd});
    settle();
    CHECK(take() == "");
    CHECK(network.open_exchanges("a") == 1);
    (void)server.api.create(widget_crd("gadgets")).value();
    settle();
    CHECK(take() == "");
    (void)server.api.create(widget_crd()).value();
    settle(100ms);
    CHECK(take().find(widgets_crd) == 0);
    watch->set_missing({});
    settle();
    CHECK(network.open_exchanges("a") == 0);
    CHECK(take() == "");
    CHECK(told.empty());
}

TEST_CASE_FIXTURE(fixture, "crd_watch: what is there already is asked for, and not for ever") {
    (void)server.api.create(widget_crd()).value();
    watch->set_missing({widgets_crd});
    settle(1min);
    const std::string asked = take();
    CHECK(asked.size() == 5 * (widgets_crd.size() + 1));
    CHECK(watches() == 1);
    settle(1min);
    CHECK(take() == "");
}

TEST_CASE_FIXTURE(fixture, "crd_watch: it opens again when the next kind is missing, and goes over to another client") {
    watch->set_missing({widgets_crd});
    settle();
    watch->set_missing({});
    watch->set_missing({widgets_crd});
    settle();
    CHECK(network.open_exchanges("a") == 1);
    watch->rebuild(connect(server.config("2")));
    settle();
    CHECK(network.open_exchanges("a") == 1);
    (void)server.api.create(widget_crd()).value();
    settle(100ms);
    CHECK(take().find(widgets_crd) == 0);
    CHECK(ends_within(1s, watch->stop()));
    CHECK(network.open_exchanges("a") == 0);
}

TEST_CASE_FIXTURE(fixture, "crd_watch: where definitions may not be watched it says so once, and asks no more") {
    server.api.access().forbid({"*", "*", "customresourcedefinitions"});
    watch->set_missing({widgets_crd});
    settle(5min);
    CHECK(
        told ==
        "info CustomResourceDefinitions can't be watched, so kinds that are missing are only asked for now and then\n");
    CHECK(server.api.request_log().count("list", "customresourcedefinitions") == 1);
    watch->set_missing({});
    watch->set_missing({widgets_crd});
    settle(1min);
    CHECK(server.api.request_log().count("list", "customresourcedefinitions") == 1);
    server.api.access().permit_all();
    watch->rebuild(connect(server.config("2")));
    (void)server.api.create(widget_crd()).value();
    settle();
    CHECK(take().find(widgets_crd) == 0);
}

// An informer_set on a server that lacks the kind of widgets.
struct set_fixture : widget_world {
    set_fixture() : server(add("a")) {
        server.api.remove_resource(widgets);
        const auto scopes = [](const resource_info&) { return std::vector<informer_options>{informer_options()}; };
        set.emplace(env, home, connect(server.config()), scopes, logger([this](const log_record& r) {
                        told += std::string(to_string(r.level)) + " " + std::string(r.message) + "\n";
                    }));
        informer = set->of(resource_of<widget>()).front();
    }
    ~set_fixture() {
        run(set->stop());
        context.run_for(2s);
    }
    void install() {
        json::value crd = widget_crd();
        crd.at("metadata").at("name") = "widgets.test.kcontrol.dev";
        crd.at("spec").at("group") = "test.kcontrol.dev";
        crd.at("spec").at("names").at("kind") = "Widget";
        (void)server.api.create(std::move(crd)).value();
    }
    bool live() const { return informer->status().state == informer_state::live; }
    std::size_t asked(const char* verb) { return server.api.request_log().count(verb, "customresourcedefinitions"); }

    widget_server& server;
    std::string told;
    std::optional<informer_set> set;
    std::shared_ptr<any_informer> informer;
};

TEST_CASE_FIXTURE(set_fixture,
                  "a kind that is installed is live within a second, and the watch of definitions closes") {
    set->start();
    context.run_for(2s);
    CHECK(informer->status().state == informer_state::not_installed);
    CHECK(asked("watch") == 1);
    const auto lists = server.lists();
    install();
    context.run_for(1s);
    CHECK(live());
    CHECK(server.lists() == lists + 1);
    context.run_for(10s);
    CHECK(network.open_exchanges("a") == 1);
    server.create("x");
    context.run_for(1s);
    CHECK(informer->objects().size() == 1);
    CHECK(told.find("CustomResourceDefinition") == std::string::npos);
}

TEST_CASE_FIXTURE(set_fixture, "a kind that is served a moment after its definition came is live soon after that") {
    set->start();
    context.run_for(2s);
    const time_point served = env.now() + 1200ms;
    server.api.set_faults([&](const http::server_request& r) {
        const bool late = r.target.find("/widgets") != std::string::npos && env.now() < served;
        return late ? testing::fault().status(404, "NotFound", "the server could not find the requested resource")
                    : testing::fault();
    });
    install();
    context.run_for(1s);
    CHECK_FALSE(live());
    context.run_for(1s);
    CHECK(live());
}

TEST_CASE_FIXTURE(set_fixture, "a kind whose definition goes and comes again is followed; other kinds have no watch") {
    install();
    set->start();
    context.run_for(2s);
    CHECK(live());
    CHECK(asked("watch") == 0);
    server.create("x");
    context.run_for(1s);
    (void)server.api.remove({"apiextensions.k8s.io", "customresourcedefinitions"}, {"", "widgets.test.kcontrol.dev"});
    context.run_for(10s);
    CHECK(informer->status().state == informer_state::not_installed);
    CHECK(informer->objects().size() == 0);
    install();
    context.run_for(1s);
    CHECK(live());
}

TEST_CASE_FIXTURE(set_fixture, "kinds that are looked for are asked for while the set runs, and by whoever looks") {
    std::string probed;
    const auto note = [&](const resource_info& kind) { probed += kind.gvk.version + " "; };
    const auto look = [&] { set->probe_kinds({&resource_of<widget_v2>(), &resource_of<widget>()}, note); };
    look();
    context.run_for(2s);
    CHECK(network.requests("a") == 0);
    install();
    set->start();
    context.run_for(1s);
    CHECK(live());
    CHECK(probed.find("v2 v1 ") == 0);
    CHECK(network.open_exchanges("a") == 2);
    run(set->stop());
    context.run_for(1s);
    CHECK(network.open_exchanges("a") == 0);
    set->rebuild(connect(server.config("2")));
    context.run_for(1s);
    CHECK(network.open_exchanges("a") == 0);
    set->start();
    context.run_for(1s);
    CHECK(network.open_exchanges("a") == 2);
    set->probe_kinds({});
    context.run_for(1s);
    CHECK(network.open_exchanges("a") == 1);
    probed.clear();
    context.run_for(20s);
    CHECK(probed.empty());
}

TEST_CASE_FIXTURE(set_fixture, "kinds may be looked for without a function, and the watch of definitions goes on") {
    set->probe_kinds({&resource_of<widget_v2>(), &resource_of<widget>()});
    set->start();
    context.run_for(2s);
    install();
    context.run_for(2s);
    CHECK(live());
    CHECK(network.open_exchanges("a") == 2);
    set->probe_kinds({});
    context.run_for(1s);
    CHECK(network.open_exchanges("a") == 1);
    CHECK(told.find("threw") == std::string::npos);
}

TEST_CASE_FIXTURE(set_fixture, "where definitions may not be watched the slow probe remains") {
    server.api.access().forbid({"*", "*", "customresourcedefinitions"});
    set->start();
    context.run_for(2s);
    install();
    context.run_for(1s);
    CHECK_FALSE(live());
    context.run_for(15s);
    CHECK(live());
    CHECK(told.find("info CustomResourceDefinitions can't be watched") != std::string::npos);
    CHECK(asked("list") == 1);
}

}  // namespace
