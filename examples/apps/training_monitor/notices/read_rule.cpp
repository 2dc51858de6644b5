#include "notices/read_rule.hpp"

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/base/in_quotes.hpp>

#include "notices/config_error.hpp"
#include "table/job_query.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace training_monitor::notices {
namespace {

using kcontrol::result;

std::string list_of(const std::vector<std::string>& names) {
    std::string out;
    for (const auto& name : names) out += (out.empty() ? "" : ", ") + name;
    return out;
}

// As kinds are: whatever the case. Names of clusters, namespaces and receivers are their owners', and case counts.
std::optional<job_state> find_state(std::string_view name) {
    const auto found = std::find_if(job_state_names.begin(), job_state_names.end(),
                                    [&](std::string_view each) { return kcontrol::iequals(each, name); });
    if (found == job_state_names.end()) return std::nullopt;
    return static_cast<job_state>(found - job_state_names.begin());
}

result<std::vector<standing>> states(const std::vector<std::string>& names, std::string_view field,
                                     std::string_view absent) {
    std::vector<standing> out;
    for (const auto& name : names) {
        const auto state = find_state(name);
        if (!state && !kcontrol::iequals(name, absent)) {
            std::string text =
                std::string(field) + ": " + kcontrol::in_quotes(name) + " is not one of " + std::string(absent);
            for (const auto each : job_state_names) text.append(", ").append(each);
            return bad_config(std::move(text));
        }
        out.push_back(state ? standing(*state) : standing());
    }
    return out;
}

// Their places.
result<std::vector<std::size_t>> read_receivers(const std::vector<std::string>& names,
                                                const std::vector<receiver_config>& receivers) {
    std::vector<std::size_t> out;
    for (const auto& name : names) {
        const auto found = std::find_if(receivers.begin(), receivers.end(),
                                        [&](const receiver_config& each) { return each.name == name; });
        if (found == receivers.end()) {
            std::vector<std::string> all;
            for (const auto& each : receivers) all.push_back(each.name);
            return bad_config("receivers: there is no receiver " + kcontrol::in_quotes(name) + "; there are " +
                              list_of(all));
        }
        out.push_back(static_cast<std::size_t>(found - receivers.begin()));
    }
    return out;
}

constexpr auto longest = std::chrono::hours(24 * 30);

result<kcontrol::duration> length(std::string_view field, kcontrol::api_duration said) {
    const auto out = std::chrono::duration_cast<kcontrol::duration>(said.length());
    if (out < std::chrono::seconds(1) || out > longest) {
        return bad_config(std::string(field) + ": " + to_string(said) + " is not from 1s to 720h");
    }
    return out;
}

result<void> read_restarts(const restarts_section& section, rule& out) {
    constexpr std::int32_t most = 32;  // of the 64 states that are remembered of a job, half
    if (!section.count || *section.count < 2 || *section.count > most) {
        return bad_config("restarts.count: give a number from 2 to " + std::to_string(most));
    }
    if (!section.within) return bad_config("restarts.within: it is missing; give a time, such as 10m");
    const auto within = length("restarts.within", *section.within);
    if (!within) return within.error();
    out.restarts = static_cast<std::size_t>(*section.count);
    out.restarts_within = *within;
    if (out.to.empty()) out.to = {job_state::restarting};
    if (out.to != std::vector<standing>{job_state::restarting}) {
        return bad_config("restarts: to must be [Restarting], or be left out");
    }
    return {};
}

// What rules of jobs and of clusters say of their notices.
template <class Section>
result<void> read_manner(const Section& section, rule_manner& out) {
    if (!section.level.empty()) {
        const auto found = std::find(severity_names.begin(), severity_names.end(), section.level);
        if (found == severity_names.end()) {
            return bad_config("severity: " + kcontrol::in_quotes(section.level) +
                              " is not one of info, warning, error, critical");
        }
        out.level = static_cast<severity>(found - severity_names.begin());
    }
    const auto is_url = [](std::string_view text) {
        const bool web = text.starts_with("https://") || text.starts_with("http://");
        return web && text.size() <= 1000 && std::all_of(text.begin(), text.end(), [](char c) {
                   return c > ' ' && c < 0x7f && std::string_view("<>|\"\\^`{}()[]").find(c) == std::string_view::npos;
               });
    };
    if (!section.runbook.empty() && !is_url(section.runbook)) {
        return bad_config("runbook: " + kcontrol::in_quotes(section.runbook) +
                          " is not a URL such as https://wiki.example.com/gpu-faults");
    }
    out.runbook = section.runbook;
    if (!section.quiet) return {};
    auto hours = read_quiet_hours(section.quiet->from, section.quiet->to, section.quiet->utc_offset);
    if (!hours) return hours.error().with_context("quietHours");
    out.quiet = *hours;
    return {};
}

// What a rule with `for:` can't have: it is about a state that lasts.
result<void> read_lasting(const rule_section& section, rule& out) {
    const auto lasting = length("for", *section.lasting);
    if (!lasting) return lasting.error();
    if (section.silent) return bad_config("for: a silent rule has none: nothing is held back later");
    if (section.goes_on) return bad_config("for: such a rule never ends the search; leave out continue");
    if (section.restarts) return bad_config("for: and restarts exclude each other");
    const bool has_end = std::any_of(out.to.begin(), out.to.end(), [](const standing& s) { return !s.state(); });
    if (has_end) return bad_config("for: a job that is Gone stays so; leave it out of to");
    out.lasting = *lasting;
    return {};
}

// blockedBy: what keeps a job from training, for a time.
result<void> read_blocked_by(const rule_section& section, rule& out) {
    if (section.incomplete || section.gpus_idle) {
        return bad_config("blockedBy excludes incomplete and gpusIdle: write a rule for each");
    }
    if (!section.lasting) return bad_config("blockedBy: for is missing; give a time, such as 1m");
    if (!out.to.empty() || !out.from.empty()) return bad_config("blockedBy: leave out from and to");
    for (const auto& name : section.blocked_by) {
        const auto found = std::find_if(trouble_names.begin() + 1, trouble_names.end(),
                                        [&](std::string_view each) { return kcontrol::iequals(each, name); });
        if (found == trouble_names.end()) {
            std::string text = "blockedBy: " + kcontrol::in_quotes(name) + " is not one of ";
            for (auto each = trouble_names.begin() + 1; each != trouble_names.end(); ++each) {
                text.append(each == trouble_names.begin() + 1 ? "" : ", ").append(*each);
            }
            return bad_config(std::move(text));
        }
        out.conditions.push_back(condition_of(static_cast<trouble>(found - trouble_names.begin())));
    }
    return {};
}

// incomplete and gpusIdle: of jobs that run, and are so for a time.
result<void> read_condition(const rule_section& section, rule& out) {
    if (section.incomplete && section.gpus_idle) {
        return bad_config("incomplete and gpusIdle exclude each other: write a rule for each");
    }
    const std::string field = section.incomplete ? "incomplete" : "gpusIdle";
    if (!section.lasting) return bad_config(field + ": for is missing; give a time, such as 15m");
    const bool running = out.to.empty() || out.to == std::vector<standing>{job_state::running};
    if (!running || !out.from.empty()) {
        return bad_config(field + ": it is of jobs that run; leave out from and to");
    }
    out.conditions = {section.incomplete ? job_condition::incomplete : job_condition::gpus_idle};
    return {};
}

}  // namespace

result<rule> read_rule(const rule_section& section, const std::vector<receiver_config>& receivers) {
    rule out;
    out.clusters = section.clusters;
    out.namespaces = section.namespaces;
    for (const auto& name : section.kinds) {
        const auto kind = find_kind(name);
        if (kind.empty()) {
            return bad_config("kinds: " + kcontrol::in_quotes(name) + " is not one of " + all_kind_names());
        }
        out.kinds.emplace_back(kind);
    }
    auto from = states(section.from, "from", new_state);
    if (!from) return from.error();
    auto to = states(section.to, "to", gone_state);
    if (!to) return to.error();
    out.from = std::move(*from);
    out.to = std::move(*to);
    auto labels = kcontrol::label_selector::parse(section.labels);
    if (!labels) return labels.error().with_context("labels");
    out.labels = std::move(*labels);
    auto whom = read_receivers(section.receivers, receivers);
    if (!whom) return whom.error();
    out.receivers = std::move(*whom);
    if (section.silent != out.receivers.empty()) {
        return bad_config(section.silent
                              ? "silent: true and receivers exclude each other"
                              : "receivers: there is none; for a rule that keeps notices back say silent: true");
    }
    out.goes_on = section.goes_on;
    if (section.restarts) {
        const auto read = read_restarts(*section.restarts, out);
        if (!read) return read.error();
    }
    if (!section.blocked_by.empty()) {
        const auto read = read_blocked_by(section, out);
        if (!read) return read.error();
    } else if (section.incomplete || section.gpus_idle) {
        const auto read = read_condition(section, out);
        if (!read) return read.error();
    }
    if (section.lasting) {
        const auto read = read_lasting(section, out);
        if (!read) return read.error();
    }
    const auto manner = read_manner(section, out.manner);
    if (!manner) return manner.error();
    return out;
}

result<cluster_rule> read_cluster_rule(const cluster_rule_section& section,
                                       const std::vector<receiver_config>& receivers) {
    cluster_rule out;
    out.clusters = section.clusters;
    if (section.receivers.empty()) return bad_config("receivers: there is none; name whom to tell");
    auto whom = read_receivers(section.receivers, receivers);
    if (!whom) return whom.error();
    out.receivers = std::move(*whom);
    if (!section.lasting) return bad_config("for: it is missing; give a time, such as 5m");
    const auto lasting = length("for", *section.lasting);
    if (!lasting) return lasting.error();
    out.lasting = *lasting;
    const auto manner = read_manner(section, out.manner);
    if (!manner) return manner.error();
    return out;
}

}  // namespace training_monitor::notices
