#include "web/host_check.hpp"

#include <algorithm>

namespace training_monitor {
namespace {

// The Host header without its port and brackets, in lower case; empty if it is malformed.
std::string host_part(std::string_view header) {
    std::string_view host = header;
    std::string_view port;
    if (host.starts_with('[')) {
        const auto end = host.find(']');
        if (end == std::string_view::npos) return {};
        port = host.substr(end + 1);
        host = host.substr(1, end - 1);
    } else {
        const auto colon = std::min(host.find(':'), host.size());
        port = host.substr(colon);
        host = host.substr(0, colon);
    }
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (!port.empty() && (port[0] != ':' || !std::all_of(port.begin() + 1, port.end(), is_digit))) return {};
    std::string out(host);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

}  // namespace

bool is_loopback(std::string_view host) {
    if (host == "localhost" || host == "::1") return true;
    // 127.0.0.0/8, written as four numbers; "127.evil.example" is a name.
    return host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool is_allowed_host(std::string_view host_header, std::string_view listen_host) {
    if (!is_loopback(listen_host)) return true;
    return is_loopback(host_part(host_header));
}

}  // namespace training_monitor
