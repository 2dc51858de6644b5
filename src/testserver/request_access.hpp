// Authentication and authorization of the in-process API server: users, tokens, and what they may do.
#pragma once

#include <kcontrol/http/handler.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/testing/access_control.hpp>

#include "testserver/account_tokens.hpp"
#include "testserver/object_store.hpp"
#include "testserver/role_rules.hpp"

namespace kcontrol::inline v0_1::testing::detail {

/// Whether it is a review that this server answers.
bool answers_review(const request_info& info);

/// Judges requests by access(), by the tokens of service accounts and, where the server enforces RBAC, by the Roles
/// that are stored. Touched on the server's executor only.
class request_access {
public:
    /// `env` and `store` outlive it.
    request_access(environment& env, const object_store& store, bool enforces_rbac)
        : env_(env), store_(store), enforces_rbac_(enforces_rbac) {}

    /// Tokens, groups and rules of the test; changes count from the next request on.
    access_control& rules() noexcept { return rules_; }

    /// The user of a request, or the one whom it impersonates. Fails with Unauthorized or Forbidden.
    outcome<requester> identify(const http::server_request& request) const;
    /// Fails with Forbidden.
    outcome<void> authorize(const requester& who, const request_info& info) const;
    /// Answers a review: of an access, a token, a user or the rules of a user.
    outcome<http::response> answer_review(const http::server_request& request, const request_info& info,
                                          const resource_type& type) const;
    /// Issues a token for a service account (TokenRequest).
    outcome<http::response> answer_token(const http::server_request& request, const request_info& info);

private:
    outcome<requester> log_in(const http::server_request& request) const;

    environment& env_;
    const object_store& store_;
    access_control rules_;
    account_tokens tokens_;
    bool enforces_rbac_;
};

}  // namespace kcontrol::testing::detail
