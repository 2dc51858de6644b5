// A job's whole life beside fake kubelets and Job controllers: at rest nothing is written, and whichever call fails,
// the end is the same.
#include <kcontrol/testing/idempotence.hpp>

#include "promotion_world.hpp"
#include "support/how_much.hpp"
#include "support/sanitizers.hpp"

using namespace training_operator;
using namespace training_operator::tests;

namespace {

awaitable<void> version_seven(http::server_request, http::responder& to) {
    http::response answer(200);
    answer.headers.set("Delta-Table-Version", "7");
    (void)co_await to.send(std::move(answer));
}

json::value template_of(const json::object& annotations) {
    return {{"metadata", {{"annotations", annotations}}},
            {"spec", {{"containers", {{{"name", "main"}, {"image", "bert:1"}}}}}}};
}

}  // namespace

TEST_CASE("expect_idempotent: from the data to the traffic, with a rank that is killed once") {
    testing::sim_world* here = nullptr;
    testing::idempotence_options options;
    const auto prepare = [&here](testing::sim_world& world, testing::sim_server& server) {
        here = &world;
        world.network().listen("data.example", world.get_executor(), version_seven);
        (void)server.api()
            .create({{"apiVersion", "gateway.networking.k8s.io/v1"},
                     {"kind", "HTTPRoute"},
                     {"metadata", {{"name", "bert"}}},
                     {"spec", route_spec()}})
            .value();
    };
    options.prepare(prepare)
        .register_resource<training_job>()
        .register_resource(testing::resource_type("gateway.networking.k8s.io", "v1", "HTTPRoute", "httproutes"))
        .server(testing::api_server_options().default_and_validate(true).collect_garbage(true))
        .manager(watched())
        .fakes(testing::fake_cluster_options())
        .idle_time(std::chrono::minutes(5))
        // These have the times of the run in them.
        .ignore_field("README.md")
        .ignore_field("modelCard");
#if KCONTROL_TEST_UNDER_ASAN
    // All take seven minutes then. KCONTROL_EVERY_CALL: one call in so many fails (scripts/test.sh --all: 6).
    options.every(test::asked_for("KCONTROL_EVERY_CALL", 60));
#endif
    json::object spec = operator_world::dataset("7");
    spec["workers"] = 2;
    spec["template"] = template_of({{"sim/run-ms", "5000"}, {"sim/exit-code", "137,0"}});
    spec["gates"] = operator_world::gates({"smoke", "eval"})["gates"];
    for (auto& each : spec["gates"].as_array()) {
        each.as_object()["template"] =
            template_of({{"sim/run-ms", "1000"}, {"sim/message", R"({"metrics":{"accuracy":0.9}})"}});
    }
    spec["promote"] = promotion_world::promote()["promote"];
    spec["modelCard"] = {{"license", "mit"}};
    const json::value job{{"apiVersion", "ai.kcontrol.dev/v1alpha1"},
                          {"kind", "TrainingJob"},
                          {"metadata", {{"name", "bert"}, {"namespace", "default"}}},
                          {"spec", spec}};
    const auto add = [&here](manager& m) { return set_up(m, here->network().factory()); };
    const auto report = testing::expect_idempotent(add, job, options);
    MESSAGE("runs: " << report.runs << ", calls: " << report.calls.size());
    CHECK_MESSAGE(report.ok(), report.text());
    CHECK(report.calls.size() > 50);
}
