// Where a server listens: "127.0.0.1:8080", ":8080", "[::1]:8080", or "0" for nowhere.
#pragma once

#include <kcontrol/base/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::http {

/// An IP address and a port.
class listen_address {
public:
    listen_address() = default;
    /// Host and port, which are checked when a server listens there.
    listen_address(std::string h, std::uint16_t p) : host(std::move(h)), port(p) {}

    std::string host = "127.0.0.1";  ///< an IP address without brackets; empty: every address of the machine
    std::uint16_t port = 0;          ///< 0: any free port
    bool enabled = true;             ///< false: do not listen at all

    /// "host:port" for people and for parse_listen_address.
    KCONTROL_DECL std::string text() const;

    friend bool operator==(const listen_address&, const listen_address&) = default;
};

/// Reads "IP:PORT", ":PORT" (every address), "localhost:PORT" (127.0.0.1), "[IPV6]:PORT", or "0" (do not listen, as
/// in controller-runtime). Fails with invalid_argument.
KCONTROL_DECL result<listen_address> parse_listen_address(std::string_view text);

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/listen_address.ipp>
#endif
