// A request on its way out: what may not be sent, and its head as it goes on the wire.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/http/ascii.hpp>
#include <kcontrol/transport/impl/client_transport.hpp>
#include <kcontrol/transport/impl/proxy_tunnel.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::http::detail {

inline std::string serialize_head(const request& req, const http::endpoint& server) {
    std::string text;
    text.reserve(512);
    const bool by_proxy = !server.via.empty() && !needs_tunnel(server);
    text.append(req.method).append(" ");
    if (by_proxy) text.append(server.scheme).append("://").append(authority(server));
    text.append(req.target).append(" HTTP/1.1\r\nHost: ").append(authority(server));
    if (by_proxy) text.append(proxy_authorization(server.via));
    for (const auto& field : req.headers) text.append("\r\n").append(field.name).append(": ").append(field.value);
    const bool usual = req.method == "GET" || req.method == "HEAD" || req.method == "DELETE";
    if (!req.body.empty() || !usual) text.append("\r\nContent-Length: ").append(std::to_string(req.body.size()));
    return text.append("\r\n\r\n");
}

// Nothing malformed reaches the wire: Beast would send CR and LF as they are.
inline result<void> check_request(const request& req, const client_transport& transport) {
    const auto bad = [](const std::string& what) { return error(errc::invalid_argument, what); };
    if (req.method.empty() || !std::all_of(req.method.begin(), req.method.end(), is_token_char)) {
        return bad("the request's method is not a token");
    }
    if (!is_valid_target(req.target)) {
        return bad("the request's target must begin with '/' and hold visible ASCII only; percent-encode the rest");
    }
    for (const auto& field : req.headers) {
        if (!is_valid_field(field.name, field.value)) {
            return bad("the header field \"" + escape_control(field.name) + "\" holds characters HTTP does not allow");
        }
        for (const std::string_view own :
             {"Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Expect"}) {
            if (iequals(field.name, own))
                return bad("the header field " + std::string(own) + " is the transport's own");
        }
    }
    if (!transport.tls && !transport.options.allow_plaintext_credentials() && req.headers.contains("Authorization") &&
        !is_loopback(transport.server.host)) {
        return error(errc::invalid_config, "credentials are not sent to " + to_string(transport.server) +
                                               " without TLS; use an https server");
    }
    return {};
}

inline result<void> check_call(const client_transport& self, const request& req, const exchange_options& options) {
    if (options.stop().stop_requested()) return error(errc::stopped);
    if (self.closed) return error(errc::unavailable, "the transport to " + to_string(self.server) + " is closed");
    return check_request(req, self);
}

inline error said_of(const client_transport& self, const error& failure) {
    return failure == errc::stopped ? failure : failure.with_context(to_string(self.server));
}

// A write whose answer did not arrive may have happened or not, whatever it was that failed, unless it is clear.
inline error judge(const client_transport& self, const error& failure, bool clear) {
    const std::string where = to_string(self.server);
    if (clear || failure == errc::stopped || failure == errc::too_large) return failure.with_context(where);
    return error(errc::unknown_outcome,
                 where + ": the request was sent, but its outcome is unknown: " + failure.what());
}

inline bool is_clear(const client_exchange& exchange) noexcept { return exchange.safe || exchange.refused; }

}  // namespace kcontrol::http::detail
