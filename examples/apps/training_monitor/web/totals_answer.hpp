// What /api/v1/totals answers: the fleet over time.
#pragma once

#include <kcontrol/http/message.hpp>

#include "table/totals.hpp"

#include <string_view>

namespace training_monitor {

/// {"items":[{"time","states","gpus"}]}: the points that the query asks for. A state without jobs is left out.
/// `since` in the query is an RFC 3339 UTC time; without it all points are meant. 400 for any other query.
kcontrol::http::response totals_answer(const totals& points, std::string_view query);

}  // namespace training_monitor
