#include "testserver/list_query.hpp"

#include <kcontrol/testing/failure.hpp>

#include "testserver/failure_parts.hpp"
#include "testserver/resource_version.hpp"
#include "testserver/stored_object.hpp"

#include <charconv>
#include <vector>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

failure forbidden_option(std::string_view field, std::string_view problem) {
    return failure::invalid({"meta.k8s.io", "ListOptions"}, "", field, "FieldValueForbidden",
                            "Forbidden: " + std::string(problem));
}

outcome<std::optional<std::int64_t>> integer_parameter(const request_info& request, std::string_view name) {
    const std::string_view text = request.parameter(name);
    if (text.empty()) return std::optional<std::int64_t>();
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size()) {
        return failure::bad_request("strconv.ParseInt: parsing " + in_quotes(text) + ": invalid syntax");
    }
    return std::optional<std::int64_t>(number);
}

outcome<void> check_match_of_list(const request_info& request) {
    constexpr std::string_view field = "resourceVersionMatch";
    const std::string_view match = request.parameter(field);
    const std::string_view version = request.parameter("resourceVersion");
    if (request.has_parameter("sendInitialEvents")) {
        return forbidden_option("sendInitialEvents", "sendInitialEvents is forbidden for list");
    }
    if (match.empty()) return {};
    if (version.empty()) {
        return forbidden_option(field, "resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (!request.parameter("continue").empty()) {
        return forbidden_option(field, "resourceVersionMatch is forbidden when continue is provided");
    }
    if (match != "Exact" && match != "NotOlderThan") {
        return failure::invalid(
            {"meta.k8s.io", "ListOptions"}, "", field, "FieldValueNotSupported",
            "Unsupported value: " + in_quotes(match) + R"(: supported values: "Exact", "NotOlderThan", "")");
    }
    if (match == "Exact" && version == "0") {
        return forbidden_option(field, R"(resourceVersionMatch "exact" is forbidden for resourceVersion "0")");
    }
    return {};
}

outcome<void> check_match_of_watch(const request_info& request, bool watch_lists) {
    constexpr std::string_view match_field = "resourceVersionMatch";
    const std::string_view match = request.parameter(match_field);
    const std::string_view version = request.parameter("resourceVersion");
    const bool asks = request.has_parameter("sendInitialEvents");
    // What a server with watch lists takes for asking, too.
    const bool from_state = watch_lists && !asks && match.empty() && (version.empty() || version == "0");
    std::vector<field_problem> problems;
    const auto forbid = [&](std::string_view field, std::string_view problem) {
        problems.emplace_back(std::string(field), "FieldValueForbidden", "Forbidden: " + std::string(problem));
    };
    if (asks && match != "NotOlderThan") {
        forbid(match_field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    }
    if (asks && !watch_lists) {
        forbid("sendInitialEvents",
               "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled");
    }
    if (!match.empty() && !asks) {
        forbid(match_field, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    }
    if (!match.empty() && match != "NotOlderThan") {
        problems.emplace_back(std::string(match_field), "FieldValueNotSupported",
                              "Unsupported value: " + in_quotes(match) + R"(: supported values: "NotOlderThan")");
    }
    if ((!match.empty() || from_state) && !request.parameter("continue").empty()) {
        forbid(match_field, "resourceVersionMatch is forbidden when continue is provided");
    }
    if (problems.empty()) return {};
    return failure::invalid({"meta.k8s.io", "ListOptions"}, "", problems);
}

}  // namespace
}  // namespace detail

outcome<list_query> list_query::of_request(const request_info& request, const resource_type& type, bool watch_lists) {
    list_query query;
    query.watch = request.flag("watch");
    auto filter = object_filter::of_request(request, type);
    if (!filter) return filter.error();
    query.filter = std::move(*filter);
    const auto limit = detail::integer_parameter(request, "limit");
    if (!limit) return limit.error();
    query.limit = limit->value_or(0);
    const auto timeout = detail::integer_parameter(request, "timeoutSeconds");
    if (!timeout) return timeout.error();
    if (timeout->value_or(0) != 0) query.timeout = std::chrono::seconds(**timeout);
    const auto checked =
        query.watch ? detail::check_match_of_watch(request, watch_lists) : detail::check_match_of_list(request);
    if (!checked) return checked.error();
    const std::string_view version = request.parameter("resourceVersion");
    if (!version.empty()) {
        query.version = detail::parse_version(version);
        const std::string problem = "resourceVersion: Invalid value: " + detail::in_quotes(version) +
                                    ": strconv.ParseUint: parsing " + detail::in_quotes(version) + ": invalid syntax";
        // A list words it as 400, a watch as 500 without a reason; so does the real one.
        if (!query.version && query.watch) return failure(500, "", problem);
        if (!query.version) return failure::bad_request("invalid resource version: " + problem);
    }
    if (!query.watch && query.version.value_or(0) > 0 && !request.parameter("continue").empty()) {
        return failure::bad_request("specifying resource version is not allowed when using continue");
    }
    const std::string_view match = request.parameter("resourceVersionMatch");
    if (match == "Exact") query.match = version_match::exact;
    if (match == "NotOlderThan") query.match = version_match::not_older_than;
    query.continue_token = request.parameter("continue");
    query.bookmarks = request.flag("allowWatchBookmarks");
    if (request.has_parameter("sendInitialEvents")) query.send_initial_events = request.flag("sendInitialEvents");
    const bool from_state = query.version.value_or(0) == 0;
    if (query.watch && watch_lists && from_state && match.empty() && !query.send_initial_events) {
        query.send_initial_events = true;
    }
    return query;
}

}  // namespace kcontrol::testing
