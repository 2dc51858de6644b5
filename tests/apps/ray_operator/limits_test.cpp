// Numbers at their limits: pods that terminate while an autoscaler patches, a thousand groups, an object of 1.5 MB.
#include "ray_world.hpp"

using namespace ray_operator;
using namespace ray_operator::tests;

namespace {

class limit_world : public ray_world {
public:
    /// Pods that hold their place now; those that are going do so until their time is up.
    std::size_t holding() {
        std::size_t out = 0;
        for (const auto& pod : server.api().list(pods_id)) {
            const std::string until(json::get_string(pod, {"metadata", "deletionTimestamp"}));
            const bool worker = json::get_string(pod, {"metadata", "labels", node_type_label}) == "worker";
            if (worker && (until.empty() || parse_time(until).value() > world.env().wall_now())) ++out;
        }
        return out;
    }
    void autoscale(int replicas, const json::array& named) {
        json::object a = group_of("a", replicas, {{"maxReplicas", 4}});
        if (!named.empty()) a["scaleStrategy"] = json::object{{"workersToDelete", named}};
        (void)server.api()
            .patch(clusters_id, {"default", "small"}, {{"spec", {{"workerGroupSpecs", json::array{a}}}}})
            .value();
    }
};

}  // namespace

TEST_CASE_FIXTURE(limit_world, "#560: never beyond maxReplicas, also while pods terminate for long") {
    add_cluster(spec({group_of("a", 4, {{"maxReplicas", 4}})}, {{"enableInTreeAutoscaling", true}}));
    kubelet();
    for (int round = 0; round < 6; ++round) {
        const auto workers = names("worker");
        autoscale(9, {json::value(workers[0]), json::value(workers[1])});
        for (int second = 0; second < 10; ++second) {
            settle(1s);
            CHECK(holding() <= 4);
        }
        autoscale(9, {});
        settle(25s);
        kubelet();
        settle();
        CHECK(pods().workers == 4);
    }
    CHECK(events("ReplicasLimited") >= 1);
}

TEST_CASE_FIXTURE(limit_world, "#865: an autoscaler that takes back what never started ends with what it asked for") {
    add_cluster(spec({group_of("a", 0, {{"maxReplicas", 4}})}, {{"enableInTreeAutoscaling", true}}));
    kubelet();
    std::set<std::string> made;
    for (int round = 0; round < 20; ++round) {
        autoscale(4, {});
        settle(2s);
        json::array idle;
        for (const auto& name : names("worker")) made.insert(name), idle.push_back(json::value(name));
        CHECK(holding() <= 4);
        autoscale(0, idle);
        settle(2s);
        kubelet();
    }
    CHECK(pods() == counts{1, 0, 0});
    CHECK(made.size() <= 80);  // no other one in the place of one that was named
    const auto before = writes();
    settle(1h);
    CHECK(writes() == before);
}

TEST_CASE_FIXTURE(ray_world,
                  "a thousand groups, of which the last is refused by its name; others are served meanwhile") {
    json::array groups;
    for (int i = 0; i < 1000; ++i) groups.push_back(group_of("g" + std::to_string(i), i < 2 ? 1 : 0));
    groups.back().as_object()["replicas"] = -1;
    add_cluster(spec(groups), "large");
    CHECK(condition("SpecValid", "large") ==
          "False InvalidSpec: spec.workerGroupSpecs[999].replicas: -1: give 0 or more");
    add_cluster(spec({group_of("a", 1)}));
    CHECK(summary() == "1+1");
    groups.back().as_object()["replicas"] = 1;
    set_spec({{"workerGroupSpecs", groups}}, "large");
    settle(5s);
    CHECK(summary("large") == "1+3");
}

TEST_CASE_FIXTURE(ray_world, "an object of 1.5 MB is served, and beside it others") {
    json::object a = group_of("a", 1);
    const json::object padding{{"name", "PADDING"}, {"value", std::string(1450000, 'x')}};
    a["template"].as_object()["spec"].as_object()["containers"].as_array()[0].as_object()["env"] = json::array{padding};
    add_cluster(spec({a}), "heavy");
    add_cluster(spec({group_of("a", 1)}));
    CHECK(summary() == "1+1");
    CHECK(summary("heavy") == "1+1");
}

TEST_CASE_FIXTURE(ray_world, "names of 53 and 54 letters") {
    const std::string longest(53, 'a');
    add_cluster(spec({group_of("a", 1)}), longest);
    kubelet();
    CHECK(summary(longest) == "1+1");
    for (const auto& pod : server.api().list(pods_id)) CHECK(json::get_string(pod, {"metadata", "name"}).size() <= 63);
    const std::string longer(54, 'b');
    add_cluster(spec({group_of("a", 1)}), longer);
    CHECK(condition("SpecValid", longer) ==
          "False InvalidSpec: metadata.name: \"" + longer + "\": give at most 53 characters");
    CHECK(summary(longer) == "0+0");
}
