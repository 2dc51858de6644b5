// What /api/v1/jobs/{cluster}/{namespace}/{kind}/{name} answers: one job and the timeline of its states.
#pragma once

#include <kcontrol/http/message.hpp>
#include <kcontrol/runtime/time.hpp>

#include "history/history.hpp"
#include "table/job_table.hpp"

#include <string_view>

namespace training_monitor {

/// `path` is the whole path of the request. 404 where the job is not known or the path is no job's, 400 for a kind
/// that does not exist or a query.
kcontrol::http::response job_answer(const history& past, const job_table& table, std::string_view path,
                                    std::string_view query, kcontrol::wall_time now);

/// What /api/v1/gone answers: what vanished or finished while the monitor was away.
kcontrol::http::response gone_answer(const history& past, std::string_view query);

}  // namespace training_monitor
