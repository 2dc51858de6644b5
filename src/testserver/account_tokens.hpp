// The tokens of service accounts that TokenRequest gives out: made, recognized, and judged by what is stored. Pure.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/testing/failure.hpp>

#include "testserver/object_store.hpp"
#include "testserver/role_rules.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// Where these tokens are for, unless somebody wants them for others; and who gives them out.
inline constexpr std::string_view token_issuer = "https://kubernetes.default.svc.cluster.local";

/// What a token is worth.
class token_verdict {
public:
    bool known = false;                  ///< this server, or one like it, gave it out: nobody else is asked
    std::optional<requester> user;       ///< who logs in with it; nothing: nobody
    std::string problem;                 ///< why nobody, in Kubernetes' words; may be empty
    std::vector<std::string> audiences;  ///< of those wanted, the ones that it is for
};

/// What a TokenRequest asks for, checked.
class token_order {
public:
    json::value account;                 ///< the ServiceAccount
    std::vector<std::string> audiences;  ///< not empty
    std::int64_t seconds = 0;            ///< how long it is valid
    json::value pod, secret, node;       ///< objects with which it ends; null: none of that kind
};

/// Fails as Kubernetes does: an account or an object that is not there, a duration out of bounds, an object of another
/// kind, another uid, or a pod of another account.
outcome<token_order> order_token(const object_store& store, const namespaced_name& account, const json::value& spec);

/// The tokens that were given out. They end with their time, with their account and with the object that they are bound
/// to. Tokens of a server that was restarted are not valid any more.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class account_tokens {
public:
    /// A new token, in the form of a real one (clients look into it for its end), with a signature that nobody has
    /// made.
    std::string issue(const token_order& order, environment& env);

    /// Judges a token for audiences; none: the server itself.
    token_verdict judge(std::string_view token, const object_store& store, wall_time now,
                        std::vector<std::string> audiences = {}) const;

private:
    class bound_object {
    public:
        group_resource id;
        namespaced_name key;
        std::string uid;
    };
    class issued_token {
    public:
        requester user;
        namespaced_name account;
        std::vector<std::string> audiences;
        std::vector<bound_object> bound;
        wall_time end;
    };

    std::map<std::string, issued_token, std::less<>> issued_;
};

}  // namespace kcontrol::testing
