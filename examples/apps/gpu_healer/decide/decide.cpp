#include <kcontrol/controllerutil/conditions.hpp>

#include "decide/facts.hpp"
#include "decide/phases.hpp"

#include <algorithm>

namespace gpu_healer {
namespace {

using std::chrono::seconds;

constexpr std::size_t timeline_length = 50;
constexpr int most_relapses = 5;
constexpr seconds damping{600};  // so long a fault of a Suspected case may be gone

timestamp in_seconds(wall_time t) { return wall_time(std::chrono::floor<seconds>(t)); }

// One look at one case.
class look {
public:
    look(const node_repair& of, const case_facts& seen) : of_(of), f_(seen), s_(out_.next) {
        s_ = of.status;
        if (seen.policy != nullptr && !s_.step.empty()) out_.step = step_of(*seen.policy, of, s_.step);
    }

    decision run() {
        if (s_.phase.empty()) enter("Suspected", "", of_.spec.trigger ? fault_words() : "a person asks for it");
        if (has_ended(s_.phase)) {
            settle();
        } else if (!interrupted()) {
            follow_cordon();
            go_on();
        }
        out_.wants_taint = is_quarantined(s_.phase);
        if (out_.wants_taint && f_.node->tainted && !is_true(s_.conditions, "Quarantined"))
            put("Quarantined", true, "Tainted", s_.taint->key.str() + "=" + s_.taint->value.str());
        const auto* taken = find_condition(s_.conditions, "DryRun");
        const bool dry = f_.policy != nullptr && f_.policy->dry_run;
        if (dry != (taken != nullptr && taken->status == "True"))
            put("DryRun", dry, dry ? "DryRun" : "Acts", dry ? "spec.dryRun of the policy is true" : "");
        return std::move(out_);
    }

private:
    std::string fault_words() const {
        const auto& t = *of_.spec.trigger;
        return t.type.str() + " is " + t.status.str() + (t.reason.empty() ? "" : ", " + t.reason.str());
    }
    bool fires() const {
        if (!of_.spec.trigger || !f_.node->fault) return !of_.spec.trigger;
        const auto& seen = *f_.node->fault;
        return trigger_of() != nullptr &&
               fired(triggers_of(*f_.policy), of_.spec.trigger->type, seen.status, seen.reason) != nullptr;
    }
    const trigger* trigger_of() const {
        if (!of_.spec.trigger) return nullptr;
        triggers_ = triggers_of(*f_.policy);
        const auto found = std::ranges::find_if(
            triggers_, [&](const trigger& each) { return each.condition.type == of_.spec.trigger->type; });
        return found == triggers_.end() ? nullptr : &*found;
    }
    // Condition gone, or Node not Ready: not healthy.
    bool healthy() const {
        if (!f_.node->ready) return false;
        const auto wanted = healthy_condition_of(*f_.policy, of_.spec.trigger);
        return !wanted || (f_.node->healthy && wanted->status == f_.node->healthy->status);
    }
    // A fault that a step is for.
    bool recovered() const { return of_.spec.trigger && healthy() && s_.reason != "VerificationFailed"; }
    wall_time healthy_since() const {
        wall_time out = std::max(f_.node->ready_since, s_.healthy_time.value());
        return f_.node->healthy ? std::max(out, f_.node->healthy->since) : out;
    }
    wall_time phase_end(std::int32_t after) const { return s_.phase_time.value() + seconds(after); }
    void wake(wall_time at) { out_.wake = out_.wake ? std::min(*out_.wake, at) : at; }

    void put(const char* type, bool holds, std::string_view reason, std::string_view words) {
        set_condition(s_.conditions, condition_for(of_, type, holds, reason, words), f_.now);
    }
    void note(const std::string& what) {
        timeline_entry entry;
        entry.time = in_seconds(f_.now);
        entry.what = what;
        s_.timeline.push_back(entry);
        while (s_.timeline.size() > timeline_length) s_.timeline.erase(s_.timeline.begin());
    }
    void enter(std::string_view to, const std::string reason,
               const std::string& words) {  // a copy: it may be the status'
        s_.phase = to;
        s_.reason = reason;
        s_.message = words;
        s_.phase_time = in_seconds(f_.now);
        note(std::string(to) + (reason.empty() ? "" : ", " + reason) + (words.empty() ? "" : ": " + words));
        const auto* entered = &phases.phases().front();
        for (const auto& each : phases.phases()) {
            if (each.name() == to) entered = &each;
        }
        for (const auto& each : entered->conditions())
            put(each.type.data(), each.status == "True", reason.empty() ? to : std::string_view(reason), words);
        if (has_ended(to)) out_.runs_step = false, settle();
    }
    void cancel(const char* reason, const std::string& words, bool overrides = false) {
        const bool dry = f_.policy != nullptr && f_.policy->dry_run;
        out_.overrides = overrides && of_.spec.trigger && !dry;
        enter("Cancelled", reason, words);
    }

    // Ended: the taint goes, unless a person holds the node.
    void settle() {
        const auto* carried = find_condition(s_.conditions, "Quarantined");
        const bool left = s_.taint.has_value() && (carried == nullptr || carried->status == "True");
        const bool same_node = f_.node && (of_.spec.node_uid.empty() || of_.spec.node_uid == f_.node->uid);
        if (left && same_node && s_.reason == "HumanHold" && !f_.deleted) {
            const bool ill = f_.policy != nullptr && !healthy();
            if (!f_.node->hold.empty()) return;
            if (ill && !f_.handed_over && (f_.opens || !f_.busy.empty())) return;
        }
        if (left && same_node && f_.node->tainted && !f_.handed_over) {
            out_.drops_taint = true;
            return;
        }
        if (left) put("Quarantined", false, has_ended(s_.phase) ? s_.phase.view() : "Deleted", "");
        const auto* done = find_condition(s_.conditions, "Complete");
        if (done == nullptr || done->status != "True") put("Complete", true, s_.phase, s_.message);
        out_.complete = true;
    }

    // What ends or stops a case whatever its phase.
    bool interrupted() {
        const bool tainted_once = is_true(s_.conditions, "Quarantined");
        if (f_.deleted) return cancel("Deleted", "a person has deleted the case", true), true;
        if (!f_.node) return cancel("NodeGone", "there is no such Node"), true;
        if (!of_.spec.node_uid.empty() && of_.spec.node_uid != f_.node->uid)
            return cancel("NodeReplaced", "the Node was made anew"), true;
        if (f_.policy == nullptr) return cancel("PolicyDeleted", "there is no such HealingPolicy"), true;
        if (!f_.selected) return cancel("NotSelected", "the policy does not select the node"), true;
        if (of_.spec.trigger && trigger_of() == nullptr)
            return cancel("PolicyChanged", "the policy has no trigger of this condition"), true;
        if (f_.policy->dry_run && is_quarantined(s_.phase))
            return cancel("PolicyChanged", "the policy makes a dry run now"), true;
        if (!f_.node->hold.empty()) return cancel("HumanHold", f_.node->hold), true;
        if (f_.node->exempt) return cancel("Exempt", "the Node is exempt"), true;
        if (!f_.busy.empty()) return cancel("Busy", f_.busy + " is the open case of this node"), true;
        if (tainted_once && !f_.node->tainted)
            return cancel("TaintRemoved", "a person has removed the taint", true), true;
        if (is_quarantined(s_.phase) && s_.phase != "Repairing" && s_.cordoned && !f_.node->unschedulable)
            return cancel("Uncordoned", "a person has uncordoned the node", true), true;
        return false;
    }
    void follow_cordon() {
        if (s_.phase != "Repairing") s_.cordoned = f_.node->unschedulable;  // steps cordon, and uncordon
    }

    void go_on() {
        const std::string_view phase = s_.phase;
        if (phase == "Suspected") return suspected();
        if (phase == "Held") return held();
        follow_health();
        if (phase == "Quarantined") return quarantined();
        if (phase == "Draining") return draining();
        if (phase == "Repairing") return repairing();
        if (phase == "Verifying") return verifying();
        needs_human();
    }
    void follow_health() {
        if (!healthy()) {
            s_.healthy_time = {};
        } else if (!s_.healthy_time.present()) {
            s_.healthy_time = in_seconds(f_.now);
        }
    }

    void suspected() {
        if (!fires()) {
            return fault_gone();
        }
        if (s_.healthy_time.present()) {
            s_.healthy_time = {};
            note("relapse " + std::to_string(++s_.relapses));
        }
        if (f_.policy->dry_run || !f_.valid) return;
        if (const trigger* by = trigger_of(); by != nullptr && s_.relapses < most_relapses) {
            const auto due = f_.node->fault->since + seconds(by->for_seconds);
            if (f_.now < due) return wake(due);
        }
        quarantine();
    }
    void fault_gone() {
        if (!s_.healthy_time.present()) s_.healthy_time = in_seconds(f_.now);
        const auto end = s_.healthy_time.value() + damping;
        if (f_.now < end) return wake(end);
        cancel(healthy() ? "Recovered" : "FaultGone", "the fault is gone for ten minutes");
    }
    void held() {
        if (recovered()) return cancel("Recovered", "the node is healthy again");
        if (f_.policy->dry_run) return cancel("PolicyChanged", "the policy makes a dry run now");
        if (!fires()) return fault_gone();
        s_.healthy_time = {};
        if (f_.valid && f_.admitted) quarantine();
    }
    void quarantine() {
        if (!f_.admitted) {
            if (s_.phase != "Held") enter("Held", "BreakerOpen", "as many nodes as the breaker allows are tainted");
            return;
        }
        s_.taint = taint_of(f_.policy->taint, of_.spec.trigger ? of_.spec.trigger->reason.view() : "Requested");
        s_.healthy_time = {};
        enter("Quarantined", "", of_.spec.trigger ? f_.node->fault->message : "");
    }

    const repair* ladder() const {
        const auto& all = f_.policy->repairs;
        std::string_view name = of_.spec.repair;
        if (name.empty()) return all.empty() ? nullptr : &*all.begin();
        for (const auto& each : all) {
            if (each.name == name) return &each;
        }
        return nullptr;
    }
    // The step that comes next: the present one as often as its attempts say. Null: none is left.
    const repair_step* next_step() const {
        const repair* all = ladder();
        if (all == nullptr || all->steps.empty()) return nullptr;
        if (s_.step.empty()) return &*all->steps.begin();
        for (auto at = all->steps.begin(); at != all->steps.end(); ++at) {
            if (at->name != s_.step.view()) continue;
            if (s_.step_tries < at->attempts) return &*at;
            return ++at == all->steps.end() ? nullptr : &*at;
        }
        return nullptr;
    }
    // After a step or verification has failed.
    void climb(const char* onward, const char* reason, const std::string& words) {
        if (next_step() != nullptr) return enter(onward, reason, words);
        enter("NeedsHuman", reason, words + "; no step is left");
    }
    // No step can be started. A node whose job of verification has failed stays that: its conditions say nothing new.
    void give_up(const char* reason, const std::string& words) {
        enter("NeedsHuman", s_.reason == "VerificationFailed" ? "VerificationFailed" : reason, words);
    }
    bool may_start() {
        if (f_.starts >= f_.policy->max_attempts) {
            give_up("MaxAttempts", std::to_string(f_.starts) + " steps were started in 24 h");
            return false;
        }
        return true;
    }

    void quarantined() {
        if (recovered()) return enter("Verifying", "", "the node is healthy");
        const auto* step = next_step();
        if (step == nullptr || !f_.valid) {
            if (ladder() != nullptr && !s_.step.empty() && f_.valid)
                give_up("StepGone", "the policy has no step after " + s_.step.str());
            return;  // only quarantine
        }
        if (!may_start()) return;
        if (f_.released) {
            const auto end = *f_.released + seconds(f_.policy->cooldown_seconds);
            if (f_.now < end) return wake(end);
        }
        if (f_.slot) enter("Draining", s_.reason.str(), f_.policy->drain.mode.str() + " before " + step->name.str());
    }
    void draining() {
        if (recovered()) return enter("Verifying", "", "the node is healthy");
        const auto& how = f_.policy->drain;
        if (how.mode != "None" && f_.pods.value_or(1) > 0) {
            const auto end = phase_end(how.timeout_seconds);
            if (f_.now < end) {
                out_.drains = true;
                return wake(end);
            }
            if (how.on_timeout == "NeedsHuman")
                return give_up("DrainTimeout", std::to_string(f_.pods.value_or(0)) + " pods are left");
        }
        const auto* step = next_step();
        if (step == nullptr) return give_up("StepGone", "the policy has no step after " + s_.step.str());
        if (!may_start() || !f_.valid) return;
        s_.step_tries = step->name == s_.step.view() ? s_.step_tries + 1 : 1;
        s_.step = step->name;
        if (step->manual) return enter("NeedsHuman", "Manual", step->manual->message);
        ++s_.attempt;
        s_.starts.push_back(in_seconds(f_.now));
        s_.token = of_.metadata.uid.str() + "-" + std::to_string(s_.attempt);
        out_.step = step;
        out_.runs_step = true;
        enter("Repairing", "", step->name.str() + ", attempt " + std::to_string(s_.attempt));
    }

    void repairing() {
        const auto* step = out_.step;
        if (step == nullptr) return enter("NeedsHuman", "StepGone", "the policy has no step " + s_.step.str());
        const auto end = phase_end(step->timeout_seconds);
        using state = step_outcome::state;
        const bool over = f_.outcome && f_.outcome->is != state::running && f_.outcome->is != state::absent;
        if (!over && f_.now < end) {
            out_.runs_step = true;
            return wake(end);
        }
        const std::string words = s_.step.str() + ": " + (over ? f_.outcome->words : "it did not end in time");
        s_.cordoned = f_.node->unschedulable;
        if (over && f_.outcome->is == state::succeeded) {
            out_.event = "RepairSucceeded";
            return enter("Verifying", "", words);
        }
        out_.event = "RepairFailed";
        if (recovered()) return enter("Verifying", "", words);
        if (over && f_.outcome->is == state::lost) return enter("NeedsHuman", f_.outcome->reason, words);
        climb("Draining", "StepFailed", words);
    }

    void verifying() {
        const auto& how = f_.policy->verify;
        const auto end = phase_end(how.timeout_seconds);
        if (!healthy()) {
            if (f_.now >= end) return climb("Quarantined", "NotHealthy", "the node did not become healthy in time");
            return wake(end);
        }
        const auto held = healthy_since() + seconds(how.hold_seconds);
        if (f_.now < held) return wake(held);
        if (!how.job) return enter("Released", "", "healthy for " + std::to_string(how.hold_seconds) + " s");
        // One job for each time in this phase.
        const std::string token = of_.metadata.uid.str() + "-" + std::to_string(s_.attempt) + "-v" +
                                  std::to_string(s_.phase_time.value().time_since_epoch() / seconds(1));
        using state = step_outcome::state;
        const bool over =
            s_.token == token && f_.outcome && f_.outcome->is != state::running && f_.outcome->is != state::absent;
        const auto last = held + seconds(how.timeout_seconds);
        if (!over && f_.now < last) {
            if (s_.token != token) note("verification by a job");
            s_.token = token;
            out_.runs_step = true;
            return wake(last);
        }
        const std::string words = "job of verification: " + (over ? f_.outcome->words : "it did not end in time");
        if (over && f_.outcome->is == state::succeeded) return enter("Released", "", words);
        climb("Quarantined", "VerificationFailed", words);
    }

    void needs_human() {
        if (!healthy()) return;
        const bool of_itself = of_.spec.trigger && s_.reason != "VerificationFailed";
        const auto since = healthy_since();
        if (!of_itself && since <= s_.phase_time.value()) return;
        const auto held = since + seconds(f_.policy->verify.hold_seconds);
        if (f_.now < held) return wake(held);
        enter("Verifying", "", "the node is healthy");
    }

    const node_repair& of_;
    const case_facts& f_;
    decision out_;
    node_repair_status& s_;
    mutable std::vector<trigger> triggers_;
};

}  // namespace

decision decide(const node_repair& of, const case_facts& seen) { return look(of, seen).run(); }

const repair_step* step_of(const healing_policy_spec& policy, const node_repair& of, std::string_view name) {
    for (const auto& each : policy.repairs) {
        if (!of.spec.repair.empty() && each.name != of.spec.repair) continue;
        for (const auto& step : each.steps) {
            if (step.name == name) return &step;
        }
        return nullptr;
    }
    return nullptr;
}

bool is_verification(std::string_view token) {
    const auto at = token.rfind('-');
    return at != token.npos && token.substr(at + 1).starts_with('v');
}

}  // namespace gpu_healer
