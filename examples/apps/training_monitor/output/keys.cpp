#include "output/keys.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace training_monitor {
namespace {

// What stands after "ESC [" or "ESC O", without modifiers.
constexpr std::array<std::pair<std::string_view, key_name>, 12> sequences{{{"A", key_name::up},
                                                                           {"B", key_name::down},
                                                                           {"H", key_name::home},
                                                                           {"F", key_name::end},
                                                                           {"M", key_name::enter},
                                                                           {"1~", key_name::home},
                                                                           {"7~", key_name::home},
                                                                           {"4~", key_name::end},
                                                                           {"8~", key_name::end},
                                                                           {"5~", key_name::page_up},
                                                                           {"6~", key_name::page_down},
                                                                           {"3~", key_name::backspace}}};

constexpr std::array<std::pair<char, key_name>, 6> controls{{{'\r', key_name::enter},
                                                             {'\n', key_name::enter},
                                                             {'\x7f', key_name::backspace},
                                                             {'\b', key_name::backspace},
                                                             {'\x15', key_name::clear_line},
                                                             {'\x0c', key_name::redraw}}};

// No sequence of a terminal's is longer; what is, is none.
constexpr std::size_t longest_sequence = 32;

constexpr bool is_final_byte(char c) { return c >= '@' && c <= '~'; }

// The length of a character by its first byte; 0: none begins so.
std::size_t character_length(char first) {
    const auto lead = static_cast<unsigned char>(first);
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead <= 0xdf) return 2;
    if (lead >= 0xe0 && lead <= 0xef) return 3;
    return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

bool continues(std::string_view bytes) {
    return std::all_of(bytes.begin(), bytes.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; });
}

}  // namespace

std::vector<key> key_reader::take(std::string_view bytes) {
    std::vector<key> out;
    waiting_ += bytes;
    while (!waiting_.empty() && take_one(out)) {
    }
    return out;
}

std::vector<key> key_reader::flush() {
    if (!waits()) return {};
    waiting_.clear();
    return {key{key_name::escape, {}}};
}

// Takes what stands at the beginning. False: more must come first.
bool key_reader::take_one(std::vector<key>& out) {
    const std::string_view text = waiting_;
    const auto done = [this](std::size_t bytes) { return waiting_.erase(0, bytes), true; };
    if (text[0] == '\x1b') {
        if (text.size() == 1) return false;
        if (text[1] != '[' && text[1] != 'O') {
            out.push_back({key_name::escape, {}});
            return done(1);
        }
        if (text.size() > 2 && text[2] == '[') return text.size() > 3 && done(4);  // F1 to F5 of the Linux console
        const auto at = std::find_if(text.begin() + 2, text.end(), is_final_byte);
        const auto length = static_cast<std::size_t>(at - text.begin()) + 1;
        if (at == text.end()) return text.size() > longest_sequence && done(text.size());
        // "1;5A" is "A" with a modifier, "5;5~" is "5~" with one.
        const bool has_modifier = text.substr(0, length).find(';') != std::string_view::npos;
        const std::string_view number = text.substr(2, text.find_first_not_of("0123456789", 2) - 2);
        const std::string said = *at == '~' || !has_modifier ? std::string(number) + *at : std::string(1, *at);
        for (const auto& [sequence, name] : sequences) {
            if (sequence == said) out.push_back({name, {}});
        }
        return done(length);
    }
    for (const auto& [control, name] : controls) {
        if (control != text[0]) continue;
        out.push_back({name, {}});
        return done(1);
    }
    const std::size_t length = character_length(text[0]);
    if (length == 0 || static_cast<unsigned char>(text[0]) < 0x20) return done(1);
    const auto rest = text.substr(1, length - 1);
    if (!continues(rest)) return done(1);
    if (text.size() < length) return false;
    out.push_back({key_name::text, std::string(text.substr(0, length))});
    return done(length);
}

}  // namespace training_monitor
