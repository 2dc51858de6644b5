// A kind of which one of several versions is looked for, in clusters that serve none of them yet.
#include <kcontrol/multicluster/multicluster_manager.hpp>

#include "support/print.hpp"
#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

const testing::group_resource definitions{"apiextensions.k8s.io", "customresourcedefinitions"};
const char* const widgets_crd = "widgets.test.kcontrol.dev";

// Of widgets, v2 is wanted rather than v1; gadgets are of one version.
struct fixture : widget_world {
    fixture() {
        add("a").api.remove_resource(widgets);
        multicluster_options o;
        o.kinds({kind_choice(resource_of<widget_v2>(), resource_of<widget>()), kind_choice(resource_of<gadget>())});
        o.transport(network.factory());
        o.log(logger([this](const log_record& r) {
            if (r.message.find("CustomResourceDefinition") != std::string_view::npos) told += r.message;
        }));
        o.on_event([this](const std::string&, const resource_info& info, const any_event& e) {
            events += (e.type == event_type::deleted ? "-" : "+") + std::string(e.object().meta().name) + "@" +
                      info.gvk.version + " ";
        });
        o.on_status([this](const cluster_status& s) { status = s; });
        manager.emplace(env, home, std::move(o));
    }
    // A context that dies with coroutines suspended on their own events would leak them.
    ~fixture() {
        ends_within(1min, manager->stop());
        settle();
    }

    void want(const std::string& token = {}) {
        std::vector<desired_cluster> desired;
        desired.emplace_back("a", add("a").config(token));
        manager->set_desired(std::move(desired));
        settle();
    }
    void install(const std::vector<std::string>& versions) {
        json::array all;
        for (const auto& one : versions) {
            all.push_back({{"name", one}, {"served", true}, {"storage", one == versions.front()}});
        }
        (void)add("a")
            .api
            .create({{"apiVersion", "apiextensions.k8s.io/v1"},
                     {"kind", "CustomResourceDefinition"},
                     {"metadata", {{"name", widgets_crd}}},
                     {"spec",
                      {{"group", "test.kcontrol.dev"},
                       {"scope", "Namespaced"},
                       {"names", {{"plural", "widgets"}, {"kind", "Widget"}}},
                       {"versions", std::move(all)}}}})
            .value();
    }
    void uninstall() { (void)add("a").api.remove(definitions, {"", widgets_crd}); }
    std::string take() { return std::exchange(events, {}); }
    void settle(duration d = 2s) { context.run_for(d); }
    informer_state state() { return status.kinds.at(0).informer.state; }
    std::string version() { return status.kinds.at(0).gvk.version; }
    std::size_t asked(const char* verb) { return add("a").api.request_log().count(verb, definitions.resource); }
    // What is open now: watches.
    std::size_t open() { return network.open_exchanges("a"); }

    std::string events, told;
    cluster_status status;
    std::optional<multicluster_manager> manager;
};

TEST_CASE_FIXTURE(fixture, "kind_choice: a kind that is installed is live within a second, in the version served") {
    want();
    settle(40s);
    CHECK(state() == informer_state::not_installed);
    for (const char* served : {"v1", "v2"}) {
        CAPTURE(served);
        install({served});
        settle(1s);
        CHECK(state() == informer_state::live);
        CHECK(version() == served);
        uninstall();
        settle(40s);
        CHECK(state() == informer_state::not_installed);
    }
    CHECK(told.empty());
}

TEST_CASE_FIXTURE(fixture, "kind_choice: of two versions that come together the first one counts") {
    want();
    install({"v1", "v2"});
    settle(1s);
    CHECK(state() == informer_state::live);
    CHECK(version() == "v2");
    add("a").create("x");
    settle(1s);
    CHECK(take() == "+x@v2 ");
}

TEST_CASE_FIXTURE(fixture, "kind_choice: one watch of definitions for all that is missing, as long as something is") {
    want();
    CHECK(open() == 1);
    install({"v1"});
    settle(10s);
    CHECK(state() == informer_state::live);
    CHECK(open() == 2);  // the gadgets are missing
    CHECK(asked("watch") == 1);
    add("a").api.register_resource({"test.kcontrol.dev", "v1", "Gadget", "gadgets"});
    settle(20s);
    CHECK(status.kinds.at(1).informer.state == informer_state::live);
    CHECK(open() == 2);
    uninstall();
    settle(20s);
    CHECK(open() == 2);
    CHECK(asked("list") == 1);
}

TEST_CASE_FIXTURE(fixture, "kind_choice: where the second version is served nobody asks for definitions") {
    install({"v1"});
    add("a").api.register_resource({"test.kcontrol.dev", "v1", "Gadget", "gadgets"});
    want();
    CHECK(state() == informer_state::live);
    CHECK(asked("list") == 0);
    CHECK(open() == 2);
}

TEST_CASE_FIXTURE(fixture, "kind_choice: a definition whose versions are others is no reason to ask without end") {
    want();
    const auto before = add("a").lists();
    install({"v3"});
    settle(1min);
    CHECK(state() == informer_state::not_installed);
    // A round in 15 s, and five for the definition.
    const auto rounds = add("a").lists() - before;
    CHECK(rounds >= 2 * 5);
    CHECK(rounds <= 2 * 10);
    CHECK(asked("watch") == 1);
}

TEST_CASE_FIXTURE(fixture, "kind_choice: a version that is served a moment after its definition is live soon after") {
    want();
    const time_point served = env.now() + 1200ms;
    add("a").api.set_faults([&](const http::server_request& r) {
        const bool late = r.target.find("/widgets") != std::string::npos && env.now() < served;
        return late ? testing::fault().status(404, "NotFound", "the server could not find the requested resource")
                    : testing::fault();
    });
    install({"v1"});
    settle(1s);
    CHECK(state() == informer_state::not_installed);
    settle(1s);
    CHECK(state() == informer_state::live);
}

TEST_CASE_FIXTURE(fixture, "kind_choice: where definitions may not be watched it is asked for every 15 s, told once") {
    add("a").api.access().forbid({"*", "*", "customresourcedefinitions"});
    want();
    settle(1min);
    install({"v1"});
    settle(1s);
    CHECK(state() == informer_state::not_installed);
    settle(15s);
    CHECK(state() == informer_state::live);
    uninstall();
    settle(1min);
    CHECK(state() == informer_state::not_installed);
    CHECK(told ==
          "CustomResourceDefinitions can't be watched, so kinds that are missing are only asked for now and then");
    CHECK(asked("list") == 1);
}

TEST_CASE_FIXTURE(fixture,
                  "kind_choice: a cluster that rotates goes on looking, and one that goes leaves nothing open") {
    want("1");
    want("2");
    CHECK(open() == 1);
    install({"v1"});
    settle(1s);
    CHECK(state() == informer_state::live);
    uninstall();
    settle(20s);
    manager->set_desired({});
    settle(1s);
    CHECK(open() == 0);
    want("3");
    install({"v1"});
    settle(1s);
    CHECK(state() == informer_state::live);
    CHECK(ends_within(1s, manager->stop()));
    CHECK(open() == 0);
}

}  // namespace
