// The frames of a WebSocket as its server reads and writes them (RFC 6455 §5). Pure.
#pragma once

#include <kcontrol/base/result.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::http::detail {

enum class frame_code : unsigned char { continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

/// A control frame, or a part of a message.
class frame_piece {
public:
    frame_code code = frame_code::binary;  ///< of a message: binary, whatever its kind
    std::string bytes;
    bool last = false;  ///< the message ends with it
};

/// The head of a frame that is a whole message, or a control frame. A server masks nothing.
inline std::string frame_head(frame_code code, std::size_t size) {
    std::string out{static_cast<char>(0x80 | static_cast<unsigned char>(code))};
    const int bytes = size < 126 ? 0 : size <= 0xffff ? 2 : 8;
    out += bytes == 0 ? static_cast<char>(size) : static_cast<char>(bytes == 2 ? 126 : 127);
    for (int i = bytes; i-- > 0;) out += static_cast<char>(size >> (8 * i) & 0xff);
    return out;
}

/// Takes what a client sends apart.
class frame_reader {
public:
    void add(std::string_view bytes) { input_ += bytes; }

    /// What is there next, of a message at most `most` bytes; nothing: more input is needed. Errors: protocol_error,
    /// after which nothing can be read any more.
    result<std::optional<frame_piece>> next(std::size_t most) {
        for (;;) {
            if (!frame_) {
                auto read = read_head();
                if (!read) return read.error();
                if (!*read) return std::optional<frame_piece>();
            }
            const bool control = static_cast<unsigned char>(frame_->code) >= 8;
            if (control && input_.size() < frame_->left) return std::optional<frame_piece>();
            const std::size_t most_now = control ? input_.size() : std::min(most, input_.size());
            const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(frame_->left, most_now));
            if (size == 0 && frame_->left != 0) return std::optional<frame_piece>();
            frame_piece piece = take(size);
            if (control) return std::optional<frame_piece>(std::move(piece));
            // An empty part that ends nothing says nothing.
            if (!piece.bytes.empty() || piece.last) return std::optional<frame_piece>(std::move(piece));
        }
    }

private:
    class open_frame {
    public:
        frame_code code = frame_code::binary;
        bool final = false;
        std::uint64_t left = 0;
        std::array<char, 4> mask{};
        std::size_t masked = 0;  // how many bytes the mask was laid on
    };

    frame_piece take(std::size_t size) {
        frame_piece piece;
        piece.bytes = input_.substr(0, size);
        input_.erase(0, size);
        for (char& c : piece.bytes) c = static_cast<char>(c ^ frame_->mask[frame_->masked++ % 4]);
        frame_->left -= size;
        const bool control = static_cast<unsigned char>(frame_->code) >= 8;
        if (control) piece.code = frame_->code;
        if (frame_->left != 0) return piece;
        piece.last = frame_->final;
        if (!control) in_message_ = !frame_->final;
        frame_.reset();
        return piece;
    }

    // False: it is not whole yet.
    result<bool> read_head() {
        const auto byte = [this](std::size_t at) { return static_cast<unsigned char>(input_[at]); };
        if (input_.size() < 2) return false;
        const unsigned char code = byte(0) & 0x0f;
        const bool known = code <= 2 || (code >= 8 && code <= 10);
        if ((byte(0) & 0x70) != 0 || !known) return malformed("bits or a code that nobody agreed on");
        if ((byte(1) & 0x80) == 0) return malformed("a client's frame that is not masked");
        const std::size_t short_size = byte(1) & 0x7f;
        const std::size_t more = short_size == 126 ? 2 : short_size == 127 ? 8 : 0;
        open_frame frame;
        frame.code = static_cast<frame_code>(code);
        frame.final = (byte(0) & 0x80) != 0;
        if (code >= 8 && (!frame.final || more != 0)) return malformed("a control frame that is large or in parts");
        if (code < 8 && (code == 0) != in_message_) return malformed("a message within another, or a part of none");
        if (input_.size() < 2 + more + frame.mask.size()) return false;
        frame.left = more == 0 ? short_size : 0;
        for (std::size_t i = 0; i < more; ++i) frame.left = frame.left << 8 | byte(2 + i);
        if (frame.left >> 63 != 0) return malformed("a frame of more than 2^63 bytes");
        for (std::size_t i = 0; i < frame.mask.size(); ++i) frame.mask[i] = input_[2 + more + i];
        input_.erase(0, 2 + more + frame.mask.size());
        if (code < 8) in_message_ = true;
        frame_ = frame;
        return true;
    }

    static error malformed(const char* what) {
        return error(errc::protocol_error, std::string("malformed WebSocket frame: ") + what);
    }

    std::string input_;
    std::optional<open_frame> frame_;
    bool in_message_ = false;
};

}  // namespace kcontrol::http::detail
