// Who asks the in-process API server, and whether he may.
#include "testserver/api_server_core.hpp"

namespace kcontrol::inline v0_1::testing::detail {

outcome<requester> api_server_core::identify(const http::server_request& request) const {
    const auto user = access.authenticate(request);
    if (!user) return user.error();
    requester who(*user, access.groups_of(*user));
    const std::string_view wanted = request.headers.get("Impersonate-User");
    if (!options.enforces_rbac() || wanted.empty()) return who;
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
        other.groups = access.groups_of(other.name);
    }
    return other;
}

outcome<void> api_server_core::authorize(const requester& who, const request_info& info) const {
    if (const auto allowed = access.authorize(who.name, info); !allowed) return allowed;
    if (!options.enforces_rbac() || judge_by_roles(store, who, info).allowed) return {};
    return forbidden_request(who.name, info);
}

}  // namespace kcontrol::testing::detail
