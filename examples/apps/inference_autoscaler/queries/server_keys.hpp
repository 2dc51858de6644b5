// Reads the token and the authorities that a scaler's source names.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "api/metrics.hpp"
#include "queries/prometheus_reader.hpp"

#include <map>
#include <string>

namespace inference_autoscaler {

/// What was read of a Secret or ConfigMap holds for a minute.
///
/// Thread-safety: shared objects unsafe; use it on the client's executor. Object lifetime: outlives its read().
class server_keys {
public:
    server_keys(environment& env, client cluster) : env_(env), cluster_(std::move(cluster)) {}

    /// The server that `source`, of a scaler in `ns`, means. Errors: those of the client, and invalid_config for a key
    /// that is absent or empty; they name field, object and key.
    awaitable<result<metric_server>> read(prometheus_source source, std::string ns, std::stop_token stop);

private:
    struct kept {
        time_point at{};
        secret_string value;
    };
    template <resource Kind>
    awaitable<result<secret_string>> key_of_object(std::string field, std::string ns, key_reference from,
                                                   std::stop_token stop);

    environment& env_;
    client cluster_;
    std::map<std::string, kept> kept_;
};

}  // namespace inference_autoscaler
