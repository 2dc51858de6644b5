#pragma once

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/scheduling/configuration.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

inline result<plugin_configuration> read_plugin_configuration(const configuration_part& part,
                                                              const std::function<bool(std::string_view)>& is_plugin) {
    if (const auto known = part.check_keys({"name", "weight", "args"}); !known) return known.error();
    auto name = part.text("name");
    if (!name) return name.error();
    if (!*name) return part.wrong("a plugin needs a name");
    if (!is_plugin(**name)) return part.wrong("name", "unknown plugin " + in_quotes(**name));
    const auto weight = part.number("weight", 1, std::numeric_limits<std::int32_t>::max());
    if (!weight) return weight.error();
    return plugin_configuration{std::move(**name), *weight, part.member("args"), part};
}

inline result<profile_configuration> read_profile_configuration(
    const configuration_part& part, const std::function<bool(std::string_view)>& is_plugin) {
    if (const auto known = part.check_keys({"schedulerName", "percentageOfNodesToScore", "plugins"}); !known) {
        return known.error();
    }
    profile_configuration out;
    auto name = part.text("schedulerName");
    if (!name) return name.error();
    if (!*name) return part.wrong("a profile needs a schedulerName");
    out.scheduler_name = std::move(**name);
    const auto percentage = part.number("percentageOfNodesToScore", 0, 100);
    if (!percentage) return percentage.error();
    out.percentage_of_nodes_to_score = static_cast<std::int32_t>(percentage->value_or(0));
    if (!part.member("plugins")) return out;
    const auto plugins = part.list("plugins");
    if (!plugins) return plugins.error();
    out.plugins.emplace();
    for (const auto& each : *plugins) {
        auto read = read_plugin_configuration(each, is_plugin);
        if (!read) return read.error();
        if (std::ranges::count(*out.plugins, read->name, &plugin_configuration::name) != 0) {
            return each.wrong("name", "plugin " + in_quotes(read->name) + " is there twice");
        }
        out.plugins->push_back(std::move(*read));
    }
    return out;
}

}  // namespace detail

KCONTROL_DECL result<scheduler_configuration> parse_configuration(
    std::string file, std::string_view text, const std::function<bool(std::string_view)>& is_plugin,
    const std::vector<std::string>& further_keys) {
    auto read = json::yaml_file::parse(std::move(file), text);
    if (!read) return read.error();
    const configuration_part root(std::make_shared<const json::yaml_file>(std::move(*read)));
    std::vector<std::string_view> keys{"profiles"};
    keys.insert(keys.end(), further_keys.begin(), further_keys.end());
    if (const auto known = root.check_keys(keys); !known) return known.error();
    const auto profiles = root.list("profiles");
    if (!profiles) return profiles.error();
    const bool may_be_absent = !further_keys.empty() && !root.member("profiles");
    if (profiles->empty() && !may_be_absent) return root.wrong("profiles", "at least one profile is expected");
    scheduler_configuration out;
    out.file = root;
    for (const auto& each : *profiles) {
        auto profile = detail::read_profile_configuration(each, is_plugin);
        if (!profile) return profile.error();
        if (std::ranges::count(out.profiles, profile->scheduler_name, &profile_configuration::scheduler_name) != 0) {
            const std::string quoted = in_quotes(profile->scheduler_name);
            return each.wrong("schedulerName", "profile " + quoted + " is there twice");
        }
        out.profiles.push_back(std::move(*profile));
    }
    return out;
}

}  // namespace kcontrol::scheduling
