// A webhook server's certificate without files: an authority in a Secret that all replicas share, and certificates
// that it signs and that are renewed before they expire.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/transport/server_tls.hpp>
#include <kcontrol/webhook/authority_set.hpp>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

namespace http {
class server;
}

/// Which Secret, and for which names.
class certificate_manager_options {
public:
    /// The Secret with the authorities: made by whichever replica comes first.
    certificate_manager_options& secret(std::string ns, std::string name) {
        return namespace_ = std::move(ns), name_ = std::move(name), *this;
    }
    /// The Service in front of the replicas, by which an API server calls them: NAME.NAMESPACE.svc.
    certificate_manager_options& service(const std::string& ns, const std::string& name) {
        names_.push_back(name + "." + ns + ".svc");
        names_.push_back(name + "." + ns + ".svc.cluster.local");
        return *this;
    }
    /// Another name or address, repeatable.
    certificate_manager_options& dns(std::string name) { return names_.push_back(std::move(name)), *this; }
    /// An IPv4 or IPv6 address that the certificate is good for, repeatable.
    certificate_manager_options& ip(std::string address) { return addresses_.push_back(std::move(address)), *this; }
    /// How long authorities and certificates last.
    certificate_manager_options& policy(authority_policy p) { return policy_ = p, *this; }
    /// How often the Secret is read. A replica has to notice a new authority well before that signs.
    certificate_manager_options& check_period(duration d) { return check_period_ = d, *this; }

    /// Of secret(); there is no default.
    const std::string& secret_namespace() const noexcept { return namespace_; }
    /// Of secret(); there is no default.
    const std::string& secret_name() const noexcept { return name_; }
    /// Of service() and dns(), in their order; the first is the common name.
    const std::vector<std::string>& names() const noexcept { return names_; }
    /// Of ip(), in their order.
    const std::vector<std::string>& addresses() const noexcept { return addresses_; }
    const authority_policy& policy() const noexcept { return policy_; }
    duration check_period() const noexcept { return check_period_; }

private:
    std::string namespace_, name_;
    std::vector<std::string> names_, addresses_;
    authority_policy policy_;
    duration check_period_ = std::chrono::minutes(1);
};

/// Manages the Secret and the certificate. Replicas race for the Secret, and the API server decides: who comes too late
/// reads what is there. Every replica has a certificate and a key of its own; only the authority is shared, so who may
/// read the Secret can pretend to be the program. The account needs get, create and update of that Secret.
///
/// Thread-safety: shared objects unsafe; use it on the client's executor.
/// Object lifetime: may be destroyed while run() or follow() goes on; the environment and the server outlive these.
class certificate_manager {
public:
    /// `c`: reads and writes the Secret. There is no request before refresh() or run().
    KCONTROL_DECL certificate_manager(environment& env, client c, certificate_manager_options options, logger log = {});

    /// Keeps both up to date until `stop`. A failure is logged once while it stays the same, and retried after 5 s; the
    /// certificate is renewed in time meanwhile, by the authorities that were read last.
    KCONTROL_DECL awaitable<void> run(std::stop_token stop);
    /// Reads the Secret once. Errors: those of the API server; unavailable where others write it all the time;
    /// stopped.
    KCONTROL_DECL awaitable<result<void>> refresh(std::stop_token stop = {});

    /// The certificate to serve with. Errors: unavailable, before the first refresh().
    KCONTROL_DECL result<http::server_tls> load() const;
    /// Gives the server each certificate that comes from here on, until `stop`.
    KCONTROL_DECL awaitable<void> follow(http::server& of, std::stop_token stop);

    /// Whom an API server has to trust, as PEM; empty before the first refresh(). It changes ahead of certificates.
    KCONTROL_DECL std::string bundle() const;
    /// Returns when bundle() may have changed, and after that time at the latest; true at `stop`.
    KCONTROL_DECL awaitable<bool> wait_for_bundle(duration most, std::stop_token stop);

private:
    struct state;
    std::shared_ptr<state> state_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/webhook/impl/certificate_manager.ipp>
#endif
