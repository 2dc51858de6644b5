#include <kcontrol/codec/codec.hpp>
#include <kcontrol/controllerutil/pods.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::api::core::v1;

namespace {

pod_status status(const std::string& json) {
    return from_json<pod>(R"({"metadata":{"name":"p"},"status":)" + json + "}").value().status;
}
std::string variables(const list<env_var>& of) {
    std::string out;
    for (const auto& each : of)
        out += each.name.str() + "=" + each.value.str() + (each.value_from.present() ? "? " : " ");
    return out;
}

}  // namespace

TEST_CASE("words: reason and message, cut between characters") {
    CHECK(reason_text("Evicted", "low on memory") == "Evicted: low on memory");
    CHECK(reason_text("Evicted", "") == "Evicted");
    CHECK(reason_text("", "low on memory") == "low on memory");
    CHECK(reason_text("", "") == "");
    CHECK(reason_text("", "a\xE2\x82\xACz", 4) == "a\xE2\x82\xAC");
    CHECK(reason_text("", "a\xE2\x82\xACz", 3) == "a");
    CHECK(reason_text("", "a\xE2\x82\xACz", 1) == "a");
    CHECK(reason_text("", "\xE2\x82\xAC", 0) == "");
}

TEST_CASE("what a pod waits for: the scheduler first, then init containers, then the others") {
    CHECK(waiting_reason(status("{}")) == "");
    CHECK(waiting_reason(status(R"({"conditions":[{"type":"PodScheduled","status":"True","reason":"x"}]})")) == "");
    const std::string image = R"({"name":"c","state":{"waiting":{"reason":"ImagePullBackOff","message":"no image"}}})";
    const std::string init = R"({"name":"i","state":{"waiting":{"reason":"PodInitializing"}}})";
    CHECK(waiting_reason(status(R"({"containerStatuses":[{"name":"a","state":{"running":{}}},)" + image + "]}")) ==
          "ImagePullBackOff: no image");
    CHECK(waiting_reason(status(R"({"containerStatuses":[)" + image + R"(],"initContainerStatuses":[)" + init +
                                "]}")) == "PodInitializing");
    CHECK(waiting_reason(status(R"({"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",)"
                                R"("message":"no node"}],"containerStatuses":[)" +
                                image + "]}")) == "Unschedulable: no node");
}

TEST_CASE("the end of a container, or of the init container that failed before it") {
    const auto both = status(R"({"containerStatuses":[{"name":"a","state":{"running":{}}},)"
                             R"({"name":"b","state":{"terminated":{"exitCode":3}}}],)"
                             R"("initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":0}}}]})");
    CHECK(end_of_container(both, "a") == nullptr);
    CHECK(end_of_container(both, "c") == nullptr);
    REQUIRE(end_of_container(both, "b") != nullptr);
    CHECK(end_of_container(both, "b")->exit_code == 3);
    const auto failed = status(R"({"containerStatuses":[{"name":"a","state":{"waiting":{}}}],)"
                               R"("initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":4}}}]})");
    REQUIRE(end_of_container(failed, "a") != nullptr);
    CHECK(end_of_container(failed, "a")->exit_code == 4);
}

TEST_CASE("taken away: by a condition, or by the reason of a pod that failed as a whole") {
    CHECK(is_disrupted(status(R"({"conditions":[{"type":"DisruptionTarget","status":"True"}]})")));
    CHECK_FALSE(is_disrupted(status(R"({"conditions":[{"type":"DisruptionTarget","status":"False"}]})")));
    CHECK(is_disrupted(status(R"({"phase":"Failed","reason":"Evicted"})")));
    CHECK_FALSE(is_disrupted(status(R"({"phase":"Failed"})")));
    CHECK_FALSE(is_disrupted(status(R"({"phase":"Running","reason":"NodeLost"})")));
}

TEST_CASE("variables: set, or where there is none") {
    list<env_var> env;
    env.emplace_back().name = "RANK";
    env.back().value_from.edit().field_ref.edit().field_path = "metadata.name";
    set_variable(env, "RANK", "0");
    set_variable(env, "SIZE", "4");
    set_default_variable(env, "SIZE", "5");
    set_default_variable(env, "MORE", "x");
    CHECK(variables(env) == "RANK=0 SIZE=4 MORE=x ");
    set_field_variable(env, "SIZE", "metadata.labels['size']");
    set_field_variable(env, "NODE", "spec.nodeName");
    CHECK(variables(env) == "RANK=0 SIZE=? MORE=x NODE=? ");
    CHECK(env[1].value_from->field_ref->field_path == "metadata.labels['size']");
    CHECK(env[3].value_from->field_ref->field_path == "spec.nodeName");
    set_variable(env, "NODE", "n");
    CHECK_FALSE(env[3].value_from.present());
}

namespace {

pod whole(const std::string& spec, const std::string& status, const std::string& more = "") {
    return from_json<pod>(R"({"metadata":{"name":"p","uid":"u")" + more + R"(},"spec":)" + spec + R"(,"status":)" +
                          status + "}")
        .value();
}
const std::string two = R"({"nodeName":"n0","containers":[{"name":"main","image":"i"},{"name":"logs","image":"l"}]})";
std::string ended(const std::string& container, const std::string& how) {
    return R"({"name":")" + container + R"(","image":"i:1","imageID":")" + (container == "main" ? "i@sha256:1" : "") +
           R"(","state":{"terminated":)" + how + "}}";
}

}  // namespace

TEST_CASE("a summary: what the first container came to, whatever the others do") {
    const auto well = summarize(whole(two, R"({"phase":"Running","containerStatuses":[)" +
                                               ended("main", R"({"exitCode":0,"reason":"Completed","message":"{}",)"
                                                             R"("finishedAt":"2026-01-01T00:00:01Z"})") +
                                               R"(,{"name":"logs","image":"l:1","state":{"running":{}}}]})"));
    CHECK(well.name == "p");
    CHECK(well.uid == "u");
    CHECK(well.node == "n0");
    CHECK(well.state == pod_state::ended_well);
    CHECK_FALSE(well.over);
    CHECK(well.reason == "");
    CHECK(well.message == "{}");
    CHECK(well.words == "{}");
    CHECK(well.images == std::vector<std::string>{"i@sha256:1", "l:1"});
    REQUIRE(well.ended);
    CHECK(format_time(*well.ended) == "2026-01-01T00:00:01Z");

    const auto killed =
        summarize(whole(two, R"({"phase":"Failed","containerStatuses":[)" +
                                 ended("main", R"({"exitCode":137,"reason":"OOMKilled","message":"step 7"})") + "]}"));
    CHECK(killed.state == pod_state::failed);
    CHECK(killed.over);
    CHECK_FALSE(killed.disrupted);
    CHECK(killed.exit_code == 137);
    CHECK(killed.reason == "OOMKilled");
    CHECK(killed.words == "OOMKilled: step 7");

    const auto other = summarize(whole(two, R"({"phase":"Running","containerStatuses":[)" +
                                                ended("logs", R"({"exitCode":1,"reason":"Error"})") + "]}"));
    CHECK(other.state == pod_state::running);
    CHECK(other.words == "");
}

TEST_CASE("a summary: who was taken away, who waits and for what, who is leaving, and who is kept back") {
    const auto evicted =
        summarize(whole(two, R"({"phase":"Failed","reason":"Evicted","message":"low on memory","containerStatuses":[)" +
                                 ended("main", R"({"exitCode":137,"reason":"Error","message":"left"})") + "]}"));
    CHECK(evicted.disrupted);
    CHECK(evicted.state == pod_state::failed);
    CHECK(evicted.words == "Evicted: low on memory");
    CHECK(evicted.message == "left");
    CHECK(summarize(whole(two, R"({"phase":"Failed"})")).disrupted);
    CHECK(summarize(whole(two, R"({"phase":"Succeeded"})")).state == pod_state::ended_well);

    const auto waits = summarize(whole(two, R"({"phase":"Pending"})"));
    CHECK(waits.state == pod_state::waiting);
    CHECK(waits.words == "it is prepared on n0");
    const auto gated = summarize(whole(R"({"containers":[],"schedulingGates":[{"name":"g"}]})",
                                       R"({"phase":"Pending"})", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"));
    CHECK(gated.gated);
    CHECK(gated.leaving);
    CHECK(gated.words == "no node was found for it yet");
    CHECK_FALSE(waits.gated);
    CHECK_FALSE(waits.leaving);
}
