// Random lives of a policy's nodes: faults, people, steps that fail or are lost, restarts of the healer between any two
// writes. No taint is without a case, no case without an end, and the breaker bounds the taints.
// KCONTROL_SIM_SEEDS=100000 tries more.
#include <kcontrol/controllerutil/conditions.hpp>

#include "decide/breaker.hpp"
#include "decide/facts.hpp"
#include "decide/phases.hpp"
#include "support/how_much.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace gpu_healer;
using namespace std::chrono_literals;

namespace {

constexpr const char* type = "kcontrol.dev/GPUHealthy";

struct model_node {
    std::string uid;
    bool ill = false, ready = true, cordoned = false, exempt = false, has_condition = true;
    wall_time since{}, ready_since{};
    std::string hold, overridden;
    std::set<std::string> taints;  // of cases, by name: who has put them there
    bool tainted = false;
};

class life {
public:
    explicit life(unsigned seed) : random_(seed), nodes_(std::size_t(between(1, 6))) {
        policy_.metadata.name = "p";
        auto& s = policy_.spec;
        s.breaker.max_percent = between(1, 100);
        s.breaker.min_nodes = between(1, 3);
        s.breaker.window_seconds = between(1, 300);
        s.at_once = between(1, 3);
        s.max_attempts = between(1, 5);
        s.cooldown_seconds = between(0, 3) * 600;
        s.verify.hold_seconds = between(0, 120);
        s.drain.timeout_seconds = between(1, 600);
        s.drain.on_timeout = chance(2) ? "Continue" : "NeedsHuman";
        if (chance(3)) s.verify.job.emplace();
        trigger by;
        by.condition.type = type;
        by.condition.status = "False";
        by.for_seconds = chance(2) ? 0 : between(1, 90);
        s.triggers.emplace().push_back(by);
        repair ladder;
        ladder.name = "all";
        for (int i = between(0, 3); i > 0; --i) {
            repair_step step;
            step.name = "s" + std::to_string(i);
            step.attempts = between(1, 2);
            step.timeout_seconds = between(10, 900);
            if (chance(5))
                step.manual.emplace().message = "do it";
            else
                step.webhook.emplace();
            ladder.steps.push_back(step);
        }
        if (!ladder.steps.empty()) s.repairs = {ladder};
        for (auto& node : nodes_) node.uid = "u" + std::to_string(++uids_);
    }

    std::string play() {
        const int looks = between(50, 200);
        for (int i = 0; i < looks && broken_.empty(); ++i) {
            disturb();
            turn();
        }
        // Then all is well, and people do what is asked of them.
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            auto& node = nodes_[i];
            node.hold.clear(), node.overridden.clear(), node.exempt = false, node.ready = node.has_condition = true;
            node.ready_since = node.since = now_;
            node.ill = false;
        }
        for (int round = 0; round < 100 && broken_.empty() && !all_ended(); ++round) {
            for (int i = 0; i < 30 && broken_.empty(); ++i) turn();
            for (auto& [name, of] : cases_) {
                if (waits_for_a_person(of)) deleted_.insert(name);
            }
        }
        for (int i = 0; i < 20 && broken_.empty(); ++i) turn();  // the breaker's window
        for (const auto& [name, of] : cases_) {
            if (!is_true(of.status.conditions, "Complete"))
                fail(name + " has no end: " + of.status.phase.str() + " " + of.status.reason.str());
        }
        for (const auto& node : nodes_) {
            if (node.tainted) fail("a taint is left on " + node.uid);
        }
        if (is_true(policy_.status.conditions, "BreakerOpen")) fail("the breaker is open");
        return broken_;
    }

private:
    int between(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }
    bool chance(int one_in) { return between(1, one_in) == 1; }
    void fail(const std::string& what) {
        if (broken_.empty()) broken_ = what;
    }
    static bool waits_for_a_person(const node_repair& of) {
        return of.status.phase == "NeedsHuman" && of.status.reason == "VerificationFailed";
    }

    bool all_ended() const {
        return std::ranges::all_of(cases_,
                                   [](const auto& each) { return is_true(each.second.status.conditions, "Complete"); });
    }

    void disturb() {
        for (auto& node : nodes_) {
            if (chance(12)) node.ill = !node.ill, node.since = now_;
            if (chance(60)) node.ready = !node.ready, node.ready_since = now_;
            if (chance(80)) node.has_condition = !node.has_condition, node.since = now_;
            if (chance(50)) node.cordoned = !node.cordoned;
            if (chance(60)) node.hold = node.hold.empty() ? "mine" : "";
            if (chance(100)) node.exempt = !node.exempt;
            if (chance(60)) node.tainted = false;  // a person's
            if (chance(200)) node = model_node(), node.uid = "u" + std::to_string(++uids_), node.since = now_;
        }
        if (chance(100) && !cases_.empty()) deleted_.insert(cases_.rbegin()->first);
        if (chance(100)) policy_.spec.dry_run = !policy_.spec.dry_run;
        if (chance(60)) reset_ = "yes";
        killed_ = chance(4);
    }

    case_facts facts_of(const node_repair& of, const model_node& node) {
        case_facts out;
        out.now = now_;
        out.deleted = deleted_.contains(of.metadata.name.str());
        out.policy = &policy_.spec;
        node_view view;
        view.uid = node.uid;
        view.unschedulable = node.cordoned;
        view.ready = node.ready;
        view.ready_since = node.ready_since;
        view.tainted = node.tainted;
        view.hold = node.hold;
        view.exempt = node.exempt;
        if (node.has_condition) view.fault = seen_condition{node.ill ? "False" : "True", "GPUFailed", "", node.since};
        view.healthy = view.fault;
        out.node = view;
        int worked_on = 0;
        for (const auto& [name, each] : cases_) {
            const bool self = name == of.metadata.name;
            if (!self && is_worked_on(each.status.phase)) ++worked_on;
            if (each.spec.node != of.spec.node) continue;
            for (const auto& start : each.status.starts) out.starts += now_ - start.value() < 24h ? 1 : 0;
            if (self) continue;
            if (each.status.phase == "Released")
                out.released = std::max(out.released.value_or(wall_time()), each.status.phase_time.value());
            if (has_ended(each.status.phase)) continue;
            const bool quarantined = is_quarantined(each.status.phase);
            if (has_ended(of.status.phase)) {
                if (quarantined)
                    out.handed_over = true;
                else
                    out.busy = name;
            } else if (quarantined) {
                out.busy = name;
            }
        }
        out.slot = worked_on < policy_.spec.at_once;
        out.opens = opens(node);
        out.admitted = admits(policy_, std::int64_t(nodes_.size()), tainted(), of.spec.node);
        out.pods = chance(3) ? 1 : 0;
        const auto found = steps_.find(of.status.token.str());
        if (found != steps_.end() && chance(2)) {
            if (!found->second) found->second = step_outcome(static_cast<step_outcome::state>(between(0, 4)), "words");
            out.outcome = found->second;
            if (out.outcome->is == step_outcome::state::running) found->second.reset();
        }
        return out;
    }
    bool opens(const model_node& node) const {
        return node.ill && node.has_condition && node.hold.empty() && !node.exempt && node.overridden.empty();
    }
    std::set<std::string> tainted() const {
        std::set<std::string> out;
        for (const auto& [name, each] : cases_) {
            const bool rest =
                has_ended(each.status.phase) && each.status.taint && !is_true(each.status.conditions, "Complete");
            if (is_quarantined(each.status.phase) || rest) out.insert(each.spec.node);
        }
        return out;
    }

    void turn() {
        now_ += std::chrono::seconds(between(1, 60));
        for (std::size_t i = 0; i < nodes_.size(); ++i) open(i);
        for (auto& [name, of] : cases_) look(name, of);
        breaker();
        check_taints();
    }
    void open(std::size_t i) {
        auto& node = nodes_[i];
        if (!node.ill && node.has_condition) node.overridden.clear();
        if (!opens(node)) return;
        const std::string key = std::to_string(i);
        for (const auto& [name, each] : cases_) {
            if (each.spec.node == key && !has_ended(each.status.phase)) return;
        }
        node_repair made;
        made.metadata.name = "c" + std::to_string(cases_.size());
        made.metadata.uid = made.metadata.name;
        made.spec.node = key;
        made.spec.node_uid = node.uid;
        made.spec.policy = "p";
        fault why;
        why.type = type;
        why.status = "False";
        why.reason = "GPUFailed";
        made.spec.trigger = why;
        cases_.emplace(made.metadata.name.str(), made);
    }
    void look(const std::string& name, node_repair& of) {
        auto& node = nodes_[std::size_t(std::stoi(of.spec.node))];
        if (is_true(of.status.conditions, "Complete")) return;
        const auto made = decide(of, facts_of(of, node));
        if (made.next.phase != of.status.phase && !of.status.phase.empty() &&
            !phases.check(of.status.phase, made.next.phase))
            fail(name + ": no step from " + of.status.phase.str() + " to " + made.next.phase.str());
        if (made.overrides) node.overridden = type;
        const bool killed = killed_ && chance(2);
        if (killed && chance(2)) return;  // before the status
        if (made.runs_step && made.next.token != of.status.token && !is_verification(made.next.token) &&
            (!node.ready || !node.ill) && of.status.reason != "VerificationFailed" && node.ready && node.has_condition)
            fail(name + ": a step on a healthy node");
        of.status = made.next;
        if (of.status.timeline.size() > 50) fail(name + ": the timeline is too long");
        if (killed) return;  // after it
        if (made.runs_step && !steps_.contains(made.next.token.str())) {
            steps_[made.next.token.str()];
            if (!is_verification(made.next.token) && ++starts_[of.spec.node.str() + of.spec.node_uid.str()] > 1000)
                fail("steps without end");
        }
        if (made.wants_taint && !is_true(of.status.conditions, "Quarantined")) node.tainted = true;
        if (made.drops_taint) node.tainted = false;
    }
    void breaker() {
        breaker_facts seen;
        seen.now = now_;
        seen.nodes = std::int64_t(nodes_.size());
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (opens(nodes_[i])) seen.ill.insert(std::to_string(i));
        }
        seen.tainted = tainted();
        for (const auto& [name, each] : cases_) {
            if (each.status.phase == "Held") seen.held.push_back(each.spec.node);
        }
        seen.reset = reset_;
        const auto limit = std::size_t(breaker_limit(policy_.spec.breaker, seen.nodes));
        if (seen.tainted.size() > limit + policy_.status.admitted.size()) fail("more taints than the breaker allows");
        auto made = decide_breaker(policy_, seen);
        const bool open = made.opened || (is_true(policy_.status.conditions, "BreakerOpen") && !made.closed);
        set_condition(made.next.conditions, condition_for(policy_, "BreakerOpen", open, "Model"), now_);
        policy_.status = made.next;
        if (made.forgets_reset && !killed_) reset_.clear();
    }
    void check_taints() {
        const auto with_case = tainted();
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].tainted && !with_case.contains(std::to_string(i))) fail("a taint without a case");
        }
        std::map<std::string, int> open;
        int worked_on = 0;
        for (const auto& [name, each] : cases_) {
            if (is_quarantined(each.status.phase) && ++open[each.spec.node.str()] > 1) fail("two cases of a node");
            worked_on += is_worked_on(each.status.phase) ? 1 : 0;
        }
        if (worked_on > policy_.spec.at_once) fail("more nodes are worked on than atOnce");
    }

    std::mt19937 random_;
    healing_policy policy_;
    std::vector<model_node> nodes_;
    std::map<std::string, node_repair> cases_;
    std::map<std::string, std::optional<step_outcome>> steps_;
    std::map<std::string, int> starts_;
    std::set<std::string> deleted_;
    std::string reset_, broken_;
    wall_time now_ = wall_time(1800000000s);
    int uids_ = 0;
    bool killed_ = false;
};

}  // namespace

TEST_CASE("no taint is without a case and no case without an end, whatever happens") {
    const auto seeds =
        static_cast<unsigned>(kcontrol::test::asked_for("KCONTROL_SIM_SEEDS", kcontrol::test::as_many_as(30, 3)));
    for (unsigned seed = 1; seed <= seeds; ++seed) {
        const auto broken = life(seed).play();
        REQUIRE_MESSAGE(broken.empty(), "seed " << seed << ": " << broken);
    }
}
