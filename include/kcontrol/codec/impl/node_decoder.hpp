// node_decoder: puts an object together in one block of memory, from the nodes of a parsed document. It takes whatever
// is right, and says what is wrong; cursor_decoder is the faster one.
#pragma once

#include <kcontrol/codec/detail/block_builder.hpp>
#include <kcontrol/codec/impl/decode_error.hpp>
#include <kcontrol/codec/impl/field_lookup.hpp>
#include <kcontrol/codec/share_pool.hpp>
#include <kcontrol/values/handle.hpp>
#include <kcontrol/values/int_or_string.hpp>
#include <kcontrol/values/text.hpp>
#include <kcontrol/values/timestamp.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace kcontrol::inline v0_1 {
namespace detail {

/// Puts the control block of the shared_ptr in front of the object, in the same piece of memory.
template <class T>
struct block_allocator {
    using value_type = T;
    static constexpr std::size_t room = 64;

    explicit block_allocator(char* m) noexcept : memory(m) {}
    template <class U>
    block_allocator(const block_allocator<U>& other) noexcept : memory(other.memory) {}  // NOLINT: as allocators do

    T* allocate(std::size_t) noexcept {
        static_assert(sizeof(T) <= room, "the control block outgrew the room for it");
        return reinterpret_cast<T*>(memory);
    }
    void deallocate(T* place, std::size_t) noexcept { std::free(place); }
    template <class U>
    bool operator==(const block_allocator<U>& other) const noexcept {
        return memory == other.memory;
    }

    char* memory;
};

/// Keeps the pool for as long as the object.
struct block_deleter {
    std::shared_ptr<const void> pool;
    std::size_t size = 0;  // of the object
    void operator()(const void*) noexcept { pool.reset(); }
};

inline std::shared_ptr<const void> block_builder::finish(std::shared_ptr<const void> pool) {
    constexpr std::size_t room = block_allocator<char>::room;
    char* memory = static_cast<char*>(handle_allocate(room + size_));
    char* object = memory + room;
    std::memcpy(object, bytes_.get(), size_);
    const auto base = reinterpret_cast<handle_word>(object);
    for (const std::uint32_t slot : handles_) {
        handle_word word = 0;
        std::memcpy(&word, object + slot, sizeof word);
        word += base;
        std::memcpy(object + slot, &word, sizeof word);
    }
    return {object, block_deleter{std::move(pool), size_}, block_allocator<char>(memory)};
}

/// Calls with the working memory of a pool, or with memory of its own.
template <class Use>
auto with_builder(share_pool* pool, Use use) {
    if (pool != nullptr) return use(pool->workspace());
    const auto own = std::make_unique<block_builder>();
    return use(*own);
}

/// Walks a document and a table side by side and builds the block.
class node_decoder : public decode_failure {
public:
    node_decoder(block_builder& to, share_pool* pool) : to_(to), pool_(pool) {}

    bool decode_root(const type_descriptor& type, json::node from) {
        return decode_structure(type, from, to_.allocate(type.size, alignof(std::max_align_t)));
    }

protected:
    bool decode(const type_descriptor& type, json::node from, std::size_t at) {
        switch (type.kind) {
        case type_kind::text: return decode_text(from, at);
        case type_kind::structure: return decode_structure(type, from, at);
        case type_kind::list: return decode_list(type, from, at);
        case type_kind::map: return decode_map(type, from, at);
        case type_kind::optional: return decode_optional(type, from, at);
        case type_kind::boolean: return decode_scalar<bool>(from, at);
        case type_kind::int32: return decode_scalar<std::int32_t>(from, at);
        case type_kind::int64: return decode_scalar<std::int64_t>(from, at);
        case type_kind::number: return decode_scalar<double>(from, at);
        case type_kind::quantity: return decode_quantity(from, at);
        case type_kind::timestamp:
        case type_kind::microseconds: return decode_scalar<timestamp>(from, at);
        case type_kind::int_or_string: return decode_int_or_string(from, at);
        case type_kind::raw: put_text(at, from.to_json()); return true;
        case type_kind::string:
        case type_kind::custom: break;  // is_blockable() says no
        }
        return say("not a type of a block");
    }

    template <class T>
    bool decode_scalar(json::node from, std::size_t at) {
        T value{};
        if (!read(from, value)) return false;
        to_.set(at, value);
        return true;
    }
    template <class T>
    bool decode_optional_scalar(json::node from, std::size_t at) {
        T value{};
        if (!read(from, value)) return false;
        ::new (static_cast<void*>(to_.at(at))) std::optional<T>(value);
        return true;
    }

    bool decode_text(json::node from, std::size_t at) {
        if (!from.is_string()) return mismatch("a string", from);
        put_text(at, from.as_string());
        return true;
    }

    bool decode_quantity(json::node from, std::size_t at) {
        if (!check_quantity(from)) return false;
        if (from.is_string()) return decode_text(from, at);
        put_text(at, from.to_json());
        return true;
    }

    void put_text(std::size_t at, std::string_view bytes) {
        if (bytes.size() <= text::inline_capacity) {
            to_.set_word(at, text::inline_word(bytes));
            return;
        }
        if (pool_ != nullptr) {
            if (const void* shared = pool_->find_text(bytes, insist_)) {
                to_.set_word(at, reinterpret_cast<handle_word>(shared));
                return;
            }
        }
        const auto size = static_cast<std::uint32_t>(bytes.size());
        const std::size_t payload = to_.allocate_uninitialised(sizeof size + bytes.size(), 4);
        to_.set(payload, size);
        std::memcpy(to_.at(payload) + sizeof size, bytes.data(), bytes.size());
        to_.set_handle(at, payload);
    }

    bool decode_int_or_string(json::node from, std::size_t at) {
        std::int32_t number = 0;
        if (!read_unless_string(from, number)) return false;
        if (from.is_string()) {
            put_text(at + int_or_string::text_offset(), from.as_string());
        } else {
            to_.set_word(at + int_or_string::text_offset(), 0);
        }
        to_.set(at + int_or_string::number_offset(), number);
        return true;
    }

    bool decode_optional(const type_descriptor& type, json::node from, std::size_t at) {
        const type_descriptor& element = *type.element;
        if (!type.handle) {
            switch (element.kind) {
            case type_kind::boolean: return decode_optional_scalar<bool>(from, at);
            case type_kind::int32: return decode_optional_scalar<std::int32_t>(from, at);
            case type_kind::int64: return decode_optional_scalar<std::int64_t>(from, at);
            default: return decode_optional_scalar<double>(from, at);
            }
        }
        const std::size_t before = to_.handle_count();
        const std::size_t part = to_.allocate(element.size, 8);
        if (!decode(element, from, part)) return false;
        if (!share(part, before, at)) to_.set_handle(at, part);
        return true;
    }

    /// Replaces a part that holds nothing of its own by the shared copy.
    bool share(std::size_t part, std::size_t handles_before, std::size_t slot) {
        if (pool_ == nullptr || to_.handle_count() != handles_before) return false;
        const void* shared = pool_->find_part(to_.at(part), to_.size() - part, insist_);
        if (shared == nullptr) return false;
        to_.cut(part);
        to_.set_word(slot, reinterpret_cast<handle_word>(shared));
        return true;
    }

    /// null leaves a part as it is, which is absent, but for those to which null is a value of its own.
    bool decode_or_null(const type_descriptor& type, json::node from, std::size_t at) {
        if (!from.is_null()) return decode(type, from, at);
        if (type.nullable) to_.set_word(at, handle_inline);
        return true;
    }

    bool decode_list(const type_descriptor& type, json::node from, std::size_t at) {
        if (!from.is_array()) return mismatch("a list", from);
        const std::size_t count = from.size();
        if (count == 0) {
            to_.set_word(at, handle_inline);
            return true;
        }
        const type_descriptor& element = *type.element;
        const std::size_t before = to_.handle_count();
        const std::size_t part = allocate_elements(count, element.size);
        std::size_t index = 0;
        for (const json::node value : from.elements()) {
            const std::size_t place = part + list_offset + index * element.size;
            if (!decode_or_null(element, value, place)) return at_index(index);
            ++index;
        }
        if (!share(part, before, at)) to_.set_handle(at, part);
        return true;
    }

    std::size_t allocate_elements(std::size_t count, std::size_t size) {
        const std::size_t part = to_.allocate(list_offset + count * size, 8);
        to_.set(part, list_header{static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(count)});
        return part;
    }

    bool decode_map(const type_descriptor& type, json::node from, std::size_t at) {
        if (!from.is_object()) return mismatch("an object", from);
        if (from.is_empty()) {
            to_.set_word(at, handle_inline);
            return true;
        }
        const auto members = from.members();
        // Servers write maps in the order of keys, which is ours.
        bool ordered = true;
        std::string_view previous;
        std::size_t count = 0;
        for (auto next = members.begin(); next != members.end() && ordered; ++next, ++count) {
            const auto name = (*next).name;
            ordered = count == 0 || previous < name;
            previous = name;
        }
        if (ordered) return decode_entries(type, members, count, at);
        using json::member;
        std::vector<member> sorted(members.begin(), members.end());
        std::stable_sort(sorted.begin(), sorted.end(),
                         [](const member& a, const member& b) { return a.name < b.name; });
        // Of a key that appears twice the last one counts.
        const auto last = std::unique(sorted.rbegin(), sorted.rend(), [](const member& a, const member& b) {
                              return a.name == b.name;
                          }).base();
        sorted.erase(sorted.begin(), last);
        return decode_entries(type, sorted, sorted.size(), at);
    }

    template <class Members>
    bool decode_entries(const type_descriptor& type, const Members& members, std::size_t count, std::size_t at) {
        const type_descriptor& element = *type.element;
        const std::size_t entry = sizeof(handle_word) + ((element.size + 7U) & ~std::size_t{7});
        const std::size_t before = to_.handle_count();
        const std::size_t part = allocate_elements(count, entry);
        std::size_t place = part + list_offset;
        for (const auto& member : members) {
            put_text(place, member.name);
            if (!decode_or_null(element, member.value, place + sizeof(handle_word))) return at_key(member.name);
            place += entry;
        }
        if (!share(part, before, at)) to_.set_handle(at, part);
        return true;
    }

    bool decode_structure(const type_descriptor& type, json::node from, std::size_t at) {
        if (!from.is_object()) return mismatch("an object", from);
        std::size_t previous = 0;
        for (const auto member : from.members()) {
            // Objects of a type have their members in the same order, which is not that of the table.
            std::uint16_t& expected = to_.expected_field(&type, previous);
            std::size_t hint = expected;
            const auto* field = find_field(type, member.name, hint);
            if (field == nullptr) continue;
            const auto index = static_cast<std::size_t>(field - type.fields);
            expected = static_cast<std::uint16_t>(index);
            previous = index + 1;
            const std::size_t place =
                static_cast<std::size_t>(static_cast<char*>(field->place(to_.at(at))) - to_.at(0));
            if (!decode_or_null(*field->type, member.value, place)) return at_member(field->name);
        }
        return true;
    }

    block_builder& to_;
    share_pool* pool_;
    bool insist_ = false;  // what is read is shared at once
};

}  // namespace detail
}  // namespace kcontrol
