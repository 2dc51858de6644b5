// What is shown of scalers, and how one is woken.
#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "web/handlers.hpp"

#include <doctest/doctest.h>

using namespace inference_autoscaler;
using namespace std::chrono_literals;

namespace {

const wall_time begin = parse_time("2026-11-29T10:00:30Z").value();

inference_scaler scaler() {
    inference_scaler out;
    out.metadata.namespace_ = "ml";
    out.metadata.name = "llama";
    out.spec.target.kind = "Deployment";
    out.spec.target.name = "llama";
    out.spec.max_replicas = 8;
    out.status.replicas = out.status.wanted = 2;
    out.status.ready = 1;
    out.status.warming = 1;
    return out;
}
void decide(inference_scaler& of, const std::string& rule, double value, std::int32_t to, wall_time at) {
    of.status.decision.rule = rule;
    of.status.decision.value = value;
    of.status.decision.threshold = 5;
    of.status.decision.sentence = "because";
    if (to == of.status.wanted) return;
    of.status.last_scale.emplace();
    of.status.last_scale->time = at;
    of.status.last_scale->from = of.status.wanted;
    of.status.last_scale->to = of.status.wanted = to;
    of.status.last_scale->rule = rule;
}
json::value history(const board& of) { return json::parse(of.history_json({"ml", "llama"})).value(); }

}  // namespace

TEST_CASE("a point per minute, decisions when they happen") {
    board shown;
    auto at = scaler();
    shown.take(begin, at);
    shown.take(begin + 15s, at);
    decide(at, "waiting", 7.5, 3, begin + 30s);
    shown.take(begin + 30s, at);
    decide(at, "latency", 0.25, 3, begin + 90s);
    shown.take(begin + 90s, at);
    const auto past = history(shown);
    CHECK(json::serialize(past.at("rules")) == R"(["waiting","latency"])");
    CHECK(json::serialize(past.at("points")) ==
          "[[1795946400,2,1,1,2,null,null,null],[1795946460,2,1,1,3,0,7.5,5],[1795946520,2,1,1,3,1,0.25,5]]");
    CHECK(json::serialize(past.at("decisions")) ==
          R"([{"time":"2026-11-29T10:01:00Z","from":2,"to":3,"by":"waiting","rule":"waiting","value":7.5,)"
          R"("threshold":5,"since":null,"sentence":"because"}])");
}

TEST_CASE("six hours and 200 decisions are kept; the first look is no decision") {
    board shown;
    auto at = scaler();
    for (int i = 0; i <= 500; ++i) {
        decide(at, "r", 1, i + 3, begin + i * 1min);
        shown.take(begin + i * 1min, at);
    }
    const auto past = history(shown);
    CHECK(past.at("points").as_array().size() == 360);
    CHECK(past.at("points").as_array().back().as_array()[0] == 1795946400 + 500 * 60);
    CHECK(past.at("decisions").as_array().size() == 200);
    board one;
    one.take(begin, at);
    CHECK(history(one).at("decisions").as_array().empty());
    one.forget({"ml", "llama"});
    CHECK(one.history_json({"ml", "llama"}).empty());
}

TEST_CASE("between looks the API server says what a scaler is, and after three of them that are missing all of it") {
    board shown;
    auto at = scaler();
    decide(at, "waiting", 7.5, 2, begin);
    shown.note(begin, at);  // a follower
    const auto sentence = [&] {
        const auto all = json::parse(shown.scalers_json()).value();
        return std::string(json::get_string(all.at("items").as_array()[0], {"decision", "sentence"}));
    };
    CHECK(sentence() == "because");
    auto looked = at;
    looked.status.decision.sentence = "no rule holds";
    shown.take(begin + 15s, looked);
    at.spec.paused = true;
    shown.note(begin + 60s, at);
    CHECK(sentence() == "no rule holds");
    CHECK(shown.scalers_json().find(R"("paused":true)") != std::string::npos);
    shown.note(begin + 61s, at);
    CHECK(sentence() == "because");
    shown.take(begin + 70s, looked);
    decide(at, "latency", 2, 3, begin + 71s);
    shown.note(begin + 71s, at);  // another replica of this program leads now
    CHECK(history(shown).at("decisions").as_array().size() == 1);
    CHECK(sentence() == "because");
}

TEST_CASE("a scaler as it is, and what is not known is null") {
    board shown;
    auto at = scaler();
    auto& condition = at.status.conditions.emplace_back();
    condition.type = "Ready";
    condition.status = "True";
    condition.last_transition_time = begin;
    shown.take(begin, at);
    at.metadata.namespace_ = "a";
    at.status.decision.value = std::numeric_limits<double>::quiet_NaN();
    shown.take(begin, at);
    const auto text = shown.scalers_json();
    const auto items = json::parse(text).value().at("items").as_array();
    REQUIRE(items.size() == 2);
    CHECK(json::serialize(items[1]) ==
          R"({"namespace":"ml","name":"llama","target":"Deployment/llama","minReplicas":1,"maxReplicas":8,)"
          R"("paused":false,"dryRun":false,"replicas":2,"ready":1,"warming":1,"wanted":2,"decision":{"rule":"",)"
          R"("value":null,"threshold":null,"since":null,"sentence":""},"conditions":[{"type":"Ready","status":"True",)"
          R"("reason":"","message":"","since":"2026-11-29T10:00:30Z"}],"time":"2026-11-29T10:00:30Z"})");
    CHECK(json::parse("{}").has_value());
}

namespace {

struct waking {
    testing::sim_world world{1};
    testing::sim_server& server = world.add_server("cluster");
    const testing::group_resource id{"autoscaling.kcontrol.dev", "inferencescalers"};
    client cluster;
    board shown;
    http::router routes;

    waking()
        : cluster((world.register_resource(testing::resource_type_of(resource_of<inference_scaler>())),
                   world.connect(server))) {
        (void)server.api()
            .create({{"apiVersion", "autoscaling.kcontrol.dev/v1alpha1"},
                     {"kind", "InferenceScaler"},
                     {"metadata", {{"name", "llama"}}},
                     {"spec", {{"minReplicas", 0}, {"maxReplicas", 2}, {"zero", {{"listen", true}}}}}})
            .value();
        add_page(routes, shown);
        add_wake(routes, world.env(), cluster);
        world.network().listen("autoscaler", world.get_executor(), routes.handler());
    }
    void change(const json::object& to, const std::string& subresource = {}) {
        (void)server.api().patch(id, {"default", "llama"}, to, subresource).value();
    }
    http::response ask(std::string method, std::string target) {
        auto over =
            world.network().factory()(world.get_executor(), http::endpoint("http", "autoscaler", 80), {}).value();
        http::request what(std::move(method), std::move(target));
        return world.run(over->round_trip(std::move(what), http::exchange_options())).value();
    }
    std::string annotation() {
        const auto object = server.api().get(id, {"default", "llama"}).value();
        return std::string(json::get_string(object, {"metadata", "annotations", std::string(wake_annotation)}));
    }
};

}  // namespace

TEST_CASE_FIXTURE(waking, "POST /wake writes the time, each time a later one") {
    const auto answer = ask("POST", "/wake/default/llama");
    CHECK(answer.status == 202);
    CHECK(answer.body == "{\"replicas\":1}\n");
    const auto first = parse_time(annotation()).value();
    CHECK(world.env().wall_now() - first < 200ms);
    CHECK(ask("POST", "/wake/default/llama").status == 202);
    CHECK(parse_time(annotation()).value() > first);
}

TEST_CASE_FIXTURE(waking, "who is not woken, and why") {
    CHECK(ask("POST", "/wake/default/other").status == 404);
    CHECK(ask("POST", "/wake/default").status == 404);
    const auto got = ask("GET", "/wake/default/llama");
    CHECK(got.status == 405);
    CHECK(got.headers.get("Allow") == "POST");
    change({{"spec", {{"paused", true}}}});
    CHECK(ask("POST", "/wake/default/llama").status == 409);
    change({{"spec", {{"paused", false}, {"zero", {{"listen", false}}}}}});
    CHECK(ask("POST", "/wake/default/llama").body.find("set spec.zero.listen to true") != std::string::npos);
    change({{"spec", {{"zero", {{"listen", true}}}}}});
    const json::object conflict{{"type", "Conflict"}, {"status", "True"}, {"reason", "HPA"}, {"message", "HPA llama"}};
    change({{"status", {{"conditions", json::array{conflict}}}}}, "status");
    const auto answer = ask("POST", "/wake/default/llama");
    CHECK(answer.status == 409);
    CHECK(answer.body.find("HPA llama") != std::string::npos);
    CHECK(annotation().empty());
}

TEST_CASE_FIXTURE(waking, "a server that fails at either request is 503, and a scaler that goes meanwhile 404") {
    for (const std::string method : {"GET", "PATCH"}) {
        server.api().set_faults([&](const http::server_request& what) {
            testing::fault out;
            if (what.method == method) out.status(500, "InternalError", "broken");
            return out;
        });
        CHECK(ask("POST", "/wake/default/llama").status == 503);
        CHECK(annotation().empty());
    }
    server.api().set_faults([&](const http::server_request& what) {
        testing::fault out;
        if (what.method == "PATCH") out.status(404, "NotFound", "gone");
        return out;
    });
    CHECK(ask("POST", "/wake/default/llama").status == 404);
}

TEST_CASE_FIXTURE(waking, "page and interface") {
    CHECK(ask("GET", "/").body.find("Inference autoscaler") != std::string::npos);
    CHECK(ask("GET", "/api/v1/scalers").body == "{\"items\":[]}\n");
    CHECK(ask("GET", "/api/v1/scalers/ml/llama/history").status == 404);
    shown.take(begin, scaler());
    CHECK(ask("GET", "/api/v1/scalers/ml/llama/history").status == 200);
    CHECK(ask("POST", "/api/v1/scalers").status == 405);
}
