// Splits the bytes of a watch into the JSON documents they carry: a pure state machine.
#pragma once

#include <kcontrol/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::http {

/// One document of a watch, or the beginning of one that is too large to be held.
class watch_frame {
public:
    watch_frame() = default;
    /// A document that is there whole.
    explicit watch_frame(std::string_view whole) : text(whole), size(whole.size()) {}
    /// The beginning of one that has so many bytes.
    watch_frame(std::string_view beginning, std::uint64_t bytes) : text(beginning), size(bytes) {}

    std::string_view text;   ///< empty: there is none
    std::uint64_t size = 0;  ///< of the document

    bool cut() const noexcept { return size > text.size(); }  ///< whether only its beginning is there
};

/// Cuts a stream of JSON objects, separated by newlines, into one document each. Events may share a read and may
/// span reads; blank lines and CR before LF are passed over. A document is never delivered before its end.
///
/// Source: Kubernetes API concepts, "Efficient detection of changes" (one JSON object a line).
/// Thread-safety: distinct objects safe; shared objects unsafe.
class watch_framer {
public:
    /// Of a document larger than `max_event` bytes only the beginning is kept.
    static constexpr std::size_t kept_of_large = std::size_t{64} << 10;
    /// One that is so many times larger does not end: too_large.
    static constexpr std::size_t endless = 4;

    /// Documents of more than `max_event` bytes are cut. Default 32 MiB.
    explicit watch_framer(std::size_t max_event = std::size_t{32} << 20) : max_event_(max_event) {}

    /// Adds bytes as they arrived.
    KCONTROL_DECL void feed(std::string_view bytes);

    /// The next document, valid until the next call of it or of feed(); empty if more are needed.
    KCONTROL_DECL result<watch_frame> next();

    /// At the end of the stream: the last document if it is complete but for its newline, empty if there is
    /// none, truncated if the stream ended inside one.
    KCONTROL_DECL result<watch_frame> finish();

private:
    result<watch_frame> next_large();

    std::size_t max_event_;
    std::string buffer_;
    std::size_t begin_ = 0;     // where the unread part of buffer_ starts
    std::size_t scanned_ = 0;   // no newline before this position
    std::string large_;         // the beginning of a document that is passed over
    std::uint64_t passed_ = 0;  // bytes of it so far; 0 if there is none
};

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/http/impl/watch_framer.ipp>
#endif
