// --test-notify: whether receivers take notices, before there is anything to tell.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "notices/config.hpp"

#include <stop_token>
#include <string>

namespace training_monitor::notices {

/// --test-notify: one made-up notice to the receiver of that name, or to each where it is empty, and one more for each
/// condition of jobs that a rule tells it of. What happened is written to `report`, a line each. True if all of them
/// were taken. Errors: invalid_argument, where there is no such receiver.
kcontrol::awaitable<kcontrol::result<bool>> send_test(kcontrol::environment& env, kcontrol::executor ex,
                                                      const notice_config& config, std::string name,
                                                      kcontrol::http::transport_factory transport, std::string& report,
                                                      std::stop_token stop);

}  // namespace training_monitor::notices
