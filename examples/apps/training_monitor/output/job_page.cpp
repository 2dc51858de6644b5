#include "output/job_page.hpp"

#include <kcontrol/base/log.hpp>

#include "output/job_rows.hpp"
#include "pods/exit_code.hpp"
#include "usage/usage_text.hpp"

#include <algorithm>
#include <utility>

namespace training_monitor {
namespace {

constexpr std::size_t most_pods = 200;
constexpr std::size_t unlimited = 100'000;

using page = std::vector<std::string>;

void add_title(page& to, std::string_view title, const text_layout& layout) {
    to.emplace_back();
    to.push_back(colored(cut(title, layout.columns()), "\x1b[1m", layout));
}

// A text of any length, escaped, in as many lines as it takes.
void add_wrapped(page& to, std::string_view text, std::size_t indent, const text_layout& layout) {
    const std::size_t all = layout.columns() == 0 ? unlimited : layout.columns();
    const std::size_t room = std::max<std::size_t>(all, indent + 1) - indent;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        for (const auto& part : wrap(kcontrol::escape_control(line), room)) {
            to.push_back(std::string(indent, ' ') + part);
        }
    }
}

void add_fact(page& to, std::string_view name, const std::string& value, const text_layout& layout) {
    constexpr std::size_t name_columns = 11;
    if (value.empty()) return;
    std::string line(name);
    line.append(name_columns - name.size(), ' ');
    to.push_back(cut(line + kcontrol::escape_control(value), layout.columns()));
}

std::string labels_text(const job_view& job) {
    std::string out;
    for (const auto& [name, value] : job.labels.all()) {
        out.append(out.empty() ? "" : " ").append(name).append("=").append(value);
    }
    return out;
}

std::string age_text(const std::optional<std::int64_t>& since, kcontrol::wall_time now) {
    if (!since) return "-";
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
    return duration_text(std::max<std::int64_t>(0, seconds - *since));
}

// A pod that failed or waits is what somebody looks for.
int importance(const pod_row& pod) {
    if (pod.phase == "Failed" || (pod.failed && !pod.failed->earlier)) return 0;
    if (pod.phase == "Pending" || !pod.waiting_reason.empty()) return 1;
    return pod.failed ? 2 : 3;
}

std::string exit_text(const pod_row& pod) {
    if (!pod.failed) return "";
    const std::string meaning = exit_meaning(pod.failed->code, pod.failed->reason);
    return std::to_string(pod.failed->code) + (meaning.empty() ? "" : " " + meaning);
}

std::string said_by(const pod_row& pod) {
    const auto [reason, message] = words_of(pod);
    return reason.empty() || message.empty() ? reason + message : reason + ": " + message;
}

std::string phase_text(const pod_row& pod) {
    return pod.deleted_at ? "deleted at " + to_rfc3339(*pod.deleted_at) + ", was " + pod.phase : pod.phase;
}

// Names begin like their job's; where there is little room, the end of a name tells it from the others.
std::string name_text(const job_view& job, const pod_row& pod, const text_layout& layout) {
    constexpr std::size_t roomy = 120, short_name = 20;
    const bool fits = layout.columns() == 0 || layout.columns() >= roomy || layout.wide();
    if (fits || pod.name.size() <= short_name || !pod.name.starts_with(job.name + "-")) return pod.name;
    return "\u2026" + pod.name.substr(job.name.size());
}

void add_pods(page& to, const job_view& job, const job_evidence& known, kcontrol::wall_time now,
              const text_layout& layout) {
    std::vector<const pod_row*> pods;
    for (const auto& pod : known.pods) {
        if (is_of(job, pod)) pods.push_back(&pod);
    }
    for (const auto& pod : known.deleted) {
        if (is_final(job.state) && is_of(job, pod)) pods.push_back(&pod);
    }
    if (pods.empty()) return;
    std::stable_sort(pods.begin(), pods.end(),
                     [](const pod_row* a, const pod_row* b) { return importance(*a) < importance(*b); });
    text_table rows({{"POD", column::stays, false, true},
                     {"RANK", 5},
                     {"NODE", 6},
                     {"PHASE", column::stays, true},
                     {"RESTARTS", 3},
                     {"AGE", 1},
                     {"EXIT", 7},
                     {"REASON"}});
    for (std::size_t i = 0; i < std::min(pods.size(), most_pods); ++i) {
        const pod_row& pod = *pods[i];
        const auto rank = rank_of(job, pod);
        rows.add({name_text(job, pod, layout), rank ? std::to_string(*rank) : "-", pod.node.empty() ? "-" : pod.node,
                  phase_text(pod), std::to_string(pod.restarts), age_text(pod.created, now), exit_text(pod),
                  said_by(pod)});
    }
    add_title(to, "Pods", layout);
    for (auto& line : rows.lines(layout)) to.push_back(std::move(line));
    if (pods.size() > most_pods) {
        to.push_back(cut("… and " + std::to_string(pods.size() - most_pods) + " more", layout.columns()));
    }
}

void add_events(page& to, const std::vector<object_event>& events, kcontrol::wall_time now, const text_layout& layout) {
    if (events.empty()) return;
    add_title(to, "Events", layout);
    for (const auto& event : events) {
        const std::string head = age_text(event.last_seen, now) + " ago, " + event.kind + " " + event.name + ", " +
                                 event.type + " " + event.reason +
                                 (event.count > 1 ? " (" + std::to_string(event.count) + " times)" : "");
        add_wrapped(to, head, 0, layout);
        add_wrapped(to, event.message, 2, layout);
    }
}

}  // namespace

std::vector<std::string> job_page(const job_view& job, const known_of_job& known, kcontrol::wall_time now,
                                  const text_layout& layout) {
    page out;
    const std::string state(to_string(job.state));
    const std::string sign = (layout.marks() ? std::string(mark_of(state)) + " " : "") + state;
    const std::string name = kcontrol::escape_control(job.name), shown = colored(sign, color_of(state), layout);
    const std::size_t taken = sign.size() + 2, least_name = 4;
    if (layout.columns() != 0 && layout.columns() < taken + least_name) {
        out.push_back(cut_middle(name, layout.columns()));
        out.push_back(cut(sign, layout.columns()));
    } else {
        out.push_back(cut_middle(name, layout.columns() == 0 ? 0 : layout.columns() - taken) + "  " + shown);
    }
    const std::string why = why_text(job, true);
    if (!why.empty()) add_wrapped(out, why, 0, layout);
    out.emplace_back();
    add_fact(out, "Cluster", job.cluster, layout);
    add_fact(out, "Namespace", job.namespace_, layout);
    add_fact(out, "Kind", std::string(job.kind) + " (" + std::string(job.api_version) + ")", layout);
    add_fact(out, "GPUs", std::to_string(job.gpus), layout);
    if (known.usage) {
        for (const auto& [fact, text] : usage_facts(*known.usage, now)) add_fact(out, fact, text, layout);
    }
    add_fact(out, "Started", job.start_time ? to_rfc3339(*job.start_time) : "not yet", layout);
    add_fact(out, "Finished", job.completion_time ? to_rfc3339(*job.completion_time) : "", layout);
    add_fact(out, "Duration", duration_text(duration_seconds(job, now)), layout);
    add_fact(out, "Replicas", replicas_text(job), layout);
    add_fact(out, "Labels", labels_text(job), layout);
    if (job.terminating) add_wrapped(out, "Its deletion has begun.", 0, layout);
    add_pods(out, job, known.evidence, now, layout);
    add_events(out, known.evidence.events, now, layout);
    const auto missing = missing_rights(known.rights);
    if (!missing.empty()) add_title(out, "Rights that are missing", layout);
    for (const auto text : missing) add_wrapped(out, text, 0, layout);
    return out;
}

}  // namespace training_monitor
