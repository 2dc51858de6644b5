// What a controller tells of where its time goes.
#include <kcontrol/controller/controller.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/fake_source.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/thing.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using kcontrol::testing::fake_source;
using kcontrol::testing::manual_environment;

namespace {

struct stage {
    explicit stage(controller_options options)
        : c(
              env, context.get_executor(), "things",
              [this](reconcile_context ctx, request req) { return reconcile(std::move(ctx), std::move(req)); },
              options.rate_limit(rate_limiter::exponential(1s, 1s))) {
        c.watch(source, enqueue_for_object);
    }
    ~stage() { testing::run(context, env, stop_of(c)); }
    static awaitable<void> stop_of(any_controller& c) {
        const bool drained = co_await c.stop();
        static_cast<void>(drained);
    }
    reconciliation reconcile(reconcile_context ctx, request) {
        ids.push_back(ctx.reconcile_id());
        parents.push_back(ctx.trace().id);
        co_await sleep_for(env, 2s, {});
        if (ids.size() == 1) co_return error(errc::timeout, "too slow");
        co_return reconcile_result::done();
    }
    static std::string text_of(const trace_span& span) {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(span.took).count();
        std::string out = std::string(span.name) + " " + std::to_string(seconds) + "s";
        for (const log_field& field : span.fields) out += " " + std::string(field.name) + "=" + field.value;
        return span.error.empty() ? out : out + ": " + span.error;
    }

    boost::asio::io_context context;
    manual_environment env;
    std::vector<std::string> ids, parents;
    std::shared_ptr<fake_source> source = std::make_shared<fake_source>(env);
    controller c;
};

}  // namespace

TEST_CASE("the wait in the queue and the reconcile are spans, one under the other") {
    std::vector<trace_span> spans;
    stage s(controller_options().trace([&](const trace_span& span) { spans.push_back(span); }));
    s.source->put(make_thing("a"));
    s.source->put(make_thing("b"));
    const wall_time begun = s.env.wall_now();
    s.c.start();
    s.env.advance(10s, s.context);
    REQUIRE(spans.size() == 6);
    const std::string of_a = " controller=things namespace=ns name=a", of_b = " controller=things namespace=ns name=b";
    CHECK(stage::text_of(spans[0]) == "queue 0s" + of_a + " priority=-100");
    CHECK(stage::text_of(spans[1]) ==
          "reconcile 2s" + of_a + " retries=0 cause=listed: " + error(errc::timeout, "too slow").what());
    CHECK(stage::text_of(spans[2]) == "queue 2s" + of_b + " priority=-100");
    CHECK(stage::text_of(spans[3]) == "reconcile 2s" + of_b + " retries=0 cause=listed");
    CHECK(stage::text_of(spans[5]).starts_with("reconcile 2s" + of_a + " retries=1"));
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(spans[2 * i].parent == s.ids[i]);
        CHECK(spans[2 * i].id.empty());
        CHECK(spans[2 * i + 1].id == s.ids[i]);
        CHECK(spans[2 * i + 1].parent.empty());
        CHECK(s.parents[i] == s.ids[i]);
    }
    CHECK(spans[2].begun == begun);
    CHECK(spans[3].begun == begun + 2s);
}

TEST_CASE("a sink of spans that throws ends nothing, and without one nothing is under anything") {
    stage s(controller_options().trace([](const trace_span&) { throw std::runtime_error("full"); }));
    s.source->put(make_thing("a"));
    s.c.start();
    s.env.advance(10s, s.context);
    CHECK(s.c.stats().succeeded == 1);
    stage plain((controller_options()));
    plain.source->put(make_thing("a"));
    plain.c.start();
    plain.env.advance(10s, plain.context);
    CHECK(plain.parents.at(0).empty());
}
