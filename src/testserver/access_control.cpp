#include <kcontrol/testing/access_control.hpp>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

bool rule_covers(const access_rule& rule, const std::string& user, const request_info& request,
                 const std::string& resource) {
    const auto covers = [](const std::string& pattern, std::string_view value) {
        return pattern == "*" || pattern == value;
    };
    return covers(rule.user, user) && covers(rule.verb, request.verb) && covers(rule.namespace_, request.namespace_) &&
           (covers(rule.resource, resource) || (request.subresource.empty() && rule.resource == request.id().text()));
}

}  // namespace
}  // namespace detail

failure forbidden_request(const std::string& user, const request_info& request) {
    std::string why = "User \"" + user;
    why += "\" cannot " + request.verb;
    if (!request.is_resource) {
        why += " path \"" + request.path + "\"";
        return failure(403, "Forbidden", "forbidden: " + why);
    }
    std::string resource = request.resource;
    if (!request.subresource.empty()) resource += "/" + request.subresource;
    why += " resource \"" + resource;
    why += "\" in API group \"" + request.group + "\"";
    why += request.namespace_.empty() ? std::string(" at the cluster scope")
                                      : " in the namespace \"" + request.namespace_ + "\"";
    return failure::forbidden(request.id(), request.name, why);
}

std::vector<std::string> access_control::groups_of(const std::string& user) const {
    constexpr std::string_view account = "system:serviceaccount:";
    const auto set = groups_.find(user);
    auto out = set == groups_.end() ? std::vector<std::string>() : set->second;
    if (user.starts_with(account)) {
        const std::string rest = user.substr(account.size());
        out.emplace_back("system:serviceaccounts");
        out.push_back("system:serviceaccounts:" + rest.substr(0, rest.find(':')));
    }
    out.emplace_back(user == "system:anonymous" ? "system:unauthenticated" : "system:authenticated");
    return out;
}

std::optional<std::string> access_control::user_of(std::string_view token) const {
    const auto found = tokens_.find(std::string(token));
    if (found == tokens_.end()) return std::nullopt;
    return found->second;
}

outcome<std::string> access_control::authenticate(const http::server_request& request) const {
    constexpr std::string_view scheme = "Bearer ";
    const std::string_view header = request.headers.get("Authorization");
    if (tokens_.empty())
        return request.client_subject.empty() ? std::string("system:anonymous") : request.client_subject;
    if (header.starts_with(scheme)) {
        const auto user = user_of(header.substr(scheme.size()));
        if (!user) return failure::unauthorized();
        return *user;
    }
    if (request.client_subject.empty()) return failure::unauthorized();
    return request.client_subject;
}

outcome<void> access_control::authorize_path(const std::string& user, const request_info& request) const {
    for (const auto& rule : forbidden_) {
        if (rule.resource != request.path) continue;
        if ((rule.user != "*" && rule.user != user) || (rule.verb != "*" && rule.verb != request.verb)) continue;
        return forbidden_request(user, request);
    }
    return {};
}

outcome<void> access_control::authorize(const std::string& user, const request_info& request) const {
    if (!request.is_resource) return authorize_path(user, request);
    std::string resource = request.resource;
    if (!request.subresource.empty()) resource += "/" + request.subresource;
    for (const auto& rule : forbidden_) {
        if (!detail::rule_covers(rule, user, request, resource)) continue;
        return forbidden_request(user, request);
    }
    return {};
}

}  // namespace kcontrol::testing
