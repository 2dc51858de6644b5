// What a value of Protocol Buffers is, and what they say when it is not what the table wants; for both ways to read
// them.
#pragma once

#include <kcontrol/base/utf8.hpp>
#include <kcontrol/codec/detail/protobuf_wire.hpp>
#include <kcontrol/codec/impl/decode_error.hpp>
#include <kcontrol/codec/protobuf_schema.hpp>

#include <cmath>

namespace kcontrol::inline v0_1::detail {

/// Messages in messages, at most.
inline constexpr std::size_t deepest_protobuf = 200;

inline bool is_ascii(std::string_view text) noexcept {
    const auto load = [](const char* from, auto word) {
        std::memcpy(&word, from, sizeof word);
        return std::uint64_t{word};
    };
    const char* at = text.data();
    std::uint64_t all = 0;
    if (text.size() >= 8) {
        // The last word overlaps the one before it.
        const char* const last = at + text.size() - 8;
        for (; at < last; at += 8) all |= load(at, std::uint64_t{0});
        all |= load(last, std::uint64_t{0});
    } else if (text.size() >= 4) {
        all = load(at, std::uint32_t{0}) | load(at + text.size() - 4, std::uint32_t{0});
    } else {
        for (const char c : text) all |= static_cast<unsigned char>(c);
    }
    return (all & 0x8080808080808080U) == 0;
}

inline bool is_utf8(std::string_view text) noexcept {
    if (is_ascii(text)) return true;
    while (!text.empty()) {
        const std::size_t length = utf8_sequence_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

inline const protobuf_field* find_protobuf_field(const protobuf_message& message, std::uint32_t number) noexcept {
    // Numbers mostly have no gaps.
    const std::size_t guess = number - 1;
    if (guess < message.field_count && message.fields[guess].number == number) return message.fields + guess;
    for (const auto& field : message.all()) {
        if (field.number == number) return &field;
    }
    return nullptr;
}

inline protobuf_wire wire_of(protobuf_type type) noexcept {
    switch (type) {
    case protobuf_type::boolean:
    case protobuf_type::int32:
    case protobuf_type::int64: return protobuf_wire::varint;
    case protobuf_type::number: return protobuf_wire::fixed64;
    case protobuf_type::string:
    case protobuf_type::bytes:
    case protobuf_type::message: break;
    }
    return protobuf_wire::bytes;
}

/// Reads what the small messages hold that are no objects in JSON. All say what is wrong to a decode_failure.
class protobuf_values {
public:
    explicit protobuf_values(decode_failure& failure) noexcept : failure_(failure) {}

    bool malformed(const char* wrong) { return failure_.say(std::string("malformed Protocol Buffers: ") + wrong); }

    bool expect(const protobuf_item& item, protobuf_wire wire) { return item.wire == wire || unexpected(item, wire); }
    [[gnu::noinline]] bool unexpected(const protobuf_item& item, protobuf_wire wire) {
        return failure_.say("malformed Protocol Buffers: field " + std::to_string(item.number) + " has wire type " +
                            std::to_string(static_cast<int>(item.wire)) + ", expected " +
                            std::to_string(static_cast<int>(wire)));
    }
    bool check_text(std::string_view text) { return is_utf8(text) || failure_.say("a string that is not UTF-8"); }
    bool check_number(double value) {
        return std::isfinite(value) || failure_.say("a number that JSON has not: not finite");
    }

    /// Calls `use` with each field, which returns false to give up.
    template <class Use>
    bool each(std::string_view message, Use use) {
        protobuf_cursor in(message);
        protobuf_item item;
        while (!in.at_end()) {
            if (const char* wrong = in.take(item)) return malformed(wrong);
            if (!use(item)) return false;
        }
        return true;
    }

    /// The same with each element of a list, of which one item may hold many.
    template <class Use>
    bool each_element(protobuf_type type, const protobuf_item& item, Use use) {
        const protobuf_wire wire = wire_of(type);
        if (item.wire == wire || wire == protobuf_wire::bytes || item.wire != protobuf_wire::bytes) return use(item);
        protobuf_cursor in(item.bytes);
        while (!in.at_end()) {
            protobuf_item element;
            element.number = item.number;
            element.wire = wire;
            const char* wrong = nullptr;
            if (wire == protobuf_wire::varint) {
                wrong = in.take_varint(element.bits);
            } else {
                wrong = in.take_fixed(element.bits);
            }
            if (wrong != nullptr) return malformed(wrong);
            if (!use(element)) return false;
        }
        return true;
    }

    /// A string or bytes as the field of that number of a message; `found` if it is there.
    bool read_only_bytes(std::string_view message, std::string_view& out, bool& found, std::uint32_t number = 1) {
        return each(message, [&](const protobuf_item& item) {
            if (item.number != number) return true;
            out = item.bytes;
            found = true;
            return expect(item, protobuf_wire::bytes);
        });
    }

    /// Null time: `present` is false.
    bool read_time(std::string_view message, bool micro, wall_time& out, bool& present) {
        present = !message.empty();
        std::uint64_t seconds = 0, nanos = 0;
        const bool read = each(message, [&](const protobuf_item& item) {
            if (item.number > 2) return true;
            (item.number == 1 ? seconds : nanos) = item.bits;
            return expect(item, protobuf_wire::varint);
        });
        if (!read) return false;
        const auto at = static_cast<std::int64_t>(seconds);
        // As parse_time(): what 64 bits of nanoseconds hold.
        if (at < -9223372036 || at > 9223372035) return failure_.say("a time before 1678 or after 2261");
        const auto fraction = static_cast<std::int32_t>(nanos);
        if (fraction < 0 || fraction > 999999999) return failure_.say("nanoseconds of more than a second");
        out = wall_time(std::chrono::duration_cast<duration>(std::chrono::seconds(at)) +
                        std::chrono::duration_cast<duration>(std::chrono::microseconds(micro ? fraction / 1000 : 0)));
        return true;
    }

    bool read_quantity(std::string_view message, std::string_view& out) {
        bool found = false;
        if (!read_only_bytes(message, out, found)) return false;
        if (!found) out = "0";
        return check_text(out);
    }

    bool read_int_or_string(std::string_view message, bool& is_string, std::int32_t& number, std::string_view& text) {
        std::uint64_t type = 0, bits = 0;
        const bool read = each(message, [&](const protobuf_item& item) {
            if (item.number == 3) {
                text = item.bytes;
                return expect(item, protobuf_wire::bytes);
            }
            if (item.number > 3) return true;
            (item.number == 1 ? type : bits) = item.bits;
            return expect(item, protobuf_wire::varint);
        });
        if (!read) return false;
        if (type > 1) return failure_.say("neither an integer nor a string");
        is_string = type == 1;
        number = static_cast<std::int32_t>(bits);
        return !is_string || check_text(text);
    }

protected:
    decode_failure& failure_;
};

}  // namespace kcontrol::detail
