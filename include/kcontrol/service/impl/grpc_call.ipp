#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/service/detail/grpc_call.hpp>

#include <cstdint>
#include <utility>

namespace kcontrol::inline v0_1::service::detail {

inline constexpr std::size_t prefix_size = 5;  // a flag and the length of what follows, big endian

inline std::string with_prefix(const std::string& message) {
    const auto size = static_cast<std::uint32_t>(message.size());
    std::string out(1, '\0');
    for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(size >> shift & 0xff);
    return out + message;
}

inline std::string printable(std::string_view text) { return escape_control(text.substr(0, 200)); }

inline http::request grpc_request(std::string method, const std::string& message) {
    http::request out("POST", std::move(method));
    out.headers.set("content-type", "application/grpc");
    out.headers.set("user-agent", "kcontrol");
    out.body = with_prefix(message);
    return out;
}

inline error failed_call(errc code, std::string what) {
    return error(code, "the kubelet's pod-resources service: " + std::move(what));
}

// The message of an answer.
inline result<std::string> grpc_message(const http::http2_answer& answer) {
    // Without a body the trailers are the header.
    const auto said = [&](std::string_view name) {
        return answer.trailers.contains(name) ? answer.trailers.get(name) : answer.headers.get(name);
    };
    const auto status = said("grpc-status");
    if (status.empty()) {
        if (answer.status != 200) {
            return failed_call(errc::protocol_error, "it answers with HTTP status " + std::to_string(answer.status));
        }
        return failed_call(errc::truncated, "its answer ended before the status");
    }
    if (status != "0") {
        return failed_call(errc::unavailable, "status " + printable(status) + ": " + printable(said("grpc-message")));
    }
    const std::string& body = answer.body;
    if (body.size() < prefix_size) return failed_call(errc::truncated, "its answer has no message");
    if (body[0] != 0) return failed_call(errc::protocol_error, "its answer is compressed, which was not asked for");
    std::size_t size = 0;
    for (std::size_t i = 1; i < prefix_size; ++i) size = size << 8 | static_cast<unsigned char>(body[i]);
    if (body.size() - prefix_size != size) {
        return failed_call(errc::truncated, "its message has " + std::to_string(body.size() - prefix_size) +
                                                " bytes, not " + std::to_string(size) + " as it says");
    }
    return body.substr(prefix_size);
}

KCONTROL_DECL grpc_call::grpc_call(std::string method, const std::string& message, std::size_t most)
    : call_("localhost", grpc_request(std::move(method), message), most + prefix_size) {}

KCONTROL_DECL std::string grpc_call::send() {
    std::string out = call_.send();
    look();
    return out;
}

KCONTROL_DECL void grpc_call::receive(std::string_view bytes) {
    call_.receive(bytes);
    look();
}

KCONTROL_DECL void grpc_call::closed() {
    call_.closed();
    look();
}

KCONTROL_DECL void grpc_call::look() {
    const auto& answered = call_.outcome();
    if (outcome_ || !answered) return;
    if (*answered) {
        outcome_.emplace(grpc_message(**answered));
    } else {
        outcome_.emplace(answered->error().with_context("the kubelet's pod-resources service"));
    }
}

}  // namespace kcontrol::service::detail
