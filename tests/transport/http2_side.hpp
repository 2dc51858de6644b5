// The server's side of HTTP/2 by nghttp2, without sockets: a test says what is answered, and when.
#pragma once

#include <kcontrol/http/message.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <nghttp2/nghttp2.h>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::test {

/// One request as it arrived.
class http2_call {
public:
    std::int32_t id = 0;
    std::string method, scheme, authority, path, body;
    http::fields headers;
    bool ended = false;
};

class http2_side {
public:
    /// Is called when a request is complete. Default: 200 with its method, path and body.
    std::function<void(http2_side&, const http2_call&)> on_call = [](http2_side& to, const http2_call& call) {
        to.answer(call.id, call.method + " " + call.path + "\n" + call.body);
    };
    std::function<void(http2_side&, std::int32_t, std::uint32_t)> on_reset;  ///< by the client

    explicit http2_side(std::vector<nghttp2_settings_entry> settings = {}) {
        nghttp2_session_callbacks* set = nullptr;
        nghttp2_session_callbacks_new(&set);
        nghttp2_session_callbacks_set_on_begin_headers_callback(
            set, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
                of(self).calls[frame->hd.stream_id].id = frame->hd.stream_id;
                return 0;
            });
        nghttp2_session_callbacks_set_on_header_callback(
            set, [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                    const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* self) {
                of(self).take_field(frame->hd.stream_id, {reinterpret_cast<const char*>(name), name_size},
                                    {reinterpret_cast<const char*>(value), value_size});
                return 0;
            });
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
            set, [](nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data, std::size_t size,
                    void* self) {
                of(self).calls[id].body.append(reinterpret_cast<const char*>(data), size);
                return 0;
            });
        nghttp2_session_callbacks_set_on_frame_recv_callback(
            set, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
                of(self).take_frame(*frame);
                return 0;
            });
        nghttp2_session_server_new(&session_, set, this);
        nghttp2_session_callbacks_del(set);
        nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
    }
    ~http2_side() { nghttp2_session_del(session_); }
    http2_side(const http2_side&) = delete;
    http2_side& operator=(const http2_side&) = delete;

    /// False: the client's bytes are wrong.
    bool feed(std::string_view bytes) {
        const auto taken =
            nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
        return taken == static_cast<ssize_t>(bytes.size());
    }

    std::string take_output() {
        std::string out;
        const std::uint8_t* bytes = nullptr;
        for (auto n = nghttp2_session_mem_send(session_, &bytes); n > 0;
             n = nghttp2_session_mem_send(session_, &bytes)) {
            out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(n));
        }
        return out;
    }

    void answer(std::int32_t id, std::string text, int status = 200, http::fields headers = {}) {
        if (calls[id].method == "HEAD") text.clear();
        start(id, std::move(text), status, std::move(headers));
        finish(id);
    }
    /// The head, and what is there of the body.
    void start(std::int32_t id, std::string text, int status = 200, http::fields headers = {}) {
        auto& out = bodies_[id];
        out.text = std::move(text);
        const std::string code = std::to_string(status);
        headers.add(":status", code);
        std::vector<nghttp2_nv> fields;
        const auto bytes = [](const std::string& from) {
            return reinterpret_cast<std::uint8_t*>(const_cast<char*>(from.data()));
        };
        for (const auto& one : headers) {
            fields.insert(one.name == ":status" ? fields.begin() : fields.end(),
                          {bytes(one.name), bytes(one.value), one.name.size(), one.value.size(), NGHTTP2_NV_FLAG_NONE});
        }
        nghttp2_data_provider provider{};
        provider.read_callback = [](nghttp2_session*, std::int32_t stream, std::uint8_t* into, std::size_t room,
                                    std::uint32_t* flags, nghttp2_data_source*,
                                    void* self) { return of(self).read_body(stream, into, room, *flags); };
        nghttp2_submit_response(session_, id, fields.data(), fields.size(), &provider);
    }
    void more(std::int32_t id, std::string_view text) {
        bodies_[id].text.append(text);
        nghttp2_session_resume_data(session_, id);
    }
    void finish(std::int32_t id) {
        bodies_[id].last = true;
        nghttp2_session_resume_data(session_, id);
    }
    void reset(std::int32_t id, std::uint32_t code) {
        nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, code);
    }
    /// With the highest number there is: a first one, and requests are still served.
    void goodbye(std::int32_t last, std::uint32_t code = NGHTTP2_NO_ERROR, std::string_view text = {}) {
        if (last == 0x7fffffff) {
            nghttp2_submit_shutdown_notice(session_);
            return;
        }
        nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, last, code,
                              reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    }

    std::map<std::int32_t, http2_call> calls;
    int pings = 0;

private:
    struct outgoing {
        std::string text;
        std::size_t at = 0;
        bool last = false;
    };

    static http2_side& of(void* self) { return *static_cast<http2_side*>(self); }

    void take_field(std::int32_t id, std::string_view name, std::string_view value) {
        http2_call& call = calls[id];
        if (name == ":method") call.method = value;
        if (name == ":scheme") call.scheme = value;
        if (name == ":authority") call.authority = value;
        if (name == ":path") call.path = value;
        if (!name.starts_with(':')) call.headers.add(name, std::string(value));
    }

    void take_frame(const nghttp2_frame& frame) {
        if (frame.hd.type == NGHTTP2_PING && (frame.hd.flags & NGHTTP2_FLAG_ACK) == 0) ++pings;
        if (frame.hd.type == NGHTTP2_RST_STREAM && on_reset)
            on_reset(*this, frame.hd.stream_id, frame.rst_stream.error_code);
        const bool carries = frame.hd.type == NGHTTP2_DATA || frame.hd.type == NGHTTP2_HEADERS;
        if (!carries || (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return;
        http2_call& call = calls[frame.hd.stream_id];
        call.ended = true;
        if (on_call) on_call(*this, call);
    }

    ssize_t read_body(std::int32_t id, std::uint8_t* into, std::size_t room, std::uint32_t& flags) {
        outgoing& out = bodies_[id];
        const std::size_t n = std::min(room, out.text.size() - out.at);
        if (n == 0 && !out.last) return NGHTTP2_ERR_DEFERRED;
        if (n != 0) std::memcpy(into, out.text.data() + out.at, n);
        out.at += n;
        if (out.at == out.text.size() && out.last) flags |= NGHTTP2_DATA_FLAG_EOF;
        if (out.at == out.text.size()) out.text.clear(), out.at = 0;
        return static_cast<ssize_t>(n);
    }

    nghttp2_session* session_ = nullptr;
    std::map<std::int32_t, outgoing> bodies_;
};

}  // namespace kcontrol::test
