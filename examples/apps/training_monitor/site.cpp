#include "site.hpp"

#include <kcontrol/metrics/process_metrics.hpp>
#include <kcontrol/serve/responses.hpp>

#include "memory/memory.hpp"
#include "memory/memory_report.hpp"
#include "pods/node_cases.hpp"
#include "web/acknowledge_answer.hpp"
#include "web/attention_answer.hpp"
#include "web/fleet_answer.hpp"
#include "web/gpu_hours_answer.hpp"
#include "web/gpus_answer.hpp"
#include "web/job_answer.hpp"
#include "web/log_answer.hpp"
#include "web/metrics_text.hpp"
#include "web/node_answer.hpp"
#include "web/queues_answer.hpp"
#include "web/totals_answer.hpp"
#include "web/usage_json.hpp"
#include "web/yaml_answer.hpp"

namespace training_monitor {
namespace {

namespace http = kcontrol::http;

// What the page and the interface show beside the table.
void add_routes(web& site, kcontrol::environment& env, parts& p, const options& o) {
    auto& routes = site.routes();
    more_of_job more;
    idle_question idle_since;
    if (usage_board* usage = p.core.usage()) {
        more = [usage](kcontrol::json::writer& out, const job_view& job) { write_usage(out, job, *usage); };
        idle_since = [usage](const job_view& job) {
            const auto* known = usage->find(job);
            return known ? known->idle_since : std::nullopt;
        };
    }
    site.tell_more_of_jobs(more);
    const auto offers = job_offers().logs(o.logs()).yaml(o.yaml());
    add_job_routes(
        routes, p.past, p.core.table(), [&env] { return env.wall_now(); }, &p.core.knowledge(), offers, more,
        o.links());
    fleet_facts facts{source_text(o), std::vector<std::string>(), nullptr};
    if (p.center) facts.offers->emplace_back("notices");
    if (p.core.usage()) facts.offers->emplace_back("fleet");
    if (p.sink) facts.offers->emplace_back("demo/notices");
    if (o.acknowledgements()) {
        facts.offers->emplace_back("acknowledgements");
        facts.care = &p.care;
        add_acknowledge_routes(
            routes, p.past, p.care, [&env] { return env.wall_now(); }, idle_since);
    }
    facts.write_repair_of = repair_writer(env, p.core.knowledge(), o.links());
    add_attention_routes(
        routes, p.past, p.core.table(), [&env] { return env.wall_now(); }, std::move(idle_since), std::move(facts));
    if (offers.logs()) add_log_route(routes, p.core);
    if (offers.yaml()) add_yaml_route(routes, p.core);
    routes.get("/api/v1/gone", [&p](const http::routed_request& r) { return gone_answer(p.past, r.query()); });
    add_node_route(routes, p.core, o.links());
    add_queues_route(routes, p.core);
    routes.get("/api/v1/gpus", [&p](const http::routed_request& r) { return gpus_answer(p.core, r.query()); });
    routes.get("/api/v1/fleet", [&p](const http::routed_request& r) { return fleet_answer(p.core, r.query()); });
    routes.get("/api/v1/gpu-hours", [&p, &env](const http::routed_request& r) {
        return gpu_hours_answer(p.hours, r.query(), env.wall_now());
    });
    routes.get("/api/v1/totals", [&p](const http::routed_request& r) { return totals_answer(p.points, r.query()); });
    if (p.sink) p.sink->add_route(routes);
    routes.get("/api/v1/notices", [&p](const http::routed_request&) {
        return p.center ? http::json_response(200, p.center->deliveries().json() + "\n")
                        : http::error_response(404, "no notices are sent: see --notify-config");
    });
}

void add_metrics(web& site, kcontrol::environment& env, parts& p) {
    p.core.metrics().collect([&env](kcontrol::metrics_writer& out) { write_process_metrics(out, env); });
    site.add_metrics([&p] { return job_metrics_text(p.metrics) + p.core.metrics().text(); });
    if (p.center) site.add_metrics([&p] { return notice_metrics_text(p.center->deliveries()); });
    if (!p.kept) return;
    site.add_report([&p] { return memory_report(p.kept->status()); });
    site.add_metrics([&p] { return memory_metrics(p.kept->status()); });
}

}  // namespace

void fill_site(web& site, kcontrol::environment& env, parts& p, const options& o) {
    add_routes(site, env, p, o);
    add_metrics(site, env, p);
}

}  // namespace training_monitor
