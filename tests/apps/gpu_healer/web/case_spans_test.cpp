// A case as spans: pure, and in a cluster.
#include "web/case_spans.hpp"

#include "control/heal_world.hpp"

using namespace gpu_healer;
using namespace gpu_healer::tests;

namespace {

std::string words_of(const trace_span& span) {
    std::string out = std::string(span.name) + " " + std::to_string(span.took / 1s) + "s";
    for (const auto& field : span.fields) out += " " + std::string(field.name) + "=" + field.value;
    return out;
}
node_repair ended(std::initializer_list<std::pair<int, const char*>> timeline) {
    node_repair out;
    out.metadata.name = "n0-1";
    out.metadata.uid = "0123abcd-4567-89ef-0123-456789abcdef";
    out.metadata.creation_timestamp = wall_time(1000s);
    out.spec.node = "n0";
    out.spec.policy = "gpus";
    out.status.phase = "Cancelled";
    out.status.reason = "HumanHold";
    out.status.message = "the password is 1234";
    out.status.attempt = 1;
    for (const auto& [at, what] : timeline) {
        timeline_entry entry;
        entry.time = wall_time(std::chrono::seconds(1000 + at));
        entry.what = what;
        out.status.timeline.push_back(entry);
        out.status.phase_time = entry.time;
    }
    return out;
}

}  // namespace

TEST_CASE("the spans of a case are those of its timeline, and no message is in them") {
    heal_world w;
    const auto of = ended({{1, "Suspected: a person asks for it"},
                           {2, "relapse 1"},
                           {3, "Quarantined"},
                           {5, "Draining, StepFailed: the password is 1234"},
                           {9, "Cancelled, HumanHold: the password is 1234"}});
    const auto all = spans_of(of, w.world.env(), {});
    REQUIRE(all.size() == 4);
    CHECK(words_of(all[0]) == "Suspected 2s node=n0 policy=gpus reason=");
    CHECK(words_of(all[1]) == "Quarantined 2s node=n0 policy=gpus reason=");
    CHECK(words_of(all[2]) == "Draining 4s node=n0 policy=gpus reason=StepFailed");
    CHECK(words_of(all[3]) ==
          "node_repair 9s name=n0-1 node=n0 policy=gpus reason=Requested result=HumanHold attempts=1");
    CHECK(all[3].context.trace_id_text() == "0123abcd456789ef0123456789abcdef");
    CHECK_FALSE(all[3].under.is_valid());
    for (std::size_t i = 0; i < 3; ++i) {
        CAPTURE(i);
        CHECK(all[i].under == all[3].context);
        CHECK(all[i].context.trace_id == all[3].context.trace_id);
        CHECK(all[i].context.span_id != all[3].context.span_id);
        CHECK(all[i].context.sampled);
    }
    const trace_sampler none = [](const trace_context&, const trace_context&) { return false; };
    for (const auto& each : spans_of(of, w.world.env(), none)) CHECK_FALSE(each.context.sampled);
}

TEST_CASE("a UID that is none has a trace all the same, and a timeline without phases one span") {
    heal_world w;
    auto of = ended({{2, "Phase of another version: x"}, {4, "Released by nobody"}});
    of.metadata.uid = "zz";
    const auto all = spans_of(of, w.world.env(), {});
    REQUIRE(all.size() == 1);
    CHECK(all[0].context.is_valid());
}

TEST_CASE("a case that ends is sent once, whole") {
    heal_world w;
    std::vector<std::string> told;
    const auto sink = [&](const trace_span& span) {
        if (span.name != "queue" && span.name != "reconcile" && span.name != "request") told.push_back(words_of(span));
    };
    manager watching(w.world.env(), w.world.get_executor(), w.world.connect(w.server), manager_options().trace(sink));
    add_case_spans(watching);
    watching.start();
    w.add_nodes(2);
    w.add_policy();
    w.fail("n0");
    w.settle(30s);
    CHECK(told.empty());
    w.heal("n0");
    w.settle(130s);
    CHECK(w.phase("n0") == "Released");
    REQUIRE(told.size() >= 6);
    CHECK(told.front().starts_with("Suspected "));
    CHECK(told[told.size() - 2].starts_with("Verifying 1"));
    CHECK(told.back().starts_with("node_repair 1"));
    CHECK(told.back().ends_with("node=n0 policy=gpus reason=GPUFailed result=Released attempts=1"));
    const auto once = told.size();
    w.settle(1h);
    CHECK(told.size() == once);
    w.world.run(watching.stop());
}
