#include "web/totals_answer.hpp"

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/json/members.hpp>
#include <kcontrol/serve/responses.hpp>

#include "table/job_query.hpp"

namespace training_monitor {
namespace {

void write_point(kcontrol::json::writer& out, const totals_point& point) {
    out.begin_object();
    out.member("time", to_rfc3339(point.time));
    begin_object(out, "states");
    for (std::size_t i = 0; i < job_state_names.size(); ++i) {
        if (point.counts.states[i] != 0) out.member(job_state_names[i], point.counts.states[i]);
    }
    out.end_object();
    begin_object(out, "gpus");
    out.member("requested", point.counts.gpus_requested);
    out.member("running", point.counts.gpus_running);
    out.end_object();
    out.end_object();
}

}  // namespace

kcontrol::http::response totals_answer(const totals& points, std::string_view query) {
    const auto checked = expect_no_query(query, "since");
    if (!checked) return kcontrol::http::error_response(400, checked.error().message());
    std::optional<std::int64_t> since;
    for (const auto& [name, value] : kcontrol::http::parse_query(query)) {
        since = parse_rfc3339_seconds(value);
        if (!since) {
            return kcontrol::http::error_response(
                400, "parameter since: " + kcontrol::in_quotes(value) +
                         " is not a time such as 2026-11-21T14:00:00Z (the '+' of an offset is written %2B)");
        }
    }
    kcontrol::json::writer out;
    out.begin_object();
    begin_array(out, "items");
    for (const auto& point : points.since(since)) write_point(out, point);
    out.end_array();
    out.end_object();
    return kcontrol::http::json_response(200, out.take() + "\n");
}

}  // namespace training_monitor
