// What a machine's files and variables say about how its programs ask for addresses: resolv.conf(5).
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/time.hpp>

#include <boost/asio/ip/udp.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::http::detail {

/// Read as glibc reads it, with its limits: the first three servers, ndots up to 15, timeout up to 30 s, attempts up to
/// 5; lines and options it does not know are left out.
///
/// Beside addresses, `nameserver` takes 192.0.2.1:5353 and [2001:db8::1]:5353. A server with a scope
/// (fe80::1%eth0) is left out: c-ares has none before 1.24.
struct resolver_config {
    std::vector<boost::asio::ip::udp::endpoint> servers;
    std::vector<std::string> search;  ///< domains, without a dot at the end; empty: the root
    int ndots = 1;
    int attempts = 2;
    duration timeout = std::chrono::seconds(5);
    bool rotate = false;
};

/// A resolver_config of that text. Without a usable server it is this machine's, 127.0.0.1.
KCONTROL_DECL resolver_config parse_resolver_config(std::string_view text);

/// Adds what the line `options`, or the variable RES_OPTIONS, says.
KCONTROL_DECL void apply_resolver_options(resolver_config& config, std::string_view options);

/// /etc/resolv.conf as it is now, with the variables LOCALDOMAIN (search domains) and RES_OPTIONS. Where there are no
/// search domains, the domain of this machine's own name is one.
KCONTROL_DECL resolver_config read_resolver_config(environment& env);

}  // namespace kcontrol::http::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/resolver_config.ipp>
#endif
