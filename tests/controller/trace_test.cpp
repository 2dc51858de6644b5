// What a controller tells of where its time goes.
#include <kcontrol/controller/controller.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/fake_source.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/thing.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <map>
#include <memory>
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
        c.watch_primary(source, enqueue_for_object, {}, [](const any_object& object) { return request(object.key()); });
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

TEST_CASE("each span has its place in a trace of its own") {
    std::vector<trace_span> spans;
    stage s(controller_options().trace([&](const trace_span& span) { spans.push_back(span); }));
    s.source->put(make_thing("a"));
    s.source->put(make_thing("b"));
    s.c.start();
    s.env.advance(4s, s.context);
    REQUIRE(spans.size() >= 4);
    for (std::size_t i = 0; i < 4; i += 2) {
        const trace_span &queue = spans[i], &reconcile = spans[i + 1];
        CHECK(reconcile.context.is_valid());
        CHECK(reconcile.context.sampled);
        CHECK_FALSE(reconcile.under.is_valid());
        CHECK(queue.under == reconcile.context);
        CHECK(queue.context.trace_id == reconcile.context.trace_id);
        CHECK(queue.context.span_id != reconcile.context.span_id);
    }
    CHECK(spans[1].context.trace_id != spans[3].context.trace_id);
}

TEST_CASE("a reconcile is under the span that its object's annotation names, if it names one") {
    const std::string named = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
    std::vector<trace_span> spans;
    stage s(controller_options()
                .trace([&](const trace_span& span) { spans.push_back(span); })
                .trace_annotation("example.com/traceparent"));
    const std::map<std::string, std::string> annotations{{"a", named}, {"b", "rubbish"}, {"c", ""}};
    for (const auto& [name, text] : annotations) {
        auto made = std::make_shared<thing>();
        made->metadata.namespace_ = "ns";
        made->metadata.name = name;
        made->metadata.resource_version = "1";
        if (!text.empty()) made->metadata.annotations.insert_or_assign("example.com/traceparent", text);
        s.source->put(any_object(std::shared_ptr<const thing>(std::move(made))));
    }
    s.c.start();
    s.env.advance(7s, s.context);
    REQUIRE(spans.size() >= 6);
    const auto above = parse_traceparent(named).value();
    for (const trace_span& span : spans) {
        if (span.name != "reconcile") continue;
        const bool of_a = span.fields.at(2).value == "a";
        CAPTURE(span.fields.at(2).value);
        CHECK(span.under.is_valid() == of_a);
        CHECK((span.context.trace_id == above.trace_id) == of_a);
        if (of_a) CHECK(span.under == above);
        CHECK(span.context.sampled == !of_a);  // the default: as the span above has it
        CHECK(span.context.span_id != above.span_id);
    }
}

TEST_CASE("a sampler decides which reconciles are recorded; one that throws decides nothing") {
    std::vector<trace_span> spans;
    int asked = 0;
    stage s(controller_options()
                .trace([&](const trace_span& span) { spans.push_back(span); })
                .sample_traces([&](const trace_context& of, const trace_context& under) {
                    CHECK(of.is_valid());
                    CHECK_FALSE(under.is_valid());
                    if (++asked == 2) throw std::runtime_error("no");
                    return false;
                }));
    s.source->put(make_thing("a"));
    s.source->put(make_thing("b"));
    s.c.start();
    s.env.advance(4s, s.context);
    REQUIRE(spans.size() >= 4);
    CHECK_FALSE(spans[0].context.sampled);
    CHECK_FALSE(spans[1].context.sampled);
    CHECK(spans[3].context.sampled);
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
