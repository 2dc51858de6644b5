// PodGroups of three kinds: which is used, what it says, how pods name it, and that those of earlier starts go.
#include "operator_world.hpp"

using namespace training_operator;
using namespace training_operator::tests;

namespace {

class group_world : public operator_world {
public:
    void serve_groups(const std::string& group, const std::string& version) {
        world.register_resource({group, version, "PodGroup", "podgroups"});
    }
    std::vector<json::value> groups(const std::string& group) { return server.api().list({group, "podgroups"}); }
    std::string name_of(const json::value& group) { return std::string(json::get_string(group, {"metadata", "name"})); }
    json::value pod(int number) {
        return server.api().get(pods_id, {"default", "bert-" + std::to_string(number)}).value();
    }
};

}  // namespace

TEST_CASE_FIXTURE(group_world, "PodGroup: Kubernetes' own, one for each start, which the job owns") {
    serve_groups("scheduling.k8s.io", "v1alpha2");
    serve_groups("scheduling.x-k8s.io", "v1alpha1");
    add_job({{"workers", 3}});
    REQUIRE(groups("scheduling.k8s.io").size() == 1);
    CHECK(groups("scheduling.x-k8s.io").empty());
    const auto first = groups("scheduling.k8s.io")[0];
    CHECK(json::serialize(first.at("spec")) == R"({"schedulingPolicy":{"gang":{"minCount":3}}})");
    CHECK(json::get_string(first.at("metadata").at("ownerReferences").at(0), {"kind"}) == "TrainingJob");
    for (int i = 0; i < 3; ++i)
        CHECK(json::get_string(pod(i), {"spec", "schedulingGroup", "podGroupName"}) == name_of(first));
    // Another size: another start, and another group in place of that one.
    set_spec({{"workers", 2}});
    let_go();
    settle(10s);
    REQUIRE(groups("scheduling.k8s.io").size() == 1);
    const auto second = groups("scheduling.k8s.io")[0];
    CHECK(name_of(second) != name_of(first));
    CHECK(second.at("spec").at("schedulingPolicy").at("gang").at("minCount") == 2);
    CHECK(json::get_string(pod(0), {"spec", "schedulingGroup", "podGroupName"}) == name_of(second));
    remove_job();
    let_go();
    settle(10s);
    CHECK(phase() == "gone");
    CHECK(groups("scheduling.k8s.io").empty());
}

TEST_CASE_FIXTURE(group_world, "PodGroup: that of the scheduler's plugin, by a label") {
    serve_groups("scheduling.x-k8s.io", "v1alpha1");
    serve_groups("scheduling.volcano.sh", "v1beta1");
    add_job();
    REQUIRE(groups("scheduling.x-k8s.io").size() == 1);
    CHECK(groups("scheduling.volcano.sh").empty());
    const auto group = groups("scheduling.x-k8s.io")[0];
    CHECK(group.at("spec").at("minMember") == 2);
    CHECK(json::get_string(pod(1), {"metadata", "labels", "scheduling.x-k8s.io/pod-group"}) == name_of(group));
    run_all();
    CHECK(phase() == "Running");
}

TEST_CASE_FIXTURE(group_world, "PodGroup: Volcano's for pods that it schedules, and no other one for those") {
    const json::object trainer{{"name", "trainer"}, {"image", "bert:1"}};
    const json::object spec{{"schedulerName", "volcano"}, {"containers", json::array{trainer}}};
    serve_groups("scheduling.x-k8s.io", "v1alpha1");
    bool served = false;
    SUBCASE("served") { served = true; }
    SUBCASE("not served") {}
    if (served) serve_groups("scheduling.volcano.sh", "v1beta1");
    add_job({{"template", {{"spec", spec}}}});
    CHECK(groups("scheduling.x-k8s.io").empty());
    CHECK(pods() == "bert-0 bert-1");
    if (!served) return;
    REQUIRE(groups("scheduling.volcano.sh").size() == 1);
    CHECK(json::get_string(pod(0), {"metadata", "annotations", "scheduling.k8s.io/group-name"}) ==
          name_of(groups("scheduling.volcano.sh")[0]));
}

TEST_CASE_FIXTURE(group_world, "PodGroup: a server without the kind has pods without a group") {
    add_job();
    CHECK(pods() == "bert-0 bert-1");
    CHECK(json::find(pod(0), {"spec", "schedulingGroup"}) == nullptr);
}
