#include "table/job_query.hpp"

#include <kcontrol/base/log.hpp>
#include <kcontrol/http/url.hpp>

#include <algorithm>

namespace training_monitor {
namespace {

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

template <class Names>
std::string joined(const Names& names) {
    std::string out;
    for (const auto name : names) out.append(out.empty() ? "" : ", ").append(name);
    return out;
}

template <class Names>
kcontrol::error bad_value(std::string_view parameter, std::string_view value, const Names& allowed) {
    return kcontrol::error(kcontrol::errc::invalid_argument, "parameter " + std::string(parameter) + ": \"" +
                                                                 kcontrol::escape_control(value) + "\" is not one of " +
                                                                 joined(allowed));
}

kcontrol::result<void> add_value(job_filter& filter, std::string_view parameter, std::string_view value) {
    const bool known =
        parameter == "cluster" || parameter == "namespace" || parameter == "kind" || parameter == "state";
    if (known && value.empty()) return {};  // restricts nothing
    if (parameter == "cluster") {
        filter.clusters.emplace(value);
    } else if (parameter == "namespace") {
        filter.namespaces.emplace(value);
    } else if (parameter == "kind") {
        const auto kind = find_kind(value);
        if (kind.empty()) return bad_value(parameter, value, kind_names);
        filter.kinds.emplace(kind);
    } else if (parameter == "state") {
        const auto found = std::find_if(job_state_names.begin(), job_state_names.end(),
                                        [&](std::string_view name) { return equal_ignoring_case(name, value); });
        if (found == job_state_names.end()) return bad_value(parameter, value, job_state_names);
        filter.states.insert(static_cast<job_state>(found - job_state_names.begin()));
    } else {
        return kcontrol::error(kcontrol::errc::invalid_argument, "unknown parameter \"" +
                                                                     kcontrol::escape_control(parameter) +
                                                                     "\"; allowed are cluster, namespace, kind, state");
    }
    return {};
}

}  // namespace

std::string all_kind_names() { return joined(kind_names); }

std::string_view find_kind(std::string_view name) {
    for (const auto kind : kind_names) {
        if (equal_ignoring_case(kind, name) || equal_ignoring_case(std::string(kind) + "s", name)) return kind;
    }
    return {};
}

kcontrol::result<job_filter> parse_job_query(std::string_view query) {
    job_filter filter;
    for (const auto& [name, values] : kcontrol::http::parse_query(query)) {
        std::string_view rest = values;
        do {
            const auto comma = std::min(rest.find(','), rest.size());
            const auto value = rest.substr(0, comma);
            rest.remove_prefix(std::min(comma + 1, rest.size()));
            const auto added = add_value(filter, name, value);
            if (!added) return added.error();
        } while (!rest.empty());
    }
    return filter;
}

kcontrol::result<void> expect_no_query(std::string_view query, std::string_view allowed) {
    for (const auto& [name, value] : kcontrol::http::parse_query(query)) {
        if (name == allowed) continue;
        return kcontrol::error(
            kcontrol::errc::invalid_argument,
            "unknown parameter \"" + kcontrol::escape_control(name) + "\"; allowed: " + std::string(allowed));
    }
    return {};
}

}  // namespace training_monitor
