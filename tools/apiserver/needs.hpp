// What a program needs of a cluster, derived from what it asked a server for.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/api_server.hpp>

#include <cstdint>
#include <map>
#include <set>
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

    /// Takes note of what was asked since. The server remembers 10,000 requests, so it is called again and again, and
    /// before what follows is asked.
    void look();

    /// Whether the user asked for anything.
    bool asked() const noexcept { return !known_.requests().empty(); }
    /// False if so much was asked between two looks that the server has forgotten some of it.
    bool all_known() const noexcept { return all_known_; }
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
    kcontrol::testing::api_server& api_;
    std::string user_;
    std::map<std::string, kcontrol::json::value, std::less<>> before_;  ///< definitions, by name
    kcontrol::testing::request_log known_;                              ///< the user's requests, equal ones once
    std::set<std::string> kinds_of_requests_;
    std::uint64_t seen_ = 0;  ///< the number of the last request that was looked at
    bool all_known_ = true;
};

/// What a role of that program may be called: its file's name, as Kubernetes names things.
std::string role_name_of(std::string_view program);

}  // namespace kcontrol_apiserver
