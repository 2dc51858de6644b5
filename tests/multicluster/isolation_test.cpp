// What a cluster in trouble costs the others: the time from a change of an object to the end of its reconcile there. In
// virtual time, so of waiting alone: who shares no queue, no worker and no connection waits for nobody.
#include <kcontrol/multicluster/multicluster_controller.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "support/how_much.hpp"
#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using testing::fault;
using testing::link_state;

const auto pending = static_cast<int>(test::as_many_as(100'000, 10));
const auto changes = static_cast<int>(test::as_many_as(500));

class fleet : public widget_world {
public:
    fleet() {
        m.emplace(env, home, multicluster_options().transport(network.factory()));
        const auto work = [this](reconcile_context ctx, request req, std::shared_ptr<const widget> w) {
            return reconcile(std::move(ctx), std::move(req), std::move(w));
        };
        all = multicluster_controller(*m, "work").for_<widget>().complete(work).value();
        std::vector<desired_cluster> desired;
        for (const auto& name : names) {
            add(name).create("w");
            network.set_latency(name, 1ms, 5ms);
            desired.emplace_back(name, add(name).config());
        }
        m->set_desired(std::move(desired));
        context.run_for(5s);
    }
    ~fleet() {
        add("loud").api.set_faults({});
        network.set_link("loud", link_state::up);
        ends_within(5min, m->stop());
        context.run_for(1min);
    }

    /// Changes objects of the quiet clusters every 20 ms; the time within which 99 of a hundred were reconciled.
    duration p99() {
        took.clear();
        for (int i = 1; i <= changes; ++i) {
            const std::string& name = names[1 + static_cast<std::size_t>(i) % 3];
            changed[name] = context.now();
            add(name).set_value("w", i);
            context.run_for(20ms);
        }
        context.run_for(2s);
        REQUIRE_FALSE(took.empty());
        // Who waits for a shared worker sees changes merged.
        if (!one_for_all) REQUIRE(took.size() == static_cast<std::size_t>(changes));
        std::sort(took.begin(), took.end());
        return took[took.size() * 99 / 100];
    }

    const std::vector<std::string> names{"loud", "a", "b", "c"};
    std::shared_ptr<cluster_controllers> all;
    int loud_reconciles = 0;
    bool one_for_all = false;  // planted: the clusters share a worker

private:
    // Asks its own cluster's server once, and has taken as long as that answers.
    reconciliation reconcile(reconcile_context ctx, request req, std::shared_ptr<const widget> w) {
        while (one_for_all && busy) co_await sleep_for(env, 1ms, ctx.stop());
        busy = true;
        const bool loud = req.cluster == "loud";
        if (loud) ++loud_reconciles;
        client c = ctx.get_cluster().get_client().live();
        const namespaced_name key("default", "w");
        const get_options options = get_options().stop(ctx.stop());
        const auto seen = co_await c.get<widget>(key, options);
        busy = false;
        if (!loud && w && w->spec.value > 0) took.push_back(context.now() - changed[req.cluster]);
        if (!seen) co_return seen.error();
        co_return reconcile_result::done();
    }

    bool busy = false;
    std::map<std::string, time_point> changed;
    std::vector<duration> took;
    std::optional<multicluster_manager> m;
};

TEST_CASE("isolation: a cluster in trouble adds less than 10 ms to the 99th percentile of the others") {
    struct row {
        std::string what;
        std::function<void(fleet&)> trouble;
    };
    const auto crowd = [](fleet& f) {
        for (int i = 0; i < pending; ++i) {
            f.all->enqueue(request("loud", "default", "x" + std::to_string(i)));
            if (i % 5000 == 4999) f.context.run_for(10ms);  // no more wait for a way there than may
        }
        CHECK(f.all->dropped() == 0);
    };
    const auto slow = [](fleet& f) {
        f.add("loud").api.set_faults([](const http::server_request&) { return fault().delay(30s); });
    };
    const std::vector<row> rows{
        {"no trouble", [](fleet&) {}},
        {"many objects that wait", crowd},
        {"answers after 30 s", slow},
        {"many objects that wait, and answers after 30 s", [&](fleet& f) { slow(f), crowd(f); }},
        {"refuses all with 500",
         [&](fleet& f) {
             const auto broken = [](const http::server_request&) { return fault().status(500, "InternalError", "no"); };
             f.add("loud").api.set_faults(broken), crowd(f);
         }},
        {"drops every packet", [&](fleet& f) { f.network.set_link("loud", link_state::black_hole), crowd(f); }},
    };
    std::optional<duration> quiet;
    for (const row& one : rows) {
        CAPTURE(one.what);
        fleet f;
        one.trouble(f);
        f.context.run_for(100ms);
        const duration now = f.p99();
        if (!quiet) quiet = now;
        MESSAGE(one.what << ": p99 " << std::chrono::duration_cast<std::chrono::microseconds>(now).count()
                         << " us; reconciles of the loud one: " << f.loud_reconciles);
        CHECK(now < *quiet + 10ms);
        CHECK(now > 0ms);
    }
}

TEST_CASE("isolation: the look at waiting is not idle: clusters that share a worker are found") {
    fleet f;
    const duration quiet = f.p99();
    f.one_for_all = true;
    f.add("loud").api.set_faults([](const http::server_request&) { return fault().delay(20ms); });
    for (int i = 0; i < 30; ++i) f.all->enqueue(request("loud", "default", "x" + std::to_string(i)));
    f.context.run_for(100ms);
    CHECK(f.p99() > quiet + 10ms);
}

}  // namespace
