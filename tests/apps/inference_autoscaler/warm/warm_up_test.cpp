// The warm-up of a pod as a table: what is seen, what is done.
#include "warm/warm_up.hpp"

#include <kcontrol/codec/codec.hpp>

#include <doctest/doctest.h>

using namespace inference_autoscaler;
using namespace std::chrono_literals;

namespace {

const kcontrol::wall_time ready = kcontrol::wall_time(std::chrono::hours(490'000));

warm_up_spec spec() {
    warm_up_spec out;
    out.port = 8000;
    out.path = "/warm";
    out.timeout_seconds = 60;
    return out;
}

warm_pod engine(const std::string& uid = "u1") {
    warm_pod out;
    out.uid = uid;
    out.ip = "10.0.0.1";
    out.template_ = "5f";
    out.containers_ready = out.running = true;
    out.ready_since = ready;
    return out;
}
warm_pod with(std::string status, std::string_view reason, std::int64_t judged, warm_pod pod = engine()) {
    pod.status = std::move(status);
    pod.reason = reason;
    pod.judged_restarts = judged;
    return pod;
}
warm_pod changed(void (*change)(warm_pod&), warm_pod pod = engine()) {
    change(pod);
    return pod;
}

}  // namespace

TEST_CASE("what is done for a pod as it is seen, before any answer") {
    const auto warm = with("True", warmed_up, 0);
    struct row {
        std::string name;
        warm_pod pod;
        kcontrol::duration at;
        warm_step step;
        warmth state;
    };
    const auto loading = [](warm_pod& p) { p.containers_ready = false; };
    const auto again = [](warm_pod& p) { p.restarts = 1; };
    const auto ended = [](warm_pod& p) { p.running = false; };
    const auto leaving = [](warm_pod& p) { p.leaving = true; };
    const auto nowhere = [](warm_pod& p) { p.ip.clear(); };
    const row rows[] = {
        {"its containers are not ready", changed(loading), 0s, warm_step::nothing, warmth::loading},
        {"nor are they long after", changed(loading), 1h, warm_step::nothing, warmth::loading},
        {"its containers are ready", engine(), 0s, warm_step::request, warmth::warming},
        {"a moment before the end", engine(), 60s - 1ns, warm_step::request, warmth::warming},
        {"at the end", engine(), 60s, warm_step::set_failed, warmth::warming},
        {"it has no address", changed(nowhere), 0s, warm_step::nothing, warmth::warming},
        {"it is being deleted", changed(leaving), 61s, warm_step::nothing, warmth::warming},
        {"it is warm", warm, 1h, warm_step::nothing, warmth::warm},
        {"its probe fails, it is warm", changed(loading, warm), 1h, warm_step::nothing, warmth::warm},
        {"a container ended", changed(ended, warm), 1h, warm_step::set_restarted, warmth::warming},
        {"a container restarted", changed(again, warm), 1s, warm_step::set_restarted, warmth::warming},
        {"a condition True of another's", with("True", "Mine", -1), 1s, warm_step::set_restarted, warmth::warming},
        {"the condition is taken back", with("False", restarted, 0), 1s, warm_step::request, warmth::warming},
        {"it failed", with("False", warm_up_failed, 0), 61s, warm_step::remove, warmth::failed},
        {"it failed and is leaving", changed(leaving, with("False", warm_up_failed, 0)), 61s, warm_step::nothing,
         warmth::failed},
        {"it failed and is kept", with("False", warm_up_failing, 0), 61s, warm_step::nothing, warmth::failed},
        {"it failed, was kept, and restarted", changed(again, with("False", warm_up_failing, 0)), 1s,
         warm_step::request, warmth::warming},
    };
    for (const auto& each : rows) {
        CAPTURE(each.name);
        failure_ledger ledger;
        CHECK(warm_up().next(each.pod, spec(), ledger, ready + each.at) == each.step);
        CHECK(each.pod.state() == each.state);
    }
}

TEST_CASE("three good answers in a row, each after the last") {
    failure_ledger ledger;
    warm_up state;
    auto pod = engine();
    const auto next = [&](kcontrol::duration at) { return state.next(pod, spec(), ledger, ready + at); };
    const auto answer = [&](bool good, kcontrol::duration at) {
        CHECK(next(at) == warm_step::request);
        state.answered(pod.restarts, good, good ? "200" : "503 \"loading\"", ready + at);
    };
    answer(true, 1s);
    answer(true, 1s);
    answer(false, 2s);
    CHECK(next(2s) == warm_step::nothing);
    CHECK(state.wake_at() == ready + 3s);
    answer(true, 3s);
    answer(true, 3s);
    CHECK(next(3s) == warm_step::request);
    // An answer of the container before this one.
    state.answered(7, true, "200", ready + 3s);
    CHECK(next(3s) == warm_step::request);
    answer(true, 41s);
    REQUIRE(next(41s) == warm_step::set_warm);
    CHECK(state.message(warm_step::set_warm, pod, spec(), ready + 41s) ==
          "3 good answers in a row, 41 s after its containers were ready (restarts: 0)");
    state.done(warm_step::set_warm, false, pod, ready + 41s);
    CHECK(next(41s) == warm_step::nothing);
    REQUIRE(next(42s) == warm_step::set_warm);
    state.done(warm_step::set_warm, true, pod, ready + 42s);
    CHECK(pod.state() == warmth::warm);
    CHECK(next(42s) == warm_step::nothing);
    // What is seen may be older than what was written.
    pod.status.clear();
    CHECK(next(43s) == warm_step::set_warm);
    // A container ends: all begins anew.
    state.done(warm_step::set_warm, true, pod, ready + 43s);
    pod.running = false;
    REQUIRE(next(50s) == warm_step::set_restarted);
    state.done(warm_step::set_restarted, true, pod, ready + 50s);
    pod.running = true;
    CHECK(next(51s) == warm_step::request);
    pod.restarts = 1;
    for (int i = 0; i < 3; ++i) answer(true, 52s);
    CHECK(next(52s) == warm_step::set_warm);
}

TEST_CASE("good answers before the containers were not ready do not count") {
    failure_ledger ledger;
    warm_up state;
    auto pod = engine();
    for (int i = 0; i < 2; ++i) {
        CHECK(state.next(pod, spec(), ledger, ready) == warm_step::request);
        state.answered(0, true, "200", ready);
    }
    pod.containers_ready = false;
    CHECK(state.next(pod, spec(), ledger, ready) == warm_step::nothing);
    pod.containers_ready = true;
    state.next(pod, spec(), ledger, ready);
    state.answered(0, true, "200", ready);
    CHECK(state.next(pod, spec(), ledger, ready) == warm_step::request);
}

TEST_CASE("a pod that fails is deleted once; after three of a template none is") {
    failure_ledger ledger;
    const auto late = ready + 60s;
    for (int i = 0; i < 3; ++i) {
        auto pod = engine("u" + std::to_string(i));
        warm_up state;
        state.next(pod, spec(), ledger, ready);
        state.answered(0, false, "503 \"loading\"", ready);
        CHECK_FALSE(ledger.failing("5f"));
        REQUIRE(state.next(pod, spec(), ledger, late) == warm_step::set_failed);
        CHECK(state.message(warm_step::set_failed, pod, spec(), late) ==
              "not warm within 60 s; the last answer: 503 \"loading\"; the pod is deleted (restarts: 0)");
        state.done(warm_step::set_failed, false, pod, late);
        REQUIRE(state.next(pod, spec(), ledger, late + 1s) == warm_step::set_failed);
        state.done(warm_step::set_failed, true, pod, late + 1s);
        REQUIRE(state.next(pod, spec(), ledger, late + 1s) == warm_step::remove);
        state.done(warm_step::remove, false, pod, late + 1s);
        REQUIRE(state.next(pod, spec(), ledger, late + 2s) == warm_step::remove);
        state.done(warm_step::remove, true, pod, late + 2s);
        CHECK(state.next(pod, spec(), ledger, late + 1h) == warm_step::nothing);
    }
    CHECK(ledger.failing("5f"));
    auto fourth = engine("u4");
    warm_up state;
    REQUIRE(state.next(fourth, spec(), ledger, late) == warm_step::set_failing);
    state.done(warm_step::set_failing, true, fourth, late);
    CHECK(fourth.reason == warm_up_failing);
    CHECK(state.next(fourth, spec(), ledger, late + 1h) == warm_step::nothing);
    // After a restart of this program the pod that was kept says that three failed before it.
    failure_ledger anew;
    anew.observe(fourth);
    CHECK(warm_up().next(engine("u5"), spec(), anew, late) == warm_step::set_failing);
    // Another template, or one that was warm since.
    auto other = engine("u6");
    other.template_ = "6a";
    CHECK(warm_up().next(other, spec(), ledger, late) == warm_step::set_failed);
    ledger.warmed(engine("u7"));
    CHECK(warm_up().next(engine("u8"), spec(), ledger, late) == warm_step::set_failed);
}

TEST_CASE("what is read of a pod") {
    const auto meta = kcontrol::from_json<kcontrol::object_meta>(
                          R"({"name":"a","namespace":"ml","uid":"u","labels":{"pod-template-hash":"5f"}})")
                          .value();
    const auto read = [&](const std::string& status) {
        return warm_pod_of(meta, kcontrol::from_json<kcontrol::api::core::v1::pod_status>(status).value());
    };
    const auto pod = read(R"j({"podIP":"10.1.2.3","containerStatuses":[{"restartCount":2,"state":{"running":
        {"startedAt":"2026-11-29T10:00:00Z"}}},{"restartCount":1,"state":{"running":{"startedAt":
        "2026-11-29T10:00:00Z"}}}],"conditions":[
        {"type":"ContainersReady","status":"True","lastTransitionTime":"2026-11-29T10:00:00Z"},
        {"type":"autoscaling.kcontrol.dev/warm","status":"True","reason":"WarmedUp","message":"x (restarts: 3)"}]})j");
    CHECK(pod.name == "a");
    CHECK(pod.ip == "10.1.2.3");
    CHECK(pod.template_ == "5f");
    CHECK(pod.restarts == 3);
    CHECK(pod.ready_since == kcontrol::parse_time("2026-11-29T10:00:00Z").value());
    CHECK(pod.state() == warmth::warm);
    CHECK(read("{}").state() == warmth::loading);
    const auto crashed = read(R"({"containerStatuses":[{"restartCount":1,"state":{"waiting":{"reason":"Crash"}}}],
        "conditions":[{"type":"autoscaling.kcontrol.dev/warm","status":"True","message":"without"}]})");
    CHECK_FALSE(crashed.running);
    CHECK(crashed.judged_restarts == -1);
    CHECK(crashed.state() == warmth::loading);
}
