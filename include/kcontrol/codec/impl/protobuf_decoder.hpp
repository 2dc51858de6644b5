// protobuf_decoder: puts an object together in one block of memory, from a message as servers write it: fields in runs
// of one number, maps in order. A message that is written in another way is put in order first.
#pragma once

#include <kcontrol/codec/impl/node_decoder.hpp>
#include <kcontrol/codec/impl/protobuf_json_writer.hpp>
#include <kcontrol/codec/impl/protobuf_plan.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

class protobuf_decoder : public node_decoder {
public:
    protobuf_decoder(block_builder& to, share_pool* pool, bool in_order)
        : node_decoder(to, pool), values_(*this), in_order_(in_order) {}

    bool decode_root(const protobuf_plan& plan, std::string_view bytes) {
        end_ = bytes.data() + bytes.size();
        // An empty element of a list is two bytes on the wire and the size of its struct in memory.
        most_ = std::min((std::size_t{4} << 20) + 32 * bytes.size(), most_memory);
        return read_structure(plan, bytes, to_.allocate(plan.type->size, alignof(std::max_align_t)));
    }

    /// Whether all that was wrong is the order in which the fields came.
    bool out_of_order() const noexcept { return out_of_order_; }

private:
    static constexpr std::size_t most_memory = std::size_t{0xFFFF0000};

    bool read_structure(const protobuf_plan& plan, std::string_view bytes, std::size_t at) {
        if (depth_ == deepest_protobuf) return say("messages nested too deeply");
        ++depth_;
        bool done = false;
        if (in_order_) {
            done = read_fields(plan, bytes, at);
        } else {
            std::string ordered;
            done = put_in_order(plan, bytes, ordered) && read_fields(plan, ordered, at);
        }
        --depth_;
        return done;
    }

    bool read_fields(const protobuf_plan& plan, std::string_view bytes, std::size_t at) {
        protobuf_cursor in(bytes);
        protobuf_item item;
        bool taken = false;        // the item is there already, but was not looked at
        std::uint64_t filled = 0;  // a bit a field; large numbers share them, which is out of order at worst
        while (taken || !in.at_end()) {
            if (!taken) {
                if (const char* wrong = in.take(item)) return values_.malformed(wrong);
            }
            taken = false;
            const protobuf_slot* const slot = item.number < plan.slots.size() ? &plan.slots[item.number] : nullptr;
            if (slot == nullptr || slot->field == nullptr) continue;
            const std::uint64_t bit = std::uint64_t{1} << (item.number & 63U);
            if (in_order_ && (filled & bit) != 0) return out_of_order_ = true, false;
            filled |= bit;
            const std::size_t place = slot->member == nullptr ? at : place_of(*slot->member, at);
            bool done = false;
            if (!slot->value.repeats) {
                // Half of what Go writes says nothing.
                const bool zero = slot->value.skips_zero && (item.bits | item.bytes.size()) == 0;
                if (zero && item.wire == slot->value.wire) continue;
                done = read_single(slot->value, item, place, slot);
            } else {
                const std::uint32_t number = item.number;
                const char* const begin = item.begin;
                const char* end = in.at();
                std::size_t count = 1;
                for (; !in.at_end(); ++count, end = in.at()) {
                    if (const char* wrong = in.take(item)) return values_.malformed(wrong);
                    taken = item.number != number;
                    if (taken) break;
                }
                done = read_run(slot->value, {begin, static_cast<std::size_t>(end - begin)}, count, place);
            }
            if (!done) return slot->member != nullptr && at_member(slot->member->name);
        }
        return true;
    }

    std::size_t place_of(const field_descriptor& field, std::size_t at) {
        if (field.access == nullptr) return at + field.offset;
        return static_cast<std::size_t>(static_cast<char*>(field.access(to_.at(at))) - to_.at(0));
    }

    /// Fields by number, of which those that are there once are so: of several scalars the last one counts, messages
    /// are all of their parts.
    bool put_in_order(const protobuf_plan& plan, std::string_view bytes, std::string& ordered) {
        std::vector<protobuf_item> items;
        protobuf_cursor in(bytes);
        while (!in.at_end()) {
            protobuf_item item;
            if (const char* wrong = in.take(item)) return values_.malformed(wrong);
            const bool known = item.number < plan.slots.size() && plan.slots[item.number].field != nullptr;
            if (!known) continue;
            item.bits = static_cast<std::uint64_t>(in.at() - item.begin);  // its size, tag included
            items.push_back(item);
        }
        std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
        for (std::size_t i = 0; i < items.size(); ++i) {
            const auto& field = *plan.slots[items[i].number].field;
            const bool last = i + 1 == items.size() || items[i + 1].number != items[i].number;
            if (field.form < protobuf_form::list && field.type == protobuf_type::message) {
                std::string merged;
                for (const auto number = items[i].number; i < items.size() && items[i].number == number; ++i) {
                    if (!values_.expect(items[i], protobuf_wire::bytes)) return name_of(plan, items[i]);
                    merged += items[i].bytes;
                }
                --i;
                put_bytes(ordered, items[i].number, merged);
            } else if (field.form >= protobuf_form::list || last) {
                ordered.append(items[i].begin, static_cast<std::size_t>(items[i].bits));
            }
        }
        return true;
    }
    bool name_of(const protobuf_plan& plan, const protobuf_item& item) {
        const auto* member = plan.slots[item.number].member;
        return member != nullptr && at_member(member->name);
    }

    /// Reads what was read before as the same value no more than once. `read` reads it at `at`.
    template <class Read>
    bool read_or_recall(const protobuf_value& value, std::string_view bytes, std::size_t at, const void* site,
                        Read read) {
        if (pool_ == nullptr || bytes.size() < share_pool::shortest_text || bytes.size() > share_pool::longest_text) {
            return read();
        }
        auto& repetition = to_.repetition_at(site);
        if (!repetition.likely()) return read();
        const auto known = pool_->find_value(&value, bytes);
        if (known.value != nullptr) {
            repetition.found();
            if (value.type->size == sizeof(handle_word)) {
                std::memcpy(to_.at(at), known.value, sizeof(handle_word));
            } else {
                std::memcpy(to_.at(at), known.value, value.type->size);
            }
            return true;
        }
        repetition.missed();
        if (!known.seen_before) return read();
        const std::size_t before = to_.handle_count();
        const bool outer = std::exchange(insist_, true);
        const bool done = read();
        insist_ = outer;
        // What is of this block alone can't be had again.
        if (done && to_.handle_count() == before) {
            pool_->insert_value(&value, bytes, known.hash, to_.at(at), value.type->size);
        }
        return done;
    }

    /// All items of a list or a map.
    bool read_run(const protobuf_value& value, std::string_view run, std::size_t count, std::size_t at) {
        if (value.step == protobuf_step::elsewhere) return read_elsewhere(value, run, at);
        return read_or_recall(value, run, at, &value, [&] {
            return value.step == protobuf_step::list ? read_list(value, run, count, at) : read_map(value, run, at);
        });
    }

    bool has_room(std::size_t count, std::size_t size) {
        if (to_.size() <= most_ && count * size <= most_ - to_.size()) return true;  // 32 bits each
        return say("the object would take more than " + std::to_string(most_) + " bytes of memory");
    }

    bool read_list(const protobuf_value& value, std::string_view run, std::size_t count, std::size_t at) {
        const type_descriptor& element = *value.type->element;
        const protobuf_type wanted = value.field->type;
        if (wire_of(wanted) != protobuf_wire::bytes && !count_packed(wanted, run, count)) return false;
        if (count == 0) return true;  // an item that holds many may hold none
        if (!has_room(count, element.size)) return false;
        const std::size_t before = to_.handle_count();
        const std::size_t part = allocate_elements(count, element.size);
        std::size_t index = 0;
        const bool done = values_.each(run, [&](const protobuf_item& item) {
            return values_.each_element(wanted, item, [&](const protobuf_item& each) {
                const std::size_t place = part + list_offset + index * element.size;
                if (!read_single(*value.element, each, place, value.element)) return at_index(index);
                ++index;
                return true;
            });
        });
        if (!done) return false;
        if (!share(part, before, at)) to_.set_fresh_handle(at, part);
        return true;
    }
    bool count_packed(protobuf_type type, std::string_view run, std::size_t& count) {
        count = 0;
        return values_.each(run, [&](const protobuf_item& item) {
            return values_.each_element(type, item, [&](const protobuf_item&) { return ++count, true; });
        });
    }

    struct entry {
        std::string_view key;
        protobuf_item value;
    };

    bool read_map(const protobuf_value& value, std::string_view run, std::size_t at) {
        const std::size_t first = entries_.size();
        const bool done = collect_entries(value, run) && put_entries(value, first, at);
        entries_.resize(first);
        return done;
    }

    bool collect_entries(const protobuf_value& value, std::string_view run) {
        return values_.each(run, [&](const protobuf_item& item) {
            if (!values_.expect(item, protobuf_wire::bytes)) return false;
            entry made;
            made.value.number = 2;
            made.value.wire = wire_of(value.field->type);
            const bool read = values_.each(item.bytes, [&](const protobuf_item& inner) {
                if (inner.number == 2) made.value = inner;
                if (inner.number == 1) made.key = inner.bytes;
                return inner.number != 1 || values_.expect(inner, protobuf_wire::bytes);
            });
            if (read) entries_.push_back(made);
            return read;
        });
    }

    bool put_entries(const protobuf_value& value, std::size_t first, std::size_t at) {
        const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(first);
        const auto not_before = [](const entry& a, const entry& b) { return !(a.key < b.key); };
        if (std::adjacent_find(begin, entries_.end(), not_before) != entries_.end()) {
            // Of a key that appears twice the last one counts.
            std::stable_sort(begin, entries_.end(), [](const entry& a, const entry& b) { return a.key < b.key; });
            auto kept = begin;
            for (auto each = begin; each != entries_.end(); ++each) {
                const auto next = each + 1;
                if (next == entries_.end() || next->key != each->key) *kept++ = *each;
            }
            entries_.erase(kept, entries_.end());
        }
        const std::size_t count = entries_.size() - first;
        const type_descriptor& element = *value.type->element;
        const std::size_t size = sizeof(handle_word) + ((element.size + 7U) & ~std::size_t{7});
        if (!has_room(count, size)) return false;
        const std::size_t before = to_.handle_count();
        const std::size_t part = allocate_elements(count, size);
        const void* told = &value;
        for (std::size_t i = 0; i < count; ++i) {
            const entry each = entries_[first + i];
            const std::size_t place = part + list_offset + i * size;
            if (!read_text(each.key, place, place_after(told))) return false;
            // What comes again is told by the key before, if that comes again.
            handle_word key = 0;
            std::memcpy(&key, to_.at(place), sizeof key);
            // NOLINTNEXTLINE(performance-no-int-to-ptr): it is compared, never followed
            told = key > to_.size() ? reinterpret_cast<const void*>(key & ~handle_marks) : &value;
            if (!read_single(*value.element, each.value, place + sizeof key, told)) return at_key(each.key);
        }
        if (!share(part, before, at)) to_.set_fresh_handle(at, part);
        return true;
    }
    static const void* place_after(const void* site) noexcept {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the same
        return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(site) ^ 0x5A0);
    }

    /// Reads a value into a fresh place. `site` stands for where in the types that is.
    bool read_single(const protobuf_value& value, const protobuf_item& item, std::size_t at, const void* site) {
        if (!values_.expect(item, value.wire)) return false;
        switch (value.step) {
        case protobuf_step::text: return (value.drops_zero && item.bytes.empty()) || read_text(item.bytes, at, site);
        case protobuf_step::boolean: return put(value, at, item.bits != 0);
        case protobuf_step::int32: return put(value, at, static_cast<std::int32_t>(item.bits));
        case protobuf_step::int64:
            return put(value, at,
                       value.wide ? static_cast<std::int32_t>(item.bits) : static_cast<std::int64_t>(item.bits));
        case protobuf_step::number: {
            const auto number = std::bit_cast<double>(item.bits);
            return values_.check_number(number) && put(value, at, number);
        }
        case protobuf_step::structure:
            return slot_is_inlined(value) ? read_structure(*value.plan, item.bytes, at)
                                          : read_or_recall(value, item.bytes, at, site,
                                                           [&] { return read_structure(*value.plan, item.bytes, at); });
        case protobuf_step::part: return read_part(value, item, at, site);
        case protobuf_step::time: return read_time(item.bytes, false, at);
        case protobuf_step::micro_time: return read_time(item.bytes, true, at);
        case protobuf_step::quantity: {
            std::string_view text;
            return values_.read_quantity(item.bytes, text) && read_text(text, at, site);
        }
        case protobuf_step::int_or_string: return read_int_or_string(item.bytes, at, site);
        case protobuf_step::bytes:
            if (!(value.drops_zero && item.bytes.empty())) put_text(at, encode_base64(item.bytes));
            return true;
        case protobuf_step::list:
        case protobuf_step::map:
        case protobuf_step::elsewhere: break;
        }
        return read_alone(value, item, at);
    }
    /// Those share their place with what is around them.
    static bool slot_is_inlined(const protobuf_value& value) noexcept { return value.field->name.empty(); }

    template <class T>
    bool put(const protobuf_value& value, std::size_t at, T scalar) {
        if (value.drops_zero && scalar == T{}) return true;
        if (value.optional) {
            ::new (static_cast<void*>(to_.at(at))) std::optional<T>(scalar);
        } else {
            to_.set(at, scalar);
        }
        return true;
    }

    bool read_part(const protobuf_value& value, const protobuf_item& item, std::size_t at, const void* site) {
        if (!has_room(1, value.type->element->size)) return false;
        return read_or_recall(value, item.bytes, at, site, [&] {
            const std::size_t before = to_.handle_count();
            const std::size_t part = to_.allocate(value.type->element->size, 8);
            const bool structure = value.element->step == protobuf_step::structure;
            const bool done = structure ? read_structure(*value.element->plan, item.bytes, part)
                                        : read_single(*value.element, item, part, site);
            if (done && !share(part, before, at)) to_.set_fresh_handle(at, part);
            return done;
        });
    }

    bool read_time(std::string_view bytes, bool micro, std::size_t at) {
        wall_time time;
        bool present = false;
        if (!values_.read_time(bytes, micro, time, present)) return false;
        if (present) to_.set(at, timestamp(time));
        return true;
    }

    bool read_int_or_string(std::string_view bytes, std::size_t at, const void* site) {
        bool is_string = false;
        std::int32_t number = 0;
        std::string_view text;
        if (!values_.read_int_or_string(bytes, is_string, number, text)) return false;
        if (is_string) return read_text(text, at + int_or_string::text_offset(), site);
        to_.set(at + int_or_string::number_offset(), number);
        return true;
    }

    bool read_text(std::string_view content, std::size_t at, const void* site) {
        if (content.size() <= text::inline_capacity) {
            to_.set(at, text::inline_word(content));
            return values_.check_text(content);
        }
        if (pool_ != nullptr) {
            auto& repetition = to_.repetition_at(site);
            if (is_last(repetition.last, content)) {
                to_.set(at, reinterpret_cast<handle_word>(repetition.last));
                return true;
            }
            if (!values_.check_text(content)) return false;
            if (insist_ || repetition.likely()) {
                if (const void* shared = pool_->find_text(content, insist_)) {
                    repetition.found();
                    repetition.last = static_cast<const char*>(shared);
                    to_.set(at, reinterpret_cast<handle_word>(shared));
                    return true;
                }
                repetition.missed();
            }
        } else if (!values_.check_text(content)) {
            return false;
        }
        const auto size = static_cast<std::uint32_t>(content.size());
        const std::size_t payload = to_.allocate_uninitialised(sizeof size + content.size(), 4);
        to_.set(payload, size);
        const std::size_t readable = in_order_ ? static_cast<std::size_t>(end_ - content.data()) : content.size();
        to_.copy_last(payload + sizeof size, content.data(), content.size(), readable);
        to_.set_fresh_handle(at, payload);
        return true;
    }
    static bool is_last(const char* last, std::string_view content) noexcept {
        if (last == nullptr) return false;
        std::uint32_t size = 0;
        std::memcpy(&size, last, sizeof size);
        return size == content.size() && same_bytes(last + sizeof size, content.data(), size);
    }

    /// In the general way, which takes whatever JSON would take.
    bool read_elsewhere(const protobuf_value& value, std::string_view run, std::size_t at) {
        protobuf_json_writer::items items;
        if (!values_.each(run, [&](const protobuf_item& item) { return items.push_back(item), true; })) return false;
        return read_as_json(value, *value.field, items.data(), items.data() + items.size(), at);
    }
    bool read_alone(const protobuf_value& value, const protobuf_item& item, std::size_t at) {
        protobuf_field once = *value.field;
        once.form = value.drops_zero ? protobuf_form::value : protobuf_form::pointer;
        const bool zero = item.bits == 0 && item.bytes.empty();
        if (value.drops_zero && zero && once.type != protobuf_type::message) return true;
        return read_as_json(value, once, &item, &item + 1, at);
    }
    bool read_as_json(const protobuf_value& value, const protobuf_field& field, const protobuf_item* first,
                      const protobuf_item* last, std::size_t at) {
        json::writer to;
        protobuf_json_writer writer(to, *this);
        if (!writer.write_value(field, first, last)) return false;
        const auto node = to_.parse(to.text());
        return node ? decode_or_null(*value.type, *node, at) : say(node.error().message());
    }

    protobuf_values values_;
    bool in_order_;
    bool out_of_order_ = false;
    const char* end_ = nullptr;
    std::size_t most_ = 0;
    std::size_t depth_ = 0;
    std::vector<entry> entries_;
};

}  // namespace kcontrol::detail
