// What a pod's status means for its rank.
#include <kcontrol/codec/codec.hpp>

#include "gang/rank.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

using namespace training_operator;
using namespace training_operator::tests;

namespace {

rank of(const std::string& status, const std::string& metadata = "", const rank_node* node = nullptr) {
    const std::string text =
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"bert-1","namespace":"ml","uid":"u",)" + metadata +
        R"("labels":{"ai.kcontrol.dev/job":"bert","ai.kcontrol.dev/rank":"1","ai.kcontrol.dev/attempt":"2"}},)"
        R"("spec":{"nodeName":"n1","containers":[{"name":"trainer"},{"name":"logs"}]},"status":)" +
        status + "}";
    const auto pod = from_json<rank_pod>(text);
    REQUIRE_MESSAGE(pod.has_value(), text);
    return read_rank(*pod, node);
}
std::string ended(int code, const std::string& more = "") {
    return R"({"name":"trainer","state":{"terminated":{"exitCode":)" + std::to_string(code) +
           R"(,"finishedAt":"2026-11-23T10:00:05Z")" + more + "}}}";
}

}  // namespace

TEST_CASE("a rank is known by its labels") {
    const rank r = of(R"({"phase":"Running"})");
    CHECK(r.number == 1);
    CHECK(r.attempt == 2);
    CHECK(r.name == "bert-1");
    CHECK(r.uid == "u");
    CHECK(r.node == "n1");
    CHECK(r.state == pod_state::running);
    CHECK_FALSE(r.leaving);
    CHECK(of(R"({"phase":"Running"})", R"("deletionTimestamp":"2026-11-23T10:00:00Z",)").leaving);
    rank_pod strange;
    strange.metadata.labels["ai.kcontrol.dev/rank"] = "1x";
    CHECK(read_rank(strange, nullptr).number == -1);
}

TEST_CASE("ranks of Indexed Jobs and of Kubeflow's, and pods that a queue holds back") {
    const auto number = [](std::initializer_list<std::pair<const char*, const char*>> labels) {
        rank_pod pod;
        for (const auto& [name, value] : labels) pod.metadata.labels[name] = value;
        return read_rank(pod, nullptr).number;
    };
    constexpr const char* type = "training.kubeflow.org/replica-type";
    constexpr const char* index = "training.kubeflow.org/replica-index";
    CHECK(number({{"batch.kubernetes.io/job-completion-index", "3"}}) == 3);
    CHECK(number({{type, "master"}, {index, "0"}}) == 0);
    CHECK(number({{type, "worker"}, {index, "0"}}) == 1);
    CHECK(number({{type, "worker"}, {index, "6"}}) == 7);
    CHECK(number({{type, "worker"}, {index, "x"}}) == -1);
    rank_pod pod;
    CHECK_FALSE(read_rank(pod, nullptr).gated);
    pod.spec.scheduling_gates.emplace_back().name = "kueue.x-k8s.io/admission";
    CHECK(read_rank(pod, nullptr).gated);
}

TEST_CASE("the first container of the template is the rank; others may go on") {
    const rank well = of(R"({"phase":"Running","containerStatuses":[)" + ended(0) + "]}");
    CHECK(well.state == pod_state::ended_well);
    CHECK_FALSE(well.over);
    CHECK(of(R"({"phase":"Succeeded"})").state == pod_state::ended_well);
    CHECK(of(R"({"phase":"Succeeded"})").over);
    const rank bad = of(R"({"phase":"Running","containerStatuses":[{"name":"logs","state":{"running":{}}},)" +
                        ended(3, R"(,"reason":"Error","message":"no such file")") + "]}");
    CHECK(bad.state == pod_state::failed);
    CHECK(bad.exit_code == 3);
    CHECK(bad.words == "no such file");
    CHECK(bad.ended == after(5));
    CHECK_FALSE(bad.disrupted);
    CHECK(of(R"({"containerStatuses":[)" + ended(137, R"(,"reason":"OOMKilled")") + "]}").words == "OOMKilled");
    const rank init = of(R"({"phase":"Failed","initContainerStatuses":[{"name":"fetch","state":{"terminated":)"
                         R"({"exitCode":4}}}],"containerStatuses":[{"name":"trainer","state":{"waiting":{}}}]})");
    CHECK(init.state == pod_state::failed);
    CHECK(init.exit_code == 4);
    CHECK_FALSE(init.disrupted);
}

TEST_CASE("what it waits for, in the words of who keeps it waiting") {
    CHECK(of("{}").state == pod_state::waiting);
    CHECK(of(R"({"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",)"
             R"("message":"0/3 nodes are available: 3 Insufficient nvidia.com/gpu."}]})")
              .words == "Unschedulable: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu.");
    CHECK(of(R"({"phase":"Pending","containerStatuses":[{"name":"trainer","state":{"waiting":{"reason":)"
             R"("ImagePullBackOff","message":"Back-off pulling image"}}}]})")
              .words == "ImagePullBackOff: Back-off pulling image");
    CHECK(of(R"({"phase":"Pending"})").words == "it is prepared on n1");
    CHECK(read_rank(rank_pod(), nullptr).words == "no node was found for it yet");
}

TEST_CASE("evicted, preempted, refused by the kubelet: taken away") {
    const rank evicted = of(R"({"phase":"Failed","reason":"Evicted","message":"the node was low on memory",)"
                            R"("containerStatuses":[)" +
                            ended(137) + "]}");
    CHECK(evicted.state == pod_state::failed);
    CHECK(evicted.disrupted);
    CHECK(evicted.words == "Evicted: the node was low on memory");
    CHECK(of(R"({"phase":"Failed","reason":"OutOfnvidia.com/gpu"})").disrupted);
    CHECK(of(R"({"phase":"Failed","conditions":[{"type":"DisruptionTarget","status":"True"}],"containerStatuses":[)" +
             ended(143) + "]}")
              .disrupted);
    CHECK_FALSE(of(R"({"phase":"Failed","containerStatuses":[)" + ended(143) + "]}").disrupted);
}

TEST_CASE("a long message is cut, but not inside a character") {
    std::string euros;
    for (int i = 0; i < 600; ++i) euros += "\xE2\x82\xAC";
    const rank r = of(R"({"containerStatuses":[)" + ended(1, R"(,"message":")" + euros + "\"") + "]}");
    CHECK(r.words.size() == 999);
    CHECK(euros.starts_with(r.words));
}

TEST_CASE("a node that is not ready, since when") {
    rank_node node;
    CHECK_FALSE(unready_since(node));
    auto& ready = node.status.conditions.emplace_back();
    ready.type = "Ready";
    ready.status = "True";
    ready.last_transition_time = begin;
    CHECK_FALSE(of(R"({"phase":"Running"})", "", &node).unready_since);
    for (const char* status : {"False", "Unknown"}) {
        ready.status = status;
        CHECK(of(R"({"phase":"Running"})", "", &node).unready_since == begin);
    }
}
