// URLs as far as an API server's client and server need them: base URLs, path segments, queries. No I/O.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/endpoint.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::http {

/// The `server:` of a kubeconfig, taken apart.
class base_url {
public:
    base_url() = default;
    /// A server, and a prefix without a slash at its end.
    base_url(http::endpoint e, std::string prefix) : endpoint(std::move(e)), path_prefix(std::move(prefix)) {}

    http::endpoint endpoint;  ///< the port is set, also where it is the usual one
    std::string path_prefix;  ///< to put before every path: empty, or "/x" without a slash at the end

    friend bool operator==(const base_url&, const base_url&) = default;
};

/// Parses "https://host[:port][/prefix]"; http and IPv6 hosts in brackets too. Default ports are 443 and 80. The host
/// comes out in lower case. Userinfo, query, fragment and dot segments are refused.
/// Errors: invalid_argument, naming the part that is wrong. The message never repeats a userinfo or a query.
KCONTROL_DECL result<base_url> parse_base_url(std::string_view text);

/// Parses "scheme://[user[:password]@]host[:port][/]" with http, https, socks5 or socks5h, which are the same here. The
/// ports are 80, 443 and 1080 unless it says otherwise.
/// Errors: invalid_argument, naming the part that is wrong and never what stands before the '@'.
KCONTROL_DECL result<proxy> parse_proxy_url(std::string_view text);

/// "host", "host:port" or "[address]:port" for a Host header; the scheme's default port is left out.
KCONTROL_DECL std::string authority(const endpoint& where);

/// "scheme://authority", for messages.
KCONTROL_DECL std::string to_string(const endpoint& where);

/// `name` as one segment of a path. What Kubernetes refuses in names is refused here, before it can change the meaning
/// of a path: empty, ".", "..", '/', '%' and control characters.
/// Source: k8s.io/apimachinery/pkg/api/validation/path, IsValidPathSegmentName.
/// Errors: invalid_argument.
KCONTROL_DECL result<std::string> encode_path_segment(std::string_view name);

/// Percent-encodes everything but RFC 3986's unreserved characters.
KCONTROL_DECL std::string percent_encode(std::string_view text);

/// Undoes percent-encoding; '+' stays '+'. Errors: invalid_argument at a '%' without two hex digits.
KCONTROL_DECL result<std::string> percent_decode(std::string_view text);

/// The part of a request target before the first '?', and the part after it.
KCONTROL_DECL std::pair<std::string_view, std::string_view> split_target(std::string_view target) noexcept;

/// The segments of a path, decoded; empty ones are left out. An encoded slash stays inside its segment.
/// Errors: invalid_argument for a broken escape.
KCONTROL_DECL result<std::vector<std::string>> split_path(std::string_view path);

/// Names and values of a query ("a=1&b=2", without '?'), decoded, '+' as space, in order of appearance.
/// Pairs with a broken escape are left out, as Go's net/url does; so are empty pairs.
KCONTROL_DECL std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query);

/// Builds a query.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class query_builder {
public:
    /// Adds name=value, both percent-encoded; a name may come twice.
    KCONTROL_DECL query_builder& append(std::string_view name, std::string_view value);

    bool empty() const noexcept { return text_.empty(); }
    const std::string& text() const noexcept { return text_; }  ///< "a=1&b=2", without '?'

    /// `path` with "?" and the query after it if there is one.
    KCONTROL_DECL std::string after(std::string_view path) const;

private:
    std::string text_;
};

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/http/impl/url.ipp>
#include <kcontrol/http/impl/url_proxy.ipp>
#include <kcontrol/http/impl/url_target.ipp>
#endif
