// What the end of an exchange with a step's server means. Pure functions; no text of a server is repeated.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/fetch.hpp>

#include "repair/step_runner.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpu_healer {

/// How a request that begins something ended.
enum class launch {
    taken,     ///< 2xx
    unsent,    ///< known not to have arrived, or turned away for now (429): it may be sent again
    refused,   ///< the same again would be refused again
    doubtful,  ///< it may have begun: the server is to be asked
};
class launch_end {
public:
    launch is = launch::doubtful;
    std::string words;
};
launch_end judge_launch(const kcontrol::result<kcontrol::http::response>& answer);

/// The URL at which a 2xx says how it goes on: the member statusURL, if it is at the server that answered.
std::optional<kcontrol::http::document_url> status_url(const kcontrol::http::response& answer,
                                                       const kcontrol::http::endpoint& server);

/// {"state": "running" | "successful" | "failed"}; 404: absent; anything else is asked again.
step_outcome judge_status(const kcontrol::result<kcontrol::http::response>& answer);

/// A launch's answer of AWX: the job's number, or why its variables do not count.
kcontrol::result<std::int64_t> launched_job(const kcontrol::http::response& answer);
/// A job of AWX, as it answers for one.
step_outcome judge_awx_job(const kcontrol::result<kcontrol::http::response>& answer);
/// The newest jobs of a template: how that with the token is; absent: none has it.
step_outcome find_awx_job(const kcontrol::result<kcontrol::http::response>& answer, std::string_view token);

}  // namespace gpu_healer
