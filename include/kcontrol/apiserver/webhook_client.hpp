// How an API server reaches a webhook, as configurations and definitions say it (clientConfig). Pure.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/http/endpoint.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// Where a Service is, for a server that has no cluster network: its namespace, name and port.
using service_resolver =
    std::function<http::endpoint(const std::string& ns, const std::string& name, std::uint16_t port)>;

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
    KCONTROL_DECL std::string address() const;
    /// The name that its certificate has to bear.
    KCONTROL_DECL std::string server_name() const;
};

/// Reads a clientConfig.
KCONTROL_DECL webhook_client read_webhook_client(const json::value& config);

/// How objects of a kind become objects of another version: `spec.conversion` of a definition with strategy Webhook.
class conversion_webhook {
public:
    webhook_client client;                     ///< clientConfig: where it is asked
    std::vector<std::string> review_versions;  ///< the first that is v1 or v1beta1 is spoken, else v1
};

}  // namespace kcontrol::testing

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/apiserver/impl/webhook_client.ipp>
#endif
