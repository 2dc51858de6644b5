// The server's side of one gRPC call, as bytes.
#pragma once

#include <kcontrol/runtime/executor.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <cstring>
#include <functional>
#include <nghttp2/nghttp2.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::test {

/// What the server answers. Headers and trailers are sent as they are; a body without trailers ends the stream.
struct grpc_answer {
    std::vector<std::pair<std::string, std::string>> headers = {{":status", "200"},
                                                                {"content-type", "application/grpc"}};
    std::string body;
    std::vector<std::pair<std::string, std::string>> trailers = {{"grpc-status", "0"}};
    bool reset = false;  // the stream, after the headers
};

/// The message as gRPC frames it.
inline std::string framed(const std::string& message, char flag = 0) {
    const auto size = message.size();
    return std::string{flag, static_cast<char>(size >> 24), static_cast<char>(size >> 16), static_cast<char>(size >> 8),
                       static_cast<char>(size)} +
           message;
}

class fake_kubelet {
public:
    explicit fake_kubelet(grpc_answer answer) : answer_(std::move(answer)) {
        nghttp2_session_callbacks* set = nullptr;
        nghttp2_session_callbacks_new(&set);
        nghttp2_session_callbacks_set_on_header_callback(
            set, [](nghttp2_session*, const nghttp2_frame*, const std::uint8_t* name, std::size_t name_size,
                    const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* self) {
                auto& headers = static_cast<fake_kubelet*>(self)->request_headers;
                headers.emplace_back(std::string(reinterpret_cast<const char*>(name), name_size),
                                     std::string(reinterpret_cast<const char*>(value), value_size));
                return 0;
            });
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
            set,
            [](nghttp2_session*, std::uint8_t, std::int32_t, const std::uint8_t* data, std::size_t size, void* self) {
                static_cast<fake_kubelet*>(self)->request_body.append(reinterpret_cast<const char*>(data), size);
                return 0;
            });
        nghttp2_session_callbacks_set_on_frame_recv_callback(
            set, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
                const bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
                if (ends && (frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS)) {
                    static_cast<fake_kubelet*>(self)->respond(frame->hd.stream_id);
                }
                return 0;
            });
        nghttp2_session_server_new(&session_, set, this);
        nghttp2_session_callbacks_del(set);
        nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
    }
    ~fake_kubelet() { nghttp2_session_del(session_); }
    fake_kubelet(const fake_kubelet&) = delete;
    fake_kubelet& operator=(const fake_kubelet&) = delete;

    std::string send() {
        std::string out;
        const std::uint8_t* bytes = nullptr;
        for (auto size = nghttp2_session_mem_send(session_, &bytes); size > 0;
             size = nghttp2_session_mem_send(session_, &bytes)) {
            out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
        }
        return out;
    }
    void receive(std::string_view bytes) {
        nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }

    std::vector<std::pair<std::string, std::string>> request_headers;
    std::string request_body;

private:
    static std::vector<nghttp2_nv> fields_of(std::vector<std::pair<std::string, std::string>>& from) {
        std::vector<nghttp2_nv> out;
        for (auto& [name, value] : from) {
            out.push_back({reinterpret_cast<std::uint8_t*>(name.data()), reinterpret_cast<std::uint8_t*>(value.data()),
                           name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
        }
        return out;
    }

    void respond(std::int32_t stream) {
        const auto headers = fields_of(answer_.headers);
        nghttp2_data_provider body{};
        body.source.ptr = this;
        body.read_callback = [](nghttp2_session* session, std::int32_t id, std::uint8_t* out, std::size_t room,
                                std::uint32_t* flags, nghttp2_data_source* source, void*) -> ssize_t {
            auto& self = *static_cast<fake_kubelet*>(source->ptr);
            const auto size = std::min(room, self.answer_.body.size() - self.sent_);
            std::memcpy(out, self.answer_.body.data() + self.sent_, size);
            self.sent_ += size;
            if (self.sent_ < self.answer_.body.size()) return static_cast<ssize_t>(size);
            *flags |= NGHTTP2_DATA_FLAG_EOF;
            if (!self.answer_.trailers.empty()) {
                *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
                const auto trailers = fields_of(self.answer_.trailers);
                nghttp2_submit_trailer(session, id, trailers.data(), trailers.size());
            }
            return static_cast<ssize_t>(size);
        };
        const bool has_body = !answer_.body.empty() || !answer_.trailers.empty();
        nghttp2_submit_response(session_, stream, headers.data(), headers.size(), has_body ? &body : nullptr);
        if (answer_.reset) nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream, NGHTTP2_INTERNAL_ERROR);
    }

    grpc_answer answer_;
    std::size_t sent_ = 0;
    nghttp2_session* session_ = nullptr;
};

/// Answers one call over a socket.
inline awaitable<void> serve(boost::asio::local::stream_protocol::acceptor& acceptor, grpc_answer answer) {
    auto socket = co_await acceptor.async_accept(boost::asio::use_awaitable);
    fake_kubelet kubelet(std::move(answer));
    std::array<char, 4096> buffer{};
    try {
        while (true) {
            const auto out = kubelet.send();
            if (!out.empty())
                co_await boost::asio::async_write(socket, boost::asio::buffer(out), boost::asio::use_awaitable);
            const auto size = co_await socket.async_read_some(boost::asio::buffer(buffer), boost::asio::use_awaitable);
            kubelet.receive(std::string_view(buffer.data(), size));
        }
    } catch (const boost::system::system_error&) {  // the client is gone
    }
}

}  // namespace kcontrol::test
