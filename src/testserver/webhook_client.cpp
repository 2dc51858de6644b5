#include "testserver/webhook_client.hpp"

#include <kcontrol/base/base64.hpp>
#include <kcontrol/http/url.hpp>

namespace kcontrol::inline v0_1::testing {

std::string webhook_client::server_name() const {
    if (url.empty()) return service_name + "." + service_namespace + ".svc";
    const auto parsed = http::parse_base_url(url);
    return parsed ? parsed->endpoint.host : std::string();
}

std::string webhook_client::address() const {
    if (!url.empty()) return url;
    return "https://" + server_name() + ":" + std::to_string(port) + (path.empty() ? "/" : path);
}

webhook_client read_webhook_client(const json::value& config) {
    webhook_client out;
    out.url = json::get_string(config, {"url"});
    out.service_namespace = json::get_string(config, {"service", "namespace"});
    out.service_name = json::get_string(config, {"service", "name"});
    out.path = json::get_string(config, {"service", "path"});
    const json::value* port = json::find(config, {"service", "port"});
    if (port != nullptr && port->is_int64()) out.port = static_cast<std::uint16_t>(port->get_int64());
    const std::string_view bundle = json::get_string(config, {"caBundle"});
    auto decoded = decode_base64(bundle);
    const bool is_pem = decoded && (decoded->empty() || decoded->find("-----BEGIN") != std::string::npos);
    if (is_pem) {
        out.ca_pem = std::move(*decoded);
    } else {
        out.ca_problem = "unable to load root certificates: unable to parse bytes as PEM block";
    }
    return out;
}

}  // namespace kcontrol::testing
