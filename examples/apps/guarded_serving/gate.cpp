#include "guarded_serving/gate.hpp"

#include <kcontrol/http/url.hpp>
#include <kcontrol/serve/host_name.hpp>

#include <algorithm>

namespace guarded_serving {
namespace {

using kcontrol::http::authority_of;
using kcontrol::http::authority_of_host;
using kcontrol::http::is_rebound;

bool is_one_of(const std::vector<std::string>& origins, std::string_view origin) {
    return std::find(origins.begin(), origins.end(), origin) != origins.end();
}

bool names_trusted_host(const gate_rules& rules, std::string_view host_header) {
    return std::any_of(rules.trusted_origins.begin(), rules.trusted_origins.end(), [&](const std::string& origin) {
        const auto scheme = origin.substr(0, origin.find(':'));
        return authority_of(origin) == authority_of_host(host_header, scheme);
    });
}

bool is_host_allowed(const gate_rules& rules, std::string_view host_header) {
    return !is_rebound(rules.listen_host, host_header) || names_trusted_host(rules, host_header);
}

// A link, a bookmark or a typed address: the answer is shown to the user and not to the page with the link.
bool is_navigation(const kcontrol::http::fields& headers) {
    return headers.get("Sec-Fetch-Mode") == "navigate" && headers.get("Sec-Fetch-Dest") == "document";
}

// A browser says by itself when a page of another site asks; what says nothing is no browser, or an old one that sends
// at least Origin.
bool is_foreign(const gate_rules& rules, const kcontrol::http::fields& headers) {
    const auto site = headers.get("Sec-Fetch-Site");
    if (!site.empty() && site != "same-origin" && site != "none" && !is_navigation(headers)) return true;
    const auto origin = headers.get("Origin");
    if (origin.empty()) return false;
    const auto asking = authority_of(origin);
    if (asking.empty()) return true;
    // A proxy before us may speak another scheme than we do, so the default port of either will do.
    const auto host = headers.get("Host");
    return asking != authority_of_host(host, "https") &&
           asking != authority_of_host(host, rules.tls ? "https" : "http");
}

// What the kubelet asks without a login; which clusters there are is told to none but who may read.
bool is_probe(const kcontrol::http::server_request& request) {
    return request.target == "/healthz" || request.target == "/readyz";
}

}  // namespace

admission judge(const gate_rules& rules, const kcontrol::http::server_request& request) {
    const auto& headers = request.headers;
    admission out;
    if (!is_host_allowed(rules, headers.get("Host"))) {
        out.what = verdict::wrong_host;
        return out;
    }
    const auto origin = headers.get("Origin");
    if (is_foreign(rules, headers)) {
        if (!is_one_of(rules.trusted_origins, origin)) {
            out.what = verdict::foreign_site;
            return out;
        }
        out.allowed_origin = std::string(origin);
        if (request.method == "OPTIONS" && headers.contains("Access-Control-Request-Method")) {
            out.what = verdict::preflight;  // it carries no credentials
            return out;
        }
    }
    const bool known = !request.client_subject.empty() || rules.tokens.opens(headers.get("Authorization"));
    out.known = !rules.login || known;
    if (!out.known && !is_probe(request)) out.what = verdict::no_login;
    return out;
}

kcontrol::result<std::string> parse_origin(std::string_view text) {
    const auto authority = authority_of(text);
    const auto scheme = text.substr(0, text.find(':'));
    if (authority.empty() || (scheme != "http" && scheme != "https")) {
        return kcontrol::error(kcontrol::errc::invalid_argument,
                               "not an origin: it is written https://HOST or https://HOST:PORT, without a path");
    }
    return std::string(scheme) + "://" + authority;
}

}  // namespace guarded_serving
