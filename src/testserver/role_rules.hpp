// What Roles and their bindings allow: RBAC, evaluated from the objects that a server holds. Pure.
#pragma once

#include <kcontrol/testing/request_info.hpp>

#include "testserver/object_store.hpp"

#include <map>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// Somebody who asks.
class requester {
public:
    requester() = default;
    /// `n`: the name, `g`: the groups.
    requester(std::string n, std::vector<std::string> g) : name(std::move(n)), groups(std::move(g)) {}

    std::string name;                                       ///< of an account "system:serviceaccount:NAMESPACE:NAME"
    std::vector<std::string> groups;                        ///< those of bindings' subjects of kind Group
    std::string uid;                                        ///< of an account that logged in with its token; else empty
    std::map<std::string, std::vector<std::string>> extra;  ///< what its token says beside that
};

/// Whether somebody may do something.
class role_verdict {
public:
    bool allowed = false;  ///< false: no rule says so
    std::string reason;    ///< which binding allows it, in Kubernetes' words
};

/// By Roles, ClusterRoles (aggregated ones, too) and their bindings; system:masters may do everything.
///
/// Source: kubernetes/plugin/pkg/auth/authorizer/rbac and pkg/registry/rbac/validation.
role_verdict judge_by_roles(const object_store& store, const requester& who, const request_info& request);

/// The status of a SelfSubjectRulesReview for a namespace.
json::object rules_of_requester(const object_store& store, const requester& who, const std::string& ns);

/// Makes the roles and bindings without which nobody can begin: cluster-admin for system:masters, discovery and
/// questions about oneself for everybody who is known.
void add_first_roles(object_store& store);

}  // namespace kcontrol::testing
