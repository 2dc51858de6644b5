// What /api/v1/history answers: a measurement of one GPU or of all, over time.
#pragma once

#include <kcontrol/http/message.hpp>

#include "history/history.hpp"

#include <string_view>

namespace gpu_labeler {

/// {"metric","unit","items":[{"gpu","points":[[unixSeconds,value],…]}]}, by index. Parameters: `metric`, which is
/// required; `gpu`, an index (the GPU that has it, or had it last) or a UUID, without it all; `since`, an RFC 3339
/// time, without it all that is kept. A GPU without points has none in its item. 400 for any other query, naming the
/// parameter, the value and what would be right.
kcontrol::http::response history_answer(const history& past, std::string_view query);

}  // namespace gpu_labeler
