// protobuf_json_writer: the JSON of a message, as Go writes that of the same object.
#pragma once

#include <kcontrol/base/base64.hpp>
#include <kcontrol/codec/impl/protobuf_values.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/values/time.hpp>

#include <algorithm>
#include <bit>
#include <vector>

namespace kcontrol::inline v0_1::detail {

class protobuf_json_writer : public protobuf_values {
public:
    using items = std::vector<protobuf_item>;

    protobuf_json_writer(json::writer& to, decode_failure& failure) noexcept : protobuf_values(failure), to_(to) {}

    /// Writes the members of an object, without braces.
    bool write_members(const protobuf_message& message, std::string_view bytes) {
        if (depth_ == deepest_protobuf) return failure_.say("messages nested too deeply");
        ++depth_;
        items all;
        const bool done = each(bytes, [&](const protobuf_item& item) { return all.push_back(item), true; }) &&
                          write_sorted(message, all);
        --depth_;
        return done;
    }

    /// The value of a field that is there. What has the same number, in the order in which it came.
    bool write_value(const protobuf_field& field, const protobuf_item* first, const protobuf_item* last) {
        switch (field.form) {
        case protobuf_form::list: return write_list(field, first, last);
        case protobuf_form::map: return write_map(field, first, last);
        case protobuf_form::value:
        case protobuf_form::pointer: break;
        }
        if (field.type != protobuf_type::message || last - first == 1) return write_one(field, last[-1]);
        std::string merged;
        if (!merge(first, last, merged)) return false;
        protobuf_item whole = *first;
        whole.bytes = merged;
        return write_one(field, whole);
    }

private:
    bool write_sorted(const protobuf_message& message, items& all) {
        const auto before = [](const auto& a, const auto& b) { return a.number < b.number; };
        if (!std::is_sorted(all.begin(), all.end(), before)) std::stable_sort(all.begin(), all.end(), before);
        for (const protobuf_item *first = all.data(), *end = first + all.size(); first != end;) {
            const protobuf_item* last = first + 1;
            while (last != end && last->number == first->number) ++last;
            const auto* field = find_protobuf_field(message, first->number);
            if (field != nullptr && !write_member(*field, first, last)) {
                return !field->name.empty() && failure_.at_member(field->name);
            }
            first = last;
        }
        return true;
    }

    bool write_member(const protobuf_field& field, const protobuf_item* first, const protobuf_item* last) {
        if (field.name.empty()) {
            std::string merged;
            return merge(first, last, merged) && write_members(*field.message, merged);
        }
        const bool single = field.form != protobuf_form::list && field.form != protobuf_form::map;
        // Those that do not count must be right, too.
        for (const auto* item = first; single && item != last; ++item) {
            if (!expect(*item, wire_of(field.type))) return false;
            if (field.type == protobuf_type::string && !check_text(item->bytes)) return false;
            if (field.type == protobuf_type::number && !check_number(std::bit_cast<double>(item->bits))) return false;
        }
        if (is_left_out(field, last[-1])) return true;
        to_.key(field.name);
        return write_value(field, first, last);
    }

    // A message that comes in parts is all of them, and each of them is one.
    bool merge(const protobuf_item* first, const protobuf_item* last, std::string& out) {
        for (const auto* item = first; item != last; ++item) {
            if (!expect(*item, protobuf_wire::bytes)) return false;
            if (!each(item->bytes, [](const protobuf_item&) { return true; })) return false;
            out += item->bytes;
        }
        return true;
    }

    static bool is_left_out(const protobuf_field& field, const protobuf_item& item) noexcept {
        if (field.form == protobuf_form::list || field.form == protobuf_form::map) return false;
        if (field.type == protobuf_type::message) {
            const auto meaning = field.message->meaning;
            const bool time = meaning == protobuf_meaning::time || meaning == protobuf_meaning::micro_time;
            return time && item.bytes.empty();
        }
        return field.form == protobuf_form::value && !field.shown && item.bits == 0 && item.bytes.empty();
    }

    bool write_list(const protobuf_field& field, const protobuf_item* first, const protobuf_item* last) {
        to_.begin_array();
        std::size_t index = 0;
        for (; first != last; ++first) {
            const auto write = [&](const protobuf_item& element) {
                return write_one(field, element) ? ++index, true : failure_.at_index(index);
            };
            if (!each_element(field.type, *first, write)) return false;
        }
        to_.end_array();
        return true;
    }

    bool write_map(const protobuf_field& field, const protobuf_item* first, const protobuf_item* last) {
        struct entry {
            std::string_view key;
            protobuf_item value;
        };
        std::vector<entry> entries;
        for (; first != last; ++first) {
            if (!expect(*first, protobuf_wire::bytes)) return false;
            entry made;
            made.value.wire = wire_of(field.type);
            const bool read = each(first->bytes, [&](const protobuf_item& item) {
                if (item.number == 2) made.value = item;
                if (item.number == 1) made.key = item.bytes;
                return item.number != 1 || expect(item, protobuf_wire::bytes);
            });
            if (!read || !check_text(made.key)) return false;
            entries.push_back(made);
        }
        // Of a key that appears twice the last one counts.
        std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
        to_.begin_object();
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (i + 1 < entries.size() && entries[i + 1].key == entries[i].key) continue;
            to_.key(entries[i].key);
            if (!write_one(field, entries[i].value)) return failure_.at_key(entries[i].key);
        }
        to_.end_object();
        return true;
    }

    bool write_one(const protobuf_field& field, const protobuf_item& item) {
        if (!expect(item, wire_of(field.type))) return false;
        switch (field.type) {
        case protobuf_type::boolean: to_.value(item.bits != 0); return true;
        case protobuf_type::int32: to_.value(static_cast<std::int32_t>(item.bits)); return true;
        case protobuf_type::int64: to_.value(static_cast<std::int64_t>(item.bits)); return true;
        case protobuf_type::number: return write_number(std::bit_cast<double>(item.bits));
        case protobuf_type::string: return write_text(item.bytes);
        case protobuf_type::bytes: to_.value(encode_base64(item.bytes)); return true;
        case protobuf_type::message: break;
        }
        return write_message(*field.message, item.bytes);
    }

    bool write_number(double value) {
        to_.value(value);
        return check_number(value);
    }
    bool write_text(std::string_view text) {
        if (!check_text(text)) return false;
        to_.value(text);
        return true;
    }

    bool write_message(const protobuf_message& message, std::string_view bytes) {
        switch (message.meaning) {
        case protobuf_meaning::fields: return write_object(message, bytes);
        case protobuf_meaning::time: return write_time(bytes, false);
        case protobuf_meaning::micro_time: return write_time(bytes, true);
        case protobuf_meaning::json: return write_json(bytes);
        case protobuf_meaning::texts: return write_texts(bytes, 1);
        case protobuf_meaning::quantity: {
            std::string_view text;
            if (!read_quantity(bytes, text)) return false;
            to_.value(text);
            return true;
        }
        case protobuf_meaning::int_or_string: {
            bool is_string = false;
            std::int32_t number = 0;
            std::string_view text;
            if (!read_int_or_string(bytes, is_string, number, text)) return false;
            is_string ? to_.value(text) : to_.value(number);
            return true;
        }
        case protobuf_meaning::schema_or_bool:
        case protobuf_meaning::schema_or_list:
        case protobuf_meaning::schema_or_texts: break;
        }
        return write_schema_or(message, bytes);
    }

    bool write_object(const protobuf_message& message, std::string_view bytes) {
        to_.begin_object();
        if (!write_members(message, bytes)) return false;
        to_.end_object();
        return true;
    }

    bool write_time(std::string_view bytes, bool micro) {
        wall_time at;
        bool present = false;
        if (!read_time(bytes, micro, at, present)) return false;
        if (!present) {
            to_.null();
        } else {
            to_.value(micro ? format_micro_time(at) : format_time(at));
        }
        return true;
    }

    bool write_json(std::string_view bytes) {
        std::string_view text;
        bool found = false;
        if (!read_only_bytes(bytes, text, found)) return false;
        if (text.empty()) {
            to_.null();
            return true;
        }
        if (const auto fault = json::find_fault(text)) return failure_.say(fault->message());
        to_.raw(text);
        return true;
    }

    bool write_texts(std::string_view bytes, std::uint32_t number) {
        std::size_t index = 0;
        const bool done = each(bytes, [&](const protobuf_item& item) {
            if (item.number != number) return true;
            if (!expect(item, protobuf_wire::bytes)) return false;
            if (index == 0) to_.begin_array();
            return write_text(item.bytes) ? ++index, true : failure_.at_index(index);
        });
        if (!done) return false;
        if (index == 0) {
            to_.null();
        } else {
            to_.end_array();
        }
        return true;
    }

    /// The first field is the schema; what else there may be is told by its meaning.
    bool write_schema_or(const protobuf_message& message, std::string_view bytes) {
        const bool flag = message.meaning == protobuf_meaning::schema_or_bool;
        const protobuf_field& schema = message.fields[0];
        const std::uint32_t other = flag ? 1 : 2;
        std::string merged;
        items listed;
        bool has_schema = false, allowed = false;
        const bool read = each(bytes, [&](const protobuf_item& item) {
            if (item.number == schema.number) {
                has_schema = true;
                merged += item.bytes;
                return expect(item, protobuf_wire::bytes);
            }
            if (item.number != other) return true;
            if (flag) {
                allowed = item.bits != 0;
                return expect(item, protobuf_wire::varint);
            }
            listed.push_back(item);
            return expect(item, protobuf_wire::bytes);
        });
        if (!read) return false;
        if (!listed.empty() && message.meaning == protobuf_meaning::schema_or_texts) return write_texts(bytes, other);
        if (!listed.empty()) return write_list(message.fields[1], listed.data(), listed.data() + listed.size());
        if (has_schema) return write_object(*schema.message, merged);
        if (flag) {
            to_.value(allowed);
        } else {
            to_.null();
        }
        return true;
    }

    json::writer& to_;
    std::size_t depth_ = 0;
};

}  // namespace kcontrol::detail
