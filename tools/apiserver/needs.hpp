// What a program needs of a cluster, derived from what it asked a server for.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/api_server.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol_apiserver {

/// The requests of one user, and the definitions that have come since this object was made.
///
/// Thread-safety: as api_server. Object lifetime: the server outlives it.
class needs {
public:
    needs(kcontrol::testing::api_server& api, std::string user);

    /// How many requests of the user the server remembers.
    std::size_t requests() const;
    /// False if there were so many that the server has forgotten the first ones.
    bool all_known() const;
    /// The CustomResourceDefinitions that were made or changed, as they would be applied, by name.
    std::vector<kcontrol::json::value> definitions() const;
    /// A ClusterRole that allows the user's requests.
    kcontrol::json::value cluster_role(const std::string& name) const;
    /// The resources that the user asked for and the server does not have, such as "jobs.example.com".
    std::vector<std::string> not_served() const;
    /// What the user was refused, such as "patch deployments.apps (422)": each once. What is not there, or was changed
    /// meanwhile, is no refusal.
    std::vector<std::string> refused() const;

private:
    kcontrol::testing::request_log of_user() const;

    kcontrol::testing::api_server& api_;
    std::string user_;
    std::map<std::string, kcontrol::json::value, std::less<>> before_;  ///< definitions, by name
};

/// What a role of that program may be called: its file's name, as Kubernetes names things.
std::string role_name_of(std::string_view program);

}  // namespace kcontrol_apiserver
