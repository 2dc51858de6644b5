// Jobs with a queue of Kueue's: pods that wait as one group, until an admitter, played here, lets them in.
#include "operator_world.hpp"

#include <set>

using namespace training_operator;
using namespace training_operator::tests;

namespace {

class queue_world : public operator_world {
public:
    queue_world() { job_labels = queue(); }
    std::set<std::string> of_pods(const char* where, const char* name) {
        std::set<std::string> out;
        for (const auto& pod : server.api().list(pods_id)) {
            out.emplace(json::get_string(pod, {"metadata", where, name}));
        }
        return out;
    }
};

}  // namespace

TEST_CASE_FIXTURE(queue_world, "pods of a queue are one group, and the job is Queued until all are admitted") {
    add_job();
    CHECK(told() == "Queued, attempt 1, 0/2, Queued: attempt 1 begins with 2 ranks, when its queue admits them");
    CHECK(pods() == "bert-0 bert-1");
    CHECK(of_pods("labels", "kueue.x-k8s.io/queue-name") == std::set<std::string>{"team-a"});
    CHECK(of_pods("annotations", "kueue.x-k8s.io/pod-group-total-count") == std::set<std::string>{"2"});
    const auto group = of_pods("labels", "kueue.x-k8s.io/pod-group-name");
    REQUIRE(group.size() == 1);
    CHECK(group.begin()->size() <= 63);
    const auto before = writes();
    settle(1h);  // no start is missed, and nothing is written
    CHECK(phase() == "Queued");
    CHECK(writes() == before);
    CHECK_FALSE(job()->status.start_time.present());
    admit();
    CHECK(told() == "Starting, attempt 1, 0/2, Admitted: the queue has admitted 2 ranks");
    run_all();
    CHECK(phase() == "Running");

    // Preempted: Kueue deletes the pods. The next attempt is another group.
    REQUIRE(world.run(world.connect(server).delete_<rank_pod>({"default", "bert-1"}, delete_options())));
    settle();
    let_go();
    settle(5s);
    CHECK(told().starts_with("Queued, attempt 2"));
    CHECK(of_pods("labels", "kueue.x-k8s.io/pod-group-name") != group);
    admit();
    run_all();
    end(0, 0);
    end(1, 0);
    settle();
    CHECK(phase() == "Succeeded");
}

TEST_CASE_FIXTURE(queue_world, "one pod that is still gated keeps all waiting; suspend and deletion take them back") {
    add_job();
    (void)server.api().patch(pods_id, {"default", "bert-0"}, {{"spec", {{"schedulingGates", nullptr}}}}).value();
    settle(1min);
    CHECK(phase() == "Queued");
    set_spec({{"suspend", true}});
    CHECK(phase() == "Suspended");
    let_go();
    CHECK(pods() == "");
    set_spec({{"suspend", false}});
    CHECK(phase() == "Queued");
    set_spec({{"workers", 3}});
    let_go();
    settle(5s);
    CHECK(told().starts_with("Queued, attempt 1, 0/3"));
    CHECK(of_pods("annotations", "kueue.x-k8s.io/pod-group-total-count") == std::set<std::string>{"3"});
    remove_job();
    let_go();
    settle(5s);
    CHECK(phase() == "gone");
    CHECK(pods() == "");
}

TEST_CASE_FIXTURE(operator_world, "without the label there is no gate and no group") {
    add_job();
    CHECK(phase() == "Starting");
    const auto pod = json::serialize(*server.api().get(pods_id, {"default", "bert-0"}));
    CHECK(pod.find("kueue") == std::string::npos);
    CHECK(pod.find("schedulingGates") == std::string::npos);
}

namespace {

class kueue_world : public queue_world {
public:
    kueue_world() { world.register_resource({"kueue.x-k8s.io", "v1beta1", "Workload", "workloads"}); }
    std::string group() { return *of_pods("labels", "kueue.x-k8s.io/pod-group-name").begin(); }
    void say(const std::string& words) {
        const json::value quota{{"type", "QuotaReserved"}, {"status", "False"}, {"message", words}};
        const json::object said{{"status", {{"conditions", json::array{quota}}}}};
        if (server.api().list(workloads_id).empty()) {
            (void)server.api()
                .create({{"apiVersion", "kueue.x-k8s.io/v1beta1"},
                         {"kind", "Workload"},
                         {"metadata", {{"name", group()}, {"namespace", "default"}}}})
                .value();
        }
        (void)server.api().patch(workloads_id, {"default", group()}, said, "status").value();
        settle(20s);
    }
    /// As its webhook does: no pod goes without it.
    void hold_pods() {
        for (const auto& pod : server.api().list(pods_id)) {
            const namespaced_name key("default", std::string(json::get_string(pod, {"metadata", "name"})));
            (void)server.api()
                .patch(pods_id, key, {{"metadata", {{"finalizers", json::array{"kueue.x-k8s.io/managed"}}}}})
                .value();
        }
    }
    void let_pods_go() {
        for (const auto& pod : server.api().list(pods_id)) {
            const namespaced_name key("default", std::string(json::get_string(pod, {"metadata", "name"})));
            (void)server.api().patch(pods_id, key, {{"metadata", {{"finalizers", nullptr}}}}).value();
        }
        settle();
    }
    std::size_t workloads() { return server.api().list(workloads_id).size(); }

    const testing::group_resource workloads_id{"kueue.x-k8s.io", "workloads"};
};

}  // namespace

TEST_CASE_FIXTURE(kueue_world, "what keeps a job waiting is told in the queue's words, once each") {
    add_job();
    CHECK(condition("Admitted") == "Admitted=False Waiting: Kueue has made no Workload of it");
    say("couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu, 2 more needed");
    CHECK(condition("Admitted").ends_with("insufficient unused quota for nvidia.com/gpu, 2 more needed"));
    const auto before = writes();
    settle(10min);
    CHECK(writes() == before);
    say("couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu, 1 more needed");
    CHECK(condition("Admitted").ends_with("1 more needed"));
    admit();
    CHECK(phase() == "Starting");
    CHECK(condition("Admitted") == "Admitted=True Admitted: its queue has admitted it");
}

TEST_CASE_FIXTURE(kueue_world, "pods that Kueue holds are let go by the end of their group") {
    add_job();
    say("no quota");
    hold_pods();
    SUBCASE("the job is suspended") {
        set_spec({{"suspend", true}});
        CHECK(phase() == "Suspended");
    }
    SUBCASE("the job is deleted") { remove_job(); }
    SUBCASE("somebody deletes a pod") {
        (void)server.api().remove(pods_id, {"default", "bert-0"}).has_value();
        settle();
        CHECK(phase() == "Restarting");
    }
    CHECK(workloads() == 0);
    CHECK(pods() == "[bert-0] [bert-1]");
    let_pods_go();
    CHECK(pods().find("[") == std::string::npos);
}

TEST_CASE_FIXTURE(kueue_world, "a pod that was scheduled ends by itself, and its group with it") {
    add_job();
    say("no quota");
    admit();
    run_all();
    hold_pods();
    set_spec({{"suspend", true}});
    CHECK(phase() == "Suspended");
    CHECK(workloads() == 1);
}
