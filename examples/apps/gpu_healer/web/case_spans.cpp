#include "web/case_spans.hpp"

#include <kcontrol/cache/subscription.hpp>

#include "decide/phases.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <utility>

namespace gpu_healer {
namespace {

// The name of the phase that an entry says was entered, from the table; empty: it says something else.
std::string_view phase_in(std::string_view what) {
    const auto word = what.substr(0, what.find_first_of(",:"));
    const auto& all = phases.phases();
    const auto found = std::ranges::find(all, word, [](const auto& each) { return each.name(); });
    return found == all.end() ? std::string_view() : found->name();
}

// "StepFailed" of "Draining, StepFailed: the message".
std::string_view reason_in(std::string_view what) {
    const auto at = what.find_first_of(",:");
    if (at == what.npos || what[at] == ':') return {};
    what.remove_prefix(std::min(at + 2, what.size()));
    return what.substr(0, what.find(':'));
}

// The trace of a case; one of its own where the UID is none.
trace_context trace_of(std::string_view uid, environment& env) {
    trace_context out = trace_context().child(env);
    std::string digits(uid);
    std::erase(digits, '-');
    trace_context::trace_id_type read{};
    if (digits.size() != 2 * read.size()) return out;
    for (std::size_t i = 0; i < read.size(); ++i) {
        const char* at = digits.data() + 2 * i;
        if (std::from_chars(at, at + 2, read[i], 16).ptr != at + 2) return out;
    }
    out.trace_id = read;
    return out;
}

}  // namespace

std::vector<passed_phase> phases_passed(const node_repair& of) {
    std::vector<passed_phase> out;
    passed_phase now;
    for (const auto& entry : of.status.timeline) {
        const auto phase = phase_in(entry.what);
        if (phase.empty()) continue;
        now.to = entry.time.value();
        if (!now.phase.empty() && now.to >= now.from) out.push_back(now);
        now = {phase, reason_in(entry.what), entry.time.value(), {}};
    }
    return out;
}

std::vector<trace_span> spans_of(const node_repair& of, environment& env, const trace_sampler& sampled) {
    std::vector<trace_span> out;
    const auto& s = of.status;
    const wall_time begun = of.metadata.creation_timestamp.value();
    trace_span whole("node_repair", begun, std::max<duration>(s.phase_time.value() - begun, duration::zero()));
    whole.context = trace_of(of.metadata.uid, env);
    if (sampled) whole.context.sampled = sampled(whole.context, trace_context());
    whole.id = of.metadata.name;
    whole.fields = {{"name", of.metadata.name},
                    {"node", of.spec.node},
                    {"policy", of.spec.policy},
                    {"reason", of.spec.trigger ? of.spec.trigger->reason.str() : "Requested"},
                    {"result", s.phase == "Released" ? s.phase.str() : s.reason.str()},
                    {"attempts", std::to_string(s.attempt)}};
    for (const auto& each : phases_passed(of)) {
        trace_span part(each.phase, each.from, each.to - each.from);
        part.context = whole.context.child(env);
        part.under = whole.context;
        part.parent = whole.id;
        part.fields = {{"node", of.spec.node}, {"policy", of.spec.policy}, {"reason", std::string(each.reason)}};
        out.push_back(std::move(part));
    }
    out.push_back(std::move(whole));
    return out;
}

void add_case_spans(manager& m) {
    controller_options traced;
    m.adjust(traced);
    if (!traced.trace()) return;
    const auto noticed = [&m, sink = guarded_sink(m.env(), m.log(), traced.trace()),
                          sampled = traced.sample_traces()](const any_event& any) {
        const auto before = any.old_object.as<node_repair>(), now = any.new_object.as<node_repair>();
        const bool ends = before && now && !has_ended(before->status.phase) && has_ended(now->status.phase);
        if (!ends || (m.get_elector() != nullptr && !m.get_elector()->leading())) return;
        for (const auto& each : spans_of(*now, m.env(), sampled)) sink(each);
    };
    static constexpr char key = 0;
    m.attachment(&key) = std::make_shared<subscription>(m.get_informer<node_repair>()->subscribe(noticed));
}

}  // namespace gpu_healer
