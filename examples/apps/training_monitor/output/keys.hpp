// What a terminal sends as keys. A plain state machine: bytes in, keys out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

enum class key_name {
    text,  ///< one character
    up,
    down,
    page_up,
    page_down,
    home,
    end,
    enter,
    escape,
    backspace,
    clear_line,  ///< Ctrl-U
    redraw,      ///< Ctrl-L
};

struct key {
    key_name name = key_name::text;
    std::string text;  ///< of key_name::text: the character, UTF-8

    friend bool operator==(const key&, const key&) = default;
};

/// Knows the sequences of xterm, and so of all that are like it, of the Linux console and rxvt; modifiers are ignored.
/// Source: "XTerm Control Sequences", PC-Style Function Keys; console_codes(4).
///
/// Thread-safety: shared objects unsafe.
class key_reader {
public:
    /// The keys that these bytes complete. What is no key that the program knows is left out.
    std::vector<key> take(std::string_view bytes);

    /// An escape came, which may be a key by itself or the beginning of a sequence: nothing but time tells.
    bool waits() const noexcept { return waiting_ == "\x1b"; }
    /// Nothing came after that escape for a while: it was the key.
    std::vector<key> flush();

private:
    bool take_one(std::vector<key>& out);

    std::string waiting_;
};

}  // namespace training_monitor
