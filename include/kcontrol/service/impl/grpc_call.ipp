#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/service/detail/grpc_call.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <nghttp2/nghttp2.h>

namespace kcontrol::inline v0_1::service::detail {

inline constexpr std::size_t prefix_size = 5;  // a flag and the length of what follows, big endian
inline constexpr std::size_t most_of_a_header = 1024;

inline std::string with_prefix(const std::string& message) {
    const auto size = static_cast<std::uint32_t>(message.size());
    std::string out(1, '\0');
    for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(size >> shift & 0xff);
    return out + message;
}

inline std::string printable(std::string_view text) { return escape_control(text.substr(0, 200)); }

struct grpc_call::state {
    nghttp2_session* session = nullptr;
    std::string request;
    std::size_t sent = 0;
    std::size_t most = 0;
    std::string http_status;
    std::string grpc_status;
    std::string grpc_message;
    std::string body;
    bool too_large = false;
    std::optional<result<std::string>> outcome;

    void fail(errc code, std::string what) {
        if (!outcome) outcome.emplace(error(code, "the kubelet's pod-resources service: " + std::move(what)));
    }
    bool start(const std::string& method);
    void finish(std::uint32_t http2_error);
    void look_for_end();
};

// The stream is over.
inline void grpc_call::state::finish(std::uint32_t http2_error) {
    if (too_large) return fail(errc::too_large, "its answer has more than " + std::to_string(most) + " bytes");
    if (grpc_status.empty()) {
        if (!http_status.empty() && http_status != "200") {
            return fail(errc::protocol_error, "it answers with HTTP status " + printable(http_status));
        }
        if (http2_error != NGHTTP2_NO_ERROR) {
            return fail(errc::connection_lost,
                        std::string("it ended the call: ") + nghttp2_http2_strerror(http2_error));
        }
        return fail(errc::truncated, "its answer ended before the status");
    }
    if (grpc_status != "0") {
        return fail(errc::unavailable, "status " + printable(grpc_status) + ": " + printable(grpc_message));
    }
    if (body.size() < prefix_size) return fail(errc::truncated, "its answer has no message");
    if (body[0] != 0) return fail(errc::protocol_error, "its answer is compressed, which was not asked for");
    std::size_t size = 0;
    for (std::size_t i = 1; i < prefix_size; ++i) size = size << 8 | static_cast<unsigned char>(body[i]);
    if (body.size() - prefix_size != size) {
        return fail(errc::truncated, "its message has " + std::to_string(body.size() - prefix_size) + " bytes, not " +
                                         std::to_string(size) + " as it says");
    }
    outcome.emplace(body.substr(prefix_size));
}

// nghttp2 calls these; `user` is the call's state. They must not throw: what they keep is bounded.
template <class State>
struct grpc_callbacks {
    static int on_header(nghttp2_session*, const nghttp2_frame*, const std::uint8_t* name, std::size_t name_size,
                         const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* user) {
        auto& self = *static_cast<State*>(user);
        const std::string_view key(reinterpret_cast<const char*>(name), name_size);
        const std::string_view text(reinterpret_cast<const char*>(value), std::min(value_size, most_of_a_header));
        if (key == ":status") self.http_status = text;
        if (key == "grpc-status") self.grpc_status = text;
        if (key == "grpc-message") self.grpc_message = text;
        return 0;
    }

    static int on_data(nghttp2_session* session, std::uint8_t, std::int32_t stream, const std::uint8_t* data,
                       std::size_t size, void* user) {
        auto& self = *static_cast<State*>(user);
        if (self.body.size() + size > self.most + prefix_size) {
            self.too_large = true;
            return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
        }
        self.body.append(reinterpret_cast<const char*>(data), size);
        return 0;
    }

    static int on_stream_close(nghttp2_session*, std::int32_t, std::uint32_t code, void* user) {
        static_cast<State*>(user)->finish(code);
        return 0;
    }

    static ssize_t read_request(nghttp2_session*, std::int32_t, std::uint8_t* out, std::size_t room,
                                std::uint32_t* flags, nghttp2_data_source* source, void*) {
        auto& self = *static_cast<State*>(source->ptr);
        const auto size = std::min(room, self.request.size() - self.sent);
        std::memcpy(out, self.request.data() + self.sent, size);
        self.sent += size;
        if (self.sent == self.request.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
        return static_cast<ssize_t>(size);
    }
};

inline nghttp2_nv grpc_header(std::string_view name, std::string_view value) {
    const auto bytes = [](std::string_view text) {
        return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));  // nghttp2 copies them
    };
    return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

KCONTROL_DECL grpc_call::grpc_call(std::string method, std::string message, std::size_t most) : state_(new state) {
    state_->request = with_prefix(message);
    state_->most = most;
    if (!state_->start(method)) state_->fail(errc::unavailable, "no request can be made");
}

inline bool grpc_call::state::start(const std::string& method) {
    using hooks = grpc_callbacks<state>;
    nghttp2_session_callbacks* set = nullptr;
    if (nghttp2_session_callbacks_new(&set) != 0) return false;
    nghttp2_session_callbacks_set_on_header_callback(set, hooks::on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(set, hooks::on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(set, hooks::on_stream_close);
    const int made = nghttp2_session_client_new(&session, set, this);
    nghttp2_session_callbacks_del(set);
    if (made != 0) return false;
    const std::array headers{grpc_header(":method", "POST"),
                             grpc_header(":scheme", "http"),
                             grpc_header(":path", method),
                             grpc_header(":authority", "localhost"),
                             grpc_header("content-type", "application/grpc"),
                             grpc_header("te", "trailers"),
                             grpc_header("user-agent", "kcontrol")};
    nghttp2_data_provider content{};
    content.source.ptr = this;
    content.read_callback = hooks::read_request;
    return nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, nullptr, 0) == 0 &&
           nghttp2_submit_request(session, nullptr, headers.data(), headers.size(), &content, nullptr) >= 0;
}

KCONTROL_DECL grpc_call::~grpc_call() { nghttp2_session_del(state_->session); }

// A server that says goodbye, or to whom goodbye was said as it makes no sense.
inline void grpc_call::state::look_for_end() {
    if (session == nullptr || nghttp2_session_want_read(session) != 0 || nghttp2_session_want_write(session) != 0)
        return;
    fail(errc::protocol_error, "the conversation ended without an answer; does it speak HTTP/2?");
}

KCONTROL_DECL std::string grpc_call::send() {
    std::string out;
    while (state_->session != nullptr) {
        const std::uint8_t* bytes = nullptr;
        const auto size = nghttp2_session_mem_send(state_->session, &bytes);
        if (size < 0) state_->fail(errc::protocol_error, nghttp2_strerror(static_cast<int>(size)));
        if (size <= 0) break;
        out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    }
    state_->look_for_end();
    return out;
}

KCONTROL_DECL void grpc_call::receive(std::string_view bytes) {
    if (state_->session == nullptr || state_->outcome) return;
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    const auto size = nghttp2_session_mem_recv(state_->session, data, bytes.size());
    if (size < 0) {
        return state_->fail(errc::protocol_error,
                            std::string("it speaks no HTTP/2: ") + nghttp2_strerror(static_cast<int>(size)));
    }
    state_->look_for_end();
}

KCONTROL_DECL void grpc_call::closed() {
    state_->fail(errc::connection_lost, "it closed the connection before it answered");
}

KCONTROL_DECL const std::optional<result<std::string>>& grpc_call::outcome() const noexcept { return state_->outcome; }

}  // namespace kcontrol::service::detail
