// The dashboard of a Ray cluster, as far as jobs need it: GET, POST and stop of one job.
// Source: https://docs.ray.io/en/latest/cluster/running-applications/job-submission/rest.html
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/http/address_rules.hpp>
#include <kcontrol/http/transport.hpp>

#include <functional>
#include <optional>
#include <string>

namespace ray_operator {

using namespace kcontrol;

/// What a dashboard says of a job.
class job_answer {
public:
    bool found = false;           ///< false: there is no such job, and the rest is empty
    std::string status, message;  ///< PENDING, RUNNING, STOPPED, SUCCEEDED, FAILED
    std::optional<wall_time> started, ended;
    friend bool operator==(const job_answer&, const job_answer&) = default;
};

/// Sends one request to a dashboard and reads the whole answer, within 2 s and 1 MiB. Redirects are not followed.
using dashboard_exchange = std::function<awaitable<result<http::response>>(http::request, std::stop_token)>;

/// Directly: `address` is "HOST:PORT".
dashboard_exchange direct_exchange(http::transport_factory connect, executor ex, std::string address);
/// Through the API server's proxy of a Service, whose port is named "dashboard".
dashboard_exchange proxied_exchange(client through, std::string ns, std::string service);

/// Asks about a job. Errors: those of the exchange; protocol_error for an answer that is none about this job.
awaitable<result<job_answer>> get_job(dashboard_exchange to, std::string id, std::stop_token stop);
/// Submits a job. That its id is used is a success: it was submitted before. Errors: as above.
awaitable<result<void>> submit_job(dashboard_exchange to, std::string body, std::stop_token stop);
/// Asks for a job to be stopped.
awaitable<result<void>> stop_job(dashboard_exchange to, std::string id, std::stop_token stop);

}  // namespace ray_operator
