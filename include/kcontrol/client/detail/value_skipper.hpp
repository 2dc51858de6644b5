// Passes over a JSON object or list that is too large to be held, piece by piece.
#pragma once

#include <cstddef>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

/// Finds the end of a value by its brackets and quotes. Nothing of it is checked.
class value_skipper {
public:
    /// How many bytes of `piece` belong to the value; all of them while it goes on.
    std::size_t pass(std::string_view piece) noexcept {
        std::size_t at = 0;
        for (; at < piece.size() && !done_; ++at) take(piece[at]);
        return at;
    }
    bool done() const noexcept { return done_; }

private:
    void take(char letter) noexcept {
        if (in_string_) {
            if (escaped_) {
                escaped_ = false;
            } else if (letter == '\\') {
                escaped_ = true;
            } else if (letter == '"') {
                in_string_ = false;
                done_ = depth_ == 0;
            }
            return;
        }
        switch (letter) {
        case '"': in_string_ = true; break;
        case '{':
        case '[': ++depth_; break;
        case '}':
        case ']':
            if (depth_ > 0) --depth_;
            done_ = depth_ == 0;
            break;
        default: break;
        }
    }

    std::size_t depth_ = 0;
    bool in_string_ = false;
    bool escaped_ = false;
    bool done_ = false;
};

}  // namespace kcontrol::detail
