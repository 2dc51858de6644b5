// cursor_decoder: puts an object together from a text in place, where most objects come from. It reads the text once
// from front to back, expects what servers write (no white space, maps in order, no escapes in names), and gives up on
// all else: whoever called it has the node_decoder, which says what is wrong.
#pragma once

#include <kcontrol/codec/impl/cursor_value_decoder.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace kcontrol::inline v0_1::detail {

class cursor_decoder : public cursor_value_decoder {
public:
    using cursor_value_decoder::cursor_value_decoder;

    /// Whether an object of the type was read; it is wrong, or not written as servers do, otherwise.
    bool decode_root(const type_descriptor& type) {
        return read_structure(type, to_.allocate(type.size, alignof(std::max_align_t)));
    }

private:
    // Beyond this many levels of the types the general decoder takes over: what is nested may be passed over, to count
    // elements or to recall it, once a level.
    static constexpr std::size_t deepest_read = 48;
    // How many elements there are is guessed, to this number, and to this depth: a wrong guess moves what is nested, so
    // that it should be no more than some times.
    static constexpr std::size_t most_guessed = 16;
    static constexpr std::size_t deepest_guessed = 8;

    /// Reads a value into a place, which is fresh. `site` stands for where in the types that is.
    bool read(const type_descriptor& type, std::size_t at, const void* site) {
        const char first = in_.front();
        if (type.kind == type_kind::text || type.kind == type_kind::quantity) {
            if (first == '"') return read_string(at, site);
        } else if (first == '{' || first == '[') {
            if (type.kind >= type_kind::optional) return read_or_recall(type, at, site);
        } else if (type.kind == type_kind::optional && type.handle && first != 'n') {
            return read_part(type, at, site);
        } else if (first == '"') {
            if (type.kind == type_kind::int_or_string) return read_string(at + int_or_string::text_offset(), site);
            if (type.kind == type_kind::timestamp || type.kind == type_kind::microseconds) return read_time(at);
        } else if (read_short_scalar(type, at)) {
            return true;
        }
        if (in_.take("null")) {
            if (type.nullable) to_.set(at, handle_inline);
            return true;
        }
        return read_elsewhere(type, at);
    }

    /// A text that was read before as the same type is not read again.
    bool read_or_recall(const type_descriptor& type, std::size_t at, const void* site) {
        if (pool_ == nullptr) return read_brackets(type, at, site);
        auto& repetition = to_.repetition_at(site);
        if (!repetition.likely()) return read_brackets(type, at, site);
        const char* const first = in_.at();
        if (!in_.skip_value(json::any_depth)) return false;
        const std::string_view text(first, static_cast<std::size_t>(in_.at() - first));
        if (text.size() < share_pool::shortest_text || text.size() > share_pool::longest_text) {
            // The next one will be as long, and its end is to be found first.
            if (text.size() > share_pool::longest_text) repetition.missed();
            in_.go_back_to(first);
            return read_brackets(type, at, site);
        }
        const auto known = pool_->find_value(&type, text);
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
        in_.go_back_to(first);
        if (!known.seen_before) return read_brackets(type, at, site);
        const std::size_t before = to_.handle_count();
        const bool outer = std::exchange(insist_, true);
        const bool done = read_brackets(type, at, site);
        insist_ = outer;
        // What is of this block alone can't be had again.
        if (done && to_.handle_count() == before) pool_->insert_value(&type, text, known.hash, to_.at(at), type.size);
        return done;
    }

    bool read_brackets(const type_descriptor& type, std::size_t at, const void* site) {
        const bool object = in_.front() == '{';
        if (type.kind == type_kind::optional && type.handle) return read_part(type, at, site);
        if (depth_ == deepest_read) return read_elsewhere(type, at);
        ++depth_;
        bool done = false;
        if (type.kind == type_kind::structure && object) {
            done = read_structure(type, at);
        } else if (type.kind == type_kind::list && !object) {
            done = read_list(type, at, site);
        } else if (type.kind == type_kind::map && object) {
            done = read_map(type, at, site);
        } else {
            done = read_elsewhere(type, at);
        }
        --depth_;
        return done;
    }

    bool read_structure(const type_descriptor& type, std::size_t at) {
        if (!in_.take('{')) return false;
        if (in_.take('}')) return true;
        std::size_t previous = 0;
        std::uint64_t filled = 0;  // a bit a field; those of large types share them
        do {
            __builtin_prefetch(in_.at() + 2048);
            std::uint16_t& expected = to_.expected_field(&type, previous);
            const field_descriptor* field = take_expected_name(type, expected);
            if (field == nullptr && !take_name(type, expected, field)) return false;
            if (field == nullptr) {
                if (!in_.skip_value(json::any_depth)) return false;
                continue;
            }
            const auto index = static_cast<std::size_t>(field - type.fields);
            expected = static_cast<std::uint16_t>(index);
            previous = index + 1;
            const std::size_t place = place_of(*field, at);
            const std::uint64_t bit = std::uint64_t{1} << (index & 63U);
            // A member that comes twice is read over what came first.
            if (!((filled & bit) == 0 ? read(*field->type, place, field) : read_elsewhere(*field->type, place)))
                return false;
            filled |= bit;
        } while (in_.take(','));
        return in_.take('}');
    }

    /// Passes over the name that is expected, and the colon; null if it is another.
    const field_descriptor* take_expected_name(const type_descriptor& type, std::size_t expected) noexcept {
        if (expected >= type.field_count) return nullptr;
        const field_descriptor& field = type.fields[expected];
        const std::size_t size = field.name.size();
        if (in_.left() < size + 3) return nullptr;
        const char* const text = in_.at();
        if (text[0] != '"' || text[size + 1] != '"' || text[size + 2] != ':') return nullptr;
        if (!same_bytes(text + 1, field.name.data(), size)) return nullptr;
        in_.pass(size + 3);
        return &field;
    }
    /// Passes over any other; `field` stays null if the type has no such field.
    bool take_name(const type_descriptor& type, std::size_t expected, const field_descriptor*& field) {
        std::string_view name;
        bool escaped = false;
        if (!in_.take_string(name, escaped) || escaped || !in_.take(':')) return false;
        field = find_field(type, name, expected);
        return true;
    }
    std::size_t place_of(const field_descriptor& field, std::size_t at) {
        if (field.access == nullptr) return at + field.offset;
        return static_cast<std::size_t>(static_cast<char*>(field.access(to_.at(at))) - to_.at(0));
    }

    bool read_part(const type_descriptor& type, std::size_t at, const void* site) {
        const std::size_t before = to_.handle_count();
        const std::size_t part = to_.allocate(type.element->size, 8);
        const char first = in_.front();
        const bool done =
            first == '{' || first == '[' ? read_brackets(*type.element, part, site) : read(*type.element, part, site);
        if (!done) return false;
        if (!share(part, before, at)) to_.set_fresh_handle(at, part);
        return true;
    }

    /// How many elements there are from here to the end of the list.
    bool count_elements(std::size_t& count) {
        json::cursor ahead = in_;
        count = 0;
        do {
            if (!ahead.skip_value(json::any_depth)) return false;
            ++count;
        } while (ahead.take(','));
        return ahead.front() == ']';
    }

    bool read_list(const type_descriptor& type, std::size_t at, const void* site) {
        if (!in_.take('[')) return false;
        if (in_.take(']')) return to_.set(at, handle_inline), true;
        const type_descriptor& element = *type.element;
        const std::size_t before = to_.handle_count();
        // How many there will be is guessed, as what is read goes behind them.
        std::uint16_t& expected = to_.expected_field(site, 0);
        std::size_t room = std::clamp<std::size_t>(expected, 1, most_guessed);
        if (depth_ > deepest_guessed && !count_elements(room)) return false;
        const std::size_t part = allocate_elements(room, element.size);
        to_.allocate_uninitialised(0, 8);  // what follows begins where end_of_elements() says
        std::size_t count = 0;
        do {
            if (count == room) {
                std::size_t more = room;
                if (room >= most_guessed && !count_elements(more)) return false;
                add_room(part, room, more, element.size, before);
            }
            if (!read(element, part + list_offset + count * element.size, &type)) return false;
            ++count;
        } while (in_.take(','));
        if (!in_.take(']')) return false;
        finish_elements(part, count, room, element.size, before);
        expected = static_cast<std::uint16_t>(std::min(count, most_guessed));
        if (!share(part, before, at)) to_.set_fresh_handle(at, part);
        return true;
    }
    static std::size_t end_of_elements(std::size_t part, std::size_t count, std::size_t size) noexcept {
        return (part + list_offset + count * size + 7) & ~std::size_t{7};
    }
    void add_room(std::size_t part, std::size_t& room, std::size_t more, std::size_t size, std::size_t before) {
        to_.shift(end_of_elements(part, room, size), end_of_elements(part, room + more, size), before);
        room += more;
    }
    void finish_elements(std::size_t part, std::size_t count, std::size_t room, std::size_t size, std::size_t before) {
        if (count < room) to_.shift(end_of_elements(part, room, size), end_of_elements(part, count, size), before);
        to_.set(part, list_header{static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(count)});
    }

    /// Another place of the types for each; they are only told apart.
    static const void* place_after(const void* site) noexcept {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): it is compared, never followed
        return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(site) ^ 0x5A0);
    }

    /// Whether the keys are plain and in our order, which is the servers', and how many.
    bool count_entries(std::size_t& count) {
        json::cursor ahead = in_;
        std::string_view previous;
        count = 0;
        do {
            std::string_view name;
            bool escaped = false;
            if (!ahead.take_string(name, escaped) || escaped || !ahead.take(':')) return false;
            if (count > 0 && !(previous < name)) return false;
            previous = name;
            ++count;
            if (!ahead.skip_value(json::any_depth)) return false;
        } while (ahead.take(','));
        return ahead.front() == '}';
    }

    bool read_map(const type_descriptor& type, std::size_t at, const void* site) {
        const char* const first = in_.at();
        in_.pass(1);
        if (in_.take('}')) return to_.set(at, handle_inline), true;
        const std::size_t size = to_.size();
        const std::size_t before = to_.handle_count();
        bool ordered = false;
        if (!read_entries(type, at, site, ordered)) {
            if (ordered) return false;
            to_.take_back(size, before);
            in_.go_back_to(first);
            return read_elsewhere(type, at);
        }
        return true;
    }

    /// `ordered` is false if only a key was not as it should be. Such a map is read anew, so that maps of more than
    /// texts are looked through before: else what is in them would be read anew once a level.
    bool read_entries(const type_descriptor& type, std::size_t at, const void* site, bool& ordered) {
        const type_descriptor& element = *type.element;
        std::uint16_t& expected = to_.expected_field(site, 0);
        std::size_t room = std::clamp<std::size_t>(expected, 1, most_guessed);
        const bool flat = element.kind == type_kind::text || element.kind == type_kind::quantity;
        if (!flat && !count_entries(room)) return false;
        const std::size_t entry = sizeof(handle_word) + ((element.size + 7U) & ~std::size_t{7});
        const std::size_t before = to_.handle_count();
        const std::size_t part = allocate_elements(room, entry);
        std::size_t count = 0;
        std::string_view previous;
        const void* told = &type;
        do {
            if (count == room) {
                std::size_t more = room;
                if (room >= most_guessed && !count_entries(more)) return false;
                add_room(part, room, more, entry, before);
            }
            const std::size_t place = part + list_offset + count * entry;
            if (!read_key(place, place_after(told), previous)) return false;
            // What comes again is told by the key before, if that comes again.
            handle_word key = 0;
            std::memcpy(&key, to_.at(place), sizeof key);
            // NOLINTNEXTLINE(performance-no-int-to-ptr): the same
            told = key > to_.size() ? reinterpret_cast<const void*>(key & ~handle_marks) : &type;
            if (!read(element, place + sizeof key, told)) return ordered = true, false;
            ++count;
        } while (in_.take(','));
        ordered = true;
        if (!in_.take('}')) return false;
        finish_elements(part, count, room, entry, before);
        expected = static_cast<std::uint16_t>(std::min(count, most_guessed));
        if (!share(part, before, at)) to_.set_fresh_handle(at, part);
        return true;
    }

    /// False if the key is not behind the one before, in our order, or has escapes.
    bool read_key(std::size_t at, const void* site, std::string_view& previous) {
        const char* const first = in_.at() + 1;
        if (!take_expected(at, site)) {
            std::string_view content;
            bool escaped = false;
            if (!in_.take_string(content, escaped) || escaped) return false;
            put_string(at, content, site);
        }
        const std::string_view key(first, static_cast<std::size_t>(in_.at() - 1 - first));
        const bool ordered = previous.data() == nullptr || previous < key;
        previous = key;
        return ordered && in_.take(':');
    }

    std::size_t depth_ = 0;
};

}  // namespace kcontrol::detail
