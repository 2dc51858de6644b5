// Reads that see one's own writes where several replicas share several clusters, whose watches are behind.
#include <kcontrol/multicluster/multicluster_controller.hpp>

#include "support/children.hpp"
#include "support/lagging_watches.hpp"
#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

struct fixture : widget_world {
    fixture() {
        world.register_resource(testing::resource_type_of(resource_of<gadget>()));
        for (const auto& name : clusters) (void)add(name);
    }
    ~fixture() {
        for (auto& one : replicas) world.ends_within(10min, one->stop());
        replicas.clear();
        context.run_for(5s);
    }
    // A replica that shares the clusters with the others; without a name it has them all.
    void start(const std::string& name) {
        multicluster_options o;
        o.informers(informer_options().probe_period(5s)).transport(network.factory());
        if (!name.empty()) {
            o.sharding(sharding_options({"default", "fleet"}).identity(name), add("home").config());
        }
        replicas.push_back(std::make_unique<multicluster_manager>(env, home, std::move(o)));
        const auto work = [this](reconcile_context ctx, std::shared_ptr<const widget> w) {
            return reconcile(std::move(ctx), w->metadata.name.str());
        };
        REQUIRE(multicluster_controller(*replicas.back(), "children")
                    .for_<widget>()
                    .owns<gadget>()
                    .with_options(controller_options().max_concurrent_reconciles(2))
                    .complete(work));
        std::vector<desired_cluster> desired;
        for (const auto& cluster : clusters) desired.emplace_back(cluster, add(cluster).config());
        replicas.back()->set_desired(std::move(desired));
    }
    reconciliation reconcile(reconcile_context ctx, std::string owner) {
        ++runs;
        const auto which = list_options().stop(ctx.stop());
        const auto filled = co_await make_children(ctx.get_cluster().get_client(), owner, which, 4);
        if (!filled) co_return filled.error();
        if (runs > 300) co_return reconcile_result::done();
        co_return reconcile_result::requeue_after(20ms);
    }
    // Each cluster gets its owners while its watches lag.
    void check_children() {
        std::vector<std::unique_ptr<lagging_watches>> lags;
        for (const auto& cluster : clusters) {
            lags.push_back(std::make_unique<lagging_watches>(world, add(cluster).api, 5s));
            for (const char* name : {"x", "y", "z"}) add(cluster).create(name);
        }
        context.run_for(1min);
        CHECK(runs > 300);
        for (const auto& cluster : clusters) {
            CAPTURE(cluster);
            for (const char* name : {"x", "y", "z"}) CHECK(count_children(add(cluster).api, name) == 4);
        }
    }

    const std::vector<std::string> clusters{"a", "b", "c", "d"};
    std::vector<std::unique_ptr<multicluster_manager>> replicas;
    std::size_t runs = 0;
};

TEST_CASE_FIXTURE(fixture, "own writes: in each cluster whoever looks at a list first makes as many as are to be") {
    start("");
    context.run_for(10s);
    check_children();
}

TEST_CASE_FIXTURE(fixture, "own writes: the same where replicas share the clusters") {
    start("r0");
    start("r1");
    context.run_for(1min);
    check_children();
    CHECK(replicas[0]->names().size() + replicas[1]->names().size() == clusters.size());
}

}  // namespace
