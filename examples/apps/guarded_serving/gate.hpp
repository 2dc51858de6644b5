// Who may read: the decision about one request, from its headers and what TLS knows of its sender. No clock, no I/O.
#pragma once

#include <kcontrol/http/handler.hpp>

#include "guarded_serving/bearer_tokens.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace guarded_serving {

/// What the gate goes by.
class gate_rules {
public:
    std::string program;                       ///< as a login is asked for in its name
    std::string listen_host = "127.0.0.1";     ///< on loopback only requests that name loopback are answered
    bool tls = false;                          ///< the server speaks TLS
    bool login = false;                        ///< a token or a client certificate is asked for
    bearer_tokens tokens;                      ///< those that open
    std::vector<std::string> trusted_origins;  ///< "https://HOST[:PORT]": may read across sites, and may stand in Host
};

enum class verdict {
    pass,
    preflight,     ///< a trusted origin asks what it may do (CORS)
    wrong_host,    ///< another name than loopback: DNS rebinding
    foreign_site,  ///< a page of another site reads
    no_login
};

/// What is decided about a request.
struct admission {
    verdict what = verdict::pass;
    bool known = false;          ///< who asks has logged in, or need not
    std::string allowed_origin;  ///< the origin to answer to, if a trusted one asked across sites
};

/// Sources: Fetch standard (Origin, Sec-Fetch-Site, CORS), RFC 6750, RFC 7617.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
admission judge(const gate_rules& rules, const kcontrol::http::server_request& request);

/// Checks an origin given on the command line. Errors: invalid_argument with what it should look like.
kcontrol::result<std::string> parse_origin(std::string_view text);

}  // namespace guarded_serving
