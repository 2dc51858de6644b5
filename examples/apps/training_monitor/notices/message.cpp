#include "notices/message.hpp"

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/base/utf8.hpp>
#include <kcontrol/values/time.hpp>

#include "notices/condition_text.hpp"

#include <algorithm>
#include <chrono>

namespace training_monitor::notices {
namespace {

constexpr std::size_t most_value_bytes = 1000;
constexpr std::size_t most_names = 5;

std::string count_text(std::int64_t n, std::string_view one) {
    return std::to_string(n) + " " + std::string(one) + (n == 1 ? "" : "s");
}

std::string length_of(kcontrol::duration d) {
    return length_text(std::chrono::duration_cast<std::chrono::seconds>(d).count());
}

std::string name_of(const job_view& job) { return one_line(job.namespace_ + "/" + job.name); }

// "(8 GPUs, fra-h100)"
std::string place_of(const job_view& job, std::int64_t gpus) {
    return (gpus > 0 ? " (" + count_text(gpus, "GPU") + ", " : " (") + one_line(job.cluster) + ")";
}

std::string_view sign_of(const notice& n) {
    if (n.resolved) return "\u2713 ";
    switch (tone_of(n)) {
    case tone::good: return "\u2713 ";
    case tone::plain: return "";
    case tone::bad: break;
    }
    const bool lost = n.is_of_cluster() || (n.condition == job_condition::none && n.to == standing(job_state::failed));
    return lost ? "\u2717 " : "\u26a0 ";
}

std::string cluster_title(const notice& n) {
    const std::string name = "cluster " + one_line(n.job->cluster);
    if (n.cluster_to == "Live") return name + " can be read again after " + length_of(n.lasted);
    return name + " has been " + (n.cluster_to == "Failed" ? "failed" : "unreachable") + " for " + length_of(n.lasted);
}

// What is wrong with a job that is blocked, after "has been blocked for 5 min by".
std::string_view blocker_of(trouble t) {
    switch (t) {
    case trouble::image: return "an image that can't be pulled";
    case trouble::configuration: return "a container that can't be created";
    case trouble::volume: return "a volume that can't be mounted";
    case trouble::quota: return "a quota";
    case trouble::limit_range: return "a LimitRange";
    case trouble::webhook: return "a webhook";
    default: return "pods that no node takes";
    }
}

std::string condition_title(const notice& n, const std::string& name) {
    const job_view& job = *n.job;
    const std::string lasted = length_of(n.lasted);
    switch (n.condition) {
    case job_condition::gpus_idle:
        return count_text(job.gpus, "GPU") + " of " + name + " idle for " + lasted + " (" + one_line(job.cluster) + ")";
    case job_condition::incomplete: return name + " has lacked pods for " + lasted + place_of(job, job.gpus);
    default: break;
    }
    switch (trouble_of(n.condition)) {
    case trouble::crash_loop: {
        const std::string restarts = job.stuck_count > 0 ? ": " + count_text(job.stuck_count, "restart") : "";
        return name + " is crash looping" + restarts + place_of(job, job.gpus);
    }
    case trouble::holds_gpus:
        return "failed " + name + " has held " + count_text(job.stuck_count, "GPU") + " for " + lasted + " (" +
               one_line(job.cluster) + ")";
    default: break;
    }
    return name + " has been blocked for " + lasted + " by " + std::string(blocker_of(trouble_of(n.condition))) +
           place_of(job, job.gpus);
}

std::string group_title(const notice& n) {
    const job_view& first = *n.job;
    std::int64_t gpus = first.gpus;
    bool one_node = !first.failure->node.empty();
    for (const auto& each : n.members) {
        gpus += each.job->gpus;
        one_node = one_node && each.job->failure->node == first.failure->node;
    }
    const auto jobs = static_cast<std::int64_t>(n.members.size() + 1);
    std::string out =
        n.earlier > 0 ? std::to_string(jobs) + (jobs == 1 ? " more job" : " more jobs") : count_text(jobs, "job");
    if (trouble_of(n.condition) == trouble::crash_loop) {
        out += jobs == 1 ? " is crash looping" : " are crash looping";
    } else {
        out += n.to == standing(job_state::restarting) ? (jobs == 1 ? " restarts" : " restart") : " failed";
    }
    if (one_node) out += " on " + one_line(first.failure->node);
    return out + place_of(first, gpus);
}

// Of all jobs that a receiver was told of in one thread.
std::string end_title(const notice& n) {
    const job_view& first = *n.job;
    const std::string node = first.failure->node.empty() ? "" : " on " + one_line(first.failure->node);
    return count_text(static_cast<std::int64_t>(n.earlier + 1), "job") + node + " recovered or were deleted (" +
           one_line(first.cluster) + ")";
}

std::string job_title(const notice& n) {
    const job_view& job = *n.job;
    const std::string name = name_of(job), place = place_of(job, job.gpus);
    if (n.resolved) {
        std::string out = !n.to.state()                         ? name + " was deleted"
                          : *n.to.state() == job_state::running ? name + " is running again"
                                                                : name + " is " + kcontrol::ascii_lower(n.to_text());
        if (n.condition == job_condition::gpus_idle && n.to == standing(job_state::running)) {
            out = "the GPUs of " + name + " are busy again";
        }
        return out + place;
    }
    if (n.condition != job_condition::none) return condition_title(n, name);
    if (n.lasted > kcontrol::duration::zero()) {
        return name + " has been " + std::string(n.to_text()) + " for " + length_of(n.lasted) + place;
    }
    if (!n.to.state()) return name + " was deleted, last state " + std::string(n.from_text()) + place;
    const auto ran = duration_seconds(job, n.at);
    const std::string after = ran ? " after " + length_text(*ran) : "";
    switch (*n.to.state()) {
    case job_state::failed: return name + " failed" + after + place;
    case job_state::succeeded: return name + " succeeded" + after + place;
    case job_state::restarting: return name + " restarts" + after + place;
    default: break;
    }
    return name + (n.from.state() ? " is " : " is new: ") + std::string(n.to_text()) + place;
}

// The sentence without what the exception says at its end, and the exception.
void append_reason(std::vector<std::string>& to, const job_view& job, bool condition) {
    std::string_view why = message_of(job);
    const std::string& error = job.failure->error;
    const bool split = !condition && !error.empty() && why.size() > error.size() + 2 && why.ends_with(error);
    if (split) why.remove_suffix(error.size());
    while (split && (why.ends_with(' ') || why.ends_with(':'))) why.remove_suffix(1);
    std::string first = job.why.empty() && !condition ? job.reason : std::string();
    if (!first.empty() && !why.empty()) first += ": ";
    first += why;
    if (!first.empty()) to.push_back(one_line(first));
    if (split) to.push_back(one_line(error));
}

}  // namespace

std::string length_text(std::int64_t s) {
    const auto two = [](std::int64_t big, const char* big_unit, std::int64_t small, const char* small_unit) {
        return std::to_string(big) + big_unit + (small == 0 ? "" : " " + std::to_string(small) + small_unit);
    };
    if (s < 60) return std::to_string(s) + " s";
    if (s < 3600) return two(s / 60, " min", s % 60, " s");
    if (s < 86400) return two(s / 3600, " h", s % 3600 / 60, " min");
    return two(s / 86400, " d", s % 86400 / 3600, " h");
}

std::string one_line(std::string_view text) {
    std::string out(kcontrol::utf8_prefix(text, most_value_bytes));
    for (char& c : out) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) c = ' ';
    }
    if (out.size() < text.size()) out += "\u2026";
    return out;
}

tone tone_of(const notice& n) {
    if (n.resolved) return tone::good;
    if (n.is_of_cluster()) return n.cluster_to == "Live" ? tone::good : tone::bad;
    if (n.condition != job_condition::none) return tone::bad;
    if (!n.to.state()) return tone::plain;
    switch (*n.to.state()) {
    case job_state::failed:
    case job_state::restarting: return tone::bad;
    case job_state::succeeded: return tone::good;
    case job_state::created:
    case job_state::queued:
    case job_state::pending:
    case job_state::unknown: return n.lasted > kcontrol::duration::zero() ? tone::bad : tone::plain;
    default: return tone::plain;
    }
}

severity severity_of(const notice& n) {
    if (n.level) return *n.level;
    if (tone_of(n) != tone::bad) return severity::info;
    if (n.is_of_cluster()) return severity::critical;
    return n.condition == job_condition::none && n.to == standing(job_state::failed) ? severity::error
                                                                                     : severity::warning;
}

std::string title_of(const notice& n) {
    std::string out(sign_of(n));
    if (n.is_of_cluster()) return out + cluster_title(n);
    const bool alone = n.members.empty() && n.earlier == 0;
    return out + (alone ? job_title(n) : n.resolved ? end_title(n) : group_title(n));
}

std::vector<std::string> lines_of(const notice& n) {
    std::vector<std::string> out;
    if (n.cluster_to == "Live") {
        if (!n.job->message.empty()) out.push_back(one_line("it could not be read: " + n.job->message));
    } else if (!n.resolved) {
        append_reason(out, *n.job, n.condition != job_condition::none || n.is_of_cluster());
    }
    if (n.changes > 1) {
        out.push_back(std::to_string(n.changes) + " changes since " + std::string(n.from_text()));
    }
    if (n.resolved || (n.members.empty() && n.earlier == 0)) return out;
    std::string names = name_of(*n.job);
    std::size_t named = 1;
    for (; named < most_names && named <= n.members.size(); ++named) names += ", " + name_of(*n.members[named - 1].job);
    const std::size_t left = n.members.size() + 1 - named;
    out.push_back(names + (left > 0 ? " and " + std::to_string(left) + " more" : ""));
    if (n.earlier > 0) out.push_back(std::to_string(n.earlier + n.members.size() + 1) + " jobs so far");
    return out;
}

std::string message_text(const notice& n, const message_form& form) {
    std::string out;
    const auto line = [&](std::string_view text) { out.append(out.empty() ? "" : "\n").append(text); };
    if (form.title) line(form.escape(title_of(n)));
    for (const auto& each : lines_of(n)) line(form.escape(each));
    if (!n.log.empty()) {
        std::string log;
        for (const auto& each : n.log) log += (log.empty() ? "" : "\n") + form.escape(one_line(each));
        // What is in it does not end it.
        for (auto at = log.find(form.log_end); !form.log_end.empty() && at != std::string::npos;) {
            log.replace(at, form.log_end.size(), std::string(form.log_end.size(), '\''));
            at = log.find(form.log_end, at);
        }
        line(std::string(form.log_begin) + log + std::string(form.log_end));
    }
    line(form.time(n.at));
    if (!form.links) return out;
    if (!n.link.empty()) line(form.link(n.link, "Open"));
    if (!n.runbook.empty()) line(form.link(n.runbook, "Runbook"));
    return out;
}

}  // namespace training_monitor::notices
