// An informer in a simulated world, as the tests of this room have it.
#pragma once

#include <kcontrol/cache/informer.hpp>

#include "support/widget_world.hpp"

#include <string>
#include <utility>

namespace kcontrol::test {

using namespace std::chrono_literals;

/// An informer of widgets, and what its handler heard.
struct informer_fixture : widget_world {
    explicit informer_fixture(informer_options options = {}, testing::api_server_options api = {})
        : server(add("a", api)), watched(env, home, connect(server.config()), options.probe_period(5s)) {
        held = watched.subscribe([this](const any_event& e) { log += describe(e); });
    }

    // A context that dies with coroutines suspended on their own events would leak them.
    ~informer_fixture() {
        ends_within(1s, watched.stop());
        settle();
    }

    static std::string describe(const any_event& e) {
        std::string out = e.type == event_type::added ? "+" : (e.type == event_type::updated ? "~" : "-");
        out += e.object().meta().name;
        if (e.initial) out += "(initial)";
        if (e.resync) out += "(resync)";
        if (e.final_state_unknown) out += "(inferred)";
        return out + " ";
    }

    std::string take() { return std::exchange(log, {}); }
    void settle(duration d = 1s) { context.run_for(d); }

    widget_server& server;
    informer<widget> watched;
    subscription held;
    std::string log;
};

}  // namespace kcontrol::test
