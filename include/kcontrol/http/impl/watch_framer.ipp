#pragma once

#include <kcontrol/base/trim.hpp>
#include <kcontrol/http/watch_framer.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::http {
namespace detail {

// A larger buffer is given back once it is empty: a watch waits for most of its life.
inline constexpr std::size_t framer_keep_capacity = std::size_t{4} << 10;

// A line without its CR, or nothing but blanks: empty. Line feeds are what the framer cuts at.
inline std::string_view framer_trim(std::string_view line) noexcept { return trim_blanks(line, " \t\r"); }

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
    return error(errc::too_large, "a watch event goes on beyond " + std::to_string(budget) +
                                      " bytes; objects of Kubernetes stay far below that, check what answers there");
}

}  // namespace detail

KCONTROL_DECL void watch_framer::feed(std::string_view bytes) {
    if (begin_ == buffer_.size()) {
        buffer_.clear();
        scanned_ = begin_ = 0;
    } else if (begin_ >= buffer_.size() / 2) {
        // At least as many bytes were consumed as are moved here, so moving costs O(1) for each byte fed.
        buffer_.erase(0, begin_);
        scanned_ -= begin_;
        begin_ = 0;
    }
    buffer_.append(bytes);
}

KCONTROL_DECL result<watch_frame> watch_framer::next() {
    // Of a line as it came; it may be one byte longer than its document, for a CR. The answer is the same whether the
    // line came in one piece or in many.
    const auto exceeds = [&](std::size_t length) { return length > 1 && length - 1 > max_event_; };
    for (;;) {
        if (passed_ > 0) return next_large();
        const auto newline = buffer_.find('\n', scanned_);
        const auto length = std::min(newline, buffer_.size()) - begin_;
        const auto line = std::string_view(buffer_).substr(begin_, length);
        if (exceeds(length) || (newline != std::string::npos && detail::framer_trim(line).size() > max_event_)) {
            large_ = line.substr(0, std::min(kept_of_large, max_event_));
            passed_ = 1;  // the line is counted below
            scanned_ = begin_;
            continue;
        }
        if (newline == std::string::npos) {
            if (begin_ == buffer_.size() && buffer_.capacity() > detail::framer_keep_capacity) {
                std::string().swap(buffer_);
                begin_ = 0;
            }
            scanned_ = buffer_.size();
            return watch_frame();
        }
        begin_ = scanned_ = newline + 1;
        if (const auto document = detail::framer_trim(line); !document.empty()) return watch_frame(document);
    }
}

// Passes over the rest of a line.
inline result<watch_frame> watch_framer::next_large() {
    const auto newline = buffer_.find('\n', begin_);
    const auto end = std::min(newline, buffer_.size());
    passed_ += end - begin_;
    begin_ = scanned_ = newline == std::string::npos ? end : newline + 1;
    if (passed_ / endless > max_event_) return detail::framer_too_large(max_event_ * endless);
    if (newline == std::string::npos) {
        // What was held of it before it was known to be too large is not kept until it ends.
        if (buffer_.capacity() > detail::framer_keep_capacity) std::string().swap(buffer_);
        begin_ = scanned_ = buffer_.size();
        return watch_frame();
    }
    const watch_frame cut(detail::framer_trim(large_), std::exchange(passed_, 0) - 1);
    return cut.text.empty() ? next() : cut;
}

KCONTROL_DECL result<watch_frame> watch_framer::finish() {
    auto whole = next();
    if (!whole || !whole->text.empty()) return whole;
    if (passed_ > 0) return error(errc::truncated, "watch ended inside an event");
    const auto rest = detail::framer_trim(std::string_view(buffer_).substr(begin_));
    begin_ = scanned_ = buffer_.size();
    if (rest.size() > max_event_) return watch_frame(rest.substr(0, std::min(kept_of_large, max_event_)), rest.size());
    if (rest.empty() || detail::framer_is_complete(rest)) return watch_frame(rest);
    return error(errc::truncated, "watch ended inside an event");
}

}  // namespace kcontrol::http
