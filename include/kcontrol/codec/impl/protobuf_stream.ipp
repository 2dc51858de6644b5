#pragma once

#include <kcontrol/codec/detail/protobuf_wire.hpp>
#include <kcontrol/codec/impl/protobuf_values.hpp>
#include <kcontrol/codec/protobuf_stream.hpp>

#include <algorithm>
#include <cstring>

namespace kcontrol::inline v0_1 {
namespace detail {

inline error protobuf_fault(std::string_view wrong) {
    return error(errc::decode_failed, "malformed Protocol Buffers: " + std::string(wrong));
}

/// What a tag and a length, or a tag and a number, take at most.
inline constexpr std::size_t longest_protobuf_header = 20;
inline constexpr std::size_t most_list_metadata = std::size_t{1} << 20;

/// False if more bytes are needed.
inline bool pass_over(byte_queue& from, std::uint64_t& left) noexcept {
    const std::uint64_t passed = std::min<std::uint64_t>(left, from.view().size());
    from.take(static_cast<std::size_t>(passed));
    left -= passed;
    return left == 0;
}

}  // namespace detail

KCONTROL_DECL void detail::byte_queue::add(std::string_view bytes) {
    if (bytes.empty()) return;
    std::memcpy(room(bytes.size()).data(), bytes.data(), bytes.size());
    filled(bytes.size());
}

KCONTROL_DECL std::span<char> detail::byte_queue::room(std::size_t least) {
    constexpr std::size_t kept = std::size_t{1} << 20;
    const std::size_t unread = end_ - begin_;
    const bool shrinks = unread == 0 && capacity_ > kept && least <= kept;  // one object must not hold memory for ever
    if (capacity_ - end_ < least || shrinks) {
        if (shrinks || capacity_ - unread < least || unread > capacity_ / 2) {
            capacity_ = shrinks ? least : std::max(unread + least, 2 * capacity_);
            auto next = std::make_unique_for_overwrite<char[]>(capacity_);
            if (unread > 0) std::memcpy(next.get(), bytes_.get() + begin_, unread);
            bytes_ = std::move(next);
        } else if (unread > 0) {
            std::memmove(bytes_.get(), bytes_.get() + begin_, unread);
        }
        begin_ = 0;
        end_ = unread;
    }
    return {bytes_.get() + end_, capacity_ - end_};
}

inline error protobuf_list_reader::fail(error why) {
    place_ = place::failed;
    return why;
}

/// False: more bytes are needed.
inline result<bool> protobuf_list_reader::read_header(header& out) const {
    const auto bytes = queue_.view();
    const bool whole = bytes.size() >= detail::longest_protobuf_header;
    detail::protobuf_cursor in(bytes);
    std::uint64_t tag = 0;
    const char* wrong = in.take_varint(tag);
    if (wrong == nullptr) {
        const auto wire = static_cast<detail::protobuf_wire>(tag & 7);
        if (tag >> 3 == 0 || tag >> 32 != 0) return detail::protobuf_fault("a field number that there is not");
        out.number = static_cast<std::uint32_t>(tag >> 3);
        out.sized = wire != detail::protobuf_wire::varint;
        if (wire == detail::protobuf_wire::bytes || wire == detail::protobuf_wire::varint) {
            wrong = in.take_varint(out.size);
        } else if (wire == detail::protobuf_wire::fixed64 || wire == detail::protobuf_wire::fixed32) {
            out.size = wire == detail::protobuf_wire::fixed64 ? 8 : 4;
        } else {
            return detail::protobuf_fault("a wire type that Kubernetes has not");
        }
    }
    if (wrong != nullptr) {
        if (whole || in.left() > 0) return detail::protobuf_fault(wrong);
        return false;
    }
    if (!out.sized) out.size = 0;
    out.bytes = static_cast<std::size_t>(in.at() - bytes.data());
    return true;
}

inline result<bool> protobuf_list_reader::read_magic() {
    constexpr std::string_view magic{"k8s\0", 4};
    const auto bytes = queue_.view();
    if (!bytes.starts_with(magic.substr(0, bytes.size())) && !bytes.starts_with(magic)) {
        return error(errc::decode_failed, "this is no list in Protocol Buffers of Kubernetes");
    }
    if (bytes.size() < magic.size()) return false;
    queue_.take(magic.size());
    place_ = place::envelope;
    return true;
}

inline result<void> protobuf_list_reader::read_type(std::string_view message) {
    detail::decode_failure failure;
    detail::protobuf_values values(failure);
    const bool read = values.each(message, [&](const detail::protobuf_item& item) {
        if (item.number <= 2) (item.number == 1 ? api_version_ : kind_) = std::string(item.bytes);
        return item.number > 2 || (values.expect(item, detail::protobuf_wire::bytes) && values.check_text(item.bytes));
    });
    if (!read) return failure.failure();
    return {};
}

inline result<void> protobuf_list_reader::read_metadata(std::string_view message) {
    detail::decode_failure failure;
    detail::protobuf_values values(failure);
    const bool read = values.each(message, [&](const detail::protobuf_item& item) {
        if (item.number == 4) {
            remaining_ = static_cast<std::int64_t>(item.bits);
            return values.expect(item, detail::protobuf_wire::varint);
        }
        if (item.number != 2 && item.number != 3) return true;
        (item.number == 2 ? resource_version_ : continue_) = std::string(item.bytes);
        return values.expect(item, detail::protobuf_wire::bytes) && values.check_text(item.bytes);
    });
    if (!read) return failure.failure();
    return {};
}

inline result<bool> protobuf_list_reader::read_envelope() {
    if (queue_.view().empty()) return false;
    header next;
    const auto read = read_header(next);
    if (!read || !*read) return read;
    if (next.number == 2 && next.sized && !seen_list_) {
        queue_.take(next.bytes);
        list_left_ = next.size;
        seen_list_ = true;
        place_ = place::list;
        return true;
    }
    if (next.number == 2 && seen_list_) return detail::protobuf_fault("two lists in one envelope");
    if (next.number == 1 && next.sized) {
        if (next.size > detail::most_list_metadata) return detail::protobuf_fault("a kind of more than 1 MiB");
        if (queue_.view().size() < next.bytes + next.size) return false;
        const auto done = read_type(queue_.view().substr(next.bytes, static_cast<std::size_t>(next.size)));
        if (!done) return done.error();
    }
    queue_.take(next.bytes);
    skip_left_ = next.size;
    return true;
}

inline result<bool> protobuf_list_reader::read_member(std::optional<std::string_view>& item) {
    if (list_left_ == 0) return place_ = place::envelope, true;
    if (queue_.view().empty()) return false;
    header next;
    const auto read = read_header(next);
    if (!read || !*read) return read;
    if (next.bytes > list_left_ || next.size > list_left_ - next.bytes) {
        return detail::protobuf_fault("a length beyond the end of the list");
    }
    const bool wanted = next.sized && (next.number == 1 || next.number == 2);
    const std::uint64_t most = next.number == 1 ? detail::most_list_metadata : max_item_;
    if (wanted && next.size <= most) {
        if (queue_.view().size() < next.bytes + next.size) return false;
        const auto message = queue_.view().substr(next.bytes, static_cast<std::size_t>(next.size));
        queue_.take(next.bytes + message.size());
        list_left_ -= next.bytes + next.size;
        if (next.number == 2) return item = message, true;
        const auto done = read_metadata(message);
        if (!done) return done.error();
        return true;
    }
    queue_.take(next.bytes);
    list_left_ -= next.bytes + next.size;
    skip_left_ = next.size;
    if (!wanted) return true;
    if (next.number == 1) return detail::protobuf_fault("metadata of a list of more than 1 MiB");
    return error(errc::too_large, "an object of " + std::to_string(next.size) + " bytes in a list, more than the " +
                                      std::to_string(max_item_) + " that are held");
}

KCONTROL_DECL result<std::optional<std::string_view>> protobuf_list_reader::next() {
    std::optional<std::string_view> item;
    while (!item) {
        if (place_ == place::failed) return error(errc::decode_failed, "the list could not be read further");
        if (!detail::pass_over(queue_, skip_left_)) return item;
        const auto moved = place_ == place::magic      ? read_magic()
                           : place_ == place::envelope ? read_envelope()
                                                       : read_member(item);
        if (!moved) return moved.error().code() == errc::too_large ? moved.error() : fail(moved.error());
        if (!*moved) return item;
    }
    return item;
}

KCONTROL_DECL result<void> protobuf_list_reader::finish() const {
    const bool ended = place_ == place::envelope && seen_list_ && skip_left_ == 0 && queue_.view().empty();
    if (ended) return {};
    return error(errc::truncated, "the list ended before its end");
}

KCONTROL_DECL result<std::optional<protobuf_watch_event>> protobuf_watch_reader::next() {
    if (failed_) return error(errc::decode_failed, "the watch could not be read further");
    if (!detail::pass_over(queue_, skip_left_)) return std::optional<protobuf_watch_event>();
    const auto bytes = queue_.view();
    constexpr std::size_t prefix = 4;
    if (bytes.size() < prefix) return std::optional<protobuf_watch_event>();
    std::size_t size = 0;
    for (std::size_t i = 0; i < prefix; ++i) size = size << 8 | static_cast<unsigned char>(bytes[i]);
    if (size > max_event_) {
        if (size / endless > max_event_) {
            failed_ = true;
        } else {
            queue_.take(prefix);
            skip_left_ = size;
        }
        return error(errc::too_large, "a watch event of " + std::to_string(size) + " bytes, more than the " +
                                          std::to_string(max_event_) + " that are held");
    }
    if (bytes.size() < prefix + size) return std::optional<protobuf_watch_event>();
    queue_.take(prefix + size);
    protobuf_watch_event event;
    detail::decode_failure failure;
    detail::protobuf_values values(failure);
    bool found = false;
    const bool read = values.each(bytes.substr(prefix, size), [&](const detail::protobuf_item& item) {
        if (item.number > 2) return true;
        if (!values.expect(item, detail::protobuf_wire::bytes)) return false;
        if (item.number == 2) return values.read_only_bytes(item.bytes, event.object, found);
        event.type = item.bytes;
        return values.check_text(event.type);
    });
    if (!read) return failure.failure();
    return std::optional<protobuf_watch_event>(event);
}

KCONTROL_DECL result<void> protobuf_watch_reader::finish() const {
    if (queue_.view().empty() && skip_left_ == 0) return {};
    return error(errc::truncated, "the watch ended inside an event");
}

KCONTROL_DECL std::string protobuf_watch_frame(std::string_view type, std::string_view object) {
    std::string raw;
    detail::put_bytes(raw, 1, object);
    std::string event;
    detail::put_bytes(event, 1, type);
    detail::put_bytes(event, 2, raw);
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(event.size() >> shift & 0xFF);
    return out + event;
}

KCONTROL_DECL void append_protobuf_member(std::string& list, std::uint32_t number, std::string_view message) {
    detail::put_bytes(list, number, message);
}

}  // namespace kcontrol
