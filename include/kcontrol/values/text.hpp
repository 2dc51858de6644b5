// text: the string of the model. Eight bytes; reads like a std::string_view, is assigned like a std::string.
#pragma once

#include <kcontrol/values/handle.hpp>

#include <compare>
#include <concepts>
#include <cstring>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1 {

/// A string that may be absent. Absent and "" compare equal, as both mean "nothing" in Kubernetes; present() tells them
/// apart, and an absent one is left out when it is written. Up to seven bytes are kept inside.
///
/// In an object that came from a server a text points into the object's own block. A copy always owns its bytes.
/// Length ≤ 4 GiB.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class text {
public:
    text() noexcept = default;
    /// Present, with a copy of these bytes, if only of none. Throws std::bad_alloc.
    text(std::string_view from) : word_(make(from)) {}  // NOLINT: meant to convert
    /// The same of a std::string.
    text(const std::string& from) : text(std::string_view(from)) {}  // NOLINT
    /// The same of a C string, which is not null.
    text(const char* from) : text(std::string_view(from)) {}  // NOLINT
    text(const text& from) : word_(from.copied()) {}
    text(text&& from) noexcept : word_(std::exchange(from.word_, 0)) {}
    ~text() { release(); }

    text& operator=(const text& from) {
        if (this != &from) replace(from.copied());
        return *this;
    }
    text& operator=(text&& from) noexcept {
        if (this != &from) replace(std::exchange(from.word_, 0));
        return *this;
    }

    /// Whether there is a string, if only an empty one.
    bool present() const noexcept { return word_ != 0; }
    bool empty() const noexcept { return size() == 0; }
    std::size_t size() const noexcept { return view().size(); }
    inline std::string_view view() const noexcept;  ///< empty if absent; valid until this text is changed or moved
    std::string str() const { return std::string(view()); }  ///< a copy of view()

    /// The same as view().
    operator std::string_view() const noexcept { return view(); }  // NOLINT: meant to convert
    /// The same as str().
    operator std::string() const { return str(); }  // NOLINT

    /// Makes it empty, but present.
    void clear() noexcept { replace(inline_word({})); }
    /// Makes it absent.
    void reset() noexcept { replace(0); }

    /// For the decoder: the word of a string that fits into it.
    static constexpr std::size_t inline_capacity = 7;
    /// The word of a string of at most inline_capacity bytes, which is not checked.
    static inline detail::handle_word inline_word(std::string_view from) noexcept;

    friend bool operator==(const text& a, const text& b) noexcept { return a.word_ == b.word_ || a.view() == b.view(); }
    friend bool operator==(const text& a, std::string_view b) noexcept { return a.view() == b; }
    friend bool operator==(const text& a, const std::string& b) noexcept { return a.view() == b; }
    friend bool operator==(const text& a, const char* b) noexcept { return a.view() == b; }
    /// By the bytes; an absent one is as an empty one.
    friend std::strong_ordering operator<=>(const text& a, const text& b) noexcept { return a.view() <=> b.view(); }
    /// By the bytes; an absent one is as an empty one.
    friend std::strong_ordering operator<=>(const text& a, std::string_view b) noexcept { return a.view() <=> b; }
    /// By the bytes; an absent one is as an empty one.
    friend std::strong_ordering operator<=>(const text& a, const std::string& b) noexcept {
        return a.view() <=> std::string_view(b);
    }

    /// One text after the other; an absent one adds nothing.
    friend std::string operator+(std::string a, const text& b) { return std::move(a.append(b.view())); }
    /// The same with the text in front.
    friend std::string operator+(const text& a, std::string_view b) { return a.str().append(b); }
    /// The same of a C string, which is not null.
    friend std::string operator+(const char* a, const text& b) { return std::string(a).append(b.view()); }

    /// Writes the bytes; nothing for an absent one.
    template <class Stream>
    requires std::derived_from<Stream, std::ostream>
    friend Stream& operator<<(Stream& to, const text& from) {
        to << from.view();
        return to;
    }

private:
    // Where in the word the mark is, and the characters are.
    static constexpr std::size_t mark_place = std::endian::native == std::endian::little ? 0 : 7;
    static constexpr std::size_t inline_place = std::endian::native == std::endian::little ? 1 : 0;

    static inline detail::handle_word make(std::string_view from);
    detail::handle_word copied() const { return detail::handle_is_pointer(word_) ? make(view()) : word_; }
    void release() noexcept {
        if (detail::handle_owns(word_)) detail::handle_free(word_);
    }
    void replace(detail::handle_word word) noexcept {
        release();
        word_ = word;
    }

    detail::handle_word word_ = 0;
};

inline std::string_view text::view() const noexcept {
    if ((word_ & detail::handle_inline) != 0) {
        const char* bytes = reinterpret_cast<const char*>(&word_);
        return {bytes + inline_place, std::size_t{static_cast<unsigned char>(bytes[mark_place])} >> 2U};
    }
    if (word_ == 0) return {};
    const char* payload = static_cast<const char*>(detail::handle_pointer(word_));
    std::uint32_t size = 0;
    std::memcpy(&size, payload, sizeof size);
    return {payload + sizeof size, size};
}

inline detail::handle_word text::inline_word(std::string_view from) noexcept {
    detail::handle_word word = 0;
    char* bytes = reinterpret_cast<char*>(&word);
    if (!from.empty()) std::memcpy(bytes + inline_place, from.data(), from.size());
    bytes[mark_place] = static_cast<char>((from.size() << 2U) | detail::handle_inline);
    return word;
}

inline detail::handle_word text::make(std::string_view from) {
    if (from.size() <= inline_capacity) return inline_word(from);
    const auto size = static_cast<std::uint32_t>(from.size());
    char* payload = static_cast<char*>(detail::handle_allocate(sizeof size + from.size()));
    std::memcpy(payload, &size, sizeof size);
    std::memcpy(payload + sizeof size, from.data(), from.size());
    return detail::owned_handle(payload);
}

}  // namespace kcontrol

template <>
struct std::hash<kcontrol::text> {
    std::size_t operator()(const kcontrol::text& t) const noexcept { return std::hash<std::string_view>{}(t.view()); }
};
