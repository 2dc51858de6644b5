#include "naming.hpp"

#include <kcontrol/base/ascii.hpp>

#include <algorithm>

namespace kcontrol_gen {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Keywords of C++20 and its alternative tokens, names that code relies on, and macros that headers define in lower
// case (gcc in GNU mode defines linux and unix; Windows headers define near, far, small and interface).
constexpr std::string_view reserved =
    " alignas alignof and and_eq asm assert atomic_cancel atomic_commit atomic_noexcept auto bitand bitor"
    " bool break case catch char char16_t char32_t char8_t class co_await co_return co_yield compl"
    " concept const const_cast consteval constexpr constinit continue decltype default delete do double"
    " dynamic_cast else enum errno explicit export extern false far final float for friend goto i386 if"
    " import inline int interface kcontrol kcontrol_fields kcontrol_generated kcontrol_projection"
    " kcontrol_resource kcontrol_tables linux long major makedev minor module mutable namespace near new noexcept not"
    " not_eq nullptr offsetof operator or or_eq override private protected public reflexpr register"
    " reinterpret_cast requires restrict return setjmp short signed sizeof small static static_assert"
    " static_cast std stderr stdin stdout struct switch synchronized template this thread_local throw"
    " true try typedef typeid typename union unix unsigned using virtual void volatile wchar_t while xor"
    " xor_eq ";

bool is_reserved(std::string_view word) {
    return reserved.find(" " + std::string(word) + " ") != std::string_view::npos;
}

/// Whether a word that began with capitals ends with a plural's s at `i`: "IPs", "URLsFoo".
bool ends_plural(std::string_view name, std::size_t i, std::size_t capitals) {
    return capitals >= 2 && name[i] == 's' && (i + 1 == name.size() || !is_lower(name[i + 1]));
}

}  // namespace

std::string snake_case(std::string_view name) {
    std::string out;
    const auto boundary = [&] {
        if (!out.empty() && out.back() != '_') out += '_';
    };
    for (std::size_t i = 0; i < name.size();) {
        if (name.substr(i, 4) == "IPv4" || name.substr(i, 4) == "IPv6") {
            boundary();
            out += name[i + 3] == '4' ? "ipv4" : "ipv6";
            i += 4;
            if (i < name.size() && !is_digit(name[i])) boundary();
        } else if (is_upper(name[i])) {
            boundary();
            std::size_t end = i;
            while (end < name.size() && is_upper(name[end])) ++end;
            const bool plural = end < name.size() && ends_plural(name, end, end - i);
            // "HTTPGet": the last capital begins the next word.
            if (!plural && end < name.size() && is_lower(name[end]) && end - i > 1) {
                for (; i + 1 < end; ++i) out += kcontrol::ascii_lower(name[i]);
                boundary();
            }
            for (; i < end; ++i) out += kcontrol::ascii_lower(name[i]);
            if (plural) {
                out += 's';
                ++i;
                boundary();
            }
        } else if (is_lower(name[i]) || is_digit(name[i])) {
            out += name[i++];
        } else {
            boundary();
            ++i;
        }
    }
    while (!out.empty() && out.back() == '_') out.pop_back();
    return out;
}

std::string identifier(std::string_view name) {
    auto out = snake_case(name);
    if (out.empty() || is_digit(out.front())) return "x_" + out;
    if (is_reserved(out)) out += '_';
    return out;
}

bool is_identifier(std::string_view text) {
    if (text.empty() || is_digit(text.front()) || text.front() == '_' || is_reserved(text)) return false;
    if (text.find("__") != std::string_view::npos) return false;
    return std::ranges::all_of(text, [](char c) { return is_upper(c) || is_lower(c) || is_digit(c) || c == '_'; });
}

std::string unique(std::string wanted, std::set<std::string>& taken) {
    if (taken.insert(wanted).second) return wanted;
    if (wanted.back() == '_') wanted.pop_back();
    for (int n = 2;; ++n) {
        auto candidate = wanted + '_' + std::to_string(n);
        if (taken.insert(candidate).second) return candidate;
    }
}

std::string singular(std::string_view word) {
    const auto ends = [&](std::string_view tail) { return word.size() > tail.size() && word.ends_with(tail); };
    std::string out(word);
    if (ends("statuses") || ends("aliases")) return out.erase(out.size() - 2);
    if (ends("ies")) return out.replace(out.size() - 3, 3, "y");
    for (const std::string_view tail : {"sses", "xes", "ches", "shes"}) {
        if (ends(tail)) return out.erase(out.size() - 2);
    }
    if (ends("s") && !ends("ss") && !ends("us") && !ends("is")) out.pop_back();
    return out;
}

std::string literal(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte >= 0x7f || c == '?') {
            out += '\\';
            for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + ((byte >> shift) & 7));
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string comment_text(std::string_view text) {
    constexpr std::string_view plain = " _-.,:;/()[]{}<>=+$#@!'\"*^|~&%";
    const bool fit = std::ranges::all_of(text, [&](char c) {
        return is_upper(c) || is_lower(c) || is_digit(c) || plain.find(c) != std::string_view::npos;
    });
    return fit && text.size() <= 200 ? std::string(text) : std::string();
}

std::string printable(std::string_view text) {
    std::string out(text.substr(0, 200));
    for (char& c : out) {
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
    }
    return text.size() > 200 ? out + "..." : out;
}

}  // namespace kcontrol_gen
