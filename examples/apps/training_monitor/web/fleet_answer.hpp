// What /api/v1/fleet answers: the GPUs of all nodes, as their labelers tell of them.
#pragma once

#include <kcontrol/http/message.hpp>
#include <kcontrol/json/writer.hpp>

#include "monitor.hpp"

#include <string_view>

namespace training_monitor {

/// Has the labelers of all nodes asked, of which the next answer tells; with the query look=false it tells what is
/// known and has nobody asked. 404 without --gpu-usage, 400 for another query. Of a cluster the nodes with failed GPUs
/// come first, then those with degraded ones, then those that do not answer.
kcontrol::http::response fleet_answer(monitor& of, std::string_view query);

/// A GPU as that answer has it.
void write_gpu(kcontrol::json::writer& out, const gpu_report& gpu);

}  // namespace training_monitor
