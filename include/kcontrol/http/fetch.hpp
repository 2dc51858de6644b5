// Getting what is behind a URL that somebody else wrote: the URL in two parts, and redirects that stay at its server.
#pragma once

#include <kcontrol/http/transport.hpp>
#include <kcontrol/http/url.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::http {

/// A URL as requests need it.
class document_url {
public:
    document_url() = default;
    /// A server, and the path and query there.
    document_url(http::endpoint e, std::string t) : endpoint(std::move(e)), target(std::move(t)) {}

    http::endpoint endpoint;   ///< the server; parse_document_url() sets no proxy
    std::string target = "/";  ///< path and query

    friend bool operator==(const document_url&, const document_url&) = default;
};

/// Parses "https://host[:port][/path][?query]", http and IPv6 hosts in brackets too; a fragment is left out. Errors:
/// invalid_argument, naming the part that is wrong; the message never repeats a userinfo or a query.
KCONTROL_DECL result<document_url> parse_document_url(std::string_view text);

/// The target that a Location header means in an answer to a request for `target` at `server`. Errors: invalid_argument
/// where it leads to another scheme, host or port, or is no URL.
KCONTROL_DECL result<std::string> redirect_target(const endpoint& server, std::string_view target,
                                                  std::string_view location);

/// Gets `target`, and follows up to `most` redirects (301, 302, 303, 307, 308) that stay at the transport's own server,
/// `server`. Deadline and bound of the body are those of each exchange. Errors: those of the transport, and of
/// redirect_target(); protocol_error (more redirects than `most`).
KCONTROL_DECL awaitable<result<response>> get_following(std::shared_ptr<transport> connection, endpoint server,
                                                        std::string target, exchange_options options, int most = 5);

/// Gets one document again and again, over one connection that the first read() makes: a URL that somebody else wrote,
/// by a factory that refuses the addresses that he may not name. A handle: copies share the connection.
///
/// Thread-safety: shared objects unsafe; use it on its executor.
class document_reader {
public:
    /// Nothing is sent yet; a bad `url` shows at read(). Deadline and max_body() are those of each exchange.
    KCONTROL_DECL document_reader(transport_factory connect, executor ex, std::string url, exchange_options options);

    /// As get_following(), and those of parse_document_url() and of the factory. A stop token in the options given
    /// above does not count.
    KCONTROL_DECL awaitable<result<response>> read(std::stop_token stop) const;

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/http/impl/fetch.ipp>
#endif
