// Warming pods in a simulated cluster: engines that answer badly, an API server that fails, and stops at each step.
#include "warm/warmer.hpp"

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include <doctest/doctest.h>

using namespace inference_autoscaler;
using namespace std::chrono_literals;

namespace {

const kcontrol::namespaced_name scaler("default", "llama");
const testing::group_resource pods_id{"", "pods"};

struct warming {
    testing::sim_world world{1};
    testing::sim_server& server = world.add_server("cluster");
    std::vector<http::request> asked;
    std::function<http::response(std::size_t)> engine = [](std::size_t) { return http::response(200); };
    std::vector<std::string> told;
    std::optional<warmer> warm;
    warm_up_spec how;

    warming() {
        how.port = 8000;
        how.path = "/v1/completions";
        how.method = "POST";
        how.body = R"({"prompt":"hi"})";
        how.timeout_seconds = 60;
        world.network().listen(
            "10.0.0.1", world.get_executor(),
            [this](http::server_request what, http::responder& to) { return answer(std::move(what), to); });
        start();
    }
    ~warming() {
        warm.reset();
        world.run_for(1s);
    }
    awaitable<void> answer(http::server_request what, http::responder& to) {
        const auto number = asked.size();
        asked.push_back(std::move(what));
        auto out = engine(number);
        const auto sent = co_await to.send(std::move(out));
        static_cast<void>(sent);
    }
    void start() {
        warm.emplace(world.env(), world.get_executor(), world.network().factory(), world.connect(server),
                     [this](const kcontrol::namespaced_name& of, const warm_outcome& what) {
                         CHECK(of == scaler);
                         told.push_back(what.pod.name + (what.warm ? " warm " : " failed ") + what.words);
                     });
    }
    void add_pod(const std::string& name = "a") {
        (void)server.api()
            .create({{"apiVersion", "v1"},
                     {"kind", "Pod"},
                     {"metadata", {{"name", name}, {"labels", {{"pod-template-hash", "5f"}}}}},
                     {"spec", {{"containers", {{{"name", "engine"}, {"image", "vllm:1"}}}}}}})
            .value();
        set_status(name, {{"podIP", "10.0.0.1"},
                          {"containerStatuses",
                           {{{"name", "engine"}, {"restartCount", 0}, {"state", {{"running", json::object()}}}}}},
                          {"conditions",
                           {{{"type", "ContainersReady"},
                             {"status", "True"},
                             {"lastTransitionTime", format_time(world.env().wall_now())}}}}});
    }
    void set_status(const std::string& name, const json::object& status) {
        (void)server.api().patch(pods_id, {"default", name}, {{"status", status}}, "status").value();
    }
    std::vector<warm_pod> pods() {
        std::vector<warm_pod> out;
        for (const auto& each : server.api().list(pods_id)) {
            const auto pod = from_json<api::core::v1::pod>(json::serialize(each)).value();
            out.push_back(warm_pod_of(pod.metadata, pod.status));
        }
        return out;
    }
    /// As the reconciler does: it observes after each change.
    void settle(duration d = 1s) {
        for (const auto end = world.env().now() + d; world.env().now() < end; world.run_for(100ms))
            warm->observe(scaler, how, pods());
    }
    std::string condition(const std::string& name = "a") {
        const auto pod = server.api().get(pods_id, {"default", name});
        if (!pod) return "gone";
        const auto status = from_json<api::core::v1::pod>(json::serialize(*pod))->status;
        const auto* found = find_condition(status.conditions, warm_condition);
        return found ? found->status.str() + " " + found->reason.str() : "none";
    }
};

}  // namespace

TEST_CASE_FIXTURE(warming, "three requests, then the condition; then nothing more") {
    add_pod();
    settle();
    CHECK(condition() == "True WarmedUp");
    REQUIRE(asked.size() == 3);
    CHECK(asked[0].method == "POST");
    CHECK(asked[0].target == "/v1/completions");
    CHECK(asked[0].body == R"({"prompt":"hi"})");
    CHECK(asked[0].headers.get("Content-Type") == "application/json");
    REQUIRE(told.size() == 1);
    CHECK(told[0].starts_with("a warm 3 good answers in a row, "));
    CHECK(warm->running() == 0);
    const auto version = server.api().resource_version();
    settle(10min);
    CHECK(asked.size() == 3);
    CHECK(server.api().resource_version() == version);
}

TEST_CASE_FIXTURE(warming, "bad answers, redirects, silence: the pod fails, is told once and deleted once") {
    engine = [](std::size_t n) { return http::response(n % 2 == 0 ? 503 : 302, "text/plain", "loading"); };
    int deletions = 0;
    server.api().set_faults([&](const http::server_request& what) {
        deletions += what.method == "DELETE";
        return testing::fault();
    });
    add_pod();
    settle(59s);
    CHECK(condition() == "none");
    CHECK(asked.size() > 50);
    CHECK(asked.size() < 62);
    settle(5s);
    CHECK(condition() == "gone");
    CHECK(deletions == 1);
    REQUIRE(told.size() == 1);
    CHECK(told[0].starts_with("a failed not warm within 60 s; the last answer: "));
    CHECK(warm->running() == 0);
}

TEST_CASE_FIXTURE(warming, "the fourth pod of a template that fails is kept, also by the next program") {
    engine = [](std::size_t) { return http::response(500); };
    for (int i = 0; i < 4; ++i) {
        add_pod("p" + std::to_string(i));
        settle(62s);
    }
    CHECK(condition("p2") == "gone");
    CHECK(condition("p3") == "False WarmUpFailing");
    CHECK(warm->failing(scaler, "5f"));
    start();
    add_pod("p4");
    settle(62s);
    CHECK(condition("p4") == "False WarmUpFailing");
    CHECK(told.size() == 5);
    // Four at once: three of them go.
    for (const char* name : {"p3", "p4"}) (void)server.api().remove(pods_id, {"default", name}).has_value();
    warm->forget(scaler);
    for (int i = 5; i < 9; ++i) add_pod("p" + std::to_string(i));
    settle(62s);
    CHECK(server.api().list(pods_id).size() == 1);
}

TEST_CASE_FIXTURE(warming, "a container that restarts is warmed again, and not ready meanwhile") {
    add_pod();
    settle();
    REQUIRE(condition() == "True WarmedUp");
    engine = [](std::size_t) { return http::response(503); };
    set_status("a", {{"containerStatuses",
                      {{{"name", "engine"}, {"restartCount", 1}, {"state", {{"running", json::object()}}}}}}});
    settle();
    CHECK(condition() == "False ContainerRestarted");
    engine = [](std::size_t) { return http::response(204); };
    settle(3s);
    CHECK(condition() == "True WarmedUp");
    CHECK(told.size() == 2);
}

TEST_CASE_FIXTURE(warming, "each request to the server fails once") {
    std::map<std::string, int> failures;
    server.api().set_faults([&](const http::server_request& what) {
        testing::fault out;
        if (what.method != "PATCH" && what.method != "DELETE") return out;
        const int number = failures[what.method]++;
        if (number == 0) out.status(500, "InternalError", "once");
        if (number == 1) out.drop_response();
        return out;
    });
    add_pod();
    settle(10s);
    CHECK(condition() == "True WarmedUp");
    CHECK(told.size() == 1);
    failures.clear();
    engine = [](std::size_t) { return http::response(500); };
    add_pod("b");
    settle(70s);
    CHECK(condition("b") == "gone");
    CHECK(told.size() == 2);
}

TEST_CASE_FIXTURE(warming, "another pod of that name is left alone") {
    engine = [](std::size_t) { return http::response(500); };
    add_pod();
    warm->observe(scaler, how, pods());
    world.run_for(59s);
    (void)server.api().remove(pods_id, {"default", "a"}).value();
    add_pod();
    world.run_for(10s);  // nothing of it was observed
    CHECK(condition() == "none");
    CHECK(told.empty());
}

TEST_CASE("a stop at every moment leaves a pod that the next program warms or deletes once") {
    for (const bool good : {true, false}) {
        for (int moment = 0; moment < 40; ++moment) {
            warming at;
            at.how.timeout_seconds = 2;
            at.engine = [good](std::size_t) { return http::response(good ? 200 : 500); };
            at.add_pod();
            at.warm->observe(scaler, at.how, at.pods());
            at.world.run_for(good ? moment * 500us : 2s - 10ms + moment * 500us);
            at.warm.reset();
            at.world.run_for(1s);
            CHECK(at.told.size() <= 1);
            at.start();
            at.settle(4s);
            CAPTURE(moment);
            CHECK(at.condition() == (good ? "True WarmedUp" : "gone"));
        }
    }
}

TEST_CASE_FIXTURE(warming, "an engine that hangs ends with the pod's time") {
    world.network().set_link("10.0.0.1", testing::link_state::black_hole);
    add_pod();
    settle(65s);
    CHECK(condition() == "gone");
    CHECK(told.size() == 1);
}
