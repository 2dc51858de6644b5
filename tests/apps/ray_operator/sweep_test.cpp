// The life of a cluster and of a job, again and again: with each request failing once, in each way, and with the
// operator killed at each request.
#include "ray_world.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

using namespace ray_operator;
using namespace ray_operator::tests;

namespace {

enum class trouble { none, error_500, conflict, dropped, answer_lost, killed };
const std::string words_of[] = {"none", "error 500", "conflict", "dropped", "answer lost", "killed"};

// A job on a cluster of a head and three workers in two groups; its head is lost once before the end.
class life {
public:
    life(trouble what, std::size_t at) {
        w_.server.api().set_faults([this, what, at](const http::server_request&) {
            if (quiet_ || ++requests_ != at) return testing::fault();
            met_ = true;
            testing::fault out;
            if (what == trouble::error_500) out.status(500, "InternalError", "the test says so");
            if (what == trouble::conflict) out.status(409, "Conflict", "the test says so");
            if (what == trouble::dropped) out.drop();
            if (what == trouble::answer_lost) out.drop_response();
            if (what == trouble::killed) kill_ = true;
            return out;
        });
        w_.stop(), w_.start();  // under the faults
    }
    ~life() { w_.server.api().set_faults({}); }

    std::string play() {
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
    bool met() const { return met_; }
    std::size_t requests() const { return requests_; }

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
    bool goes_on_until(const std::function<bool()>& done) {
        for (int second = 0; second < 600; ++second) {
            if (done()) return true;
            const auto next = w_.world.env().now() + 1s;
            w_.world.run_until([this] { return kill_; }, 1s);
            if (!kill_) w_.world.run_for(next - w_.world.env().now());
            if (kill_) {
                kill_ = false;
                w_.m.reset();  // as it is
                w_.start();
            }
            tick();
        }
        return false;
    }
    // Scheduler, kubelet, and the name of the head.
    void tick() {
        quiet_ = true;
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
        quiet_ = false;
    }

    ray_world w_;
    bool quiet_ = false, kill_ = false, met_ = false;
    std::size_t requests_ = 0;
    int most_heads_ = 0, most_workers_ = 0;
    std::set<std::string> clusters_;
};

// How far apart the requests are that fail; the nightly's is 1.
std::size_t sweep_step() {
    const char* const wanted = std::getenv("KCONTROL_SWEEP_STEP");  // seam: ok, how long this test shall be
    return wanted != nullptr ? std::max<std::size_t>(1, std::strtoull(wanted, nullptr, 10)) : 3;
}

}  // namespace

TEST_CASE(
    "each request of a job's life fails once, in each way, or is the last one of an operator: the end is the same") {
    life undisturbed(trouble::none, 0);
    REQUIRE(undisturbed.play() == "");
    const std::size_t requests = undisturbed.requests();
    MESSAGE("requests of a job's life, with those of a start: " << requests);
    CHECK(requests < 150);
    const std::size_t step = sweep_step();
    for (int what = 1; what < 6; ++what) {
        for (std::size_t at = 1 + static_cast<std::size_t>(what) % step; at <= requests; at += step) {
            life one(static_cast<trouble>(what), at);
            const std::string end = one.play();
            CHECK_MESSAGE(end.empty(), words_of[what] << " at request " << at << ": " << end);
        }
    }
}
