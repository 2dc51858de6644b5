// text_decoder: the block_decoder for a text in place, where most objects come from. It walks the tokens itself,
// expects what servers write (no white space, maps in order, no escapes in names), and leaves all else to the general
// one.
#pragma once

#include <kcontrol/model/impl/block_decoder.ipp>

#include <bit>
#include <cstring>
#include <utility>

namespace kcontrol::detail {

class text_decoder : public block_decoder<json::lazy_node> {
public:
    /// `from` is an object.
    text_decoder(block_builder& to, share_pool* pool, json::lazy_node from)
        : block_decoder(to, pool), in_(json::detail::text_tokens::index(from)), text_(in_.text), starts_(in_.starts) {}

    bool decode_root(const type_descriptor& type, json::lazy_node from) {
        const std::size_t at = to_.allocate(type.size, alignof(std::max_align_t));
        return read_structure(type, json::detail::text_tokens::token(from), at);
    }

private:
    using token = std::size_t;

    char letter(token i) const noexcept { return text_[starts_[i]]; }
    json::lazy_node node(token i) const noexcept { return json::detail::text_tokens::node(in_, i); }
    /// From a token's start to the next one's: with compact texts, what the token takes.
    std::size_t extent(token i) const noexcept { return starts_[i + 1] - starts_[i]; }
    bool is(token i, std::string_view word) const noexcept {
        return extent(i) == word.size() && std::memcmp(text_ + starts_[i], word.data(), word.size()) == 0;
    }
    bool may_be_value(token i) const noexcept { return !json::detail::text_index::separates(letter(i)); }

    /// Whether it is a string that is only to be copied.
    bool is_plain_string(token i) const noexcept {
        const std::size_t first = starts_[i];
        const std::size_t behind = starts_[i + 1];
        return text_[first] == '"' && text_[behind - 1] == '"' && behind - first >= 2 && !in_.has_escape(first, behind);
    }
    std::string_view plain_string(token i) const noexcept { return {text_ + starts_[i] + 1, extent(i) - 2}; }

    /// Reads a value into a place, which is fresh. `site` stands for where in the types that is.
    bool read(const type_descriptor& type, token i, std::size_t at, const void* site) {
        const char first = letter(i);
        if (first == '"') {
            const bool is_text = type.kind == type_kind::text || type.kind == type_kind::quantity;
            if (is_text && is_plain_string(i)) return put_string(at, i, site), true;
            if (type.kind == type_kind::timestamp && is_plain_string(i)) {
                if (const auto time = parse_time(plain_string(i))) return to_.set(at, timestamp(*time)), true;
            }
        } else if (first == '{' || first == '[') {
            if (type.kind >= type_kind::optional) return read_or_recall(type, i, at, site);
        } else if (first == 'n') {
            return decode_or_null(type, node(i), at);
        } else if (read_short_scalar(type, i, first, at)) {
            return true;
        }
        return decode_or_null(type, node(i), at);
    }

    /// The ones that are written in few letters; false if it is not one of these.
    bool read_short_scalar(const type_descriptor& type, token i, char first, std::size_t at) {
        const type_descriptor* scalar = &type;
        const bool optional = type.kind == type_kind::optional && !type.handle;
        if (optional) scalar = type.element;
        if (scalar->kind == type_kind::boolean) {
            const bool value = first == 't';
            if (!is(i, value ? "true" : "false")) return false;
            return put(optional, at, value);
        }
        std::int32_t number = 0;
        if (scalar->kind == type_kind::int32) return read_short_number(i, number) && put(optional, at, number);
        if (scalar->kind != type_kind::int64) return false;
        return read_short_number(i, number) && put(optional, at, std::int64_t{number});
    }
    template <class T>
    bool put(bool optional, std::size_t at, T value) {
        if (optional) {
            ::new (static_cast<void*>(to_.at(at))) std::optional<T>(value);
        } else {
            to_.set(at, value);
        }
        return true;
    }
    bool read_short_number(token i, std::int32_t& out) const noexcept {
        const std::size_t size = extent(i);
        const char* digits = text_ + starts_[i];
        if (size > 9 || (size > 1 && *digits == '0')) return false;
        std::int32_t value = 0;
        for (std::size_t n = 0; n < size; ++n) {
            const int digit = digits[n] - '0';
            if (digit < 0 || digit > 9) return false;
            value = value * 10 + digit;
        }
        out = value;
        return true;
    }

    void put_string(std::size_t at, token i, const void* site) {
        const std::string_view bytes = plain_string(i);
        if (bytes.size() <= text::inline_capacity) {
            to_.set(at, inline_string(i, bytes));
            return;
        }
        if (pool_ != nullptr) {
            auto& repetition = to_.repetition_at(site);
            if (repetition.last != nullptr && is_text(repetition.last, bytes)) {
                to_.set(at, reinterpret_cast<handle_word>(repetition.last));
                return;
            }
            if (insist_ || repetition.likely()) {
                if (const void* shared = pool_->find_text(bytes, insist_)) {
                    repetition.found();
                    repetition.last = static_cast<const char*>(shared);
                    to_.set(at, reinterpret_cast<handle_word>(shared));
                    return;
                }
                repetition.missed();
            }
        }
        const auto size = static_cast<std::uint32_t>(bytes.size());
        const std::size_t payload = to_.allocate_uninitialised(sizeof size + bytes.size(), 4);
        to_.set(payload, size);
        const auto first = static_cast<std::size_t>(bytes.data() - text_);
        to_.copy_last(payload + sizeof size, bytes.data(), bytes.size(), in_.size - first);
        to_.set_fresh_handle(at, payload);
    }

    static bool is_text(const char* payload, std::string_view bytes) noexcept {
        std::uint32_t size = 0;
        std::memcpy(&size, payload, sizeof size);
        return size == bytes.size() && same_bytes(payload + sizeof size, bytes.data(), size);
    }

    /// The quote before the string stands where the word has its mark.
    handle_word inline_string(token i, std::string_view bytes) const noexcept {
        if constexpr (std::endian::native == std::endian::little) {
            if (starts_[i] + sizeof(handle_word) <= in_.size) {
                handle_word word = 0;
                std::memcpy(&word, text_ + starts_[i], sizeof word);
                const handle_word mark = (bytes.size() << 2U) | handle_inline;
                return (word &
                        (~handle_word{0xFF} >> (8 * (text::inline_capacity - bytes.size())) & ~handle_word{0xFF})) |
                       mark;
            }
        }
        return text::inline_word(bytes);
    }

    /// A text that was read before as the same type is not read again.
    bool read_or_recall(const type_descriptor& type, token i, std::size_t at, const void* site) {
        if (pool_ == nullptr) return read_tokens(type, i, at);
        auto& repetition = to_.repetition_at(site);
        const std::string_view text(text_ + starts_[i], starts_[in_.pairs[i]] + 1 - starts_[i]);
        if (text.size() < share_pool::shortest_text || text.size() > share_pool::longest_text || !repetition.likely()) {
            return read_tokens(type, i, at);
        }
        const auto known = pool_->recall(&type, text);
        if (known.value != nullptr) {
            repetition.found();
            // Handles, mostly: that is no call.
            if (type.size == sizeof(handle_word)) {
                std::memcpy(to_.at(at), known.value, sizeof(handle_word));
            } else {
                std::memcpy(to_.at(at), known.value, type.size);
            }
            return true;
        }
        repetition.missed();
        if (!known.seen_before) return read_tokens(type, i, at);
        const std::size_t before = to_.handle_count();
        const bool outer = std::exchange(insist_, true);
        const bool done = read_tokens(type, i, at);
        insist_ = outer;
        // What is malformed reads as something else, and what is of this block alone can't be had again.
        if (done && to_.handle_count() == before && in_.fault == json::detail::text_index::no_fault) {
            pool_->remember(&type, text, known.hash, to_.at(at), type.size);
        }
        return done;
    }

    bool read_tokens(const type_descriptor& type, token i, std::size_t at) {
        const bool object = letter(i) == '{';
        if (type.kind == type_kind::structure && object) return read_structure(type, i, at);
        if (type.kind == type_kind::list && !object) return read_list(type, i, at);
        if (type.kind == type_kind::map && object) return read_map(type, i, at);
        if (type.kind == type_kind::optional && type.handle) return read_part(type, i, at);
        return decode(type, node(i), at);
    }

    bool read_structure(const type_descriptor& type, token i, std::size_t at) {
        const token end = in_.pairs[i];
        if (++i == end) return true;
        std::size_t previous = 0;
        std::uint64_t filled = 0;  // a bit a field; those of large types share them
        for (;;) {
            if (i + 2 >= end || letter(i) != '"' || letter(i + 1) != ':' || !may_be_value(i + 2))
                return in_.blame(i), true;
            std::uint16_t& expected = to_.expected_field(&type, previous);
            const field_descriptor* field = find(type, i, expected);
            const token value = i + 2;
            const token behind = in_.after(value);
            if (field != nullptr) {
                const auto index = static_cast<std::size_t>(field - type.fields);
                expected = static_cast<std::uint16_t>(index);
                previous = index + 1;
                const std::size_t place = place_of(*field, at);
                const std::uint64_t bit = std::uint64_t{1} << (index & 63U);
                // A member that comes twice is read over what came first.
                const bool done = (filled & bit) == 0 ? read(*field->type, value, place, field)
                                                      : decode_or_null(*field->type, node(value), place);
                if (!done) return at_member(field->name);
                filled |= bit;
            }
            if (behind == end) return true;
            if (letter(behind) != ',') return in_.blame(behind), true;
            i = behind + 1;
        }
    }

    /// The field whose name the token is: the expected one, mostly.
    const field_descriptor* find(const type_descriptor& type, token i, std::size_t expected) const {
        if (expected < type.field_count) {
            const field_descriptor& field = type.fields[expected];
            const std::size_t size = field.name.size();
            if (extent(i) == size + 2 && same_bytes(text_ + starts_[i] + 1, field.name.data(), size)) return &field;
        }
        return find_member(type, json::lazy_member{node(i), node(i + 2)}, expected);
    }
    std::size_t place_of(const field_descriptor& field, std::size_t at) {
        if (field.access == nullptr) return at + field.offset;
        return static_cast<std::size_t>(static_cast<char*>(field.access(to_.at(at))) - to_.at(0));
    }

    bool read_part(const type_descriptor& type, token i, std::size_t at) {
        const std::size_t before = to_.handle_count();
        const std::size_t part = to_.allocate(type.element->size, 8);
        if (!read_tokens(*type.element, i, part)) return false;
        if (!share(part, before, at)) to_.set_fresh_handle(at, part);
        return true;
    }

    bool read_list(const type_descriptor& type, token i, std::size_t at) {
        const token end = in_.pairs[i];
        if (i + 1 == end) return to_.set(at, handle_inline), true;
        std::size_t count = 0;
        for (token next = i + 1;; ++next) {
            if (!may_be_value(next)) return decode_list(type, node(i), at);
            next = in_.after(next);
            ++count;
            if (next == end) break;
            if (letter(next) != ',' || next + 1 == end) return decode_list(type, node(i), at);
        }
        const type_descriptor& element = *type.element;
        const std::size_t before = to_.handle_count();
        const std::size_t part = allocate_elements(count, element.size);
        token next = i + 1;
        for (std::size_t index = 0; index < count; ++index) {
            if (!read(element, next, part + list_offset + index * element.size, &type)) return at_index(index);
            next = in_.after(next) + 1;
        }
        if (!share(part, before, at)) to_.set_fresh_handle(at, part);
        return true;
    }

    /// Another place of the types for each; they are only told apart.
    static const void* place_after(const void* site) noexcept {
        return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(site) ^ 0x5A0);
    }

    bool read_map(const type_descriptor& type, token i, std::size_t at) {
        const token end = in_.pairs[i];
        if (i + 1 == end) return to_.set(at, handle_inline), true;
        std::size_t count = 0;
        std::string_view previous;
        for (token next = i + 1;; ++next) {
            if (next + 2 >= end || !is_plain_string(next) || letter(next + 1) != ':' || !may_be_value(next + 2)) {
                return decode_map(type, node(i), at);
            }
            // Servers write maps in the order of keys, which is ours.
            const std::string_view name = plain_string(next);
            if (count > 0 && !(previous < name)) return decode_map(type, node(i), at);
            previous = name;
            ++count;
            next = in_.after(next + 2);
            if (next == end) break;
            if (letter(next) != ',') return decode_map(type, node(i), at);
        }
        const type_descriptor& element = *type.element;
        const std::size_t entry = sizeof(handle_word) + ((element.size + 7U) & ~std::size_t{7});
        const std::size_t before = to_.handle_count();
        const std::size_t part = allocate_elements(count, entry);
        std::size_t place = part + list_offset;
        token next = i + 1;
        const void* site = &type;
        for (std::size_t index = 0; index < count; ++index, place += entry) {
            // What comes again is told by the key before, if that comes again.
            put_string(place, next, place_after(site));
            handle_word key = 0;
            std::memcpy(&key, to_.at(place), sizeof key);
            site = key > to_.size() ? reinterpret_cast<const void*>(key & ~handle_marks) : &type;
            if (!read(element, next + 2, place + sizeof key, site)) return at_key(plain_string(next));
            next = in_.after(next + 2) + 1;
        }
        if (!share(part, before, at)) to_.set_fresh_handle(at, part);
        return true;
    }

    const json::detail::text_index& in_;
    const char* const text_;
    const std::uint32_t* const starts_;
};

}  // namespace kcontrol::detail
