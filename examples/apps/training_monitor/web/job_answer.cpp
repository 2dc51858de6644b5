#include "web/job_answer.hpp"

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/json/members.hpp>
#include <kcontrol/serve/responses.hpp>
#include <kcontrol/values/time.hpp>

#include "jobs/job_json.hpp"
#include "jobs/kind_names.hpp"
#include "jobs/ruled_kinds.hpp"
#include "table/job_query.hpp"
#include "web/evidence_json.hpp"
#include "web/view_json.hpp"

#include <algorithm>
#include <set>

namespace training_monitor {
namespace {

namespace http = kcontrol::http;
using kcontrol::wall_time;
using kcontrol::json::write_text_or_null;

std::int64_t seconds_of(wall_time t) { return std::chrono::floor<std::chrono::seconds>(t.time_since_epoch()).count(); }

void time_member(kcontrol::json::writer& out, std::string_view name, const std::optional<wall_time>& at) {
    write_text_or_null(out, name, at ? kcontrol::format_time(*at) : "");
}

void write_timeline(kcontrol::json::writer& out, const job_record& record, wall_time now) {
    begin_array(out, "timeline");
    for (const auto& s : record.spans) {
        out.begin_object();
        out.member("state", to_string(s.state));
        out.member("reason", s.reason);
        out.member("message", s.message);
        out.member("explained", s.explained);
        time_member(out, "from", s.from);
        time_member(out, "to", s.to);
        out.member("durationSeconds", std::max<std::int64_t>(0, seconds_of(s.to.value_or(now)) - seconds_of(s.from)));
        out.end_object();
    }
    out.end_array();
}

void write_conditions(kcontrol::json::writer& out, const std::vector<condition_view>& conditions) {
    begin_array(out, "conditions");
    for (const auto& c : conditions) {
        out.begin_object();
        out.member("type", c.type);
        out.member("status", c.status);
        out.member("reason", c.reason);
        out.member("message", c.message);
        out.member("lastTransitionTime", c.last_transition_time);
        out.end_object();
    }
    out.end_array();
}

// How kubectl calls what a rule reads; of the other kinds the page knows it.
void write_kubectl_names(kcontrol::json::writer& out, std::string_view kind) {
    const auto* ruled = find_ruled_kind(kind);
    if (!ruled) return;
    out.member("resource", ruled->rule.plural + "." + ruled->rule.group);
    write_text_or_null(out, "podLabel", ruled->rule.pods ? ruled->rule.pods->label : std::string());
}

void write_links(kcontrol::json::writer& out, const std::vector<job_link>& links) {
    begin_array(out, "links");
    for (const auto& each : links) {
        out.begin_object();
        out.member("name", each.name);
        out.member("url", each.url);
        out.end_object();
    }
    out.end_array();
}

void write_training(kcontrol::json::writer& out, const training_details& of) {
    begin_object(out, "training");
    out.member("phase", of.phase);
    write_text_or_null(out, "phaseTime", of.phase_time);
    out.member("attempt", of.attempt);
    out.member("attempts", of.attempts);
    out.member("datasetVersion", of.dataset_version);
    begin_array(out, "checkpoints");
    for (const auto& c : of.checkpoints) {
        out.begin_object();
        out.member("step", c.step);
        out.member("uri", c.uri);
        write_text_or_null(out, "time", c.time);
        out.member("attempt", c.attempt);
        out.member("refused", c.refused);
        out.end_object();
    }
    out.end_array();
    begin_array(out, "gates");
    for (const auto& g : of.gates) {
        out.begin_object();
        out.member("name", g.name);
        out.member("wanted", g.wanted);
        write_text_or_null(out, "result", g.result);
        out.member("value", g.value);
        out.member("message", g.message);
        out.end_object();
    }
    out.end_array();
    if (of.promotion) {
        begin_object(out, "promotion");
        out.member("step", of.promotion->step);
        out.member("steps", of.promotion->steps);
        out.member("weight", of.promotion->weight);
        out.member("rolledBack", of.promotion->rolled_back);
        write_text_or_null(out, "time", of.promotion->time);
        out.end_object();
    }
    out.end_object();
}

// Whoever asks for a job in view looks at it, and so its events are asked for.
void write_known(kcontrol::json::writer& out, const job_view& job, insight& known, job_offers offers) {
    const job_ref ref = ref_of(job);
    known.look(ref);
    write_evidence(out, job, known.evidence(ref), known.rights_for(ref), offers);
}

http::response job_answer(const http::routed_request& asked, const history& past, const job_table& table, wall_time now,
                          insight* known, job_offers offers, const more_of_job& more,
                          const std::vector<link_template>& links) {
    if (const auto checked = expect_no_query(asked.query()); !checked) {
        return http::error_response(400, checked.error().message());
    }
    const auto cluster = asked.parameter("cluster"), name_space = asked.parameter("namespace");
    const auto kind = find_kind(asked.parameter("kind")), name = asked.parameter("name");
    const job_record* record = kind.empty() ? nullptr : past.find(cluster, name_space, kind, name);
    if (!record) {
        return http::error_response(404, "no such job is known: " + kcontrol::escape_control(asked.path()));
    }
    kcontrol::json::writer out;
    out.begin_object();
    out.key("job");
    const auto details = table.details(cluster, name_space, kind, name);
    write(out, *record->view, now, std::nullopt, {}, details ? more : more_of_job());
    write_conditions(out, details ? details->conditions : std::vector<condition_view>());
    write_timeline(out, *record, now);
    write_labels(out, record->view->labels);
    write_kubectl_names(out, kind);
    write_links(out, links_of(links, *record->view));
    if (details && details->training) write_training(out, *details->training);
    if (known && details) write_known(out, *record->view, *known, offers);
    if (record->gone) time_member(out, "gone", record->gone);
    out.end_object();
    return http::json_response(200, out.take() + "\n");
}

http::response no_job(const http::routed_request& asked) {
    const auto checked = expect_no_query(asked.query());
    return checked ? http::error_response(404, "a job is at /api/v1/jobs/CLUSTER/NAMESPACE/KIND/NAME")
                   : http::error_response(400, checked.error().message());
}

}  // namespace

void add_job_routes(http::router& to, const history& past, const job_table& table, std::function<wall_time()> now,
                    insight* known, job_offers offers, more_of_job more, std::vector<link_template> links) {
    to.get("/api/v1/jobs/{cluster}/{namespace}/{kind}/{name}",
           [&past, &table, now = std::move(now), known, offers, more = std::move(more),
            links = std::move(links)](const http::routed_request& asked) {
               return job_answer(asked, past, table, now(), known, offers, more, links);
           });
    to.get("/api/v1/jobs/{other...}", no_job);
}

http::response gone_answer(const history& past, std::string_view query) {
    std::set<std::string, std::less<>> clusters;
    for (const auto& [name, value] : http::parse_query(query)) {
        if (name != "cluster") {
            return http::error_response(400, "unknown parameter " + kcontrol::in_quotes(name) + "; allowed: cluster");
        }
        if (!value.empty()) clusters.insert(value);
    }
    kcontrol::json::writer out;
    out.begin_object();
    begin_array(out, "items");
    for (const auto& m : past.missed_since_start()) {
        if (!clusters.empty() && !clusters.contains(m.job->cluster)) continue;
        out.begin_object();
        out.member("cluster", m.job->cluster);
        out.member("namespace", m.job->namespace_);
        out.member("name", m.job->name);
        out.member("kind", m.job->kind);
        out.member("uid", m.job->uid);
        out.member("lastState", to_string(m.last_state));
        time_member(out, "lastSeen", m.last_seen);
        time_member(out, "gone", m.gone);
        write_text_or_null(out, "state", m.gone ? "" : to_string(m.job->state));
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return http::json_response(200, out.take() + "\n");
}

}  // namespace training_monitor
