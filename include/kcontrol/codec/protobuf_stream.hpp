// Lists and watches in Protocol Buffers, as their bytes arrive: pure state machines that hold one object at a time.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/config.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

namespace detail {

/// Bytes that have arrived and were not taken yet.
class byte_queue {
public:
    std::string_view view() const noexcept { return {bytes_.get() + begin_, end_ - begin_}; }
    KCONTROL_DECL void add(std::string_view bytes);
    /// Where the next bytes may be put, so many at least; good until the next call. filled() says how many came.
    KCONTROL_DECL std::span<char> room(std::size_t least);
    void filled(std::size_t count) noexcept { end_ += count; }
    void take(std::size_t count) noexcept { begin_ += count; }

private:
    std::unique_ptr<char[]> bytes_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace detail

/// Reads a list, item by item.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class protobuf_list_reader {
public:
    /// An item of more bytes is not held.
    explicit protobuf_list_reader(std::size_t max_item = std::size_t{32} << 20) : max_item_(max_item) {}

    /// Adds bytes as they arrived.
    void feed(std::string_view bytes) { queue_.add(bytes); }
    /// The same without a copy: bytes are put into room(), and filled() says how many. What next() gave is void then.
    std::span<char> room(std::size_t least) { return queue_.room(least); }
    void filled(std::size_t count) noexcept { queue_.filled(count); }  ///< so many bytes were put into room()

    /// The message of the next item, without an envelope; good until the next call. Nothing: more bytes are needed, or
    /// the list has ended. Errors: decode_failed, after which nothing more can be read; too_large for an item beyond
    /// the bound, after which the others can.
    KCONTROL_DECL result<std::optional<std::string_view>> next();

    /// At the end of the bytes, when next() has nothing more. Errors: truncated if the list has not ended.
    KCONTROL_DECL result<void> finish() const;

    /// "v1" and "PodList"; known before the first item.
    const std::string& api_version() const noexcept { return api_version_; }
    const std::string& kind() const noexcept { return kind_; }  ///< of the list; empty: not read yet
    /// Of the list's metadata, which come before the items.
    const std::string& resource_version() const noexcept { return resource_version_; }
    const std::string& continue_token() const noexcept { return continue_; }  ///< empty on the last page
    /// How many objects follow this page, where the server says so.
    std::optional<std::int64_t> remaining_item_count() const noexcept { return remaining_; }

private:
    enum class place : std::uint8_t { magic, envelope, list, failed };
    struct header {
        std::uint32_t number = 0;
        bool sized = false;      // has a length; else it is a number, which is taken already
        std::uint64_t size = 0;  // of the value, if it is sized
        std::size_t bytes = 0;   // of the header itself
    };

    result<bool> read_header(header& out) const;
    result<bool> read_magic();
    result<bool> read_envelope();
    result<bool> read_member(std::optional<std::string_view>& item);
    result<void> read_type(std::string_view message);
    result<void> read_metadata(std::string_view message);
    error fail(error why);

    std::size_t max_item_;
    detail::byte_queue queue_;
    place place_ = place::magic;
    std::uint64_t list_left_ = 0;  // bytes of the list that were not taken yet
    std::uint64_t skip_left_ = 0;  // bytes that nobody wants
    bool seen_list_ = false;
    std::string api_version_;
    std::string kind_;
    std::string resource_version_;
    std::string continue_;
    std::optional<std::int64_t> remaining_;
};

/// One event of a watch.
class protobuf_watch_event {
public:
    std::string_view type;    ///< ADDED, MODIFIED, DELETED, BOOKMARK or ERROR
    std::string_view object;  ///< in its envelope
};

/// Cuts the bytes of a watch into events, each of which has its length before it.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class protobuf_watch_reader {
public:
    /// An event that is so many times larger than the bound does not end: too_large, and nothing more can be read.
    static constexpr std::size_t endless = 4;

    /// An event of more than `max_event` bytes is not held: next() passes over it.
    explicit protobuf_watch_reader(std::size_t max_event = std::size_t{32} << 20) : max_event_(max_event) {}

    void feed(std::string_view bytes) { queue_.add(bytes); }  ///< bytes as they arrived; voids what next() gave
    /// The same without a copy: bytes are put there, `least` of them or more, and filled() says how many.
    std::span<char> room(std::size_t least) { return queue_.room(least); }
    void filled(std::size_t count) noexcept { queue_.filled(count); }  ///< so many bytes were put into room()

    /// The next event; good until the next call. Nothing: more bytes are needed. Errors: decode_failed for what is no
    /// event, too_large for one beyond the bound; after both the next one can be read.
    KCONTROL_DECL result<std::optional<protobuf_watch_event>> next();

    /// Errors: truncated if the stream ended inside an event.
    KCONTROL_DECL result<void> finish() const;

private:
    std::size_t max_event_;
    detail::byte_queue queue_;
    std::uint64_t skip_left_ = 0;
    bool failed_ = false;
};

/// An event as a server writes it; `object` is in its envelope.
KCONTROL_DECL std::string protobuf_watch_frame(std::string_view type, std::string_view object);

/// Adds a message to a list that is being put together: its metadata (1) or an item (2). The whole goes into an
/// envelope.
KCONTROL_DECL void append_protobuf_member(std::string& list, std::uint32_t number, std::string_view message);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/codec/impl/protobuf_stream.ipp>
#endif
