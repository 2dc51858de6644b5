// Frames of HTTP/2 as bytes, right and wrong ones (RFC 9113 §4 and §6).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::test::http2 {

enum type : std::uint8_t {
    data = 0,
    headers = 1,
    priority = 2,
    rst_stream = 3,
    settings = 4,
    push_promise = 5,
    ping = 6,
    goaway = 7,
    window_update = 8,
    continuation = 9
};
inline constexpr std::uint8_t end_stream = 1, ack = 1, end_headers = 4, padded = 8;

inline std::string number(std::uint64_t value, int bytes) {
    std::string out;
    while (bytes-- > 0) out.push_back(static_cast<char>(value >> (8 * bytes)));
    return out;
}

inline std::string frame(std::uint8_t kind, std::uint8_t flags, std::uint32_t stream, std::string_view payload = {}) {
    std::string out = number(payload.size(), 3);
    out.push_back(static_cast<char>(kind));
    out.push_back(static_cast<char>(flags));
    return out.append(number(stream, 4)).append(payload);
}

/// HPACK: a field as it is, neither compressed nor kept (RFC 7541 §6.2.2).
inline std::string field(std::string_view name, std::string_view value) {
    const auto text = [](std::string_view from) {
        std::string out;
        std::size_t size = from.size();
        if (size < 127) {
            out.push_back(static_cast<char>(size));
        } else {
            out.push_back(127);
            for (size -= 127; size >= 128; size /= 128) out.push_back(static_cast<char>(size % 128 + 128));
            out.push_back(static_cast<char>(size));
        }
        return out.append(from);
    };
    return std::string(1, '\0') + text(name) + text(value);
}

using fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;

inline std::string block(fields all) {
    std::string out;
    for (const auto& [name, value] : all) out += field(name, value);
    return out;
}

inline std::string head(std::uint32_t stream, fields all, std::uint8_t flags = end_headers) {
    return frame(headers, flags, stream, block(all));
}
inline std::string ok(std::uint32_t stream) { return head(stream, {{":status", "200"}}); }
inline std::string body(std::uint32_t stream, std::string_view text, bool last = true) {
    return frame(data, last ? end_stream : 0, stream, text);
}
inline std::string setting(std::uint16_t name, std::uint32_t value) { return number(name, 2) + number(value, 4); }
inline const std::string greeting = frame(settings, 0, 0);
inline std::string reset(std::uint32_t stream, std::uint32_t code) {
    return frame(rst_stream, 0, stream, number(code, 4));
}
inline std::string goodbye(std::uint32_t last, std::uint32_t code, std::string_view text = {}) {
    return frame(goaway, 0, 0, number(last, 4) + number(code, 4) + std::string(text));
}

}  // namespace kcontrol::test::http2
