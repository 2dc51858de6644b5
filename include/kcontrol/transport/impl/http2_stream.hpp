// One request over HTTP/2 and what has come of its answer.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/http/message.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::http::detail {

/// What a session fills in, and its shell reads. A session knows it from open() until it has ended or failed, or was
/// abandoned; it may be opened again then, on any session, after reset().
///
/// Thread-safety: shared objects unsafe.
class http2_stream {
public:
    static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

    /// `is_whole`: the body is wanted all at once, up to `most` bytes. Else the peer sends no more than a window of it
    /// before somebody takes some.
    http2_stream(request&& req, bool is_whole, std::size_t most = unlimited)
        : asked(std::move(req)), whole(is_whole), max_body(most) {}
    virtual ~http2_stream() = default;
    http2_stream(const http2_stream&) = delete;
    http2_stream& operator=(const http2_stream&) = delete;

    /// As it was before it was opened.
    void reset() {
        sent = head_done = ended = unprocessed = wants_http1 = reset_by_peer = false;
        body_sent = total = header_bytes = taken_ = 0;
        interim = 0;
        head = {};
        body.clear();
        trailers = {};
        failure.reset();
    }

    /// Where body bytes go first, until it is full.
    void direct(std::span<char> into) { direct_ = into, direct_used_ = 0; }
    std::size_t direct_used() const noexcept { return direct_used_; }

    /// Moves kept body bytes into `into`. Tell the session how many.
    std::size_t take_body(std::span<char> into) {
        const auto n = std::min(into.size(), body.size() - taken_);
        if (n != 0) std::memcpy(into.data(), body.data() + taken_, n);
        taken_ += n;
        if (taken_ * 2 >= body.size()) body.erase(0, taken_), taken_ = 0;
        return n;
    }

    // How far the request is.
    request asked;
    const bool whole;
    const std::size_t max_body;
    bool keeps_trailers = false;
    std::int32_t id = -1;  ///< -1: no session knows it
    bool sent = false;     ///< its head has gone out
    std::size_t body_sent = 0;

    // How far the answer is.
    response_head head;
    bool head_done = false;
    std::string body;
    fields trailers;               ///< where they are kept
    bool ended = false;            ///< properly
    std::optional<error> failure;  ///< why it never will
    bool unprocessed = false;      ///< of a failure: the server did nothing, so any request may be sent again
    bool wants_http1 = false;      ///< of a failure: the server answers this over HTTP/1.1 only

protected:
    /// The head is there, bytes for a reader, the end or a failure. Called by the session, which must not be called
    /// from here.
    virtual void changed() {}

private:
    friend class http2_session;
    friend struct http2_callbacks;

    std::size_t kept() const noexcept { return body.size() - taken_; }

    // The number of bytes that a reader has got at once.
    std::size_t add_body(std::span<const char> piece) {
        total += piece.size();
        const auto n = std::min(piece.size(), direct_.size() - direct_used_);
        if (n != 0) std::memcpy(direct_.data() + direct_used_, piece.data(), n);
        direct_used_ += n;
        body.append(piece.data() + n, piece.size() - n);
        return n;
    }

    std::size_t total = 0;
    std::size_t header_bytes = 0;
    int interim = 0;
    bool reset_by_peer = false;
    std::size_t place = 0;  // in the session's list
    std::size_t taken_ = 0;
    std::span<char> direct_;
    std::size_t direct_used_ = 0;
};

}  // namespace kcontrol::http::detail
