#include "table/job_query.hpp"

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/http/url.hpp>

#include "table/query_values.hpp"

#include <algorithm>
#include <charconv>

namespace training_monitor {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

template <class Names>
std::string joined(const Names& names) {
    std::string out;
    for (const auto name : names) out.append(out.empty() ? "" : ", ").append(name);
    return out;
}

template <class Names>
kcontrol::error bad_value(std::string_view parameter, std::string_view value, const Names& allowed) {
    return bad_parameter(parameter, value, "is not one of " + joined(allowed));
}

result<void> add_to_filter(job_filter& filter, std::string_view parameter, std::string_view value) {
    if (value.empty()) return {};  // restricts nothing
    if (parameter == "cluster") {
        filter.clusters.emplace(value);
    } else if (parameter == "namespace") {
        filter.namespaces.emplace(value);
    } else if (parameter == "kind") {
        const auto kind = find_kind(value);
        if (kind.empty()) return bad_value(parameter, value, kind_names());
        filter.kinds.emplace(kind);
    } else {
        const auto found = std::find_if(job_state_names.begin(), job_state_names.end(),
                                        [&](std::string_view name) { return kcontrol::iequals(name, value); });
        if (found == job_state_names.end()) return bad_value(parameter, value, job_state_names);
        filter.states.insert(static_cast<job_state>(found - job_state_names.begin()));
    }
    return {};
}

result<void> add_labels(job_query& to, std::string_view value) {
    const auto parsed = kcontrol::label_selector::parse(value);
    if (!parsed) return parsed.error().with_context("parameter label");
    auto all = to.labels.requirements();
    all.insert(all.end(), parsed->requirements().begin(), parsed->requirements().end());
    to.labels = kcontrol::label_selector(std::move(all));
    return {};
}

result<void> set_since(job_query& to, std::string_view value, kcontrol::wall_time now) {
    if (value.empty()) return {};
    to.since = parse_since(value, now);
    if (to.since) return {};
    return bad_parameter("since", value, "is neither a time (2026-01-02T03:04:05Z) nor how long ago (90m, 24h)");
}

result<void> set_limit(job_query& to, std::string_view value) {
    if (value.empty()) return {};
    std::uint32_t number = 0;
    const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (failed != std::errc{} || end != value.data() + value.size() || number == 0) {
        return bad_parameter("limit", value, "is not a number from 1");
    }
    to.limit = number;
    return {};
}

result<void> add_field(job_query& to, std::string_view value) {
    if (value.empty()) return {};
    const auto field = parse_job_field(value);
    if (!field) return bad_value("fields", value, job_field_names);
    to.fields.add(*field);
    return {};
}

result<void> add_parameter(job_query& to, std::string_view name, std::string_view value, kcontrol::wall_time now) {
    if (name == "cluster" || name == "namespace" || name == "kind" || name == "state") {
        return each_of(value, [&](std::string_view one) { return add_to_filter(to.filter, name, one); });
    }
    if (name == "label") return add_labels(to, value);
    if (name == "since") return set_since(to, value, now);
    if (name == "limit") return set_limit(to, value);
    if (name == "fields") return each_of(value, [&](std::string_view one) { return add_field(to, one); });
    return error(errc::invalid_argument,
                 "unknown parameter " + kcontrol::in_quotes(name) +
                     "; allowed are cluster, namespace, kind, state, label, since, limit, fields");
}

}  // namespace

bool job_query::wants(const job_view& job) const {
    // One without a time of its end may have ended at any time.
    if (since && is_final(job.state) && job.completion_time && *job.completion_time < *since) return false;
    return labels.matches_with([&](std::string_view key) { return job.labels.find(key); });
}

kcontrol::result<job_query> parse_job_query(std::string_view query, kcontrol::wall_time now) {
    job_query out;
    for (const auto& [name, value] : kcontrol::http::parse_query(query)) {
        const auto added = add_parameter(out, name, value, now);
        if (!added) return added.error();
    }
    return out;
}

kcontrol::result<void> expect_no_query(std::string_view query, std::string_view allowed) {
    for (const auto& [name, value] : kcontrol::http::parse_query(query)) {
        if (name == allowed) continue;
        return kcontrol::error(kcontrol::errc::invalid_argument,
                               "unknown parameter " + kcontrol::in_quotes(name) + "; allowed: " + std::string(allowed));
    }
    return {};
}

}  // namespace training_monitor
