// How an API server reaches a webhook, as configurations and definitions say it (clientConfig). Pure.
#pragma once

#include <kcontrol/documents/value.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// A webhook's address.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class webhook_client {
public:
    std::string url;                ///< or a service:
    std::string service_namespace;  ///< of the service, where there is no url
    std::string service_name;       ///< of the service, where there is no url
    std::string path;               ///< of the service
    std::uint16_t port = 443;       ///< of the service
    std::string ca_pem;             ///< whom it is verified by; empty: the system's authorities
    std::string ca_problem;         ///< what is wrong with caBundle, or empty

    /// "https://hook.system.svc:443/validate": as errors name it.
    std::string address() const;
    /// The name that its certificate has to bear.
    std::string server_name() const;
};

/// Reads a clientConfig.
webhook_client read_webhook_client(const json::value& config);

/// How objects of a kind become objects of another version: `spec.conversion` of a definition with strategy Webhook.
class conversion_webhook {
public:
    webhook_client client;                     ///< clientConfig: where it is asked
    std::vector<std::string> review_versions;  ///< the first that is v1 or v1beta1 is spoken, else v1
};

}  // namespace kcontrol::testing
