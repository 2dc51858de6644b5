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
