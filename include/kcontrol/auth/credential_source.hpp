// What the requests of one client carry to say who sends them, kept up to date: files, programs, the embedder's own.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/auth/credential_provider.hpp>
#include <kcontrol/auth/token_source.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace kcontrol::inline v0_1::auth {

/// Before each request: obtain() unless ready(), then authorize(). What takes time runs once for all that wait for it,
/// and ends when all of them are stopped. Certificate and CA files are read again every five minutes, token files every
/// minute, and all of them after a 401; what can't be read, or is no pair, leaves what was there before.
///
/// Thread-safety: shared objects unsafe; use it on its executor. Object lifetime: the environment outlives it.
class credential_source : public std::enable_shared_from_this<credential_source> {
public:
    /// Reads and asks nothing yet; the provider is called on `ex`. `log` is told what can't be got or read: of a file
    /// once for each reason, and once when it is well again.
    static KCONTROL_DECL std::shared_ptr<credential_source> make(environment& env, executor ex,
                                                                 const cluster_config& config, logger log);

    /// False if credentials must be got first. Reads files that are due.
    KCONTROL_DECL bool ready();
    /// Gets them, or waits for those who do. Errors: those of the provider, timeout, stopped. They begin with the
    /// server.
    KCONTROL_DECL awaitable<result<void>> obtain(time_point deadline, std::stop_token stop);

    /// Ends what is being got; who waits for it gets `stopped`. A later obtain() begins anew, as soon as the provider
    /// has returned.
    KCONTROL_DECL void abandon();

    /// Adds Authorization, unless the request has one, and the headers of impersonation. Errors: file_failed.
    KCONTROL_DECL result<void> authorize(http::fields& headers);

    /// Names what authorize() gives now: it changes with what is got anew.
    std::uint64_t serial() const noexcept { return serial_; }
    /// The server answered 401 to what had that serial. True if the next try may have something else.
    KCONTROL_DECL bool invalidate(std::uint64_t serial);

    /// Whom to trust, and which certificate to show, on new connections.
    const http::tls_options& tls() const noexcept { return tls_; }
    /// Changes with tls().
    std::uint64_t tls_version() const noexcept { return tls_version_; }
    /// True if tls() may ever change.
    bool tls_may_change() const noexcept { return provider_ != nullptr || !files_.empty(); }
    /// What tls() became can't be used: what was before counts again, and files are soon read again.
    KCONTROL_DECL void reject_tls(http::tls_options before, const error& why);

    credential_source(environment& env, executor ex, const cluster_config& config, logger log);  ///< use make()

private:
    struct flight;
    static KCONTROL_DECL awaitable<void> fly(std::shared_ptr<credential_source> self, std::shared_ptr<flight> on);
    void land(flight& on, result<issued_credentials> got);
    void take(issued_credentials got);
    void read_tls_files();
    void tell_file(const std::string& path, std::string why);
    bool expired() const;
    bool use_tls(http::tls_options next);

    error out_of_time() const;

    environment& env_;
    executor ex_;
    logger log_;
    token_source tokens_;
    secret_string basic_;  // the header's value
    impersonation impersonate_;
    std::string server_;         // begins what is wrong
    std::string provider_name_;  // likewise
    tls_files files_;
    time_point files_due_{};
    std::map<std::string, std::string> told_files_;  // what is wrong with each, as it was told
    std::shared_ptr<credential_provider> provider_;
    std::optional<issued_credentials> issued_;
    std::optional<wall_time> good_until_;
    time_point issued_at_{};
    bool stale_ = false;
    std::shared_ptr<flight> flight_;
    backoff pause_;
    std::optional<error> failed_;
    time_point failed_until_{};
    http::tls_options tls_;
    bool tls_from_files_ = false;                // who changed it last: the files, or the provider
    std::optional<http::tls_options> rejected_;  // what the files held when it could not be used
    std::string rejected_why_;
    std::uint64_t tls_version_ = 0;
    std::uint64_t serial_ = 0;
};

}  // namespace kcontrol::auth

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/auth/impl/credential_source.ipp>
#endif
