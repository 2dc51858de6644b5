// HTTP/2 as a client speaks it (RFC 9113), from bytes to streams and back: no socket, no clock. nghttp2 knows the
// frames; what is bounded, and what the end of a stream means, is decided here.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/transport/impl/http2_stream.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct nghttp2_session;

namespace kcontrol::inline v0_1::http::detail {

/// One connection's streams. What the peer can make it hold is bounded: 64 KiB of header a stream, `stream_window` of
/// body a stream that is not read, or its max_body if it is whole; 4 KiB of compressed header fields a connection.
///
/// The connection's own window is given back as bytes come in, so that a stream that nobody reads does not hold up the
/// others.
///
/// Thread-safety: shared objects unsafe.
/// Object lifetime: streams may go before it; abandon() them.
class http2_session {
public:
    static constexpr std::int32_t stream_window = 256 << 10;
    static constexpr std::int32_t whole_window = 4 << 20;  ///< of a whole body that turns out to be large
    static constexpr std::int32_t connection_window = 16 << 20;
    static constexpr std::size_t most_streams = 250;  ///< at the same time, whatever the peer allows
    /// So many may be open before the peer has said anything.
    static constexpr std::size_t assumed_streams = 100;
    /// Frames that bring nothing, in one period.
    static constexpr int most_idle_frames = 4000;
    static constexpr int most_interim = 8;  ///< interim answers to a request

    /// `authority` is the server as requests name it, "host:port".
    KCONTROL_DECL explicit http2_session(std::string authority, std::string_view scheme = "https");
    KCONTROL_DECL ~http2_session();
    http2_session(const http2_session&) = delete;
    http2_session& operator=(const http2_session&) = delete;

    /// Begins a stream. False: this session takes no more.
    KCONTROL_DECL bool open(http2_stream& stream);
    /// Nobody wants the rest of it.
    KCONTROL_DECL void abandon(http2_stream& stream);
    /// `n` kept bytes of its body have been taken: the peer may send as many more.
    KCONTROL_DECL void took(const http2_stream& stream, std::size_t n);

    /// Bytes of the peer. An error, here or of take_output(), is the end of the connection: the streams hear of it by
    /// fail().
    KCONTROL_DECL result<void> receive(std::span<const char> bytes);
    /// Appends bytes for the peer, until there are `most` or a little more. Call it after receive(): some errors of the
    /// peer show when it is to be told.
    KCONTROL_DECL result<void> take_output(std::string& out, std::size_t most);
    KCONTROL_DECL bool has_output() const noexcept;
    /// Nothing is to be sent or received any more.
    KCONTROL_DECL bool is_over() const noexcept;
    KCONTROL_DECL void ping();
    /// Frames that bring nothing are counted anew.
    void new_period() noexcept { idle_frames_ = 0; }

    /// The connection has ended: so have its streams, with the one error or the other, according to whether their
    /// answer had begun. A stream whose request did not go out is unprocessed.
    KCONTROL_DECL void fail(const error& unanswered, const error& answered);

    /// True if another stream may be opened now.
    KCONTROL_DECL bool has_room() const noexcept;
    /// The peer takes no new streams; those that run go on.
    bool draining() const noexcept { return goaway_; }
    /// Streams that the peer may still count.
    std::size_t open_streams() const noexcept { return open_; }
    /// "; it had said: ENHANCE_YOUR_CALM (too many pings)", or nothing.
    KCONTROL_DECL std::string farewell() const;

private:
    friend struct http2_callbacks;

    void attach(http2_stream& stream, std::int32_t id);
    void detach(http2_stream& stream);
    void refuse(http2_stream& stream, error why);
    bool count_idle_frame();

    ::nghttp2_session* session_ = nullptr;
    std::string authority_, scheme_;
    std::vector<http2_stream*> streams_;
    std::size_t open_ = 0;
    int idle_frames_ = 0;
    int invalid_ = 0;  // what was wrong with the last frame that was
    bool settings_seen_ = false;
    bool goaway_ = false;
    std::uint32_t goaway_code_ = 0;
    std::string goaway_text_;
    std::optional<error> broken_;
};

}  // namespace kcontrol::http::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/http2_session.ipp>
#endif
