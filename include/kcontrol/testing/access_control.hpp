// Who may ask the in-process API server, and what: bearer tokens that can be changed, and rules that forbid.
#pragma once

#include <kcontrol/http/handler.hpp>
#include <kcontrol/testing/failure.hpp>
#include <kcontrol/testing/request_info.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// Something that is forbidden; "*" stands for everything.
class access_rule {
public:
    access_rule() = default;
    /// `u`: the user, `v`: the verb, `r`: the resource, `ns`: the namespace.
    access_rule(std::string u, std::string v, std::string r, std::string ns = "*")
        : user(std::move(u)), verb(std::move(v)), resource(std::move(r)), namespace_(std::move(ns)) {}

    std::string user = "*";        ///< name of who asks, after impersonation
    std::string verb = "*";        ///< as in request_info; of a path the HTTP method in lower case
    std::string resource = "*";    ///< "jobs", "jobs.batch" or "jobs/status"; "/metrics": a path, which "*" is not
    std::string namespace_ = "*";  ///< empty: requests at the cluster scope or for all namespaces

    friend bool operator==(const access_rule&, const access_rule&) = default;
};

/// Authentication and authorisation. At first everybody is let in and everything is allowed.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class access_control {
public:
    /// From now on exactly these bearer tokens are accepted (token → user); without one, only a verified client
    /// certificate is. An empty map lets everybody in again.
    void set_tokens(std::map<std::string, std::string> tokens) { tokens_ = std::move(tokens); }
    void forbid(access_rule rule) { forbidden_.push_back(std::move(rule)); }  ///< adds a rule; open watches go on
    /// Takes one rule back.
    void permit(const access_rule& rule) { std::erase(forbidden_, rule); }
    void permit_all() { forbidden_.clear(); }  ///< takes all rules back; tokens and groups stay

    /// Groups of a user, besides those that everybody is in who is known.
    void set_groups(const std::string& user, std::vector<std::string> groups) { groups_[user] = std::move(groups); }
    /// All groups of a user: those that were set, those of a service account, and system:authenticated or
    /// system:unauthenticated.
    std::vector<std::string> groups_of(const std::string& user) const;

    /// Whose that token is, if it is anybody's.
    std::optional<std::string> user_of(std::string_view token) const;
    /// The user's name, or Unauthorized.
    outcome<std::string> authenticate(const http::server_request& request) const;
    /// Forbidden, in Kubernetes' words, if a rule says so.
    outcome<void> authorize(const std::string& user, const request_info& request) const;

private:
    outcome<void> authorize_path(const std::string& user, const request_info& request) const;

    std::map<std::string, std::string> tokens_;
    std::map<std::string, std::vector<std::string>> groups_;
    std::vector<access_rule> forbidden_;
};

/// The refusal of what somebody may not do, in Kubernetes' words.
failure forbidden_request(const std::string& user, const request_info& request);

}  // namespace kcontrol::testing
