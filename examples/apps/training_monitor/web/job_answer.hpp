// What /api/v1/jobs/{cluster}/{namespace}/{kind}/{name} answers: one job and the timeline of its states.
#pragma once

#include <kcontrol/runtime/time.hpp>
#include <kcontrol/serve/router.hpp>

#include "history/history.hpp"
#include "jobs/link_template.hpp"
#include "pods/insight.hpp"
#include "table/job_table.hpp"
#include "web/job_offers.hpp"
#include "web/view_json.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace training_monitor {

/// Adds what is below /api/v1/jobs/. 404 where the job is not known or the path is no job's, 400 for a query or a
/// broken escape. `now` is asked for durations. `known`, where there is one, knows of pods and events; `more` writes
/// what else is told of a job in view; `links` leads to other programs. History, table and insight outlive the router.
void add_job_routes(kcontrol::http::router& to, const history& past, const job_table& table,
                    std::function<kcontrol::wall_time()> now, insight* known = nullptr, job_offers offers = {},
                    more_of_job more = {}, std::vector<link_template> links = {});

/// What /api/v1/gone answers: what vanished or finished while the monitor was away.
kcontrol::http::response gone_answer(const history& past, std::string_view query);

}  // namespace training_monitor
