#include "push/push_target.hpp"

#include <kcontrol/http/message.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/serve/host_name.hpp>

#include "messages.hpp"

namespace gpu_labeler {

namespace http = kcontrol::http;

kcontrol::result<push_target> push_target::parse(std::string_view url) {
    const auto scheme = url.find("://");
    const auto path = scheme == url.npos ? scheme : url.find_first_of("/?#", scheme + 3);
    const auto server = http::parse_base_url(url.substr(0, path));
    std::string target(path == url.npos ? "" : url.substr(path));
    // Not the parser's own message: it may repeat a part of the URL.
    if (!server || target.find('#') != target.npos || !http::is_valid_target(target) || target == "/") {
        return bad_argument(
            "this is no URL to push to, such as "
            "https://influx.example:8086/api/v2/write?org=ORG&bucket=BUCKET, or "
            "http://victoria.example:8428/write; a login goes into --push-authorization-file");
    }
    for (const auto& [name, value] : http::parse_query(http::split_target(target).second)) {
        if (name == "precision" && value != "ns" && value != "n") {
            return bad_argument("its times are in nanoseconds: leave precision out of the URL");
        }
    }
    push_target out;
    out.server_ = server->endpoint;
    out.target_ = std::move(target);
    return out;
}

kcontrol::result<void> check_push(const push_options& o) {
    if (!o.target().given()) {
        if (!o.authorization_file().empty()) return bad_argument("--push-authorization-file needs --push-url");
        if (!o.ca_file().empty()) return bad_argument("--push-ca-file needs --push-url");
        return {};
    }
    const auto& server = o.target().server();
    if (!o.authorization_file().empty() && server.scheme != "https" && !http::is_loopback(server.host)) {
        return bad_argument(
            "--push-authorization-file: with http anybody on the way can read the login; give an https URL");
    }
    if (!o.ca_file().empty() && server.scheme != "https") {
        return bad_argument("--push-ca-file is for an https URL");
    }
    return {};
}

}  // namespace gpu_labeler
