// A watch that begins again where it ended: for programs that want each event, and no informer.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/backoff.hpp>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Watches on from a version, over whatever ends a single watch: the server's own end, lost connections, 429, 5xx. It
/// lists nothing: where the server no longer knows the version it ends with condition::expired, and who uses it lists
/// and begins anew. object_meta::resource_version of a list's page is where to begin.
///
/// Thread-safety: shared objects unsafe; use it on the client's executor. Object lifetime: it outlives its calls, and
/// `info` outlives it.
class retry_watcher {
public:
    /// Begins after options.resource_version(), which is neither empty nor "0": next() refuses these. Bookmarks are
    /// asked for, whatever the options say. The stop token of the options counts for nothing; next() has its own.
    KCONTROL_DECL retry_watcher(client from, const resource_info& info, watch_options options);

    /// The next event that is added, modified or deleted. One whose object does not decode has `invalid` instead.
    /// Errors, after which it is over: condition::expired, access_denied, and all others that asking again does not
    /// mend; stopped; timeout, at the time of give_up_at().
    KCONTROL_DECL awaitable<result<watch_event>> next(std::stop_token stop);

    /// next() ends with timeout then.
    void give_up_at(std::optional<time_point> when) noexcept { given_up_at_ = when; }
    /// The version up to which everything was told.
    const std::string& resource_version() const noexcept { return version_; }

private:
    KCONTROL_DECL awaitable<result<void>> open(std::stop_token stop);
    // What becomes of it after that error: nothing if it goes on, after a while.
    KCONTROL_DECL awaitable<std::optional<error>> recover(error why, std::stop_token stop);
    bool is_over() const;

    client client_;
    const resource_info* info_;
    watch_options options_;
    std::string version_;
    std::unique_ptr<watch_stream> stream_;
    std::optional<time_point> given_up_at_;
    time_point opened_{};
    backoff backoff_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/retry_watcher.ipp>
#endif
