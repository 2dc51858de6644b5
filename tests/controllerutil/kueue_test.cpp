// Kueue's part of pods and jobs: groups of pods, what keeps a Workload waiting, and the end of a group.
#include <kcontrol/controllerutil/kueue.hpp>

#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

const testing::group_resource workloads_id{"kueue.x-k8s.io", "workloads"};

class kueue_world : public world_fixture {
public:
    void serve(const std::string& version = "v1beta1") {
        world.register_resource({"kueue.x-k8s.io", version, "Workload", "workloads"});
        version_ = version;
    }
    void add(const json::value& status, const json::object& spec = {}) {
        (void)server.api()
            .create({{"apiVersion", "kueue.x-k8s.io/" + version_},
                     {"kind", "Workload"},
                     {"metadata",
                      {{"name", "gang"}, {"namespace", "default"}, {"labels", {{"kueue.x-k8s.io/job-uid", "u1"}}}}},
                     {"spec", spec}})
            .value();
        (void)server.api().patch(workloads_id, {"default", "gang"}, {{"status", status}}, "status").value();
    }
    static json::object condition(const char* type, const char* status, const char* message) {
        return {{"type", type},
                {"status", status},
                {"reason", "R"},
                {"message", message},
                {"lastTransitionTime", "2026-01-01T00:00:00Z"}};
    }
    static json::object conditions(json::array all) { return {{"conditions", std::move(all)}}; }
    std::string why() { return world.run(queue.pending_reason(c, {"default", "gang"}, stop)).value(); }
    std::string why_job(const std::string& uid) {
        return world.run(queue.pending_reason(c, "default", uid, stop)).value();
    }

    kueue::workloads queue;

private:
    std::string version_ = "v1beta1";
};

}  // namespace

TEST_CASE("kueue: a pod that waits by itself is gated, and in no group") {
    api::core::v1::pod pod;
    kueue::join_queue("team-a", pod);
    CHECK(pod.metadata.labels.at(kueue::queue_label) == "team-a");
    CHECK_FALSE(pod.metadata.labels.contains(kueue::group_label));
    REQUIRE(pod.spec.scheduling_gates.size() == 1);
    CHECK(pod.spec.scheduling_gates[0].name == "kueue.x-k8s.io/admission");
}

TEST_CASE("kueue: a pod of a group is gated, and takes no other pod's place") {
    api::core::v1::pod pod;
    kueue::join_group("team-a", "gang-7", 3, pod);
    CHECK(pod.metadata.labels.at(kueue::queue_label) == "team-a");
    CHECK(pod.metadata.labels.at(kueue::group_label) == "gang-7");
    CHECK(pod.metadata.annotations.at("kueue.x-k8s.io/pod-group-total-count") == "3");
    CHECK(pod.metadata.annotations.at("kueue.x-k8s.io/retriable-in-group") == "false");
    REQUIRE(pod.spec.scheduling_gates.size() == 1);
    CHECK(pod.spec.scheduling_gates[0].name == "kueue.x-k8s.io/admission");
}

TEST_CASE_FIXTURE(kueue_world, "kueue: a server without it, and one where it has not come to the pods yet") {
    CHECK(why() == "nothing admits it: the server has no Workloads of Kueue");
    CHECK(why_job("u1") == "nothing admits it: the server has no Workloads of Kueue");
    CHECK(world.run(queue.end_group(c, {"default", "gang"}, stop)));
    serve();
    queue = {};
    CHECK(why() == "Kueue has made no Workload of it");
    CHECK(why_job("u1") == "Kueue has made no Workload of it");
    CHECK(world.run(queue.end_group(c, {"default", "gang"}, stop)));
}

TEST_CASE_FIXTURE(kueue_world, "kueue: what a Workload says, in the versions that there are") {
    SUBCASE("nobody has looked") {
        serve();
        add(json::object());
        CHECK(why() == "its queue has not looked at it yet");
    }
    SUBCASE("no quota") {
        serve();
        add(conditions({condition("QuotaReserved", "False", "couldn't assign flavors: insufficient quota")}));
        CHECK(why() == "couldn't assign flavors: insufficient quota");
        CHECK(why_job("u1") == "couldn't assign flavors: insufficient quota");
        CHECK(why_job("u2") == "Kueue has made no Workload of it");
    }
    SUBCASE("an admission check") {
        serve("v1beta2");
        auto status = conditions({condition("QuotaReserved", "True", "reserved")});
        status["admissionChecks"] =
            json::array{{{"name", "ready"}, {"state", "Ready"}, {"message", ""}},
                        {{"name", "nodes"}, {"state", "Pending"}, {"message", "no node is there yet"}}};
        add(status);
        CHECK(why() == "admission check nodes is Pending: no node is there yet");
    }
    SUBCASE("not active") {
        serve("v1beta2");
        add(conditions({condition("QuotaReserved", "False", "old words")}), {{"active", false}});
        CHECK(why() == "its Workload is not active");
    }
    SUBCASE("admitted") {
        serve();
        add(conditions({condition("QuotaReserved", "True", "reserved"), condition("Admitted", "True", "admitted")}));
        CHECK(why() == "");
    }
}

TEST_CASE_FIXTURE(kueue_world, "kueue: the end of a group is the end of its Workload") {
    serve();
    add(json::object());
    CHECK(world.run(queue.end_group(c, {"default", "other"}, stop)));
    CHECK(server.api().list(workloads_id).size() == 1);
    CHECK(world.run(queue.end_group(c, {"default", "gang"}, stop)));
    CHECK(server.api().list(workloads_id).empty());
    CHECK(world.run(queue.end_group(c, {"default", "gang"}, stop)));
}
