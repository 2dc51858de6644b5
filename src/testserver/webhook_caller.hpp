// The in-process API server's way out: calls of webhooks over a transport, told in a kube-apiserver's words.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/testing/api_server_options.hpp>

#include "testserver/webhook_client.hpp"

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::testing {

/// Sends questions to webhooks, and keeps the connections to each.
///
/// Thread-safety: shared objects unsafe; use it on its executor.
class webhook_caller {
public:
    /// Its connections run on `ex`; calls end at `stop`. `env` outlives it. Without a factory no webhook can be
    /// reached; without a resolver a service is the host NAME.NAMESPACE.svc.
    webhook_caller(environment& env, executor ex, std::stop_token stop, http::transport_factory factory,
                   service_resolver services)
        : env_(env),
          executor_(std::move(ex)),
          stop_(std::move(stop)),
          factory_(std::move(factory)),
          services_(std::move(services)) {}

    /// Asks. Errors: invalid_argument with what a kube-apiserver says of a call that brought no answer; any HTTP status
    /// is a success.
    awaitable<result<http::response>> ask(const webhook_client& whom, std::string question, duration timeout);

private:
    result<std::shared_ptr<http::transport>> transport_to(const webhook_client& whom, const http::endpoint& where);

    environment& env_;
    executor executor_;
    std::stop_token stop_;
    http::transport_factory factory_;
    service_resolver services_;
    std::map<std::pair<std::string, std::string>, std::shared_ptr<http::transport>> transports_;  // by address and CA
};

}  // namespace kcontrol::testing
