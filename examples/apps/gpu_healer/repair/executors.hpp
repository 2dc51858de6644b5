// Runs the steps of a repair: webhooks, jobs of AWX, Jobs on the node, and what a person does.
#pragma once

#include <kcontrol/api/batch/v1.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/http/transport.hpp>

#include "repair/answers.hpp"
#include "repair/step_runner.hpp"

#include <map>
#include <string>

namespace gpu_healer {

/// Secrets are read, and Jobs run, in `work_namespace` alone. `connect` refuses addresses that policies may not name.
/// Each exchange ends within 30 s and 4 MiB. No answer of a server, and no secret, gets into an outcome.
///
/// Thread-safety: as step_runner. Object lifetime: it outlives its calls.
class step_executors final : public step_runner {
public:
    step_executors(kcontrol::client api, kcontrol::http::transport_factory connect, kcontrol::executor ex,
                   std::string work_namespace);

    kcontrol::awaitable<step_outcome> begin(step_request what, std::stop_token stop) override;
    kcontrol::awaitable<step_outcome> ask(step_request what, std::stop_token stop) override;

private:
    using response = kcontrol::http::response;
    kcontrol::awaitable<step_outcome> begin_webhook(step_request what, std::stop_token stop);
    kcontrol::awaitable<step_outcome> ask_webhook(step_request what, std::stop_token stop);
    kcontrol::awaitable<step_outcome> begin_awx(step_request what, std::stop_token stop);
    kcontrol::awaitable<step_outcome> ask_awx(step_request what, std::stop_token stop);
    kcontrol::awaitable<step_outcome> begin_job(step_request what, std::stop_token stop);
    kcontrol::awaitable<step_outcome> ask_job(step_request what, std::stop_token stop);

    /// Headers and authorities of a step, from Secrets.
    struct credentials {
        kcontrol::http::fields headers;
        kcontrol::http::tls_options tls;
    };
    kcontrol::awaitable<kcontrol::result<credentials>> credentials_of(repair_step step, std::stop_token stop);
    kcontrol::awaitable<kcontrol::result<std::string>> secret_of(secret_key which, std::stop_token stop);
    /// One exchange, on a connection of its own; redirects are not followed.
    kcontrol::awaitable<kcontrol::result<response>> exchange(kcontrol::http::document_url to,
                                                             kcontrol::http::request what, credentials by,
                                                             std::stop_token stop);

    kcontrol::client api_;
    kcontrol::http::transport_factory connect_;
    kcontrol::executor ex_;
    std::string namespace_;
    // What servers named in answers that arrived: forgotten with the process, which asks otherwise then.
    std::map<std::string, kcontrol::http::document_url> status_urls_;  ///< by token
    std::map<std::string, std::int64_t> awx_jobs_;                     ///< by token
};

/// The name of a token's Job.
std::string job_name(std::string_view token);

/// The Job of a step: on its node whatever its taints, started once. Errors: invalid_argument where the template is no
/// JobTemplateSpec.
kcontrol::result<kcontrol::api::batch::v1::job> make_job(const step_request& of, const std::string& work_namespace);

/// How that Job is.
step_outcome judge_job(const kcontrol::api::batch::v1::job& job);

}  // namespace gpu_healer
