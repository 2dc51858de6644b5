// A connection that speaks HTTP/2: one read and one write at a time, for all of its streams.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/timer.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/transport/impl/byte_stream.hpp>
#include <kcontrol/transport/impl/http2_session.hpp>
#include <kcontrol/transport/impl/life_signs.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::http::detail {

/// Reads while it has streams, and only then: one that is not used keeps no context running, and holds no buffers.
///
/// While it has streams, it asks the peer for a sign of life after `ping_idle` without any byte, and ends with all of
/// its streams where none comes within `ping_timeout`.
///
/// Thread-safety: touched on its executor only.
/// Object lifetime: what is in progress keeps it; `env` outlives it.
class http2_connection : public std::enable_shared_from_this<http2_connection> {
public:
    /// `stream` has done its handshake with `peer_name`. A `ping_idle` of zero: no pings.
    KCONTROL_DECL http2_connection(environment& env, executor ex, std::unique_ptr<byte_stream> stream,
                                   std::string authority, std::string peer_name, duration ping_idle,
                                   duration ping_timeout);
    KCONTROL_DECL ~http2_connection();

    /// False: it takes no more now.
    KCONTROL_DECL bool open(http2_stream& stream);
    /// Nobody wants the rest of it. Nothing happens where it has ended.
    KCONTROL_DECL void abandon(http2_stream& stream);
    KCONTROL_DECL void took(const http2_stream& stream, std::size_t n);

    bool has_room() const noexcept { return !over() && !leaving_ && session_.has_room(); }
    /// It will never take another stream.
    bool over() const noexcept { return dead_ || write_broken_ || session_.draining(); }
    bool is_idle() const noexcept { return session_.open_streams() == 0; }
    /// Since when it has had no stream; only where it has none.
    time_point idle_since() const noexcept { return idle_since_; }
    /// The peer has said something.
    bool answered() const noexcept { return answered_; }
    /// Of a failure: the peer refused this side's certificate before it looked at a request.
    bool refused() const noexcept { return refused_; }

    /// Closes it when it has no streams: now, or when the last one has ended.
    KCONTROL_DECL void leave();

    /// What became of it while nobody asked anything. False: it is of no use any more; nothing: wake_up() finds out.
    KCONTROL_DECL std::optional<bool> is_awake();
    /// The same, where it takes a moment.
    KCONTROL_DECL static awaitable<bool> wake_up(std::shared_ptr<http2_connection> self, std::stop_token stop);

private:
    void pump_later();
    void pump();
    void read();
    void on_read(const error_code& failure, std::size_t n);
    void fit_input(std::size_t came);
    void become_idle();
    void watch_life();
    void on_timer();
    void die(const error& unanswered, const error& answered);
    void die_of(const error_code& failure);

    environment& env_;
    executor ex_;
    std::unique_ptr<byte_stream> stream_;
    std::string peer_name_;
    life_signs life_;
    http2_session session_;
    std::vector<char> input_;
    unsigned small_reads_ = 0;  // in a row, for the room that there was
    std::string output_;
    std::unique_ptr<timer> timer_;
    async_event has_read_;
    time_point idle_since_;
    bool reading_ = false, writing_ = false, pump_posted_ = false, timing_ = false;
    bool answered_ = false, refused_ = false;
    bool leaving_ = false, write_broken_ = false, dead_ = false;
};

}  // namespace kcontrol::http::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/http2_connection.ipp>
#endif
