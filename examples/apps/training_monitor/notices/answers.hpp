// What a receiver's answer means for the notice. Pure functions.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/message.hpp>

#include "notices/config.hpp"
#include "notices/delivery.hpp"

#include <string_view>

namespace training_monitor::notices {

/// What the end of the exchange means for the notice. No text of the receiver's is repeated: it may hold the URL.
delivery judge(const receiver_config& to, const kcontrol::result<kcontrol::http::response>& answer);

/// The same of a connection that failed. `protocol`: what should have been spoken there.
delivery judge_failure(const kcontrol::error& failure, std::string_view protocol = "HTTP");

}  // namespace training_monitor::notices
