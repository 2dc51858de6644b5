// make_random_cluster(): the same from the same seed, accepted by a server, and with all that schedulers look at.
#include <kcontrol/testing/fake_cluster.hpp>
#include <kcontrol/testing/no_overcommit.hpp>
#include <kcontrol/testing/random_cluster.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace kcontrol;
using namespace std::chrono_literals;
using testing::make_random_cluster;
using testing::random_cluster;
using testing::random_cluster_options;

namespace {

std::string text_of(const random_cluster& cluster) {
    std::string out;
    for (const auto* all : {&cluster.namespaces, &cluster.priority_classes, &cluster.nodes, &cluster.pods}) {
        for (const auto& one : *all) out += json::serialize(one) + "\n";
    }
    return out;
}

void create_all(testing::api_server& api, const random_cluster& cluster) {
    for (const auto* all : {&cluster.namespaces, &cluster.priority_classes, &cluster.nodes, &cluster.pods}) {
        for (const auto& one : *all) {
            const auto made = api.create(one);
            REQUIRE_MESSAGE(made, (json::serialize(one) + ": " + made.error().message()));
        }
    }
}

const testing::group_resource pods("", "pods");

}  // namespace

TEST_CASE("a seed gives the same cluster, and another one another") {
    CHECK(text_of(make_random_cluster(7)) == text_of(make_random_cluster(7)));
    CHECK(text_of(make_random_cluster(7)) != text_of(make_random_cluster(8)));
}

TEST_CASE("a random cluster has as much as its options say") {
    std::size_t least = 100, most = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        const random_cluster cluster = make_random_cluster(seed, random_cluster_options().nodes(4, 6).pods(9).gangs(2));
        least = std::min(least, cluster.nodes.size());
        most = std::max(most, cluster.nodes.size());
        CHECK(cluster.pods.size() == 9);
        std::map<std::string, int> members, wanted;
        for (const auto& pod : cluster.pods) {
            const std::string gang(json::get_string(pod, {"metadata", "labels", "scheduling.kcontrol.dev/gang"}));
            if (gang.empty()) continue;
            ++members[gang];
            wanted[gang] = std::stoi(
                std::string(json::get_string(pod, {"metadata", "annotations", "scheduling.kcontrol.dev/gang-size"})));
        }
        CHECK_FALSE(members.empty());
        CHECK(members == wanted);
    }
    CHECK(least == 4);
    CHECK(most == 6);
}

TEST_CASE("random clusters have all that a scheduler looks at") {
    std::string all;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) all += text_of(make_random_cluster(seed));
    for (const char* part : {"topology.kubernetes.io/zone",
                             "nvidia.com/gpu",
                             "\"taints\"",
                             "NoSchedule",
                             "PreferNoSchedule",
                             "NoExecute",
                             "\"unschedulable\":true",
                             "\"images\"",
                             "nodeSelector\"",
                             "\"tolerations\"",
                             "nodeAffinity",
                             "podAffinity",
                             "podAntiAffinity",
                             "preferredDuringSchedulingIgnoredDuringExecution",
                             "requiredDuringSchedulingIgnoredDuringExecution",
                             "topologySpreadConstraints",
                             "DoNotSchedule",
                             "ScheduleAnyway",
                             "minDomains",
                             "hostPort",
                             "initContainers",
                             "\"restartPolicy\":\"Always\"",
                             "random-high",
                             "namespaceSelector",
                             "\"limits\"",
                             "ephemeral-storage"}) {
        CAPTURE(part);
        CHECK(all.find(part) != std::string::npos);
    }
}

TEST_CASE("a server accepts random clusters, and the fake scheduler binds most of their pods") {
    std::size_t bound = 0, all = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        testing::sim_world world(seed);
        auto& server = world.add_server("cluster", testing::api_server_options().default_and_validate(true));
        testing::fake_cluster fakes(world, server, testing::fake_cluster_options().nodes(0));
        create_all(server.api(), make_random_cluster(seed));
        world.run_for(1s);
        CHECK(testing::no_overcommit(server.api()).empty());
        for (const auto& pod : server.api().list(pods)) {
            ++all;
            bound += json::get_string(pod, {"spec", "nodeName"}).empty() ? 0U : 1U;
            CHECK(json::get_string(pod, {"status", "reason"}).empty());
        }
    }
    CHECK(all == 400);
    CHECK(bound > all / 2);
    CHECK(bound < all);
}
