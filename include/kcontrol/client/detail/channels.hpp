// Several streams on one WebSocket, as API servers write them (v4 and v5.channel.k8s.io): the first byte of each
// message says to which one it belongs.
#pragma once

#include <optional>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

/// A part of what came on one of the streams.
struct channel_part {
    unsigned char channel = 0;
    std::string_view bytes;
};

/// Takes messages apart that arrive piece by piece.
class channel_reader {
public:
    /// What the piece holds, if anything: a message without content says nothing, and servers begin with some.
    /// `last`: the message ends with it.
    std::optional<channel_part> take(std::string_view piece, bool last) {
        if (begins_ && !piece.empty()) {
            channel_ = static_cast<unsigned char>(piece.front());
            piece.remove_prefix(1);
            begins_ = false;
        }
        if (last) begins_ = true;
        if (piece.empty()) return std::nullopt;
        return channel_part{channel_, piece};
    }

private:
    unsigned char channel_ = 0;
    bool begins_ = true;
};

}  // namespace kcontrol::detail
