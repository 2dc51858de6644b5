// protobuf_writer: a message from the JSON of an object, byte for byte as Go's libraries write the same object: fields
// by number, maps by key, and what Go has no pointer for even if it is zero.
#pragma once

#include <kcontrol/base/base64.hpp>
#include <kcontrol/codec/impl/protobuf_values.hpp>
#include <kcontrol/values/quantity.hpp>
#include <kcontrol/values/time.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::detail {

class protobuf_writer : public decode_failure {
public:
    /// Appends the fields of an object. Null writes what a Go struct has that nobody filled.
    bool write_object(const protobuf_message& message, json::node from, std::string& to) {
        if (!from.is_null() && !from.is_object()) return mismatch("an object", from);
        std::vector<named> members;
        if (from.is_object()) {
            members.reserve(from.size());
            for (const auto member : from.members()) members.push_back({member.name, member.value});
        }
        return write_fields(message, from, members, to);
    }

    /// What a field has without a value: nothing, or a zero.
    static std::string write_absent(const protobuf_field& field) {
        std::string to;
        protobuf_writer().write_field(field, json::node(), to);
        return to;
    }

protected:
    /// The value of a field; null if there is none.
    bool write_field(const protobuf_field& field, json::node from, std::string& to) {
        // An amount that is required and absent is written as an empty text, which is no amount.
        const bool amount = field.message != nullptr && field.message->meaning == protobuf_meaning::quantity;
        if (amount && from.is_string() && from.as_string().empty()) from = {};
        switch (field.form) {
        case protobuf_form::pointer:
            if (from.is_null()) return true;
            break;
        case protobuf_form::value:
            if (from.is_null() && field.type == protobuf_type::bytes) return true;
            break;
        case protobuf_form::list: return from.is_null() || write_list(field, from, to);
        case protobuf_form::map: return from.is_null() || write_map(field, from, to);
        }
        return write_one(field, field.number, from, to);
    }

    /// A value with its number; null is the zero of its type.
    bool write_one(const protobuf_field& field, std::uint32_t number, json::node from, std::string& to) {
        const bool absent = from.is_null();
        switch (field.type) {
        case protobuf_type::boolean: {
            bool value = false;
            if (!absent && !read(from, value)) return false;
            put_integer(to, number, value ? 1 : 0);
            return true;
        }
        case protobuf_type::int32: {
            std::int32_t value = 0;
            if (!absent && !read(from, value)) return false;
            put_integer(to, number, static_cast<std::uint64_t>(std::int64_t{value}));
            return true;
        }
        case protobuf_type::int64: {
            std::int64_t value = 0;
            if (!absent && !read(from, value)) return false;
            put_integer(to, number, static_cast<std::uint64_t>(value));
            return true;
        }
        case protobuf_type::number: {
            double value = 0;
            if (!absent && !read(from, value)) return false;
            put_number(to, number, value);
            return true;
        }
        case protobuf_type::string:
            if (!absent && !from.is_string()) return mismatch("a string", from);
            put_bytes(to, number, absent ? std::string_view() : from.as_string());
            return true;
        case protobuf_type::bytes: return write_base64(number, from, to);
        case protobuf_type::message: break;
        }
        return put_message(to, number,
                           [&] { return (this->*find_writer(field.message->meaning))(*field.message, from, to); });
    }

    bool put_base64(std::uint32_t number, std::string_view text, std::string& to) {
        const auto bytes = decode_base64(text);
        if (!bytes) return say("expected a string of base64");  // what it says may be a secret
        put_bytes(to, number, *bytes);
        return true;
    }

    /// The fields of a metav1.Time.
    static void put_time(wall_time at, bool micro, std::string& to) {
        const auto second = std::chrono::floor<std::chrono::seconds>(at);
        const auto micros = std::chrono::floor<std::chrono::microseconds>(at - second).count();
        put_integer(to, 1, static_cast<std::uint64_t>(second.time_since_epoch().count()));
        put_integer(to, 2, micro ? static_cast<std::uint64_t>(micros) * 1000 : 0);
    }

    /// The fields of an IntOrString. Precondition: a string has no number.
    static void put_int_or_string(bool is_string, std::int32_t number, std::string_view text, std::string& to) {
        put_integer(to, 1, is_string ? 1 : 0);
        put_integer(to, 2, static_cast<std::uint64_t>(std::int64_t{number}));
        put_bytes(to, 3, text);
    }

private:
    struct named {
        std::string_view name;
        json::node value;
    };
    using writes = bool (protobuf_writer::*)(const protobuf_message&, json::node, std::string&);

    // Of a name that appears twice the last one counts, as in Go.
    static json::node find(const std::vector<named>& members, std::string_view name) noexcept {
        for (auto member = members.rbegin(); member != members.rend(); ++member) {
            if (member->name == name) return member->value;
        }
        return {};
    }

    bool write_fields(const protobuf_message& message, json::node whole, const std::vector<named>& members,
                      std::string& to) {
        for (const auto& field : message.all()) {
            if (field.name.empty()) {
                const auto write = [&] { return write_fields(*field.message, whole, members, to); };
                if (!put_message(to, field.number, write)) return false;
                continue;
            }
            if (!write_field(field, find(members, field.name), to)) return at_member(field.name);
        }
        return true;
    }

    bool write_list(const protobuf_field& field, json::node from, std::string& to) {
        if (!from.is_array()) return mismatch("a list", from);
        std::size_t index = 0;
        for (const json::node element : from.elements()) {
            if (!write_one(field, field.number, element, to)) return at_index(index);
            ++index;
        }
        return true;
    }

    bool write_map(const protobuf_field& field, json::node from, std::string& to) {
        if (!from.is_object()) return mismatch("an object", from);
        std::vector<named> members;
        for (const auto member : from.members()) members.push_back({member.name, member.value});
        std::stable_sort(members.begin(), members.end(),
                         [](const named& a, const named& b) { return a.name < b.name; });
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (i + 1 < members.size() && members[i + 1].name == members[i].name) continue;
            const auto write = [&] {
                put_bytes(to, 1, members[i].name);
                return write_one(field, 2, members[i].value, to);
            };
            if (!put_message(to, field.number, write)) return at_key(members[i].name);
        }
        return true;
    }

    bool write_base64(std::uint32_t number, json::node from, std::string& to) {
        if (!from.is_null() && !from.is_string()) return mismatch("a string of base64", from);
        return put_base64(number, from.is_null() ? std::string_view() : from.as_string(), to);
    }

    static writes find_writer(protobuf_meaning meaning) noexcept {
        switch (meaning) {
        case protobuf_meaning::fields: break;
        case protobuf_meaning::time: return &protobuf_writer::write_time;
        case protobuf_meaning::micro_time: return &protobuf_writer::write_micro_time;
        case protobuf_meaning::quantity: return &protobuf_writer::write_quantity;
        case protobuf_meaning::int_or_string: return &protobuf_writer::write_int_or_string;
        case protobuf_meaning::json: return &protobuf_writer::write_json;
        case protobuf_meaning::texts: return &protobuf_writer::write_texts;
        case protobuf_meaning::schema_or_bool:
        case protobuf_meaning::schema_or_list:
        case protobuf_meaning::schema_or_texts: return &protobuf_writer::write_schema_or;
        }
        return &protobuf_writer::write_object;
    }

    bool write_moment(json::node from, bool micro, std::string& to) {
        if (from.is_null()) return true;
        timestamp at;
        if (!read(from, at)) return false;
        put_time(at.value(), micro, to);
        return true;
    }
    bool write_time(const protobuf_message&, json::node from, std::string& to) { return write_moment(from, false, to); }
    bool write_micro_time(const protobuf_message&, json::node from, std::string& to) {
        return write_moment(from, true, to);
    }

    /// Go keeps the amount, and writes it in its canonical form.
    bool write_quantity(const protobuf_message&, json::node from, std::string& to) {
        if (from.is_null()) return put_bytes(to, 1, "0"), true;
        if (!check_quantity(from)) return false;
        const auto amount = quantity::parse(from.is_string() ? std::string(from.as_string()) : from.to_json());
        if (!amount) return say(amount.error().message());
        put_bytes(to, 1, amount->canonical());
        return true;
    }

    bool write_int_or_string(const protobuf_message&, json::node from, std::string& to) {
        std::int32_t number = 0;
        if (!from.is_null() && !read_unless_string(from, number)) return false;
        put_int_or_string(from.is_string(), number, from.is_string() ? from.as_string() : std::string_view(), to);
        return true;
    }

    bool write_json(const protobuf_message&, json::node from, std::string& to) {
        if (!from.is_null()) put_bytes(to, 1, from.to_json());
        return true;
    }

    bool write_texts(const protobuf_message&, json::node from, std::string& to) { return put_texts(1, from, to); }
    bool put_texts(std::uint32_t number, json::node from, std::string& to) {
        if (from.is_null()) return true;
        if (!from.is_array()) return mismatch("a list", from);
        std::size_t index = 0;
        for (const json::node element : from.elements()) {
            if (!element.is_null() && !element.is_string()) return mismatch("a string", element) || at_index(index);
            put_bytes(to, number, element.is_null() ? std::string_view() : element.as_string());
            ++index;
        }
        return true;
    }

    /// The first field is the schema.
    bool write_schema_or(const protobuf_message& message, json::node from, std::string& to) {
        const protobuf_field& schema = message.fields[0];
        const bool flag = message.meaning == protobuf_meaning::schema_or_bool;
        if (flag) {
            bool allowed = !from.is_null();
            if (allowed && !from.is_object() && !read(from, allowed)) return false;
            put_integer(to, 1, allowed ? 1 : 0);
        }
        if (from.is_object()) return write_one(schema, schema.number, from, to);
        if (from.is_null() || flag) return true;
        if (message.meaning == protobuf_meaning::schema_or_texts) return put_texts(2, from, to);
        return write_list(message.fields[1], from, to);
    }
};

}  // namespace kcontrol::detail
