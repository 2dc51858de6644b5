// The life of a cluster and of a job, again and again: with each request failing once, in each way, and with the
// operator killed at each request.
#include "ray_world.hpp"
#include "support/disturbed_life.hpp"

#include <set>

using namespace ray_operator;
using namespace ray_operator::tests;

namespace {

// A job on a cluster of a head and three workers in two groups; its head is lost once before the end.
class life final : public test::disturbed_life<ray_world> {
public:
    using disturbed_life::disturbed_life;

    std::string play() override {
        json::object groups =
            ray_world::spec({ray_world::group_of("a", 1), ray_world::group_of("b", 1, {{"numOfHosts", 2}})});
        w_.add_job({{"submissionMode", "HTTPMode"}, {"rayClusterSpec", groups}, {"shutdownAfterJobFinishes", true}});
        std::string out;
        if (!goes_on_until([this] { return !w_.dashboard.jobs.empty(); })) return "no submission: " + state();
        if (most_workers_ > 3 || most_heads_ > 1)
            out += std::to_string(most_heads_) + " heads and " + std::to_string(most_workers_) + " workers; ";
        const auto failed = w_.names("worker").front();
        w_.patch_pod(failed, {{"status", {{"phase", "Failed"}}}});
        if (!goes_on_until([&] { return ready_workers() == 3; })) return "not replaced: " + state();
        w_.dashboard.jobs.begin()->second = "SUCCEEDED";
        if (!goes_on_until([this] { return w_.told_of_job() == "Complete SUCCEEDED"; })) return "no end: " + state();
        if (!goes_on_until([this] { return w_.names("worker").empty() && w_.names("head").empty(); }))
            return "the cluster stays: " + state();
        if (w_.dashboard.jobs.size() != 1) out += std::to_string(w_.dashboard.jobs.size()) + " Ray jobs; ";
        if (clusters_.size() != 1) out += std::to_string(clusters_.size()) + " clusters; ";
        quiet_ = false;
        (void)w_.server.api().remove(jobs_id, {"default", "count"}).has_value();
        if (!goes_on_until([this] { return w_.told_of_job() == "gone"; })) return "the job stays: " + state();
        return out;
    }

private:
    std::string state() {
        return w_.told_of_job() + ", clusters " + std::to_string(w_.server.api().list(clusters_id).size()) +
               ", heads " + std::to_string(w_.names("head").size()) + ", workers " +
               std::to_string(w_.names("worker").size());
    }
    int ready_workers() {
        int out = 0;
        for (const auto& pod : w_.server.api().list(pods_id)) {
            const bool going = json::find(pod, {"metadata", "deletionTimestamp"}) != nullptr;
            const bool worker = json::get_string(pod, {"metadata", "labels", node_type_label}) == "worker";
            if (worker && !going && json::get_string(pod, {"status", "phase"}) == "Running") ++out;
        }
        return out;
    }
    // Scheduler, kubelet, and the name of the head.
    void tick() override {
        int heads = 0, workers = 0;
        for (const auto& pod : w_.server.api().list(pods_id)) {
            const bool going = json::find(pod, {"metadata", "deletionTimestamp"}) != nullptr;
            if (going || json::get_string(pod, {"status", "phase"}) == "Failed") continue;
            ++(json::get_string(pod, {"metadata", "labels", node_type_label}) == "head" ? heads : workers);
        }
        most_heads_ = std::max(most_heads_, heads);
        most_workers_ = std::max(most_workers_, workers);
        for (const auto& cluster : w_.server.api().list(clusters_id)) {
            if (clusters_.emplace(json::get_string(cluster, {"metadata", "uid"})).second) w_.serve_dashboard();
        }
        w_.run_pods();
    }

    int most_heads_ = 0, most_workers_ = 0;
    std::set<std::string> clusters_;
};

}  // namespace

TEST_CASE(
    "each request of a job's life fails once, in each way, or is the last one of an operator: the end is the same") {
    test::sweep<life>("", 150, 3);
}

TEST_CASE("two operators at once, neither of which knows of the other: one head, no worker too many, one Ray job") {
    life both(test::trouble::none, 0);
    auto& w = both.world();
    manager other(w.world.env(), w.world.get_executor(), w.world.connect(w.server), watched());
    REQUIRE(set_up(other, direct_dashboards(w.world.network().factory())));
    other.start();
    CHECK(both.play() == "");
    w.world.run(other.stop());
}
