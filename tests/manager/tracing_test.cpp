// The spans of a manager's controllers, and of the requests that their reconciles make.
#include <kcontrol/manager/manager.hpp>

#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

struct fixture : widget_world {
    fixture() : server(add("a")) { server.create("w", 1); }

    trace_sink note(std::vector<trace_span>& into) {
        return [&into](const trace_span& span) { into.push_back(span); };
    }
    // A manager with a controller that asks the server of each object it is for.
    void run_one(manager_options options, const controller_options& of_controller = {}, bool always = false) {
        manager m(env, home, connect(server.config("token")), std::move(options));
        const auto ask = [](reconcile_context ctx, request req) -> reconciliation {
            get_options how;
            how.stop(ctx.stop());
            const auto found = co_await ctx.get_client().live().get<widget>(req, how);
            if (!found) co_return found.error();
            co_return reconcile_result::done();
        };
        controller_host& host = always ? m.always() : m;
        REQUIRE(controller_builder(host, "asks").for_<widget>().with_options(of_controller).complete(ask));
        m.start();
        context.run_for(2s);
        run(m.stop());
        context.run_for(2s);
    }
    static const trace_span* find(const std::vector<trace_span>& in, std::string_view name) {
        const auto found = std::find_if(in.begin(), in.end(), [&](const trace_span& s) { return s.name == name; });
        return found == in.end() ? nullptr : &*found;
    }

    widget_server& server;
    std::vector<trace_span> spans, own;
};

TEST_CASE_FIXTURE(fixture, "tracing: a manager's sink is that of its controllers, and requests are under reconciles") {
    for (const bool always : {false, true}) {
        CAPTURE(always);
        spans.clear();
        run_one(manager_options().trace(note(spans)), {}, always);
        const auto* reconcile = find(spans, "reconcile");
        const auto* request = find(spans, "request");
        REQUIRE(reconcile != nullptr);
        REQUIRE(request != nullptr);
        CHECK(request->parent == reconcile->id);
        CHECK(request->under.span_id_text() == reconcile->context.span_id_text());
    }
}

TEST_CASE_FIXTURE(fixture, "tracing: a controller with a sink of its own keeps it; the manager's sampler is asked") {
    run_one(manager_options().trace(note(spans)), controller_options().trace(note(own)));
    CHECK(spans.empty());
    CHECK(find(own, "reconcile") != nullptr);
    own.clear();
    run_one(manager_options().trace(note(own), [](const trace_context&, const trace_context&) { return false; }));
    REQUIRE(find(own, "reconcile") != nullptr);
    CHECK_FALSE(find(own, "reconcile")->context.sampled);
}

TEST_CASE_FIXTURE(fixture, "tracing: without a sink nothing is traced, and the context's client works") {
    run_one({});
    CHECK(spans.empty());
}

}  // namespace
