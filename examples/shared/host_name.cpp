#include "shared/host_name.hpp"

#include <algorithm>

namespace examples {
namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

struct split_host {
    std::string_view host, port;  ///< port with its colon, or empty
    bool ok = false;
};

split_host split(std::string_view header) {
    split_host out;
    if (header.starts_with('[')) {
        const auto end = header.find(']');
        if (end == std::string_view::npos) return out;
        out.port = header.substr(end + 1);
        out.host = header.substr(1, end - 1);
    } else {
        const auto colon = std::min(header.find(':'), header.size());
        out.port = header.substr(colon);
        out.host = header.substr(0, colon);
    }
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    out.ok = !out.host.empty() && out.host.find_first_of("/@?# \\") == std::string_view::npos &&
             (out.port.empty() || (out.port[0] == ':' && out.port.size() > 1 &&
                                   std::all_of(out.port.begin() + 1, out.port.end(), is_digit)));
    return out;
}

}  // namespace

bool is_loopback(std::string_view host) {
    if (host == "localhost" || host == "::1") return true;
    // 127.0.0.0/8, written as four numbers; "127.evil.example" is a name.
    return host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos;
}

std::string host_of(std::string_view host_header) {
    const auto parts = split(host_header);
    return parts.ok ? lower(parts.host) : std::string();
}

std::string authority_of_host(std::string_view host_header, std::string_view scheme) {
    const auto parts = split(host_header);
    if (!parts.ok) return {};
    const bool own_port = parts.port == (scheme == "https" ? ":443" : ":80");
    return lower(parts.host) + (own_port ? std::string() : std::string(parts.port));
}

std::string authority_of(std::string_view origin) {
    const auto colon = origin.find("://");
    if (colon == std::string_view::npos) return {};
    const auto scheme = lower(origin.substr(0, colon));
    if (scheme != "http" && scheme != "https") return {};
    return authority_of_host(origin.substr(colon + 3), scheme);
}

}  // namespace examples
