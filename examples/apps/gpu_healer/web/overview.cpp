#include "web/overview.hpp"

#include <kcontrol/json/members.hpp>
#include <kcontrol/model/condition.hpp>
#include <kcontrol/serve/embedded_file.hpp>
#include <kcontrol/serve/responses.hpp>

#include "control/objects.hpp"
#include "decide/breaker.hpp"
#include "decide/phases.hpp"
#include "gpu_healer/page.hpp"
#include "web/case_spans.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace gpu_healer {
namespace {

constexpr std::size_t most_ended = 100;

bool is_open(const node_repair& of) {
    return !has_ended(of.status.phase) || is_true(of.status.conditions, "Quarantined");
}

void write_phases(json::writer& out, const repair_list& repairs) {
    const auto times = phase_times(repairs);
    json::begin_array(out, "phases");
    for (const auto& each : phases.phases()) {
        if (each.is_terminal()) continue;
        const auto found = times.find(each.name());
        const bool known = found != times.end();
        out.begin_object();
        out.member("phase", each.name());
        out.member("passed", known ? found->second.size() : std::size_t{0});
        for (const int percent : {50, 99})
            json::write_or_null(out, percent == 50 ? "p50" : "p99",
                                known ? std::optional(percentile(found->second, percent)) : std::nullopt);
        out.end_object();
    }
    out.end_array();
}

void write_policy(json::writer& out, const healing_policy& of, const repair_list& repairs) {
    const auto* breaker = find_condition(of.status.conditions, "BreakerOpen");
    const bool open = breaker != nullptr && breaker->status == "True";
    out.begin_object();
    out.member("name", of.metadata.name.view());
    out.member("selected", of.status.nodes);
    out.member("ill", of.status.ill);
    out.member("tainted", of.status.tainted);
    out.member("limit", breaker_limit(of.spec.breaker, of.status.nodes));
    out.member("breakerOpen", open);
    json::write_text_or_null(out, "since", open ? breaker->last_transition_time.str() : "");
    json::begin_array(out, "held");
    for (const auto& each : repairs) {
        if (each->status.phase == "Held" && each->spec.policy == of.metadata.name) out.value(each->spec.node.view());
    }
    out.end_array();
    out.member("invalid", check(of.spec));
    out.member("dryRun", of.spec.dry_run);
    out.end_object();
}

void write_more(json::writer& out, const node_repair& of) {
    const auto& s = of.status;
    out.member("open", is_open(of));
    out.member("message", s.message.view());
    out.member("since", s.phase_time.present() ? s.phase_time.str() : of.metadata.creation_timestamp.str());
    out.member("created", of.metadata.creation_timestamp.str());
    const auto& fault = of.spec.trigger;
    out.member("fault", fault ? fault->type.str() + " is " + fault->status.str() : "");
    out.member("taint", taint_words(of));
    out.member("dryRun", is_true(s.conditions, "DryRun"));
    out.member("advice", s.phase == "NeedsHuman" ? advice(s.reason) : "");
}

// Why what is cached may be old, or goes on no further.
template <class Informer>
std::string trouble_of(const char* kind, const Informer& of) {
    const auto is = of.status();
    const std::string why = is.reason.empty() ? std::string() : ": " + is.reason;
    if (is.state == informer_state::live && is.synced)
        return is.invalid == 0 ? std::string() : std::to_string(is.invalid) + " " + kind + " can't be read" + why;
    return "the healer can't read " + std::string(kind) + " (" + std::string(to_string(is.state)) + ")" + why;
}

}  // namespace

std::map<std::string, std::vector<double>, std::less<>> phase_times(const repair_list& repairs) {
    std::map<std::string, std::vector<double>, std::less<>> out;
    for (const auto& each : repairs) {
        for (const auto& [phase, reason, from, to] : phases_passed(*each))
            out[std::string(phase)].push_back(std::chrono::duration<double>(to - from).count());
    }
    return out;
}

double percentile(std::vector<double> values, int percent) {
    const auto rank = (values.size() * std::size_t(percent) + 99) / 100;
    const auto at = values.begin() + std::ptrdiff_t(std::max<std::size_t>(rank, 1) - 1);
    std::ranges::nth_element(values, at);
    return *at;
}

std::string_view advice(std::string_view reason) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> all{
        {{"Manual", "Do what the message says."},
         {"MaxAttempts", "Find out why the steps do not help: no further one starts within 24 h."},
         {"StepGone",
          "The policy has no such step any more. Repair the node by hand, or correct the policy and delete "
          "the case."},
         {"DrainTimeout", "Pods with GPUs are still on the node. End or move them, then repair the node by hand."},
         {"AnswerLost",
          "Find out at the step's server whether it ran: the answer was lost, and it is not started twice."},
         {"StepFailed", "All steps have failed. Repair the node by hand."},
         {"NotHealthy", "All steps are done and the node is not healthy. Repair the node by hand."},
         {"VerificationFailed", "The job of verification has failed. Read its log, then repair the node by hand."}}};
    const auto found = std::ranges::find(all, reason, [](const auto& each) { return each.first; });
    return found == all.end() ? "Read the message, then repair the node by hand." : found->second;
}

std::string overview_json(const overview& of) {
    json::writer out;
    out.begin_object();
    out.member("time", timestamp(of.now).str());
    out.member("trouble", of.trouble);
    out.member("leader", of.leader);
    write_phases(out, of.repairs);
    json::begin_array(out, "policies");
    for (const auto& each : of.policies) write_policy(out, *each, of.repairs);
    out.end_array();
    // Open ones first, then those that ended last.
    auto all = of.repairs;
    std::ranges::sort(all, [](const auto& a, const auto& b) {
        if (is_open(*a) != is_open(*b)) return is_open(*a);
        if (a->status.phase_time != b->status.phase_time) return a->status.phase_time > b->status.phase_time;
        return a->metadata.name < b->metadata.name;
    });
    const auto open = std::size_t(std::ranges::count_if(all, [](const auto& each) { return is_open(*each); }));
    const auto shown = std::min(all.size(), open + most_ended);
    json::begin_array(out, "cases");
    for (std::size_t i = 0; i < shown; ++i) {
        out.begin_object();
        write_case(out, *all[i]);
        write_more(out, *all[i]);
        out.end_object();
    }
    out.end_array();
    out.member("older", all.size() - shown);
    out.end_object();
    return out.take();
}

overview overview_of(manager& m) {
    const auto repairs = m.get_informer<node_repair>();
    const auto policies = m.get_informer<healing_policy>();
    overview out;
    out.repairs = repairs->list();
    out.policies = policies->list();
    out.now = m.env().wall_now();
    for (const auto& words : {trouble_of("NodeRepairs", *repairs), trouble_of("HealingPolicies", *policies),
                              trouble_of("Nodes", *m.get_informer<healed_node>())}) {
        if (out.trouble.empty()) out.trouble = words;
    }
    if (const auto* elector = m.get_elector()) {
        out.leader = elector->leader();
        if (out.trouble.empty() && out.leader.empty()) out.trouble = "no replica leads: no case goes on";
    }
    return out;
}

void add_page(http::router& to, std::function<overview()> look) {
    add_files(to, embedded_files());
    to.get("/api/v1/overview", [look = std::move(look)](const http::routed_request&) {
        return http::json_response(200, overview_json(look()) + "\n");
    });
}

}  // namespace gpu_healer
