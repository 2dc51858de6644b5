#include <kcontrol/base/ascii.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/testing/request_info.hpp>
#include <kcontrol/testing/resource_type.hpp>

#include <span>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

std::string_view verb_of_method(std::string_view method, bool named, bool watch) {
    if (method == "POST") return "create";
    if (method == "PUT") return "update";
    if (method == "PATCH") return "patch";
    if (method == "DELETE") return named ? "delete" : "deletecollection";
    if (method != "GET" && method != "HEAD") return "";
    if (named) return "get";
    return watch ? "watch" : "list";
}

// segments: what follows the version.
void read_resource_path(request_info& info, std::span<const std::string> segments) {
    const bool in_namespace = segments.size() > 2 && segments[0] == "namespaces" &&
                              !(segments.size() == 3 && (segments[2] == "status" || segments[2] == "finalize"));
    if (in_namespace) {
        info.namespace_ = segments[1];
        segments = segments.subspan(2);
    }
    info.resource = segments[0];
    if (segments.size() > 1) info.name = segments[1];
    if (segments.size() > 2) info.subresource = segments[2];
    if (segments.size() > 3) info.subresource = "unknown";
}

}  // namespace
}  // namespace detail

std::string_view request_info::parameter(std::string_view wanted) const noexcept {
    for (const auto& [key, value] : query) {
        if (key == wanted) return value;
    }
    return {};
}

bool request_info::has_parameter(std::string_view wanted) const noexcept {
    for (const auto& [key, value] : query) {
        if (key == wanted) return true;
    }
    return false;
}

bool request_info::flag(std::string_view wanted) const noexcept {
    if (!has_parameter(wanted)) return false;
    const std::string_view value = parameter(wanted);
    return value != "0" && value != "false" && value != "False" && value != "FALSE";
}

outcome<request_info> parse_request(const http::request& request) {
    request_info info;
    const auto [path, query] = http::split_target(request.target);
    info.path = path;
    info.query = http::parse_query(query);
    const auto segments = http::split_path(path);
    if (!segments) return failure::bad_request("broken escape in the request's path");
    const bool core = segments->size() > 2 && (*segments)[0] == "api";
    const bool grouped = segments->size() > 3 && (*segments)[0] == "apis";
    if (!core && !grouped) {
        info.verb = ascii_lower(request.method);
        return info;
    }
    info.is_resource = true;
    if (grouped) info.group = (*segments)[1];
    info.version = (*segments)[grouped ? 2 : 1];
    detail::read_resource_path(info, std::span(*segments).subspan(grouped ? 3 : 2));
    info.verb = detail::verb_of_method(request.method, !info.name.empty(), info.flag("watch"));
    return info;
}

}  // namespace kcontrol::testing
