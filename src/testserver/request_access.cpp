#include "testserver/request_access.hpp"

namespace kcontrol::inline v0_1::testing::detail {

// Tokens of service accounts are not among those of access(), and are judged whether it has any or none.
outcome<requester> request_access::log_in(const http::server_request& request) const {
    constexpr std::string_view scheme = "Bearer ";
    const std::string_view header = request.headers.get("Authorization");
    if (header.starts_with(scheme)) {
        token_verdict verdict = tokens_.judge(header.substr(scheme.size()), store_, env_.wall_now());
        if (verdict.known && !verdict.user) return failure::unauthorized();
        if (verdict.user) {
            verdict.user->groups = rules_.groups_of(verdict.user->name);
            return std::move(*verdict.user);
        }
    }
    const auto user = rules_.authenticate(request);
    if (!user) return user.error();
    return requester(*user, rules_.groups_of(*user));
}

outcome<requester> request_access::identify(const http::server_request& request) const {
    auto logged_in = log_in(request);
    if (!logged_in) return logged_in.error();
    requester who = std::move(*logged_in);
    const std::string_view wanted = request.headers.get("Impersonate-User");
    if (!enforces_rbac_ || wanted.empty()) return who;
    request_info wish;
    wish.is_resource = true;
    wish.verb = "impersonate";
    wish.resource = "users";
    wish.name = wanted;
    if (const auto allowed = authorize(who, wish); !allowed) return allowed.error();
    requester other(std::string(wanted), {});
    for (const auto& [name, value] : request.headers) {
        if (name != "Impersonate-Group") continue;
        wish.resource = "groups";
        wish.name = value;
        if (const auto allowed = authorize(who, wish); !allowed) return allowed.error();
        other.groups.push_back(value);
    }
    if (!other.groups.empty()) {
        other.groups.emplace_back("system:authenticated");
    } else {
        other.groups = rules_.groups_of(other.name);
    }
    return other;
}

outcome<void> request_access::authorize(const requester& who, const request_info& info) const {
    if (const auto allowed = rules_.authorize(who.name, info); !allowed) return allowed;
    if (!enforces_rbac_ || judge_by_roles(store_, who, info).allowed) return {};
    return forbidden_request(who.name, info);
}

}  // namespace kcontrol::testing::detail
