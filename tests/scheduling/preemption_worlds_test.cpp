// Random worlds in which pods take the places of others: what must hold whatever happens.
//
// A world has nodes that are nearly full, pods and gangs of all priorities that wait, and budgets. A plain scheduler
// decides, evicts and binds; evicted pods leave later, in any order, and come back as new pods. In every world:
// - who is evicted, the policy allows; no budget is broken; gangs go whole; nobody is evicted twice;
// - each preemptor is bound on the place that was freed for it, unless a pod came there that it yields to;
// - the world comes to rest, and then nothing is evicted, bound or placed any more.
#include <kcontrol/scheduling/default_plugins.hpp>
#include <kcontrol/scheduling/gang_claim.hpp>
#include <kcontrol/scheduling/preemption.hpp>

#include "scheduling/objects.hpp"
#include "support/how_much.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using scheduling::disruption_budget;

namespace {

using pod_pointer = std::shared_ptr<const scheduling::pod_info>;

std::uint64_t worlds_wanted() { return test::asked_for("KCONTROL_SCHEDULING_STEPS", test::as_many_as(10'000)) / 10; }

class eviction_world {
public:
    explicit eviction_world(std::uint64_t seed)
        : random_(seed), plugins_(scheduling::default_profile("test", volumes_)), cycle_(plugins_, options(seed)) {
        const int nodes = 1 + at_most(4);
        for (int i = 0; i < nodes; ++i) {
            auto made = std::make_shared<core::node>();
            made->metadata.name = "n" + std::to_string(i);
            made->metadata.labels["kubernetes.io/hostname"] = made->metadata.name;
            made->metadata.labels["zone"] = i % 2 == 0 ? "a" : "b";
            made->status.allocatable["cpu"] = std::to_string(2 + at_most(4));
            made->status.allocatable["pods"] = std::to_string(3 + at_most(4));
            cluster_.set_node(std::move(made));
        }
        for (const char* app : {"web", "db"}) {
            if (at_most(2) == 0) least_healthy_[app] = at_most(3);
        }
        policy_.budgets([this] { return budgets(); });
        for (int i = 2 + at_most(3 * nodes); i > 0; --i) add(random_pod());
        for (int i = at_most(2); i > 0; --i) add_gang(2 + at_most(1));
        run_until_rest(0);  // those that came first are placed
        evictions_ = 0;
        for (int i = 1 + at_most(4); i > 0; --i) add(random_pod());
        if (at_most(1) == 0) add_gang(2 + at_most(1));
    }

    void check() {
        run_until_rest(1);
        const auto evictions = evictions_;
        const auto placed = cluster_.snapshot().pod_count();
        for (int i = 0; i < 3; ++i) {
            CHECK_FALSE(decide_all());
            CHECK(leaving_.empty());
        }
        CHECK(evictions_ == evictions);
        CHECK(cluster_.snapshot().pod_count() == placed);
    }
    std::size_t evictions() const { return evictions_; }

private:
    static scheduling::cycle_options options(std::uint64_t seed) { return scheduling::cycle_options().seed(seed); }
    int at_most(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n + 1)); }

    std::shared_ptr<core::pod> random_pod() {
        auto out = std::make_shared<core::pod>();
        const std::string app = at_most(2) == 0 ? "db" : "web";
        out->metadata.labels["app"] = app;
        out->spec.priority = at_most(4);
        if (at_most(9) == 0) out->spec.preemption_policy = "Never";
        core::container one;
        one.name = "main";
        one.resources.requests["cpu"] = std::to_string(1 + at_most(2));
        if (at_most(9) == 0) {
            core::container_port port;
            port.container_port = 80;
            port.host_port = 80;
            one.ports.push_back(port);
        }
        out->spec.containers.push_back(std::move(one));
        if (at_most(5) == 0) {
            core::pod_affinity_term apart;
            apart.topology_key = at_most(1) == 0 ? "zone" : "kubernetes.io/hostname";
            apart.label_selector.edit().match_labels["app"] = "db";
            auto& terms = out->spec.affinity.edit().pod_anti_affinity.edit();
            terms.required_during_scheduling_ignored_during_execution.push_back(apart);
        }
        if (at_most(5) == 0) {
            core::topology_spread_constraint even;
            even.max_skew = 1 + at_most(1);
            even.topology_key = at_most(1) == 0 ? "zone" : "kubernetes.io/hostname";
            even.when_unsatisfiable = "DoNotSchedule";
            even.label_selector.edit().match_labels["app"] = app;
            out->spec.topology_spread_constraints.push_back(even);
        }
        return out;
    }

    // A pod comes, or comes back, as a new one.
    void add(std::shared_ptr<core::pod> made, const std::string& gang = {}, int size = 0) {
        const std::string number = std::to_string(++numbers_);
        made->metadata.namespace_ = "default";
        made->metadata.name = "p" + number;
        made->metadata.uid = "uid-" + number;
        made->spec.node_name = {};
        if (!gang.empty()) {
            made->metadata.labels["scheduling.kcontrol.dev/gang"] = gang;
            made->metadata.annotations["scheduling.kcontrol.dev/gang-size"] = std::to_string(size);
        }
        waiting_.push_back(std::make_shared<const scheduling::pod_info>(std::move(made)));
    }
    void add_gang(int size) {
        const auto one = random_pod();
        const std::string name = "g" + std::to_string(++numbers_);
        for (int i = 0; i < size; ++i) add(std::make_shared<core::pod>(*one), name, size);
    }

    static std::string gang_of(const pod_pointer& pod) {
        const auto claim = scheduling::gang_claim_of(pod->pod());
        return claim ? claim->gang.name : std::string();
    }
    std::vector<pod_pointer> members(const std::string& gang, bool running) const {
        std::vector<pod_pointer> out;
        if (running) {
            for (const auto& [uid, pod] : running_) {
                if (gang_of(pod) == gang) out.push_back(pod);
            }
        } else {
            std::copy_if(waiting_.begin(), waiting_.end(), std::back_inserter(out),
                         [&](const pod_pointer& one) { return gang_of(one) == gang; });
        }
        return out;
    }

    // Pods of an app that run, and that nobody has evicted.
    int healthy(const std::string& app) const {
        int out = 0;
        for (const auto& [uid, pod] : running_) {
            if (*pod->pod().metadata.labels.get("app") == app && leaving_.count(uid) == 0) ++out;
        }
        return out;
    }
    std::vector<disruption_budget> budgets() const {
        std::vector<disruption_budget> out;
        for (const auto& [app, least] : least_healthy_) {
            disruption_budget one;
            one.namespace_ = "default";
            one.selector = label_selector({label_requirement("app", label_operator::equals, {app})});
            one.disruptions_allowed = std::max(0, healthy(app) - least);
            out.push_back(std::move(one));
        }
        return out;
    }

    void bind(const pod_pointer& pod, const std::string& node) {
        CAPTURE(pod->name());
        const auto* const seen = cluster_.snapshot().find(node);
        REQUIRE(seen != nullptr);
        auto made = std::make_shared<core::pod>(pod->pod());
        made->spec.node_name = node;
        const auto bound = std::make_shared<const scheduling::pod_info>(std::move(made));
        cluster_.set_pod(bound);
        CHECK(seen->requested().cpu_milli <= seen->allocatable().cpu_milli);
        CHECK(seen->requested().pods <= seen->allocatable().pods);
        running_[std::string(pod->uid())] = bound;
        nominated_.remove("default", pod->name());
        freed_.erase(std::string(pod->uid()));
        dispute(pod, node);
        waiting_.erase(std::find(waiting_.begin(), waiting_.end(), pod));
    }

    static bool has_terms(const scheduling::pod_info& pod) {
        return pod.has_pod_affinity() || !pod.terms().spread.empty();
    }
    // A pod comes to a node, or has a place kept there. Others whose place is not kept from it may not fit any more;
    // nor may those whose terms look at other nodes.
    void dispute(const pod_pointer& by, const std::string& node) {
        for (auto& [uid, place] : freed_) {
            if (uid == by->uid()) continue;
            const auto* const kept = nominated_.find("default", place.pod->name());
            const bool passes = place.node == node && (kept == nullptr || by->priority() > kept->against);
            place.is_disputed |= passes || has_terms(*by) || has_terms(*place.pod);
        }
    }

    // True: somebody was placed, or evicted.
    bool decide(const pod_pointer& pod) {
        const std::string gang = gang_of(pod);
        if (!gang.empty() && members(gang, true).empty()) return decide_gang(gang);
        const auto decided = cycle_.decide(cluster_.prepare(*pod), *pod, nominated_);
        if (decided.placed()) {
            check_freed(pod, decided.node);
            bind(pod, decided.node);
            return true;
        }
        check_freed(pod, "");
        if (!may_preempt_) return false;
        if (!decided.is_resolvable) return give_up({pod});
        return carry_out(scheduling::plan_preemption(cycle_, cluster_, pod, policy_, nominated_), {pod});
    }
    bool decide_gang(const std::string& gang) {
        const auto pods = members(gang, false);
        const auto size = static_cast<std::int32_t>(pods.size());
        const auto decided = cycle_.decide_gang(cluster_, pods, size, nominated_);
        if (decided.placed) {
            CHECK(decided.members.size() == pods.size());
            for (const auto& one : decided.members) bind(one.pod, one.decided.node);
            return true;
        }
        if (!may_preempt_) return false;
        return carry_out(scheduling::plan_preemption(cycle_, cluster_, pods, size, policy_, nominated_), pods);
    }

    // Whether a pod, all of whose victims have left, comes to the place that they left.
    void check_freed(const pod_pointer& pod, const std::string& node) {
        const auto found = freed_.find(std::string(pod->uid()));
        if (found == freed_.end() || found->second.is_disputed) return;
        const auto& [place, preemptor, victims, is_disputed] = found->second;
        for (const auto& uid : leaving_) {
            if (victims.count(uid) > 0 || running_.at(uid)->pod().spec.node_name == place) return;
        }
        CAPTURE(pod->name());
        CHECK(node == found->second.node);
        freed_.erase(found);
    }

    // No place is kept any longer for pods that nothing helps, unless pods leave still.
    bool give_up(const std::vector<pod_pointer>& preemptors) {
        bool any = false;
        for (const auto& one : preemptors) any |= leaving_.empty() && nominated_.remove("default", one->name());
        return any;
    }

    bool carry_out(const scheduling::preemption_plan& plan, const std::vector<pod_pointer>& preemptors) {
        if (!plan.found()) return give_up(preemptors);
        CHECK(plan.places.size() == preemptors.size());
        std::set<std::string> uids;
        int highest = 0;
        for (const auto& victim : plan.victims) {
            const std::string uid(victim->uid());
            CHECK(uids.insert(uid).second);
            CHECK(running_.count(uid) == 1);
            CHECK(leaving_.count(uid) == 0);
            highest = std::max(highest, victim->priority());
            CHECK(std::all_of(preemptors.begin(), preemptors.end(), [&](const pod_pointer& one) {
                return one->priority() > victim->priority() && one->pod().spec.preemption_policy != "Never";
            }));
        }
        for (const auto& victim : plan.victims) {
            if (gang_of(victim).empty()) continue;
            for (const auto& other : members(gang_of(victim), true)) {
                CHECK((uids.count(std::string(other->uid())) > 0 || leaving_.count(std::string(other->uid())) > 0));
            }
        }
        for (const auto& victim : plan.victims) {
            leaving_.insert(std::string(victim->uid()));
            nominated_.set_leaving(victim->uid(), true);
        }
        evictions_ += plan.victims.size();
        for (const auto& [app, least] : least_healthy_) {
            const bool is_hit = std::any_of(plan.victims.begin(), plan.victims.end(), [&, &app = app](const auto& one) {
                return *one->pod().metadata.labels.get("app") == app;
            });
            if (is_hit) CHECK(healthy(app) >= least);
        }
        bool news = !plan.victims.empty();
        for (const auto& one : plan.places) {
            const std::string uid(one.pod->uid());
            CHECK(one.against >= std::max(highest, one.pod->priority()));
            const auto* const before = nominated_.find("default", one.pod->name());
            news |= before == nullptr || before->node != one.node;
            nominated_.set(one);
            dispute(one.pod, one.node);
            // Of a gang all must fit together, and the others may come to a place first.
            if (preemptors.size() > 1) continue;
            auto& place = freed_[uid];
            place = {one.node, one.pod, {}, false};
            for (const auto& leaving : leaving_) place.victims.insert(leaving);
        }
        return news;
    }

    // Each pod that waits is decided once, the highest priority first. True: something happened.
    bool decide_all() {
        auto all = waiting_;
        std::stable_sort(all.begin(), all.end(),
                         [](const auto& a, const auto& b) { return a->priority() > b->priority(); });
        bool any = false;
        for (const auto& one : all) {
            if (std::find(waiting_.begin(), waiting_.end(), one) != waiting_.end()) any |= decide(one);
        }
        return any;
    }

    // One that was evicted has left, and comes back.
    void leave() {
        auto one = leaving_.begin();
        std::advance(one, at_most(static_cast<int>(leaving_.size()) - 1));
        const std::string uid = *one;
        const auto pod = running_.at(uid);
        leaving_.erase(one);
        running_.erase(uid);
        nominated_.set_leaving(uid, false);
        cluster_.remove_pod("default", pod->name(), uid);
        for (auto& [preemptor, place] : freed_) {
            const bool is_other = place.victims.count(uid) == 0 || pod->pod().spec.node_name != place.node;
            place.is_disputed |= is_other && has_terms(*place.pod);
        }
        const std::string gang = gang_of(pod);
        if (gang.empty() || at_most(1) == 0) add(std::make_shared<core::pod>(pod->pod()));
    }

    void run_until_rest(int preempts) {
        may_preempt_ = preempts != 0;
        for (int round = 0; round < 200; ++round) {
            const bool any = decide_all();
            if (!any && leaving_.empty()) return;
            for (int i = leaving_.empty() ? 0 : 1 + at_most(static_cast<int>(leaving_.size()) - 1); i > 0; --i) leave();
        }
        FAIL_CHECK("the world does not come to rest");
    }

    struct freed_place {
        std::string node;
        pod_pointer pod;
        std::set<std::string> victims;
        bool is_disputed = false;
    };

    std::mt19937_64 random_;
    scheduling::volume_catalog volumes_;
    scheduling::profile plugins_;
    scheduling::cycle cycle_;
    scheduling::cache cluster_;
    scheduling::nominations nominated_;
    scheduling::preemption_policy policy_;
    std::map<std::string, int> least_healthy_;  // of each app
    std::vector<pod_pointer> waiting_;
    std::map<std::string, pod_pointer> running_;  // by uid
    std::set<std::string> leaving_;
    std::map<std::string, freed_place> freed_;  // by the preemptor's uid
    std::size_t evictions_ = 0;
    int numbers_ = 0;
    bool may_preempt_ = false;
};

}  // namespace

TEST_CASE("random worlds of preemption") {
    std::size_t evictions = 0;
    for (std::uint64_t seed = 0; seed < worlds_wanted(); ++seed) {
        CAPTURE(seed);
        eviction_world world(seed);
        world.check();
        evictions += world.evictions();
    }
    CHECK(evictions > worlds_wanted() / 4);
}
