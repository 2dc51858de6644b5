// The table of a case: what each phase becomes, by each thing that may be seen.
#include <kcontrol/controllerutil/conditions.hpp>

#include "decide/facts.hpp"
#include "decide/phases.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

using namespace gpu_healer;
using namespace std::chrono_literals;

namespace {

const wall_time start = wall_time(1800000000s);

// A case, its policy and its node at 'now', which rows change.
struct scene {
    healing_policy_spec policy;
    node_repair of;
    case_facts seen;
    bool no_policy = false;

    scene() {
        repair_step first, second;
        first.name = "reset";
        first.webhook.emplace();
        second.name = "reboot";
        second.webhook.emplace();
        repair ladder;
        ladder.name = "all";
        ladder.steps = {first, second};
        policy.repairs = {ladder};
        policy.node_selector.match_labels.emplace("gpu", "true");
        of.metadata.name = "a-1";
        of.metadata.uid = "case";
        of.spec.node = "a";
        of.spec.node_uid = "node";
        of.spec.policy = "p";
        fault why;
        why.type = "kcontrol.dev/GPUHealthy";
        why.status = "False";
        why.reason = "GPUFailed";
        of.spec.trigger = why;
        seen.now = start + 1h;
        node_view node;
        node.uid = "node";
        node.ready = true;
        node.ready_since = start - 24h;
        seen.node = node;
        ill(1h);
    }
    void ill(std::chrono::seconds ago = 10s) {
        seen.node->fault = seen_condition{"False", "GPUFailed", "GPU-0 failed", seen.now - ago};
        seen.node->healthy = seen.node->fault;
    }
    void well(std::chrono::seconds ago = 10s) {
        seen.node->fault = seen_condition{"True", "AllHealthy", "", seen.now - ago};
        seen.node->healthy = seen.node->fault;
    }
    scene& in(const char* phase, std::chrono::seconds since = 60s) {
        of.status.phase = phase;
        of.status.phase_time = seen.now - since;
        if (is_quarantined(phase)) {
            of.status.taint = taint_of(policy.taint, "GPUFailed");
            set_condition(of.status.conditions, condition_for(of, "Quarantined", true, "Tainted"), start);
            seen.node->tainted = true;
        }
        if (std::string_view(phase) == "Repairing") {
            of.status.step = "reset";
            of.status.token = "case-1";
            of.status.attempt = of.status.step_tries = 1;
        }
        if (std::string_view(phase) == "Verifying") of.status.step = "reset", of.status.step_tries = 1;
        return *this;
    }
    decision look() {
        seen.policy = no_policy ? nullptr : &policy;
        return decide(of, seen);
    }
};

struct row {
    const char* phase;
    std::function<void(scene&)> with;
    const char* next;
    const char* reason;
};

std::string phase_and_reason(const decision& made) { return made.next.phase.str() + " " + made.next.reason.str(); }

void outcome(scene& s, step_outcome::state is, const char* reason = "AnswerLost") {
    s.seen.outcome = step_outcome(is, "words");
    s.seen.outcome->reason = reason;
}

using state = step_outcome::state;

const std::vector<row> rows{
    {"Suspected", [](scene&) {}, "Quarantined", ""},
    {"Suspected", [](scene& s) { s.seen.admitted = false; }, "Held", "BreakerOpen"},
    {"Suspected", [](scene& s) { s.policy.dry_run = true; }, "Suspected", ""},
    {"Suspected", [](scene& s) { s.seen.valid = false; }, "Suspected", ""},
    {"Suspected", [](scene& s) { s.well(); }, "Suspected", ""},
    {"Suspected", [](scene& s) { s.well(), s.of.status.healthy_time = s.seen.now - 599s; }, "Suspected", ""},
    {"Suspected", [](scene& s) { s.well(), s.of.status.healthy_time = s.seen.now - 600s; }, "Cancelled", "Recovered"},
    {"Suspected", [](scene& s) { s.seen.node->fault.reset(), s.of.status.healthy_time = s.seen.now - 600s; },
     "Cancelled", "FaultGone"},
    {"Suspected", [](scene& s) { s.seen.busy = "b"; }, "Cancelled", "Busy"},
    {"Suspected", [](scene& s) { s.seen.node->exempt = true; }, "Cancelled", "Exempt"},
    {"Suspected", [](scene& s) { s.seen.node->hold = "mine"; }, "Cancelled", "HumanHold"},
    {"Suspected", [](scene& s) { s.seen.node.reset(); }, "Cancelled", "NodeGone"},
    {"Suspected", [](scene& s) { s.seen.node->uid = "other"; }, "Cancelled", "NodeReplaced"},
    {"Suspected", [](scene& s) { s.no_policy = true; }, "Cancelled", "PolicyDeleted"},
    {"Suspected", [](scene& s) { s.seen.selected = false; }, "Cancelled", "NotSelected"},
    {"Suspected", [](scene& s) { s.seen.deleted = true; }, "Cancelled", "Deleted"},
    {"Suspected",
     [](scene& s) {
         trigger other;
         other.condition.type = "Other";
         other.condition.status = "True";
         s.policy.triggers.emplace().push_back(other);
     },
     "Cancelled", "PolicyChanged"},
    {"Suspected", [](scene& s) { s.of.spec.trigger.reset(); }, "Quarantined", ""},

    {"Held", [](scene& s) { s.seen.admitted = false; }, "Held", ""},
    {"Held", [](scene&) {}, "Quarantined", ""},
    {"Held", [](scene& s) { s.well(); }, "Cancelled", "Recovered"},
    {"Held", [](scene& s) { s.seen.node->ready = false, s.well(); }, "Held", ""},
    {"Held", [](scene& s) { s.policy.dry_run = true; }, "Cancelled", "PolicyChanged"},

    {"Quarantined", [](scene&) {}, "Draining", ""},
    {"Quarantined", [](scene& s) { s.well(); }, "Verifying", ""},
    {"Quarantined", [](scene& s) { s.seen.slot = false; }, "Quarantined", ""},
    {"Quarantined", [](scene& s) { s.policy.repairs.clear(); }, "Quarantined", ""},
    {"Quarantined", [](scene& s) { s.seen.released = s.seen.now - 3599s; }, "Quarantined", ""},
    {"Quarantined", [](scene& s) { s.seen.released = s.seen.now - 3600s; }, "Draining", ""},
    {"Quarantined", [](scene& s) { s.seen.starts = 3; }, "NeedsHuman", "MaxAttempts"},
    {"Quarantined", [](scene& s) { s.of.status.step = "other"; }, "NeedsHuman", "StepGone"},
    {"Quarantined", [](scene& s) { s.well(), s.of.status.reason = "VerificationFailed"; }, "Draining",
     "VerificationFailed"},
    {"Quarantined", [](scene& s) { s.well(), s.of.status.reason = "VerificationFailed", s.seen.starts = 3; },
     "NeedsHuman", "VerificationFailed"},
    {"Quarantined", [](scene& s) { s.seen.node->tainted = false; }, "Cancelled", "TaintRemoved"},
    {"Quarantined", [](scene& s) { s.of.status.cordoned = true; }, "Cancelled", "Uncordoned"},
    {"Quarantined", [](scene& s) { s.seen.busy = "b"; }, "Cancelled", "Busy"},
    {"Quarantined", [](scene& s) { s.policy.dry_run = true; }, "Cancelled", "PolicyChanged"},
    {"Quarantined", [](scene& s) { s.no_policy = true; }, "Cancelled", "PolicyDeleted"},

    {"Draining", [](scene&) {}, "Draining", ""},
    {"Draining", [](scene& s) { s.seen.pods = 1; }, "Draining", ""},
    {"Draining", [](scene& s) { s.seen.pods = 0; }, "Repairing", ""},
    {"Draining", [](scene& s) { s.policy.drain.mode = "None"; }, "Repairing", ""},
    {"Draining", [](scene& s) { s.well(); }, "Verifying", ""},
    {"Draining", [](scene& s) { s.seen.pods = 1, s.of.status.phase_time = s.seen.now - 1h; }, "NeedsHuman",
     "DrainTimeout"},
    {"Draining",
     [](scene& s) {
         s.seen.pods = 1, s.of.status.phase_time = s.seen.now - 1h;
         s.policy.drain.on_timeout = "Continue";
     },
     "Repairing", ""},
    {"Draining", [](scene& s) { s.seen.pods = 0, s.seen.starts = 3; }, "NeedsHuman", "MaxAttempts"},
    {"Draining", [](scene& s) { s.seen.pods = 0, s.of.status.step = "other"; }, "NeedsHuman", "StepGone"},
    {"Draining", [](scene& s) { s.seen.pods = 0, s.seen.node->uid = "new"; }, "Cancelled", "NodeReplaced"},
    {"Draining", [](scene& s) { s.of.status.cordoned = true; }, "Cancelled", "Uncordoned"},
    {"Draining",
     [](scene& s) {
         s.seen.pods = 0;
         auto& step = *s.policy.repairs.begin()->steps.begin();
         step.webhook.reset();
         step.manual.emplace().message = "change the card";
     },
     "NeedsHuman", "Manual"},

    {"Repairing", [](scene&) {}, "Repairing", ""},
    {"Repairing", [](scene& s) { outcome(s, state::running); }, "Repairing", ""},
    {"Repairing", [](scene& s) { outcome(s, state::absent); }, "Repairing", ""},
    {"Repairing", [](scene& s) { outcome(s, state::succeeded); }, "Verifying", ""},
    {"Repairing", [](scene& s) { outcome(s, state::failed); }, "Draining", "StepFailed"},
    {"Repairing", [](scene& s) { outcome(s, state::failed), s.well(); }, "Verifying", ""},
    {"Repairing", [](scene& s) { outcome(s, state::failed), s.of.status.step = "reboot"; }, "NeedsHuman", "StepFailed"},
    {"Repairing", [](scene& s) { outcome(s, state::lost); }, "NeedsHuman", "AnswerLost"},
    {"Repairing", [](scene& s) { outcome(s, state::lost, "Manual"); }, "NeedsHuman", "Manual"},
    {"Repairing", [](scene& s) { s.of.status.phase_time = s.seen.now - 900s; }, "Draining", "StepFailed"},
    {"Repairing", [](scene& s) { s.well(); }, "Repairing", ""},  // the step goes on
    {"Repairing", [](scene& s) { s.of.status.cordoned = true; }, "Repairing", ""},
    {"Repairing", [](scene& s) { s.policy.repairs.clear(); }, "NeedsHuman", "StepGone"},
    {"Repairing", [](scene& s) { s.seen.node->tainted = false; }, "Cancelled", "TaintRemoved"},
    {"Repairing", [](scene& s) { s.seen.node->hold = "mine"; }, "Cancelled", "HumanHold"},
    {"Repairing", [](scene& s) { s.seen.node->uid = "new"; }, "Cancelled", "NodeReplaced"},

    {"Verifying", [](scene&) {}, "Verifying", ""},
    {"Verifying", [](scene& s) { s.well(), s.of.status.healthy_time = s.seen.now - 119s; }, "Verifying", ""},
    {"Verifying", [](scene& s) { s.well(120s), s.of.status.healthy_time = s.seen.now - 120s; }, "Released", ""},
    {"Verifying", [](scene& s) { s.well(119s), s.of.status.healthy_time = s.seen.now - 120s; }, "Verifying", ""},
    {"Verifying",
     [](scene& s) { s.well(120s), s.of.status.healthy_time = s.seen.now - 120s, s.seen.node->ready = false; },
     "Verifying", ""},
    {"Verifying",
     [](scene& s) { s.well(120s), s.of.status.healthy_time = s.seen.now - 120s, s.seen.node->healthy.reset(); },
     "Verifying", ""},
    {"Verifying", [](scene& s) { s.of.status.phase_time = s.seen.now - 1800s; }, "Quarantined", "NotHealthy"},
    {"Verifying", [](scene& s) { s.of.status.phase_time = s.seen.now - 1800s, s.of.status.step = "reboot"; },
     "NeedsHuman", "NotHealthy"},
    {"Verifying", [](scene& s) { s.of.status.phase_time = s.seen.now - 1800s, s.well(); }, "Verifying", ""},
    {"Verifying", [](scene& s) { s.of.status.cordoned = true; }, "Cancelled", "Uncordoned"},

    {"NeedsHuman", [](scene&) {}, "NeedsHuman", ""},
    {"NeedsHuman", [](scene& s) { s.well(), s.of.status.healthy_time = s.seen.now - 10s; }, "NeedsHuman", ""},
    {"NeedsHuman", [](scene& s) { s.well(120s), s.of.status.healthy_time = s.seen.now - 120s; }, "Verifying", ""},
    {"NeedsHuman",
     [](scene& s) {
         s.well(1h), s.of.status.healthy_time = s.seen.now - 1h;
         s.of.status.reason = "VerificationFailed";
     },
     "NeedsHuman", "VerificationFailed"},
    {"NeedsHuman", [](scene& s) { s.seen.deleted = true; }, "Cancelled", "Deleted"},
};

}  // namespace

TEST_CASE("each phase becomes what the table says, by a step that it has") {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        scene s;
        s.in(rows[i].phase);
        rows[i].with(s);
        const auto made = s.look();
        INFO("row " << i << ", " << rows[i].phase);
        const std::string wanted = rows[i].next + (" " + std::string(rows[i].reason));
        CHECK(phase_and_reason(made) == wanted);
        if (made.next.phase != s.of.status.phase) CHECK(phases.check(rows[i].phase, made.next.phase).has_value());
        if (made.wants_taint) CHECK(made.next.taint.has_value());
        CHECK(made.wants_taint == is_quarantined(made.next.phase));
    }
}

TEST_CASE("a fault counts from its lastTransitionTime, and the fifth relapse counts as forSeconds") {
    scene s;
    trigger slow;
    slow.condition.type = "kcontrol.dev/GPUHealthy";
    slow.condition.status = "False";
    slow.for_seconds = 60;
    s.policy.triggers.emplace().push_back(slow);
    s.in("Suspected");
    s.ill(59s);
    auto made = s.look();
    CHECK(made.next.phase == "Suspected");
    CHECK((made.wake && *made.wake == s.seen.now + 1s));
    for (int relapse = 1; relapse <= 5; ++relapse) {
        s.well();
        s.of.status = s.look().next;
        s.seen.now += 20s;
        s.ill(0s);
        made = s.look();
        CHECK(made.next.relapses == relapse);
        CHECK(made.next.phase == (relapse < 5 ? "Suspected" : "Quarantined"));
        s.of.status = made.next;
        s.seen.now += 20s;
    }
}

TEST_CASE("a step's token is in the status before it is begun, and is another one for each start") {
    scene s;
    s.in("Draining");
    s.seen.pods = 0;
    auto made = s.look();
    CHECK((made.runs_step && made.next.token == "case-1" && made.next.attempt == 1 && made.next.starts.size() == 1));
    CHECK((made.step != nullptr && made.step->name == "reset"));
    s.of.status = made.next;
    outcome(s, state::failed);
    made = s.look();
    CHECK(made.event == "RepairFailed");
    s.of.status = made.next;
    s.seen.outcome.reset();
    made = s.look();
    CHECK((made.next.token == "case-2" && made.next.step == "reboot"));
}

TEST_CASE("attempts: the same step again") {
    scene s;
    s.policy.repairs.begin()->steps.begin()->attempts = 2;
    s.in("Repairing");
    outcome(s, state::failed);
    s.of.status = s.look().next;
    s.seen.outcome.reset();
    s.seen.pods = 0;
    const auto made = s.look();
    CHECK((made.next.step == "reset" && made.next.step_tries == 2 && made.next.token == "case-2"));
}

TEST_CASE("the job of verification runs once the hold is over; where it fails the next step runs on a healthy node") {
    scene s;
    s.policy.verify.job.emplace();
    s.in("Verifying");
    s.well(120s);
    s.of.status.healthy_time = s.seen.now - 120s;
    auto made = s.look();
    REQUIRE((made.runs_step && is_verification(made.next.token)));
    CHECK_FALSE(is_verification("case-1"));
    s.of.status = made.next;
    outcome(s, state::succeeded);
    CHECK(s.look().next.phase == "Released");
    outcome(s, state::failed);
    made = s.look();
    CHECK(phase_and_reason(made) == "Quarantined VerificationFailed");
    s.of.status = made.next;
    s.seen.outcome.reset();
    made = s.look();
    CHECK(made.next.phase == "Draining");
    s.of.status = made.next;
    s.seen.pods = 0;
    CHECK(s.look().next.step == "reboot");
}

TEST_CASE("the taint goes after the phase was written, and the case is complete after the taint") {
    scene s;
    s.in("Verifying");
    s.well(120s);
    s.of.status.healthy_time = s.seen.now - 120s;
    auto made = s.look();
    CHECK((made.next.phase == "Released" && made.drops_taint && !made.complete && !made.wants_taint));
    s.of.status = made.next;
    s.seen.node->tainted = false;
    made = s.look();
    CHECK((made.complete && !made.drops_taint && !made.overrides));
    CHECK(made.next.phase == "Released");
    CHECK(is_true(made.next.conditions, "Complete"));
    s.of.status = made.next;
    CHECK(s.look().next == s.of.status);
}

TEST_CASE("a person's word is on the Node before the taint is gone") {
    scene s;
    s.in("Quarantined");
    s.seen.node->tainted = false;
    const auto made = s.look();
    CHECK((made.overrides && made.complete));
    s.in("Draining").of.status.cordoned = true;
    const auto other = s.look();
    CHECK((other.overrides && other.drops_taint));
    s.in("Repairing").of.status.cordoned = false;
    s.seen.node->hold = "mine";
    CHECK_FALSE(s.look().overrides);
}

TEST_CASE("after a hold a healthy node loses the taint; an ill one keeps it for its new case") {
    scene s;
    s.in("Quarantined");
    s.seen.node->hold = "mine";
    auto made = s.look();
    CHECK((made.next.phase == "Cancelled" && !made.drops_taint && !made.complete));
    s.of.status = made.next;
    s.seen.node->hold.clear();
    s.seen.opens = true;
    made = s.look();
    CHECK((!made.drops_taint && !made.complete));
    s.seen.handed_over = true;
    made = s.look();
    CHECK((!made.drops_taint && made.complete));
    s.seen.handed_over = false;
    s.well();
    s.seen.opens = false;
    CHECK(s.look().drops_taint);
}

TEST_CASE("a dry run writes no Node, and says so in a condition") {
    scene s;
    s.policy.dry_run = true;
    auto made = s.look();
    CHECK(is_true(made.next.conditions, "DryRun"));
    CHECK((!made.wants_taint && !made.overrides));
    s.of.status = made.next;
    s.seen.deleted = true;
    CHECK_FALSE(s.look().overrides);
}
