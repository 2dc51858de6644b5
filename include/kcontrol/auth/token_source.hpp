// Bearer tokens that may change while the program runs: a fixed one, or a file that is read again and again.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <optional>
#include <string>

namespace kcontrol::inline v0_1::auth {

/// Gives the token to send now. A token file is read at most once a minute and once more after a 401; a read that fails
/// or finds nothing keeps the last good token (client-go's CachingTokenSource does the same).
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class token_source {
public:
    KCONTROL_DECL token_source(environment& env, const cluster_config& config);  ///< reads nothing; `env` outlives it

    /// The token, empty if the cluster is reached without one. Errors: file_failed if no token was ever read.
    KCONTROL_DECL result<secret_string> token();

    /// The server answered 401: the next token() reads the file again. False if that can't help (a fixed token).
    KCONTROL_DECL bool invalidate();

    const std::string& file() const noexcept { return file_; }  ///< that the token is read from; empty: none
    /// Why the file's last read failed, while token() gives what was there before; nothing if all is well.
    const std::optional<error>& failure() const noexcept { return failure_; }

private:
    environment* env_;
    secret_string current_;
    std::string file_;
    std::optional<error> failure_;
    time_point read_at_{};
    bool stale_ = true;
};

}  // namespace kcontrol::auth

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/auth/impl/token_source.ipp>
#endif
