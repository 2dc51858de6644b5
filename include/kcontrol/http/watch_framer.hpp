// Splits the bytes of a watch into the JSON documents they carry: a pure state machine.
#pragma once

#include <kcontrol/base/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace kcontrol::http {

/// Cuts a stream of JSON objects, separated by newlines, into one document each. Events may share a read and may
/// span reads; blank lines and CR before LF are passed over. A document is never delivered before its end.
///
/// Source: Kubernetes API concepts, "Efficient detection of changes" (one JSON object a line).
/// Thread-safety: distinct objects safe; shared objects unsafe.
class watch_framer {
public:
    /// A document larger than `max_event` bytes is an error: too_large.
    explicit watch_framer(std::size_t max_event = std::size_t{32} << 20) : max_event_(max_event) {}

    /// Adds bytes as they arrived.
    KCONTROL_DECL void feed(std::string_view bytes);

    /// The next whole document, valid until the next call of feed(); empty if more bytes are needed.
    KCONTROL_DECL result<std::string_view> next();

    /// At the end of the stream: the last document if it is complete but for its newline, empty if there is
    /// none, truncated if the stream ended inside one.
    KCONTROL_DECL result<std::string_view> finish();

private:
    std::size_t max_event_;
    std::string buffer_;
    std::size_t begin_ = 0;    // where the unread part of buffer_ starts
    std::size_t scanned_ = 0;  // no newline before this position
};

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/http/impl/watch_framer.ipp>
#endif
