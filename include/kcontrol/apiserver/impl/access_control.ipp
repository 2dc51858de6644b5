#pragma once

#include <kcontrol/apiserver/access_control.hpp>

namespace kcontrol::testing {
namespace detail {

inline bool rule_covers(const access_rule& rule, const std::string& user, const request_info& request,
                        const std::string& resource) {
    const auto covers = [](const std::string& pattern, std::string_view value) {
        return pattern == "*" || pattern == value;
    };
    return covers(rule.user, user) && covers(rule.verb, request.verb) && covers(rule.namespace_, request.namespace_) &&
           (covers(rule.resource, resource) || (request.subresource.empty() && rule.resource == request.id().text()));
}

}  // namespace detail

KCONTROL_DECL outcome<std::string> access_control::authenticate(const http::server_request& request) const {
    constexpr std::string_view scheme = "Bearer ";
    const std::string_view header = request.headers.get("Authorization");
    if (tokens_.empty())
        return request.client_subject.empty() ? std::string("system:anonymous") : request.client_subject;
    if (header.starts_with(scheme)) {
        const auto found = tokens_.find(std::string(header.substr(scheme.size())));
        if (found == tokens_.end()) return failure::unauthorized();
        return found->second;
    }
    if (request.client_subject.empty()) return failure::unauthorized();
    return request.client_subject;
}

KCONTROL_DECL outcome<void> access_control::authorize(const std::string& user, const request_info& request) const {
    if (!request.is_resource) return {};
    std::string resource = request.resource;
    if (!request.subresource.empty()) resource += "/" + request.subresource;
    for (const auto& rule : forbidden_) {
        if (!detail::rule_covers(rule, user, request, resource)) continue;
        std::string why = "User \"" + user;
        why += "\" cannot " + request.verb;
        why += " resource \"" + resource;
        why += "\" in API group \"" + request.group + "\"";
        why += request.namespace_.empty() ? std::string(" at the cluster scope")
                                          : " in the namespace \"" + request.namespace_ + "\"";
        return failure::forbidden(request.id(), request.name, why);
    }
    return {};
}

}  // namespace kcontrol::testing
