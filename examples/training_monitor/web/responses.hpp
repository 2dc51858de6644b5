// Answers with the headers that every answer of the monitor has.
#pragma once

#include "shared/responses.hpp"

namespace training_monitor {

using examples::error_response;
using examples::json_response;
using examples::protect;
using examples::text_response;

}  // namespace training_monitor
