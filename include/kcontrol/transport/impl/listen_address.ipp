#pragma once

#include <kcontrol/transport/listen_address.hpp>

#include <boost/asio/ip/address.hpp>

#include <charconv>

namespace kcontrol::inline v0_1::http {
namespace detail {

inline error bad_listen_address(std::string_view text, const std::string& why) {
    return error(errc::invalid_argument, "\"" + std::string(text) + "\" is not an address to listen at: " + why +
                                             "; give IP:PORT, :PORT, [IPV6]:PORT, or 0 for none");
}

}  // namespace detail

KCONTROL_DECL std::string listen_address::text() const {
    if (!enabled) return "0";
    const bool bracketed = host.find(':') != std::string::npos;
    return (bracketed ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

KCONTROL_DECL result<listen_address> parse_listen_address(std::string_view text) {
    if (text == "0") {
        listen_address nowhere;
        nowhere.enabled = false;
        return nowhere;
    }
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return detail::bad_listen_address(text, "the port is missing");
    std::string_view host = text.substr(0, colon);
    const std::string_view digits = text.substr(colon + 1);
    std::uint16_t port = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (digits.empty() || parsed.ec != std::errc{} || parsed.ptr != digits.data() + digits.size()) {
        return detail::bad_listen_address(text, "the port is not a number from 0 to 65535");
    }
    if (host.empty()) return listen_address("", port);
    if (host == "localhost") return listen_address("127.0.0.1", port);
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (bracketed) host = host.substr(1, host.size() - 2);
    error_code failure;
    const auto address = boost::asio::ip::make_address(std::string(host), failure);
    if (failure) return detail::bad_listen_address(text, "the host is not an IP address");
    if (address.is_v6() != bracketed) {
        return detail::bad_listen_address(text, "an IPv6 address, and no other, stands in brackets");
    }
    return listen_address(std::string(host), port);
}

}  // namespace kcontrol::http
