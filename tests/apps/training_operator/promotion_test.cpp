// Promotion: what routes say and how they are patched, what is decided, and the whole operator.
#include "promote/route.hpp"
#include "promotion_world.hpp"
#include "support.hpp"

using namespace training_operator;
using namespace training_operator::tests;

namespace {

promote_spec over_route(std::int32_t rule = 0) {
    promote_spec out;
    auto& to = out.http_route.emplace();
    to.name = "bert";
    to.stable = "bert-stable";
    to.canary = "bert-canary";
    to.rule = rule;
    for (const int step : {10, 50, 100}) out.steps.push_back(step);
    out.hold_seconds = 60;
    return out;
}
promote_spec over_service() {
    promote_spec out = over_route();
    out.http_route.reset();
    out.inference_service.emplace().name = "bert";
    return out;
}
dynamic_object object(const json::object& spec) {
    dynamic_object out;
    out.content.edit()["spec"] = spec;
    return out;
}

training_job promoting() {
    training_job out = job_in("Promoting");
    out.spec.promote = over_route();
    out.status.trained_time = begin;
    return out;
}
training_job at_step(std::int32_t step, std::int32_t weight) {
    training_job out = promoting();
    auto& now = out.status.promotion.emplace();
    now.step = step;
    now.weight = weight;
    now.stable_before = 95;
    now.canary_before = 5;
    now.time = begin;
    return out;
}
std::string weights_of_plan(const plan& p) {
    if (!p.route) return "none";
    return std::to_string(p.route->stable.value_or(-1)) + "/" + std::to_string(p.route->canary.value_or(-1));
}

}  // namespace

TEST_CASE("weights of an HTTPRoute: of that rule and those backends, 1 where there is none") {
    const auto route = object(route_spec());
    const auto found = weights_of(over_route(1), route);
    REQUIRE(found);
    CHECK(found->stable == 95);
    CHECK(found->canary == 5);
    for (const int rule : {0, 2}) {
        const auto missing = weights_of(over_route(rule), route);
        REQUIRE_FALSE(missing);
        CHECK(missing.error().what() ==
              "rule " + std::to_string(rule) + " of HTTPRoute bert has no backend bert-stable");
    }
    CHECK_FALSE(weights_of(over_route(), object({{"rules", 7}})));
    CHECK_FALSE(weights_of(over_route(), object({{"rules", {{{"backendRefs", "x"}}}}})));
    const auto plain = weights_of(
        over_route(), object({{"rules", {{{"backendRefs", {{{"name", "bert-stable"}}, {{"name", "bert-canary"}}}}}}}}));
    REQUIRE(plain);
    CHECK(plain->stable == 1);
    CHECK(plain->canary == 1);
    weights to;
    to.stable = 90;
    to.canary = 10;
    CHECK(weights_patch(over_route(1), route, to) ==
          R"([{"op":"test","path":"/spec/rules/1/backendRefs/1/name","value":"bert-stable"},)"
          R"({"op":"add","path":"/spec/rules/1/backendRefs/1/weight","value":90},)"
          R"({"op":"test","path":"/spec/rules/1/backendRefs/2/name","value":"bert-canary"},)"
          R"({"op":"add","path":"/spec/rules/1/backendRefs/2/weight","value":10}])");
}

TEST_CASE("weights of an InferenceService: the canary's per cent, which may be missing") {
    CHECK_FALSE(weights_of(over_service(), object({}))->canary);
    const auto service = object({{"predictor", {{"canaryTrafficPercent", 20}}}});
    CHECK(weights_of(over_service(), service)->canary == 20);
    weights to;
    to.stable = 50;
    to.canary = 50;
    CHECK(weights_patch(over_service(), service, to) == R"({"spec":{"predictor":{"canaryTrafficPercent":50}}})");
    CHECK(weights_patch(over_service(), service, {}) == R"({"spec":{"predictor":{"canaryTrafficPercent":null}}})");
    CHECK(route_kind(over_service()).gvk.kind == "InferenceService");
    CHECK(route_kind(over_route()).gvk.kind == "HTTPRoute");
}

TEST_CASE("steps: the weights before are kept, each step is held, and the last one is the end") {
    training_job job = promoting();
    training_job done = job_in("Running");
    done.spec.promote = over_route();
    CHECK(decided(done, all(pod_state::ended_well)) ==
          "Promoting 2/2 attempt 1: Promoting, all ranks exited with code 0");
    plan p = decide(job, {}, after(1));
    CHECK(p.read_route);
    CHECK(p.is_grave(job));
    CHECK(p.again == after(31));  // if it can't be read

    job = at_step(0, 5);
    p = decide(job, {}, after(1));
    CHECK(weights_of_plan(p) == "90/10");
    CHECK(p.status.promotion->step == 1);
    CHECK(p.status.promotion->weight == 10);
    CHECK(p.status.promotion->time == after(1));
    CHECK_FALSE(p.warning);
    CHECK(decided(at_step(1, 10), {}, 59) == "again in 1 s");
    CHECK(weights_of_plan(decide(at_step(1, 10), {}, after(60))) == "50/50");
    CHECK(weights_of_plan(decide(at_step(2, 50), {}, after(60))) == "0/100");
    CHECK(decided(at_step(3, 100), {}, 59) == "again in 1 s");
    CHECK(decided(at_step(3, 100), {}, 60)
              .starts_with("Succeeded 0/2 attempt 1: Succeeded, the model is promoted, Promoted=True Promoted: 100 % "
                           "of the traffic"));
    job = at_step(3, 100);
    job.spec.promote.reset();
    CHECK(decided(job, {}).starts_with("Succeeded"));
}

TEST_CASE("suspend holds the step; an abort and a deletion lead back, once") {
    training_job job = at_step(1, 10);
    job.spec.suspend = true;
    CHECK(decided(job, {}, 1000) == "");
    for (const bool deleted : {false, true}) {
        CAPTURE(deleted);
        job = at_step(1, 10);
        job.spec.suspend = true;
        if (deleted)
            job.metadata.deletion_timestamp = begin;
        else
            job.metadata.annotations[abort_annotation] = "true";
        plan p = decide(job, {}, after(1));
        CHECK(weights_of_plan(p) == "95/5");
        CHECK(p.status.promotion->rolled_back);
        CHECK(p.status.promotion->weight == 5);
        CHECK_FALSE(p.moves(job));
        job.status = p.status;
        p = decide(job, {}, after(1));
        CHECK(p.status.phase == "Failed");
        CHECK(p.reason == "PromotionAborted");
        CHECK_FALSE(p.route);
        job.status = p.status;
        CHECK(decided(job, {}) == (deleted ? "release" : ""));
    }
    job = promoting();
    job.metadata.annotations[abort_annotation] = "false";
    CHECK(decide(job, {}, after(1)).read_route);
    job.metadata.annotations[abort_annotation] = "true";
    CHECK(decided(job, {}).starts_with("Failed"));  // nothing was changed yet
    job = promoting();
    job.metadata.deletion_timestamp = begin;
    CHECK(decided(job, {}) == "release");
}

TEST_CASE_FIXTURE(promotion_world, "10, 50, 100 per cent of an HTTPRoute, a minute each; nothing else of it changes") {
    add_route();
    add_job(promote());
    train();
    CHECK(phase() == "Promoting");
    CHECK(route() == "else bert-stable 90 bert-canary 10");
    CHECK(condition("Promoted") == "Promoted=False Step: 10 % of the traffic go to the canary");
    const auto before = writes();
    settle(50s);
    CHECK(writes() == before);
    CHECK(job()->status.promotion->step == 1);
    settle(10s);
    CHECK(route() == "else bert-stable 50 bert-canary 50");
    restart();
    settle(60s);
    CHECK(route() == "else bert-stable 0 bert-canary 100");
    CHECK(phase() == "Promoting");
    settle(60s);
    CHECK(told() == "Succeeded, attempt 1, 2/2, Succeeded: the model is promoted");
    CHECK(condition("Promoted") == "Promoted=True Promoted: 100 % of the traffic go to the canary");
    CHECK(events("Step") == 3);
    CHECK(job()->status.promotion->weight == 100);
}

TEST_CASE_FIXTURE(promotion_world, "minWarm: a step waits for ready endpoints of the canary, an abort doesn't") {
    const auto slice = [this](const std::string& name, json::array ready) {
        json::array endpoints;
        for (std::size_t i = 0; i < ready.size(); ++i)
            endpoints.push_back(
                {{"addresses", {"10.0.0." + std::to_string(i + 1)}}, {"conditions", {{"ready", ready[i]}}}});
        const json::object found{
            {"apiVersion", "discovery.k8s.io/v1"},
            {"kind", "EndpointSlice"},
            {"metadata", {{"name", name}, {"labels", {{"kubernetes.io/service-name", name.substr(0, 11)}}}}},
            {"addressType", "IPv4"},
            {"endpoints", endpoints}};
        (void)server.api().remove({"discovery.k8s.io", "endpointslices"}, {"default", name});
        (void)server.api().create(found).value();
    };
    add_route();
    slice("bert-stable", {true, true});
    slice("bert-canary", {true, false});
    slice("bert-canary-2", {true});  // the first one, while it moves
    auto spec = promote();
    spec["promote"].as_object()["minWarm"] = 2;
    add_job(spec);
    train();
    CHECK(route() == "else bert-stable 95 bert-canary 5");
    CHECK(condition("Promoted") == "Promoted=False WaitingForWarm: 1 of 2 endpoints of bert-canary are ready");
    const auto before = writes();
    settle(10min);
    CHECK(writes() == before);
    slice("bert-canary", {true, true});
    settle(31s);
    CHECK(route() == "else bert-stable 90 bert-canary 10");
    slice("bert-canary", {true, nullptr});  // not said is ready
    settle(61s);
    CHECK(route() == "else bert-stable 50 bert-canary 50");
    slice("bert-canary", {});
    settle(5min);
    CHECK(route() == "else bert-stable 50 bert-canary 50");
    abort();
    CHECK(route() == "else bert-stable 95 bert-canary 5");
}

TEST_CASE_FIXTURE(promotion_world, "an abort leads back to the weights from before, and so does a deletion") {
    add_route();
    add_job(promote());
    train();
    abort();
    CHECK(route() == "else bert-stable 95 bert-canary 5");
    CHECK(told().starts_with("Failed, attempt 1, 2/2, PromotionAborted: "));
    CHECK(condition("Promoted") == "Promoted=False RolledBack: the weights are those from before");
    remove_job();
    let_go();
    settle(5s);
    add_job(promote());
    train();
    settle(61s);
    CHECK(route() == "else bert-stable 50 bert-canary 50");
    remove_job();
    CHECK(route() == "else bert-stable 95 bert-canary 5");
    let_go();
    settle(5s);
    CHECK(phase() == "gone");
    CHECK(events("PromotionAborted") >= 1);
}

TEST_CASE_FIXTURE(promotion_world, "suspended: the step is held, however long") {
    add_route();
    add_job(promote());
    train();
    set_spec({{"suspend", true}});
    settle(10min);
    CHECK(route() == "else bert-stable 90 bert-canary 10");
    CHECK(phase() == "Promoting");
    set_spec({{"suspend", false}});
    CHECK(route() == "else bert-stable 50 bert-canary 50");
}

TEST_CASE_FIXTURE(promotion_world,
                  "a route that is not there is waited for, and one that is lost keeps no job from its end") {
    add_job(promote());
    train();
    CHECK(condition("Promoted").starts_with("Promoted=False RouteUnusable: "));
    CHECK(events("RouteUnusable") == 1);
    const auto before = writes();
    settle(10min);
    CHECK(writes() == before);
    CHECK(events("RouteUnusable") == 1);
    add_route();
    settle(31s);
    CHECK(route() == "else bert-stable 90 bert-canary 10");
    REQUIRE(server.api().remove({"gateway.networking.k8s.io", "httproutes"}, {"default", "bert"}));
    remove_job();
    let_go();
    settle(35s);
    CHECK(phase() == "gone");
}

TEST_CASE_FIXTURE(promotion_world, "an InferenceService goes by its canary's per cent, and back to none") {
    (void)server.api()
        .create({{"apiVersion", "serving.kserve.io/v1beta1"},
                 {"kind", "InferenceService"},
                 {"metadata", {{"name", "bert"}}},
                 {"spec", {{"predictor", {{"model", {{"storageUri", "s3://b"}}}}}}}})
        .value();
    const auto spec = [this] {
        return json::serialize(
            server.api().get({"serving.kserve.io", "inferenceservices"}, {"default", "bert"})->at("spec"));
    };
    add_job({{"promote", {{"inferenceService", {{"name", "bert"}}}, {"steps", {20, 100}}, {"holdSeconds", 10}}}});
    train();
    CHECK(spec() == R"({"predictor":{"model":{"storageUri":"s3://b"},"canaryTrafficPercent":20}})");
    abort();
    CHECK(spec() == R"({"predictor":{"model":{"storageUri":"s3://b"}}})");
}
