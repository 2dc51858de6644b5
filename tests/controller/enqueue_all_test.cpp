// Every object of a cache is reconciled once more, after what is more urgent.
#include <kcontrol/controller/enqueue_all.hpp>

#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

}  // namespace

TEST_CASE("enqueue_all: each object that the informer has is reconciled, after what has changed") {
    widget_world world;
    auto& server = world.add("a");
    for (const char* name : {"a", "b", "c"}) server.create(name);
    informer<widget> watched(world.env, world.home, world.connect(server.config()));
    std::string seen;
    controller of(world.env, world.home, "widgets",
                  make_reconciler<request>([&seen](const reconcile_context&, const request& req) {
                      seen += req.name + " ";
                      return reconcile_result::done();
                  }));
    CHECK(enqueue_all(of, watched) == 0);
    watched.start();
    of.start();
    world.context.run_for(1s);
    CHECK(seen.empty());
    CHECK(enqueue_all(of, watched) == 3);
    of.enqueue(request("default", "z"));
    world.context.run_for(1s);
    CHECK(seen == "z a b c ");
    // With a priority that is higher.
    seen.clear();
    of.enqueue(request("default", "z"));
    CHECK(enqueue_all(of, watched, add_options().priority(1)) == 3);
    world.context.run_for(1s);
    CHECK(seen == "a b c z ");
    const bool drained = world.run(of.stop());
    CHECK(drained);
    world.run(watched.stop());
}
