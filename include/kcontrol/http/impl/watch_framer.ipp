#pragma once

#include <kcontrol/http/watch_framer.hpp>

namespace kcontrol::http {
namespace detail {

// A larger buffer is given back once it is empty: one giant event must not hold memory for the rest of a long watch.
inline constexpr std::size_t framer_keep_capacity = std::size_t{1} << 20;

// A line without its CR, or nothing but blanks: empty.
inline std::string_view framer_trim(std::string_view line) noexcept {
    constexpr std::string_view blanks = " \t\r";
    const auto first = line.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return line.substr(first, line.find_last_not_of(blanks) - first + 1);
}

// Whether brackets and quotes are closed at the end. Not a check of the grammar: the decoder does that.
inline bool framer_is_complete(std::string_view text) noexcept {
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') {
                ++i;
            } else if (c == '"') {
                in_string = false;
            }
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            if (depth == 0) return false;
            --depth;
        }
    }
    return depth == 0 && !in_string && (text.ends_with('}') || text.ends_with(']'));
}

inline error framer_too_large(std::size_t budget) {
    // etcd takes no request above 1.5 MiB by default.
    return error(errc::too_large, "watch event larger than " + std::to_string(budget) +
                                      " bytes; objects of Kubernetes stay far below that, check what answers there");
}

}  // namespace detail

KCONTROL_DECL void watch_framer::feed(std::string_view bytes) {
    if (begin_ == buffer_.size()) {
        buffer_.clear();
        scanned_ = begin_ = 0;
        if (buffer_.capacity() > detail::framer_keep_capacity) std::string().swap(buffer_);
    } else if (begin_ >= buffer_.size() / 2) {
        // At least as many bytes were consumed as are moved here, so moving costs O(1) for each byte fed.
        buffer_.erase(0, begin_);
        scanned_ -= begin_;
        begin_ = 0;
    }
    buffer_.append(bytes);
}

KCONTROL_DECL result<std::string_view> watch_framer::next() {
    // Of a line as it came; it may be one byte longer than its document, for a CR. The answer is the same whether the
    // line came in one piece or in many.
    const auto exceeds = [&](std::size_t length) { return length > 1 && length - 1 > max_event_; };
    for (;;) {
        const auto newline = buffer_.find('\n', scanned_);
        if (newline == std::string::npos) {
            scanned_ = buffer_.size();
            if (exceeds(buffer_.size() - begin_)) return detail::framer_too_large(max_event_);
            return std::string_view();
        }
        const auto line = detail::framer_trim(std::string_view(buffer_).substr(begin_, newline - begin_));
        if (line.size() > max_event_ || exceeds(newline - begin_)) return detail::framer_too_large(max_event_);
        begin_ = scanned_ = newline + 1;
        if (!line.empty()) return line;
    }
}

KCONTROL_DECL result<std::string_view> watch_framer::finish() {
    auto whole = next();
    if (!whole || !whole->empty()) return whole;
    const auto rest = detail::framer_trim(std::string_view(buffer_).substr(begin_));
    begin_ = scanned_ = buffer_.size();
    if (rest.size() > max_event_) return detail::framer_too_large(max_event_);
    if (rest.empty() || detail::framer_is_complete(rest)) return rest;
    return error(errc::truncated, "watch ended inside an event");
}

}  // namespace kcontrol::http
