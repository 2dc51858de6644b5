#include "values/host_port.hpp"

#include <boost/asio/ip/address.hpp>

#include <charconv>

namespace follow {

bool is_ip_address(std::string_view text) {
    boost::system::error_code failed;
    boost::asio::ip::make_address(std::string(text), failed);
    return !failed && text.find('%') == text.npos;
}

std::string host_port(std::string_view address, std::uint16_t port) {
    const bool is_v6 = address.find(':') != address.npos;
    std::string out = is_v6 ? "[" + std::string(address) + "]" : std::string(address);
    return port == 0 ? out : out + ":" + std::to_string(port);
}

std::optional<endpoint> parse_host_port(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == text.npos || colon == 0) return std::nullopt;
    auto host = text.substr(0, colon);
    const auto digits = text.substr(colon + 1);
    const bool in_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (in_brackets) host = host.substr(1, host.size() - 2);
    if (!in_brackets && host.find(':') != host.npos) return std::nullopt;
    endpoint out;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), out.port);
    if (failed != std::errc() || end != digits.data() + digits.size() || out.port == 0) return std::nullopt;
    out.address = host;
    out.ready = out.serving = true;
    return out;
}

}  // namespace follow
