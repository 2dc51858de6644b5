// What /api/v1/gpus answers: the GPUs of each cluster by product, and what job would fit.
#pragma once

#include <kcontrol/http/message.hpp>

#include "gpus/gpu_board.hpp"
#include "monitor.hpp"

#include <string_view>

namespace training_monitor {

/// Asking has the nodes listed, once a minute at most: what is not known yet is in the next answer. 400 for any query.
kcontrol::http::response gpus_answer(monitor& of, std::string_view query);

}  // namespace training_monitor
