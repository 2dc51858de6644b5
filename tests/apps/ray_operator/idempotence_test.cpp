// A cluster beside fake kubelets: at rest nothing is written, and whichever call fails, the end is the same.
#include <kcontrol/testing/idempotence.hpp>

#include "ray_world.hpp"
#include "support/how_much.hpp"
#include "support/sanitizers.hpp"

using namespace ray_operator;
using namespace ray_operator::tests;

TEST_CASE("expect_idempotent: a cluster with an autoscaler and a group of several hosts") {
    testing::sim_world* here = nullptr;
    testing::idempotence_options options;
    const auto prepare = [&here](testing::sim_world& world, testing::sim_server&) { here = &world; };
    options.prepare(prepare)
        .register_resource<ray_cluster>()
        .register_resource<ray_job>()
        .server(testing::api_server_options().default_and_validate(true).collect_garbage(true))
        .manager(watched())
        .fakes(testing::fake_cluster_options())
        .ignore_field(replica_name_label)
        .idle_time(std::chrono::minutes(5));
#if KCONTROL_TEST_UNDER_ASAN
    // KCONTROL_EVERY_CALL: one call in so many fails.
    options.every(test::asked_for("KCONTROL_EVERY_CALL", 12));
#endif
    const json::value cluster{
        {"apiVersion", "ray.io/v1"},
        {"kind", "RayCluster"},
        {"metadata", {{"name", "small"}, {"namespace", "default"}}},
        {"spec", ray_world::spec({ray_world::group_of("a", 1), ray_world::group_of("b", 1, {{"numOfHosts", 2}})},
                                 {{"enableInTreeAutoscaling", true}})}};
    const auto add = [&here](manager& m) { return set_up(m, direct_dashboards(here->network().factory())); };
    const auto report = testing::expect_idempotent(add, cluster, options);
    MESSAGE("runs: " << report.runs << ", calls: " << report.calls.size());
    CHECK_MESSAGE(report.ok(), report.text());
    CHECK(report.calls.size() > 20);
}
