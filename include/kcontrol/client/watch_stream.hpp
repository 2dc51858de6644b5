// A watch as it arrives: typed events, one after another.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/options.hpp>
#include <kcontrol/client/watch_event.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/http/watch_framer.hpp>
#include <kcontrol/model/resource.hpp>
#include <kcontrol/model/shard_selector.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

class watch_decoder;

/// Reads events off one watch request.
///
/// Thread-safety: shared objects unsafe. Object lifetime: destruction ends the watch.
class watch_stream {
public:
    /// Of the options count timeout, grace, idle, the pool and the shard selector. `env` and `info` outlive it.
    /// `decoder` reads the body; null: it is JSON.
    KCONTROL_DECL watch_stream(environment& env, const resource_info& info, std::unique_ptr<http::body_stream> body,
                               const watch_options& options, logger log = {},
                               std::shared_ptr<watch_decoder> decoder = nullptr);

    /// The next event; `end` after the server has ended the watch properly, or should have long ago. One whose object
    /// can't be decoded has `invalid` instead, and all others flow on. Errors: connection_lost, truncated, timeout
    /// (nothing came within the idle time), stopped, too_large (an event that does not end), decode_failed (a frame
    /// that is not JSON), not_an_api_server (the first bytes are a web page's, or compressed).
    KCONTROL_DECL awaitable<result<watch_event>> next(std::stop_token stop);

    /// How long nothing may come from now on; see watch_options::idle().
    void idle(duration d) noexcept { idle_ = d; }

    /// next() ends with timeout from then on, whatever comes; nothing: it does not.
    void give_up_at(std::optional<time_point> when) noexcept { given_up_at_ = when; }
    /// Bytes of the body so far.
    std::uint64_t received() const noexcept { return received_; }

    /// Nobody has asked for events for a while: that was no silence of the server.
    void resume_reading() { last_sign_ = env_->now(); }

private:
    // Bytes into chunk_, or why there are none.
    KCONTROL_DECL awaitable<result<std::size_t>> read(std::stop_token stop);
    KCONTROL_DECL std::optional<error> look_at_beginning(std::string_view bytes);
    // An event, or nothing if the frame holds none that matters.
    KCONTROL_DECL result<std::optional<watch_event>> interpret(http::watch_frame frame);
    // A bookmark, or an object that a cursor could not read.
    KCONTROL_DECL std::optional<watch_event> interpret_other(watch_event event, std::string_view object);
    // Whether it is of an object of another part.
    bool passes_over(const watch_event& event) const;

    environment* env_;
    const resource_info* info_;
    std::unique_ptr<http::body_stream> body_;
    std::shared_ptr<watch_decoder> decoder_;  // null: the body is JSON
    http::watch_framer framer_;
    std::vector<char> chunk_;
    duration idle_;
    std::optional<time_point> given_up_at_;
    std::uint64_t received_ = 0;
    std::optional<time_point> deadline_;  // past it the server should have ended the watch
    time_point last_sign_;                // of life: bytes of an event
    std::string beginning_;               // of the body, until enough is there to tell what it is
    bool looked_ = false;
    std::shared_ptr<share_pool> pool_;
    logger log_;
    shard_selector part_;
    bool ended_ = false;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/watch_stream.ipp>
#endif
