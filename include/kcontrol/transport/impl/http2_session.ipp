#pragma once

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/transport/impl/http2_callbacks.hpp>
#include <kcontrol/transport/impl/http2_session.hpp>

#include <algorithm>
#include <iterator>
#include <new>

namespace kcontrol::inline v0_1::http::detail {

KCONTROL_DECL http2_session::http2_session(std::string authority, std::string_view scheme)
    : session_(http2_callbacks::make(*this)), authority_(std::move(authority)), scheme_(scheme) {
    const nghttp2_settings_entry wishes[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<std::uint32_t>(stream_window)},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(http2_header_limit)},
    };
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, wishes, std::size(wishes));
    nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, connection_window);
}

KCONTROL_DECL http2_session::~http2_session() {
    // nghttp2 does not tell of streams that it takes along.
    for (http2_stream* const one : streams_) one->id = -1;
    nghttp2_session_del(session_);
}

inline void http2_session::attach(http2_stream& stream, std::int32_t id) {
    stream.id = id;
    stream.place = streams_.size();
    streams_.push_back(&stream);
}

inline void http2_session::detach(http2_stream& stream) {
    nghttp2_session_set_stream_user_data(session_, stream.id, nullptr);
    streams_.back()->place = stream.place;
    streams_[stream.place] = streams_.back();
    streams_.pop_back();
    stream.id = -1;
}

// It has failed on this side.
inline void http2_session::refuse(http2_stream& stream, error why) {
    const std::int32_t id = stream.id;
    detach(stream);
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    stream.failure = std::move(why);
    stream.changed();
}

inline bool http2_session::count_idle_frame() {
    if (++idle_frames_ <= most_idle_frames) return true;
    broken_ = flooded_http2();
    return false;
}

KCONTROL_DECL bool http2_session::open(http2_stream& stream) {
    if (!has_room()) return false;
    const request& req = stream.asked;
    std::vector<std::string> names;  // in lower case, as HTTP/2 wants them
    names.reserve(req.headers.size());
    std::vector<nghttp2_nv> fields;
    fields.reserve(req.headers.size() + 5);
    const auto add = [&fields](std::string_view name, std::string_view value, std::uint8_t flags) {
        // nghttp2 copies both, and changes neither.
        const auto bytes = [](std::string_view text) {
            return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
        };
        fields.push_back({bytes(name), bytes(value), name.size(), value.size(), flags});
    };
    add(":method", req.method, NGHTTP2_NV_FLAG_NONE);
    add(":scheme", scheme_, NGHTTP2_NV_FLAG_NONE);
    add(":authority", authority_, NGHTTP2_NV_FLAG_NONE);
    add(":path", req.target, NGHTTP2_NV_FLAG_NONE);
    for (const auto& field : req.headers) {
        const std::string& name = names.emplace_back(ascii_lower(field.name));
        if (name == "keep-alive" || name == "proxy-connection" || name == "te") continue;  // RFC 9113 §8.2.2
        // A password may be guessed bit by bit from what it compresses to (RFC 7541 §7.1).
        const bool secret = name == "authorization" || name == "cookie";
        add(name, field.value, secret ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE);
    }
    if (stream.keeps_trailers) add("te", "trailers", NGHTTP2_NV_FLAG_NONE);
    const bool usual = req.method == "GET" || req.method == "HEAD" || req.method == "DELETE";
    const std::string length = std::to_string(req.body.size());
    if (!req.body.empty() || !usual) add("content-length", length, NGHTTP2_NV_FLAG_NONE);
    nghttp2_data_provider body{};
    body.read_callback = &http2_callbacks::read_request;
    const std::int32_t id = nghttp2_submit_request(session_, nullptr, fields.data(), fields.size(),
                                                   req.body.empty() ? nullptr : &body, &stream);
    if (id == NGHTTP2_ERR_NOMEM) throw std::bad_alloc();
    if (id < 0) return false;
    attach(stream, id);
    ++open_;
    return true;
}

KCONTROL_DECL void http2_session::abandon(http2_stream& stream) {
    if (stream.id < 0) return;
    const std::int32_t id = stream.id;
    detach(stream);
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
}

KCONTROL_DECL void http2_session::took(const http2_stream& stream, std::size_t n) {
    if (stream.id >= 0 && n != 0) nghttp2_session_consume_stream(session_, stream.id, n);
}

KCONTROL_DECL result<void> http2_session::receive(std::span<const char> bytes) {
    if (broken_) return *broken_;
    invalid_ = 0;
    const auto used =
        nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    if (used == NGHTTP2_ERR_NOMEM) broken_ = error(errc::out_of_memory);
    if (used == NGHTTP2_ERR_FLOODED) broken_ = flooded_http2();
    if (used < 0 && !broken_) broken_ = malformed_http2(nghttp2_strerror(static_cast<int>(used)));
    if (broken_) return *broken_;
    return {};
}

KCONTROL_DECL result<void> http2_session::take_output(std::string& out, std::size_t most) {
    while (out.size() < most) {
        const std::uint8_t* bytes = nullptr;
        const auto size = nghttp2_session_mem_send(session_, &bytes);
        if (size == NGHTTP2_ERR_NOMEM) return error(errc::out_of_memory);
        if (size < 0) return malformed_http2(nghttp2_strerror(static_cast<int>(size)));
        if (size == 0) break;
        out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    }
    if (broken_) return *broken_;
    return {};
}

KCONTROL_DECL bool http2_session::has_output() const noexcept { return nghttp2_session_want_write(session_) != 0; }

KCONTROL_DECL bool http2_session::is_over() const noexcept {
    return nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0;
}

KCONTROL_DECL void http2_session::ping() { nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr); }

KCONTROL_DECL void http2_session::fail(const error& unanswered, const error& answered) {
    while (!streams_.empty()) {
        http2_stream& one = *streams_.back();
        detach(one);
        if (one.ended) continue;
        one.unprocessed = !one.sent;
        one.failure = one.head_done ? answered : unanswered;
        one.changed();
    }
}

KCONTROL_DECL bool http2_session::has_room() const noexcept {
    if (goaway_ || broken_ || nghttp2_session_check_request_allowed(session_) == 0) return false;
    if (!settings_seen_) return open_ < assumed_streams;
    const std::size_t allowed = nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
    // One is tried even where none is allowed: it waits, and its deadline says for how long.
    return open_ < std::clamp<std::size_t>(allowed, 1, most_streams);
}

KCONTROL_DECL std::string http2_session::farewell() const {
    if (!goaway_ || (goaway_code_ == NGHTTP2_NO_ERROR && goaway_text_.empty())) return {};
    std::string text = "; it had said: " + http2_name_of(goaway_code_);
    if (!goaway_text_.empty()) text.append(" (").append(escape_control(goaway_text_)).append(")");
    return text;
}

}  // namespace kcontrol::http::detail
