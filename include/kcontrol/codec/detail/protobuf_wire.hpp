// The wire format of Protocol Buffers: tags, varints and lengths. protozero knows it too; it throws at what is wrong,
// and would be one more library for every program.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

enum class protobuf_wire : std::uint8_t {
    varint = 0,
    fixed64 = 1,
    bytes = 2,
    begin_group = 3,
    end_group = 4,
    fixed32 = 5
};

/// One field: its number, and its value. What else there is to a value depends on the wire type.
struct protobuf_item {
    std::uint32_t number = 0;
    protobuf_wire wire{};
    std::uint64_t bits = 0;       ///< of varint, fixed64 and fixed32
    std::string_view bytes;       ///< of bytes
    const char* begin = nullptr;  ///< where its tag is
};

/// Walks over the fields of a message.
class protobuf_cursor {
public:
    explicit protobuf_cursor(std::string_view from) noexcept : at_(from.data()), end_(from.data() + from.size()) {}

    bool at_end() const noexcept { return at_ == end_; }
    const char* at() const noexcept { return at_; }
    const char* end() const noexcept { return end_; }
    std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
    void go_to(const char* place) noexcept { at_ = place; }

    /// A varint of at most 64 bits; null or what is wrong with it.
    const char* take_varint(std::uint64_t& out) noexcept {
        if (at_ != end_ && static_cast<unsigned char>(*at_) < 0x80) {
            out = static_cast<unsigned char>(*at_++);
            return nullptr;
        }
        if (left() >= 2 && static_cast<unsigned char>(at_[1]) < 0x80) {
            out = (static_cast<unsigned char>(at_[0]) & 0x7FU) | std::uint64_t{static_cast<unsigned char>(at_[1])} << 7;
            at_ += 2;
            return nullptr;
        }
        std::uint64_t value = 0;
        for (unsigned shift = 0; at_ != end_; shift += 7) {
            const std::uint64_t byte = static_cast<unsigned char>(*at_++);
            if (shift == 63 && byte > 1) return "a varint of more than 64 bits";
            value |= (byte & 0x7F) << shift;
            if (byte < 0x80) {
                out = value;
                return nullptr;
            }
        }
        return "the bytes end inside a varint";
    }

    /// The next field; null or what is wrong with it. Precondition: !at_end().
    [[gnu::always_inline]] const char* take(protobuf_item& out) noexcept {
        out.begin = at_;
        // Most have one byte for the number and one for the length.
        if (left() >= 2 && ((at_[0] | at_[1]) & 0x80) == 0) {
            const auto tag = static_cast<unsigned char>(at_[0]);
            const auto second = static_cast<unsigned char>(at_[1]);
            out.wire = static_cast<protobuf_wire>(tag & 7U);
            out.number = tag >> 3U;
            if (tag >= 8 && out.wire == protobuf_wire::bytes && second <= left() - 2) {
                out.bits = 0;
                out.bytes = {at_ + 2, second};
                at_ += 2 + second;
                return nullptr;
            }
            if (tag >= 8 && out.wire == protobuf_wire::varint) {
                out.bits = second;
                out.bytes = {};
                at_ += 2;
                return nullptr;
            }
        }
        return take_long(out);
    }

    /// A number of that many bits, the lowest first; null or what is wrong with it.
    template <class Word = std::uint64_t>
    const char* take_fixed(std::uint64_t& out) noexcept {
        if (left() < sizeof(Word)) return "the bytes end inside a number";
        Word word = 0;
        for (std::size_t i = 0; i < sizeof word; ++i) {
            word |= static_cast<Word>(static_cast<Word>(static_cast<unsigned char>(at_[i])) << (8 * i));
        }
        at_ += sizeof word;
        out = word;
        return nullptr;
    }

private:
    [[gnu::noinline]] const char* take_long(protobuf_item& out) noexcept {
        out.bits = 0;
        out.bytes = {};
        std::uint64_t tag = 0;
        if (const char* wrong = take_varint(tag)) return wrong;
        out.wire = static_cast<protobuf_wire>(tag & 7);
        tag >>= 3;
        if (tag == 0 || tag > 0x1FFFFFFF) return "a field number that there is not";
        out.number = static_cast<std::uint32_t>(tag);
        switch (out.wire) {
        case protobuf_wire::varint: return take_varint(out.bits);
        case protobuf_wire::fixed64: return take_fixed(out.bits);
        case protobuf_wire::fixed32: return take_fixed<std::uint32_t>(out.bits);
        case protobuf_wire::bytes: {
            std::uint64_t size = 0;
            if (const char* wrong = take_varint(size)) return wrong;
            if (size > left()) return "a length beyond the end";
            out.bytes = {at_, static_cast<std::size_t>(size)};
            at_ += size;
            return nullptr;
        }
        case protobuf_wire::begin_group:
        case protobuf_wire::end_group: return "a group, which Kubernetes has none of";
        }
        return "a wire type that there is not";
    }

    const char* at_;
    const char* end_;
};

/// Writes a varint to `out`, which has room for ten bytes; how many they are.
inline std::size_t write_varint(char* out, std::uint64_t value) noexcept {
    std::size_t size = 0;
    for (; value >= 0x80; value >>= 7) out[size++] = static_cast<char>(value | 0x80);
    out[size++] = static_cast<char>(value);
    return size;
}
/// A tag and a varint, which most fields begin with: at once, because a string grows slowly byte by byte.
inline void put_head(std::string& to, std::uint32_t number, protobuf_wire wire, std::uint64_t value) {
    char bytes[20];
    std::size_t size = write_varint(bytes, std::uint64_t{number} << 3 | static_cast<std::uint64_t>(wire));
    size += write_varint(bytes + size, value);
    to.append(bytes, size);
}
inline void put_integer(std::string& to, std::uint32_t number, std::uint64_t value) {
    put_head(to, number, protobuf_wire::varint, value);
}
inline void put_bytes(std::string& to, std::uint32_t number, std::string_view value) {
    put_head(to, number, protobuf_wire::bytes, value.size());
    to += value;
}
inline void put_number(std::string& to, std::uint32_t number, double value) {
    char bytes[18];
    std::size_t size =
        write_varint(bytes, std::uint64_t{number} << 3 | static_cast<std::uint64_t>(protobuf_wire::fixed64));
    auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i, bits >>= 8) bytes[size++] = static_cast<char>(bits & 0xFF);
    to.append(bytes, size);
}

/// A message as a field. `write` appends what is in it, and returns false to give up. Most messages have fewer than 128
/// bytes: their length takes the one byte that is left for it, and those of larger ones are moved.
template <class Write>
bool put_message(std::string& to, std::uint32_t number, Write write) {
    put_head(to, number, protobuf_wire::bytes, 0);
    const std::size_t begin = to.size();
    if (!write()) return false;
    char length[10];
    const std::size_t size = write_varint(length, to.size() - begin);
    to[begin - 1] = length[0];
    if (size > 1) to.insert(begin, length + 1, size - 1);
    return true;
}

}  // namespace kcontrol::detail
