// The place of a Workload in its queue, as Kueue's visibility API tells it.
#include "pods/queue_position.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;

TEST_CASE("queue position: what is asked") {
    CHECK(pending_workloads_target("ml", "team-a") ==
          "/apis/visibility.kueue.x-k8s.io/v1beta1/namespaces/ml/localqueues/team-a/pendingworkloads?limit=1000");
    // The name of a queue is what somebody wrote into a Workload.
    CHECK(pending_workloads_target("ml", "a/../b?c").find("/localqueues/a%2F..%2Fb%3Fc/pendingworkloads") !=
          std::string::npos);
}

TEST_CASE("queue position: the Workload's, counted from one for people") {
    const char* const answer =
        R"({"kind":"PendingWorkloadsSummary","apiVersion":"visibility.kueue.x-k8s.io/v1beta1","metadata":{},"items":[)"
        R"({"metadata":{"name":"job-a","namespace":"ml"},"priority":0,"localQueueName":"team-a",)"
        R"("positionInClusterQueue":0,"positionInLocalQueue":0},)"
        R"({"metadata":{"name":"job-b","namespace":"ml"},"priority":0,"localQueueName":"team-a",)"
        R"("positionInClusterQueue":6,"positionInLocalQueue":2}]})";
    const auto first = find_position(answer, "job-a");
    REQUIRE(first);
    CHECK(describe(*first, "team-a") == "number 1 in queue team-a, 1 in its ClusterQueue");
    const auto other = find_position(answer, "job-b");
    REQUIRE(other);
    CHECK(describe(*other, "team-a") == "number 3 in queue team-a, 7 in its ClusterQueue");
    CHECK(!find_position(answer, "job-c"));
}

TEST_CASE("queue position: an answer that is something else tells nothing") {
    for (const char* const answer :
         {"", "no JSON", "[]", "{}", R"({"items":{}})", R"({"items":[1,{"metadata":3},{"metadata":{"name":7}}]})",
          R"({"items":[{"metadata":{"name":"w"}}]})",
          R"({"items":[{"metadata":{"name":"w"},"positionInLocalQueue":"1","positionInClusterQueue":2}]})",
          R"({"items":[{"metadata":{"name":"w"},"positionInLocalQueue":-1,"positionInClusterQueue":2}]})"}) {
        CAPTURE(answer);
        CHECK(!find_position(answer, "w"));
    }
}
