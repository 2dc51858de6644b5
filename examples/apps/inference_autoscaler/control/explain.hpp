// `inference_autoscaler explain NAMESPACE/NAME`: what was decided, and what each rule says now.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "api/inference_scaler.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace inference_autoscaler {

struct explain_arguments {
    namespaced_name scaler;
    std::string kubeconfig, context;
    std::vector<std::string> allowed;  ///< --allow-address
};
/// Errors: invalid_argument, naming the flag or the word.
result<explain_arguments> read_explain_arguments(const std::vector<std::string_view>& arguments);

/// Reads the scaler and its target from the cluster, and looks at the metrics once, for P95 of pods twice within 15 s.
/// Writes nothing. Errors: those of the client; not_found says that there is no such InferenceScaler.
awaitable<result<std::string>> explain(environment& env, executor ex, client cluster, http::transport_factory connect,
                                       namespaced_name scaler);

/// What --help prints.
std::string_view explain_help() noexcept;

}  // namespace inference_autoscaler
