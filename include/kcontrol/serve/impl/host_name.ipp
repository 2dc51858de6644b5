#pragma once

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/serve/host_name.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::http {
namespace detail {

struct split_host {
    std::string_view host, port;  ///< port with its colon, or empty
    bool ok = false;
};

inline split_host split_host_header(std::string_view header) {
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

}  // namespace detail

KCONTROL_DECL std::string host_of(std::string_view host_header) {
    const auto parts = detail::split_host_header(host_header);
    return parts.ok ? ascii_lower(parts.host) : std::string();
}

KCONTROL_DECL std::string authority_of_host(std::string_view host_header, std::string_view scheme) {
    const auto parts = detail::split_host_header(host_header);
    if (!parts.ok) return {};
    const bool own_port = parts.port == (scheme == "https" ? ":443" : ":80");
    return ascii_lower(parts.host) + (own_port ? std::string() : std::string(parts.port));
}

KCONTROL_DECL std::string authority_of(std::string_view origin) {
    const auto colon = origin.find("://");
    if (colon == std::string_view::npos) return {};
    const auto scheme = ascii_lower(origin.substr(0, colon));
    if (scheme != "http" && scheme != "https") return {};
    return authority_of_host(origin.substr(colon + 3), scheme);
}

KCONTROL_DECL bool is_rebound(std::string_view listen_host, std::string_view host_header) {
    return is_loopback(listen_host) && !is_loopback(host_of(host_header));
}

}  // namespace kcontrol::http
