#include "notices/read_rule.hpp"

#include "notices/config_error.hpp"
#include "table/job_query.hpp"

#include <algorithm>
#include <string>

namespace training_monitor::notices {
namespace {

using kcontrol::result;

std::string list_of(const std::vector<std::string>& names) {
    std::string out;
    for (const auto& name : names) out += (out.empty() ? "" : ", ") + name;
    return out;
}

result<std::vector<standing>> states(const std::vector<std::string>& names, std::string_view field,
                                     std::string_view absent) {
    std::vector<standing> out;
    for (const auto& name : names) {
        const auto state = parse_job_state(name);
        if (!state && name != absent) {
            std::string text = std::string(field) + ": " + quoted(name) + " is not one of " + std::string(absent);
            for (const auto each : job_state_names) text.append(", ").append(each);
            return bad_config(std::move(text));
        }
        out.push_back(state ? standing(*state) : standing());
    }
    return out;
}

}  // namespace

result<rule> read_rule(const rule_section& section, const std::vector<receiver_config>& receivers) {
    rule out;
    out.clusters = section.clusters;
    out.namespaces = section.namespaces;
    for (const auto& name : section.kinds) {
        const auto kind = find_kind(name);
        if (kind.empty()) {
            return bad_config("kinds: " + quoted(name) + " is not one of " + all_kind_names());
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
    for (const auto& name : section.receivers) {
        const auto found = std::find_if(receivers.begin(), receivers.end(),
                                        [&](const receiver_config& each) { return each.name == name; });
        if (found == receivers.end()) {
            std::vector<std::string> names;
            for (const auto& each : receivers) names.push_back(each.name);
            return bad_config("receivers: there is no receiver " + quoted(name) + "; there are " + list_of(names));
        }
        out.receivers.push_back(static_cast<std::size_t>(found - receivers.begin()));
    }
    if (section.silent != out.receivers.empty()) {
        return bad_config(section.silent
                              ? "silent: true and receivers exclude each other"
                              : "receivers: there is none; for a rule that keeps notices back say silent: true");
    }
    out.goes_on = section.goes_on;
    return out;
}

}  // namespace training_monitor::notices
