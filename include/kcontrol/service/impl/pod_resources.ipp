#pragma once

#include <kcontrol/service/pod_resources.hpp>

#include <optional>

namespace kcontrol::inline v0_1::service {
namespace detail {

// The little of Protocol Buffers that these messages need: numbers, and fields with a length.
class pod_message_reader {
public:
    explicit pod_message_reader(std::string_view message) : left_(message) {}

    std::uint64_t number = 0;  // of the field
    std::string_view bytes;    // of a field that has a length; null data for others
    std::uint64_t value = 0;   // of a field that is a varint

    bool has_bytes() const noexcept { return wire_ == 2; }
    bool is_varint() const noexcept { return wire_ == 0; }
    /// Why it ended before its end, or null.
    const char* wrong() const noexcept { return wrong_; }

    /// Goes to the next field; false at the end, and where something is wrong.
    bool next() {
        if (left_.empty() || wrong_ != nullptr) return false;
        std::uint64_t tag = 0;
        if (!take(tag)) return false;
        number = tag >> 3;
        wire_ = static_cast<unsigned>(tag & 7);
        if (number == 0 || number > 0x1FFFFFFF) return fail("a field number that there is not");
        switch (wire_) {
        case 0: return take(value);
        case 1: return skip(8);
        case 2: return take_bytes();
        case 5: return skip(4);
        default: return fail("a wire type that there is not");
        }
    }

    /// A varint at the front, also of a packed list.
    bool take(std::uint64_t& out) {
        out = 0;
        for (unsigned shift = 0; !left_.empty(); shift += 7) {
            const std::uint64_t byte = static_cast<unsigned char>(left_.front());
            left_.remove_prefix(1);
            if (shift == 63 && byte > 1) return fail("a number of more than 64 bits");
            out |= (byte & 0x7F) << shift;
            if (byte < 0x80) return true;
        }
        return fail("the bytes end inside a number");
    }
    bool at_end() const noexcept { return left_.empty(); }

private:
    bool fail(const char* why) { return wrong_ = why, false; }
    bool skip(std::size_t size) {
        if (size > left_.size()) return fail("the bytes end inside a field");
        left_.remove_prefix(size);
        return true;
    }
    bool take_bytes() {
        std::uint64_t size = 0;
        if (!take(size)) return false;
        if (size > left_.size()) return fail("a length beyond the end");
        bytes = left_.substr(0, static_cast<std::size_t>(size));
        return skip(bytes.size());
    }

    std::string_view left_;
    unsigned wire_ = 0;
    const char* wrong_ = nullptr;
};

// Calls `take(number, reader)` for each field; what is wrong, or null.
template <class Take>
const char* for_each_pod_field(std::string_view message, Take take) {
    pod_message_reader reader(message);
    while (reader.next()) {
        if (const char* const wrong = take(reader)) return wrong;
    }
    return reader.wrong();
}

inline const char* read_devices(std::string_view message, container_devices& to) {
    return for_each_pod_field(message, [&](const pod_message_reader& field) -> const char* {
        if (field.number == 1 && field.has_bytes()) to.resource = field.bytes;
        if (field.number == 2 && field.has_bytes()) to.ids.emplace_back(field.bytes);
        return nullptr;
    });
}

// A list of numbers is packed, or one field for each.
inline const char* read_numbers(const pod_message_reader& field, std::vector<std::int64_t>& to) {
    if (field.is_varint()) to.push_back(static_cast<std::int64_t>(field.value));
    if (!field.has_bytes()) return nullptr;
    pod_message_reader packed(field.bytes);
    for (std::uint64_t one = 0; !packed.at_end() && packed.take(one);) to.push_back(static_cast<std::int64_t>(one));
    return packed.wrong();
}

inline const char* read_container(std::string_view message, container_resources& to) {
    return for_each_pod_field(message, [&](const pod_message_reader& field) -> const char* {
        if (field.number == 1 && field.has_bytes()) to.name = field.bytes;
        if (field.number == 2 && field.has_bytes()) return read_devices(field.bytes, to.devices.emplace_back());
        if (field.number == 3) return read_numbers(field, to.cpus);
        return nullptr;
    });
}

inline const char* read_pod_resources(std::string_view message, pod_resources& to) {
    return for_each_pod_field(message, [&](const pod_message_reader& field) -> const char* {
        if (!field.has_bytes()) return nullptr;
        if (field.number == 1) to.name = field.bytes;
        if (field.number == 2) to.namespace_ = field.bytes;
        if (field.number == 3) return read_container(field.bytes, to.containers.emplace_back());
        return nullptr;
    });
}

inline error broken_pod_message(const char* why) {
    return error(errc::decode_failed, std::string("the kubelet's list of pods and devices can't be read: ") + why);
}

}  // namespace detail

KCONTROL_DECL result<std::vector<pod_resources>> decode_pod_resources_list(std::string_view message) {
    std::vector<pod_resources> out;
    const char* const wrong =
        detail::for_each_pod_field(message, [&](const detail::pod_message_reader& field) -> const char* {
            if (field.number != 1 || !field.has_bytes()) return nullptr;
            return detail::read_pod_resources(field.bytes, out.emplace_back());
        });
    if (wrong != nullptr) return detail::broken_pod_message(wrong);
    return out;
}

KCONTROL_DECL result<pod_resources> decode_pod_resources(std::string_view message) {
    pod_resources out;
    const char* const wrong =
        detail::for_each_pod_field(message, [&](const detail::pod_message_reader& field) -> const char* {
            if (field.number != 1 || !field.has_bytes()) return nullptr;
            return detail::read_pod_resources(field.bytes, out);
        });
    if (wrong != nullptr) return detail::broken_pod_message(wrong);
    return out;
}

}  // namespace kcontrol::service
