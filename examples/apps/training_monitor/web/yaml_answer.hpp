// What /api/v1/jobs/{cluster}/{namespace}/{kind}/{name}/yaml answers: the job's object as it is in its cluster now.
#pragma once

#include <kcontrol/serve/router.hpp>

#include "monitor.hpp"

#include <stop_token>
#include <string>

namespace training_monitor {

/// Only objects of jobs that are in view are read, when somebody asks, and they are kept nowhere; manifest_text.hpp
/// says what is left out, masked and cut. 404 for other jobs, 403 naming the right where it is missing, 429 where four
/// are being read already. The monitor outlives the router.
void add_yaml_route(kcontrol::http::router& to, monitor& of);

/// The same text for who asks at a terminal. Errors: the job is not in view, and those of the read. The monitor
/// outlives the call.
kcontrol::awaitable<kcontrol::result<std::string>> read_yaml(monitor& of, job_ref which, std::stop_token stop);

}  // namespace training_monitor
