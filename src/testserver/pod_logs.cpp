#include "testserver/pod_logs.hpp"

#include "testserver/cell_parts.hpp"

#include <algorithm>
#include <charconv>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

std::vector<std::string> names_of_containers(const json::value& pod, std::string_view list) {
    std::vector<std::string> out;
    for (const auto& one : list_in(pod, {"spec", list})) out.push_back(text_in(one, {"name"}));
    return out;
}

}  // namespace

// The container that is asked for, or the only one, beside which init containers do not count.
// Source: validateContainer() of registry/core/pod/strategy.go.
outcome<std::string> container_of_log(const json::value& pod, std::string wanted) {
    const auto names = names_of_containers(pod, "containers");
    if (wanted.empty() && names.size() == 1) return names.front();
    std::vector<std::string> all;
    for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
        const auto some = names_of_containers(pod, list);
        all.insert(all.end(), some.begin(), some.end());
    }
    const std::string name = name_in(pod);
    if (wanted.empty()) {
        std::string why = "a container name must be specified for pod " + name;
        if (!names.empty()) why += ", choose one of: [" + joined(all, " ") + "]";
        return failure::bad_request(std::move(why));
    }
    if (std::find(all.begin(), all.end(), wanted) != all.end()) return wanted;
    return failure::bad_request("container " + wanted + " is not valid for pod " + name);
}

namespace {

outcome<std::optional<std::int64_t>> number_of_query(const request_info& request, std::string_view name) {
    const std::string_view text = request.parameter(name);
    if (text.empty()) return std::optional<std::int64_t>();
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size()) {
        return failure::bad_request("strconv.ParseInt: parsing \"" + std::string(text) + "\": invalid syntax");
    }
    return std::optional<std::int64_t>(number);
}

std::string nanoseconds_of(wall_time at) {
    const auto second = std::chrono::floor<std::chrono::seconds>(at);
    const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(at - second).count();
    std::string digits = std::to_string(rest);
    digits.insert(0, 9 - digits.size(), '0');
    std::string text = format_timestamp(at);
    text.pop_back();
    return text + "." + digits + "Z";
}

}  // namespace
}  // namespace detail

void pod_logs::write(const namespaced_name& pod, const std::string& container, wall_time now, std::string_view text) {
    auto& runs = runs_[{pod, container}];
    if (runs.empty()) runs.emplace_back();
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        runs.back().emplace_back(now, std::string(line));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
}

void pod_logs::forget(const namespaced_name& pod) {
    std::erase_if(runs_, [&pod](const auto& one) { return one.first.first == pod; });
}

const pod_logs::lines* pod_logs::find(const namespaced_name& pod, const std::string& container, bool previous) const {
    const auto found = runs_.find({pod, container});
    if (found == runs_.end()) return nullptr;
    const auto& runs = found->second;
    if (previous) return runs.size() < 2 ? nullptr : &runs.front();
    return runs.empty() ? nullptr : &runs.back();
}

outcome<log_query> log_query::of_request(const request_info& request, const json::value& pod) {
    log_query out;
    out.follow = request.flag("follow");
    out.previous = request.flag("previous");
    out.timestamps = request.flag("timestamps");
    std::vector<field_problem> problems;
    const auto read = [&](std::string_view name, std::int64_t least, std::optional<std::int64_t>& to,
                          const char* otherwise) -> outcome<void> {
        const auto number = detail::number_of_query(request, name);
        if (!number) return number.error();
        to = *number;
        if (to && *to < least) {
            problems.emplace_back(std::string(name), "FieldValueInvalid",
                                  "Invalid value: " + std::to_string(*to) + ": " + otherwise);
        }
        return {};
    };
    if (const auto done = read("tailLines", 0, out.tail, "must be greater than or equal to 0"); !done)
        return done.error();
    if (const auto done = read("limitBytes", 1, out.limit, "must be greater than 0"); !done) return done.error();
    const std::size_t before_since = problems.size();
    if (const auto done = read("sinceSeconds", 1, out.since_seconds, "must be greater than 0"); !done)
        return done.error();
    if (const std::string_view since = request.parameter("sinceTime"); !since.empty()) {
        out.since = parse_timestamp(since);
        if (!out.since) return failure::bad_request("sinceTime \"" + std::string(since) + "\" is no RFC 3339 time");
    }
    if (out.since && out.since_seconds) {
        // In place of what is wrong with the number. "[]" is how Go shows a path without a name.
        problems.resize(before_since);
        problems.emplace_back("[]", "FieldValueForbidden",
                              "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified");
    }
    if (!problems.empty()) return failure::invalid({"", "PodLogOptions"}, request.name, problems);
    auto container = detail::container_of_log(pod, std::string(request.parameter("container")));
    if (!container) return container.error();
    out.container = std::move(*container);
    return out;
}

std::string log_query::text(const pod_logs::lines& all, std::size_t from, bool first, wall_time now) const {
    if (first && tail) {
        const std::size_t wanted = static_cast<std::size_t>(*tail);
        from = std::max(from, all.size() - std::min(wanted, all.size()));
    }
    std::optional<wall_time> earliest = since;
    if (since_seconds) earliest = now - std::chrono::seconds(*since_seconds);
    std::string out;
    for (; from < all.size(); ++from) {
        if (earliest && all[from].at < *earliest) continue;
        if (timestamps) out += detail::nanoseconds_of(all[from].at) + " ";
        out += all[from].text + "\n";
    }
    return out;
}

}  // namespace kcontrol::testing
