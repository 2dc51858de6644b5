// Whether whoever wrote a kubeconfig is the person who runs this program, and if not, what it may say all the same.
#pragma once

#include <kcontrol/config.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::auth {

/// What a kubeconfig of somebody else may not say unless it is allowed.
enum class kubeconfig_feature : unsigned {
    files = 1,              ///< names files of this machine: certificates, keys, tokens (and so sends them somewhere)
    programs = 2,           ///< exec: runs a program of this machine
    proxy_url = 4,          ///< sends connections through a proxy of its choice
    environment_proxy = 8,  ///< its server is reached through this machine's proxy (HTTPS_PROXY)
    insecure_tls = 16,      ///< insecure-skip-tls-verify
    impersonation = 32,     ///< as, as-uid, as-groups, as-user-extra
};

/// Where kubeconfig bytes come from. What the person named who runs the program is trusted: it may do all of the above.
/// Untrusted is what others can write (a Secret, the network, a directory that others write to): it may do none of it,
/// but for what is allowed here one by one.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class trust {
public:
    static const trust trusted;    ///< may say everything
    static const trust untrusted;  ///< may say no kubeconfig_feature; see allow()

    /// The same, and that may be said, too.
    trust allow(kubeconfig_feature one) const {
        trust out = *this;
        out.allowed_ |= static_cast<unsigned>(one);
        return out;
    }
    /// The same, where exec may run programs, but only these, given by their absolute paths.
    trust allow_programs(std::vector<std::string> absolute_paths) const {
        trust out = allow(kubeconfig_feature::programs);
        out.programs_ = std::make_shared<const std::vector<std::string>>(std::move(absolute_paths));
        return out;
    }

    bool is_trusted() const noexcept { return trusted_; }  ///< whether it was made from `trusted`
    /// True of all features where it is trusted. Which programs may run says programs().
    bool allows(kubeconfig_feature one) const noexcept {
        return trusted_ || (allowed_ & static_cast<unsigned>(one)) != 0;
    }
    /// Null: any.
    const std::shared_ptr<const std::vector<std::string>>& programs() const noexcept { return programs_; }

    friend bool operator==(const trust& a, const trust& b) noexcept {
        return a.trusted_ == b.trusted_ && a.allowed_ == b.allowed_ && a.programs_ == b.programs_;
    }

private:
    constexpr explicit trust(bool t) noexcept : trusted_(t) {}
    bool trusted_;
    unsigned allowed_ = 0;
    std::shared_ptr<const std::vector<std::string>> programs_;
};

inline constinit const trust trust::trusted{true};
inline constinit const trust trust::untrusted{false};

}  // namespace kcontrol::auth
