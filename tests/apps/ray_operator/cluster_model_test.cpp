// Random lives of clusters: patches of an autoscaler, losses of nodes, ends of pods, refused creations, suspensions,
// edits. What must hold does so after each step, and at the end there is nothing left to do.
#include "support.hpp"
#include "support/how_much.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace ray_operator;
using namespace ray_operator::tests;

namespace {

class life {
public:
    explicit life(unsigned seed) : random_(seed), scales_(chance(2)) {
        c_ = cluster_with(group("a", R"("replicas":2,"maxReplicas":6)") + "," +
                              group("b", R"("replicas":1,"maxReplicas":3,"numOfHosts":2)"),
                          scales_ ? R"("enableInTreeAutoscaling":true)" : "");
        if (chance(8)) c_.spec.upgrade_strategy.edit().type = "Recreate";
    }

    std::string play() {
        for (int step = 0; step < 40 && broken_.empty(); ++step) {
            happen();
            reconcile(chance(10));
        }
        calm_down();
        for (int step = 0; step < 60 && broken_.empty(); ++step) reconcile(false);
        if (!broken_.empty()) return broken_;
        const auto what = decide(c_, facts(pods_), now_);
        if (what.touches_pods()) return "at the end: " + words(c_, what, now_);
        if (!(next_status(c_, facts(pods_), std::nullopt, now_) == c_.status)) return "at the end: the status changes";
        if (!is_true(c_.status.conditions, "RayClusterProvisioned")) return "at the end: not provisioned";
        for (std::size_t g = 0; g < 2; ++g) {
            const auto& spec = c_.spec.worker_group_specs[g];
            const auto have = counted(spec.group_name.str()), want = wanted_replicas(spec) * hosts_of(spec);
            if (have < want || (have > want && !scales_))
                return "at the end: " + std::to_string(have) + " of " + std::to_string(want);
        }
        return {};
    }

private:
    bool chance(unsigned one_in) { return random_() % one_in == 0; }
    pod_fact* any_pod() { return pods_.empty() ? nullptr : &pods_[random_() % pods_.size()]; }
    std::int64_t counted(const std::string& group) const {
        return std::ranges::count_if(pods_, [&](const pod_fact& p) { return p.group == group && p.counts(now_); });
    }
    void edit() { c_.metadata.generation = *c_.metadata.generation + 1; }

    void happen() {
        now_ += std::chrono::milliseconds(random_() % 20000);
        kubelets();
        auto& group = c_.spec.worker_group_specs[random_() % 2];
        switch (random_() % 9) {
        case 0: group.replicas = static_cast<std::int32_t>(random_() % 8), edit(); break;
        case 1: {
            auto& names = group.scale_strategy.edit().workers_to_delete;
            names.clear();
            if (any_pod() != nullptr && chance(2)) names.push_back(any_pod()->name);
            if (chance(2)) group.replicas = static_cast<std::int32_t>(random_() % 5);
            edit();
            break;
        }
        case 2:
            if (pod_fact* p = any_pod()) *p = ended(*p);
            break;
        case 3:
            if (pod_fact* p = any_pod()) p->lost_at = now_ + node_grace;
            break;
        case 4:
            if (pod_fact* p = any_pod()) p->lost_at.reset();
            break;
        case 5:
            if (pod_fact* p = any_pod(); p != nullptr && !p->deletion) p->deletion = now_ + 30s;
            break;
        case 6: c_.spec.suspend = chance(2), edit(); break;
        case 7:
            if (chance(4)) c_.spec.head_group_spec.ray_start_params["x"] = std::to_string(random_()), edit();
            break;
        default: break;
        }
    }
    // Pods start; those that are to go are gone in time, unless their node is lost.
    void kubelets() {
        std::erase_if(pods_, [&](const pod_fact& p) { return p.deletion && *p.deletion <= now_ && !p.lost_at; });
        for (pod_fact& p : pods_) {
            if (p.ended.empty() && !p.deletion && chance(2))
                p.started = p.running = p.ready = true, p.ready_status = "True";
        }
    }
    void calm_down() {
        for (pod_fact& p : pods_) p.lost_at.reset();
        c_.spec.suspend = false;
        for (auto& group : c_.spec.worker_group_specs) group.scale_strategy.reset();
        edit();
        now_ += 2min;
    }

    void reconcile(bool refused) {
        kubelets();
        const std::vector<pod_fact> before = pods_;
        const auto what = decide(c_, facts(pods_), now_);
        for (const pod_deletion& each : what.remove) {
            const auto p = std::ranges::find(pods_, each.uid, &pod_fact::uid);
            if (!may_go(*p)) broken_ = p->name + " was deleted: " + each.why;
            if (each.at_once) {
                pods_.erase(p);
                continue;
            }
            p->deletion = now_ + (p->ended.empty() ? 30s : 0s);
        }
        std::optional<replica_failure> failed;
        for (const pod_creation& each : what.create) {
            if (refused && chance(2)) {
                failed = replica_failure{"FailedCreateWorkerPod", "exceeded quota"};
                break;
            }
            make(each);
        }
        check_made(before, failed.has_value());
        c_.status = next_status(c_, facts(before), failed, now_);
        now_ += 1s;
    }
    void make(const pod_creation& what) {
        if (std::ranges::count(pods_, what.name, &pod_fact::name) != 0) broken_ = "the name " + what.name + " is taken";
        pod_fact made = pending(
            worker(what.name, what.head ? "headgroup" : c_.spec.worker_group_specs[what.group].group_name.str()));
        made.uid += std::to_string(++uids_);
        made.head = what.head;
        made.created = now_;
        made.place = what.place;
        const auto& head = c_.spec.head_group_spec;
        const auto& groups = c_.spec.worker_group_specs;
        made.digest = what.head ? template_digest(head.template_, head.ray_start_params)
                                : template_digest(groups[what.group].template_, groups[what.group].ray_start_params);
        pods_.push_back(std::move(made));
        std::ranges::sort(pods_, {}, &pod_fact::name);
    }
    // A healthy worker goes only where it is named, surplus, of a replica that is broken, or where all go.
    bool may_go(const pod_fact& p) const {
        if (p.head || !p.ended.empty() || p.is_lost(now_)) return true;
        if (is_true(c_.status.conditions, "RayClusterSuspending") || c_.spec.upgrade_strategy) return true;
        const auto& spec = p.group == "a" ? c_.spec.worker_group_specs[0] : c_.spec.worker_group_specs[1];
        const auto mates = [&](const pod_fact& other) {
            return other.group == p.group &&
                   (p.place.name.empty() ? other.name == p.name : other.place.name == p.place.name);
        };
        std::int64_t alive = 0, whole = 0;
        for (const pod_fact& other : pods_) {
            const bool healthy = other.ended.empty() && !other.is_lost(now_);
            if (mates(other)) {
                for (const text& name : spec.scale_strategy->workers_to_delete) {
                    if (name == other.name) return true;
                }
                ++whole;
                if (!healthy || (other.deletion && p.place.name != "")) return true;
            }
            // Of those that this plan deletes some have a time already.
            alive += other.group == p.group && healthy ? 1 : 0;
        }
        return whole < hosts_of(spec) || (!scales_ && alive > wanted_replicas(spec) * hosts_of(spec));
    }
    void check_made(const std::vector<pod_fact>& before, bool failed) {
        if (counted("headgroup") > 1) broken_ = "two heads";
        for (const auto& spec : c_.spec.worker_group_specs) {
            const std::string name = spec.group_name;
            std::map<std::string, std::int64_t> hosts;
            bool grew = false;
            for (const pod_fact& p : pods_) {
                if (p.group != name) continue;
                grew = grew || std::ranges::count(before, p.uid, &pod_fact::uid) == 0;
                ++hosts[p.place.name + (p.place.name.empty() ? p.name : "")];
            }
            if (grew && counted(name) > wanted_replicas(spec) * hosts_of(spec))
                broken_ = "more of " + name + " than wanted";
            for (const auto& each : hosts) {
                const auto& [replica, count] = each;
                const bool is_new =
                    std::ranges::count_if(before, [&](const pod_fact& p) { return p.place.name == each.first; }) == 0;
                if (grew && !failed && is_new && count != hosts_of(spec) && !replica.starts_with("small-"))
                    broken_ = "a replica of " + std::to_string(count);
            }
        }
    }

    std::mt19937 random_;
    bool scales_;
    ray_cluster c_;
    std::vector<pod_fact> pods_;
    wall_time now_ = begin;
    std::string broken_;
    int uids_ = 0;
};

// How many lives; scripts/test.sh --all: 100,000.
unsigned seeds() {
    return static_cast<unsigned>(kcontrol::test::asked_for("KCONTROL_RAY_SEEDS", kcontrol::test::as_many_as(300)));
}

}  // namespace

TEST_CASE(
    "random lives of clusters: one head, no pod too many, whole replicas, no healthy worker lost, quiet at the end") {
    for (unsigned seed = 1; seed <= seeds(); ++seed) {
        const std::string end = life(seed).play();
        const bool well = end.empty();
        REQUIRE_MESSAGE(well, "seed " << seed << ": " << end);
    }
}
