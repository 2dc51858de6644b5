#pragma once

#include <kcontrol/http/impl/url_text.hpp>
#include <kcontrol/http/url.hpp>

#include <optional>

namespace kcontrol::inline v0_1::http {
namespace detail {

inline std::optional<std::uint16_t> usual_proxy_port(std::string_view scheme) {
    if (scheme == "http") return std::uint16_t{80};
    if (scheme == "https") return std::uint16_t{443};
    if (scheme == "socks5") return std::uint16_t{1080};
    return std::nullopt;
}

inline result<void> take_proxy_login(std::string_view userinfo, proxy& out) {
    const auto colon = userinfo.find(':');
    const auto user = percent_decode(userinfo.substr(0, colon));
    const auto password =
        percent_decode(colon == std::string_view::npos ? std::string_view() : userinfo.substr(colon + 1));
    if (!user || !password) return url_error("proxy URL with a broken percent escape before the '@'");
    out.login(*user, secret_string(*password));
    return {};
}

}  // namespace detail

KCONTROL_DECL result<proxy> parse_proxy_url(std::string_view text) {
    const auto colon = text.find("://");
    if (colon == std::string_view::npos) {
        return detail::url_error("proxy URL without a scheme; write http://host:port, https:// or socks5://");
    }
    std::string scheme = ascii_lower(text.substr(0, colon));
    if (scheme == "socks5h") scheme = "socks5";
    const auto usual = detail::usual_proxy_port(scheme);
    if (!usual) {
        return detail::url_error("proxy URL with scheme " + in_quotes(scheme) +
                                 "; only http, https and socks5 are possible");
    }
    std::string_view rest = text.substr(colon + 3);
    if (rest.find_first_of("?#") != std::string_view::npos) {
        return detail::url_error("proxy URL with a query or a fragment; write scheme://host:port");
    }
    std::string_view where = rest.substr(0, rest.find('/'));
    if (rest.size() > where.size() + 1) {
        return detail::url_error(
            "proxy URL with a path; write scheme://host:port, and percent-encode a '/' before '@'");
    }
    proxy login;
    if (const auto at = where.rfind('@'); at != std::string_view::npos) {
        if (const auto taken = detail::take_proxy_login(where.substr(0, at), login); !taken) return taken.error();
        where.remove_prefix(at + 1);
    }
    const auto bracket = where.rfind(']');
    const bool has_port = where.find(':', bracket == std::string_view::npos ? 0 : bracket) != std::string_view::npos;
    const auto url = parse_base_url("http://" + std::string(where));
    if (!url) return error(url.error().code(), "proxy " + url.error().message());
    proxy out(std::move(scheme), url->endpoint.host, has_port ? url->endpoint.port : *usual);
    out.login(login.user(), login.password());
    return out;
}

}  // namespace kcontrol::http
