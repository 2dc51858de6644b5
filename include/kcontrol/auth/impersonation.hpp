// Acting as somebody else: the Impersonate- headers of the API server.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/http/message.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::auth {

/// As whom requests are made by a user who may do so; nobody if the name is empty.
/// Source: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class impersonation {
public:
    impersonation() = default;
    explicit impersonation(std::string user) : user_(std::move(user)) {}  ///< without a uid, groups or extra

    /// Impersonate-User: who is acted as. Empty: nobody, whatever else is set.
    impersonation& user(std::string name) { return user_ = std::move(name), *this; }
    /// Impersonate-Uid, if it is not empty.
    impersonation& uid(std::string id) { return uid_ = std::move(id), *this; }
    /// Impersonate-Group, a header for each.
    impersonation& groups(std::vector<std::string> names) { return groups_ = std::move(names), *this; }
    /// Impersonate-Extra-KEY, a header for each value; keys are escaped as client-go does it.
    impersonation& extra(std::map<std::string, std::vector<std::string>> more) {
        return extra_ = std::move(more), *this;
    }

    const std::string& user() const noexcept { return user_; }
    const std::string& uid() const noexcept { return uid_; }
    const std::vector<std::string>& groups() const noexcept { return groups_; }
    const std::map<std::string, std::vector<std::string>>& extra() const noexcept { return extra_; }
    bool empty() const noexcept { return user_.empty(); }

    /// Adds the headers, unless the request says already as whom it is.
    KCONTROL_DECL void add_to(http::fields& headers) const;

    friend bool operator==(const impersonation&, const impersonation&) = default;

private:
    std::string user_;
    std::string uid_;
    std::vector<std::string> groups_;
    std::map<std::string, std::vector<std::string>> extra_;
};

}  // namespace kcontrol::auth

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/auth/impl/impersonation.ipp>
#endif
