#include "web/gpu_hours_answer.hpp"

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/json/members.hpp>
#include <kcontrol/serve/responses.hpp>
#include <kcontrol/values/time.hpp>

#include "jobs/job_view.hpp"
#include "table/query_values.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace training_monitor {
namespace {

namespace http = kcontrol::http;
using kcontrol::result;

enum part : std::size_t { day, cluster, name_space, team };
constexpr std::array<std::string_view, 4> part_names{"day", "cluster", "namespace", "team"};

struct hours_query {
    std::array<bool, 4> by{};
    std::array<std::set<std::string, std::less<>>, 4> only;  // of a day: none
    std::optional<gpu_day> since;

    bool wants(const gpu_hours_key& key) const {
        const auto allows = [this](part which, const std::string& value) {
            return only[which].empty() || only[which].contains(value);
        };
        return (!since || key.day >= *since) && allows(cluster, key.cluster) && allows(name_space, key.name_space) &&
               allows(team, key.team);
    }
    // The key without what is not asked for.
    gpu_hours_key cut(const gpu_hours_key& key) const {
        gpu_hours_key out;
        if (by[day]) out.day = key.day;
        if (by[cluster]) out.cluster = key.cluster;
        if (by[name_space]) out.name_space = key.name_space;
        if (by[team]) out.team = key.team;
        return out;
    }
};

gpu_day day_of(std::int64_t seconds) {
    return std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(seconds)));
}

result<void> set_since(hours_query& to, const std::string& value, kcontrol::wall_time now) {
    if (value.empty()) return {};
    auto seconds = parse_since(value, now);
    if (!seconds) seconds = parse_rfc3339_seconds(value + "T00:00:00Z");
    if (!seconds) {
        return bad_parameter(
            "since", value,
            "is neither a day (2026-01-02), nor a time (2026-01-02T03:04:05Z), nor how long ago (168h)");
    }
    to.since = day_of(*seconds);
    return {};
}

result<void> add_part(hours_query& to, std::string_view name) {
    if (name.empty()) return {};
    const auto found = std::find(part_names.begin(), part_names.end(), name);
    if (found == part_names.end()) return bad_parameter("by", name, "is not one of day, cluster, namespace, team");
    to.by[static_cast<std::size_t>(found - part_names.begin())] = true;
    return {};
}

result<hours_query> parse(std::string_view query, kcontrol::wall_time now) {
    hours_query out;
    for (const auto& [name, value] : http::parse_query(query)) {
        const auto restricts = std::find(part_names.begin() + 1, part_names.end(), name);
        if (restricts != part_names.end()) {
            auto& only = out.only[static_cast<std::size_t>(restricts - part_names.begin())];
            const auto added = each_of(value, [&](std::string_view one) -> result<void> {
                if (!one.empty()) only.emplace(one);
                return {};
            });
            if (!added) return added.error();
        } else if (name == "by") {
            const auto added = each_of(value, [&](std::string_view one) { return add_part(out, one); });
            if (!added) return added.error();
        } else if (name == "since") {
            const auto set = set_since(out, value, now);
            if (!set) return set.error();
        } else {
            return kcontrol::error(
                kcontrol::errc::invalid_argument,
                "unknown parameter " + kcontrol::in_quotes(name) + "; allowed are by, cluster, namespace, team, since");
        }
    }
    if (std::none_of(out.by.begin(), out.by.end(), [](bool on) { return on; })) out.by.fill(true);
    return out;
}

// In whole thousandths of an hour: 3.6 seconds of a GPU.
double hours_of(double gpu_ms) { return std::round(gpu_ms / 3600.0) / 1000.0; }

std::string day_text(gpu_day at) {
    return to_rfc3339(std::chrono::sys_seconds(at).time_since_epoch().count()).substr(0, 10);
}

using sum_list = std::vector<std::pair<gpu_hours_key, double>>;

sum_list sum_up(const gpu_hours& hours, const hours_query& asked) {
    std::map<gpu_hours_key, double> sums;
    for (const auto& [key, sum] : hours.rows()) {
        if (asked.wants(key)) sums[asked.cut(key)] += static_cast<double>(sum.gpu_ms);
    }
    sum_list out(sums.begin(), sums.end());
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
        return a.first.day != b.first.day ? a.first.day < b.first.day : a.second > b.second;
    });
    return out;
}

}  // namespace

http::response gpu_hours_answer(gpu_hours& hours, std::string_view query, kcontrol::wall_time now) {
    const auto asked = parse(query, now);
    if (!asked) return http::error_response(400, asked.error().message());
    hours.count(now);
    const auto sums = sum_up(hours, *asked);
    double all = 0;
    for (const auto& [key, gpu_ms] : sums) all += gpu_ms;
    const auto since = hours.since();
    kcontrol::json::writer out;
    out.begin_object();
    kcontrol::json::write_text_or_null(out, "since", since ? kcontrol::format_time(*since) : "");
    out.member("until", kcontrol::format_time(now));
    out.member("gpuHours", hours_of(all));
    begin_array(out, "items");
    for (const auto& [key, gpu_ms] : sums) {
        out.begin_object();
        if (asked->by[day]) out.member("day", day_text(key.day));
        if (asked->by[cluster]) out.member("cluster", key.cluster);
        if (asked->by[name_space]) out.member("namespace", key.name_space);
        if (asked->by[team]) kcontrol::json::write_text_or_null(out, "team", key.team);
        out.member("gpuHours", hours_of(gpu_ms));
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return http::json_response(200, out.take() + "\n");
}

}  // namespace training_monitor
