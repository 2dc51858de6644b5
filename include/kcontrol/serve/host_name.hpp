// What the names in Host and Origin headers say about who asks.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/http/loopback.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::http {

/// The host of a Host header: without port and brackets, in lower case; empty if it is malformed.
KCONTROL_DECL std::string host_of(std::string_view host_header);

/// The "host:port" of an origin such as "https://monitor.corp:8443", in lower case and without the scheme's own port;
/// empty if it is malformed (or "null", as sandboxed pages send it). Source: RFC 6454 §6.2.
KCONTROL_DECL std::string authority_of(std::string_view origin);

/// A Host header in the same form, for a server that speaks `scheme`.
KCONTROL_DECL std::string authority_of_host(std::string_view host_header, std::string_view scheme);

/// True for a request to a server that listens on loopback, `listen_host` as is_loopback() takes it, that names another
/// host: a page of somebody else's whose name leads here wants to read (DNS rebinding).
KCONTROL_DECL bool is_rebound(std::string_view listen_host, std::string_view host_header);

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/serve/impl/host_name.ipp>
#endif
