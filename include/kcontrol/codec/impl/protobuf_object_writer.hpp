// protobuf_object_writer: a message from an object, by the plan that also reads one. The bytes are those that
// protobuf_writer makes of the object's JSON.
#pragma once

#include <kcontrol/codec/encode.hpp>
#include <kcontrol/codec/impl/protobuf_plan.hpp>
#include <kcontrol/codec/impl/protobuf_writer.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/model/object_meta.hpp>
#include <kcontrol/values/containers.hpp>
#include <kcontrol/values/int_or_string.hpp>
#include <kcontrol/values/text.hpp>

#include <chrono>
#include <cmath>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

/// Rare values go through their JSON: those without a step in the plan, texts that are not UTF-8, and wrong ones, whose
/// error is that of JSON then.
class protobuf_object_writer : private protobuf_writer {
public:
    explicit protobuf_object_writer(std::string& to) noexcept : to_(to) {}

    /// Appends the fields of a whole object. `metadata` takes the place of its own. False: failure() says why.
    /// Precondition: the type's first field is the metadata.
    bool write_root(const protobuf_plan& plan, const void* object, const object_meta& metadata) {
        metadata_member_ = plan.type->fields;
        metadata_ = &metadata;
        return write_fields(plan, object);
    }

    using decode_failure::failure;

private:
    /// A value on its way into a field, or into an element of a list or a map.
    struct single {
        const protobuf_value& value;
        const void* at;
        std::uint32_t number;
        const std::string* absent;  // what the field has without a value; null: an element, which is a zero then
    };

    bool write_fields(const protobuf_plan& plan, const void* object) {
        if (depth_ == deepest_protobuf) return say("messages nested too deeply");
        ++depth_;
        for (const auto& field : plan.message->all()) {
            const protobuf_slot& slot = plan.slots[field.number];
            const std::string& absent = plan.absent[field.number];
            if (slot.field == nullptr) {
                to_ += absent;  // the type has no such member
            } else if (slot.member == nullptr) {
                if (!write_structure({slot.value, object, field.number, &absent})) return false;
            } else if (!write_member(slot, place_of(*slot.member, object), absent)) {
                return at_member(field.name);
            }
        }
        --depth_;
        return true;
    }

    const void* place_of(const field_descriptor& member, const void* object) const {
        return &member == metadata_member_ ? metadata_ : member.place(object);
    }

    bool write_member(const protobuf_slot& slot, const void* at, const std::string& absent) {
        const protobuf_value& value = slot.value;
        if (value.step == protobuf_step::list) return write_list(value, at);
        if (value.step == protobuf_step::map) return write_map(value, at, absent);
        const single of{value, at, slot.field->number, &absent};
        return is_skipped(slot, at) ? write_absent(of) : write_single(of);
    }

    /// Whether JSON has no such member; where null is the same, write_single() finds it out.
    static bool is_skipped(const protobuf_slot& slot, const void* at) {
        if (slot.member->required) return false;
        switch (slot.value.step) {
        case protobuf_step::text:
        case protobuf_step::bytes:
        case protobuf_step::elsewhere: return is_left_out(*slot.value.type, at);
        // Of one that is no pointer in Go, all fields are written either way.
        case protobuf_step::structure:
            return slot.field->form == protobuf_form::pointer && is_left_out(*slot.value.type, at);
        default: return false;
        }
    }

    bool write_list(const protobuf_value& value, const void* at) {
        const std::size_t size = list_size(*value.type, at);
        for (std::size_t i = 0; i < size; ++i) {
            if (!write_single({*value.element, list_at(*value.type, at, i), value.field->number, nullptr})) {
                return at_index(i);
            }
        }
        return true;
    }

    struct map_context {
        protobuf_object_writer& self;
        const protobuf_value& value;
        bool done = true;
        bool is_text = true;  // whether all keys are UTF-8
    };

    bool write_map(const protobuf_value& value, const void* at, const std::string& absent) {
        const std::size_t before = to_.size();
        map_context context{*this, value};
        map_visit(*value.type, at, &context, write_entry);
        if (context.is_text) return context.done;
        // In JSON they are other keys, in another order perhaps.
        to_.resize(before);
        return write_as_json({value, at, value.field->number, &absent});
    }

    static void write_entry(void* context, std::string_view key, const void* at) {
        auto& in = *static_cast<map_context*>(context);
        if (!in.done) return;
        in.is_text = is_utf8(key);
        in.done = in.is_text && put_message(in.self.to_, in.value.field->number, [&] {
                      put_bytes(in.self.to_, 1, key);
                      return in.self.write_single({*in.value.element, at, 2, nullptr}) || in.self.at_key(key);
                  });
    }

    bool write_single(const single& of) {
        switch (of.value.step) {
        case protobuf_step::part: return write_part(of);
        case protobuf_step::text: return write_text(of);
        case protobuf_step::bytes: return put_base64(of.number, view_of(of), to_);
        case protobuf_step::boolean:
        case protobuf_step::int32:
        case protobuf_step::int64:
        case protobuf_step::number: return write_scalar(of);
        case protobuf_step::time:
        case protobuf_step::micro_time: return write_time(of);
        case protobuf_step::quantity: return write_quantity(of);
        case protobuf_step::int_or_string: return write_int_or_string(of);
        case protobuf_step::structure: return write_structure(of);
        case protobuf_step::list:
        case protobuf_step::map:
        case protobuf_step::elsewhere: break;
        }
        return write_as_json(of);
    }

    bool write_absent(const single& of) {
        if (of.absent == nullptr) return write_one(*of.value.field, of.number, json::node(), to_);
        to_ += *of.absent;
        return true;
    }

    bool write_as_json(const single& of) {
        json::writer text;
        encode(*of.value.type, of.at, text);
        json::document document;
        const auto node = document.parse(text.text());
        if (!node) return say(node.error().message());
        return of.absent == nullptr ? write_one(*of.value.field, of.number, *node, to_)
                                    : write_field(*of.value.field, *node, to_);
    }

    bool write_part(const single& of) {
        const void* const at = optional_get(*of.value.type, of.at);
        return at != nullptr ? write_single({*of.value.element, at, of.number, of.absent}) : write_absent(of);
    }

    bool write_structure(const single& of) {
        return put_message(to_, of.number, [&] { return write_fields(*of.value.plan, of.at); });
    }

    static std::string_view view_of(const single& of) {
        if (of.value.type->kind == type_kind::string) return *static_cast<const std::string*>(of.at);
        return *static_cast<const text*>(of.at);
    }

    bool write_text(const single& of) {
        const std::string_view content = view_of(of);
        if (!is_utf8(content)) return write_as_json(of);
        put_bytes(to_, of.number, content);
        return true;
    }

    bool write_scalar(const single& of) {
        const void* const at = of.value.optional ? optional_get(*of.value.type, of.at) : of.at;
        if (at == nullptr) return write_absent(of);
        switch (of.value.step) {
        case protobuf_step::boolean: put_integer(to_, of.number, *static_cast<const bool*>(at) ? 1 : 0); break;
        case protobuf_step::int32: put_signed(of.number, *static_cast<const std::int32_t*>(at)); break;
        case protobuf_step::number: {
            const double content = *static_cast<const double*>(at);
            if (!std::isfinite(content)) return write_absent(of);
            put_number(to_, of.number, content + 0.0);  // a negative zero is read as zero from JSON
            break;
        }
        default: {
            const std::int64_t content = *static_cast<const std::int64_t*>(at);
            if (of.value.wide && content != static_cast<std::int32_t>(content)) return write_as_json(of);
            put_signed(of.number, content);
        }
        }
        return true;
    }
    void put_signed(std::uint32_t number, std::int64_t value) {
        put_integer(to_, number, static_cast<std::uint64_t>(value));
    }

    bool write_time(const single& of) {
        using namespace std::chrono;
        // As parse_time() has it.
        constexpr sys_seconds first = sys_days(year(1678) / January / 1), end = sys_days(year(2262) / January / 1);
        const timestamp& at = *static_cast<const timestamp*>(of.at);
        if (!at.present()) return write_absent(of);
        if (at.value() < first || at.value() >= end) return write_as_json(of);
        const bool has_micros = of.value.type->kind == type_kind::microseconds;
        return put_message(to_, of.number, [&] {
            put_time(at.value(), has_micros && of.value.step == protobuf_step::micro_time, to_);
            return true;
        });
    }

    bool write_quantity(const single& of) {
        const std::string_view content = view_of(of);
        if (content.empty() && of.absent != nullptr) return write_absent(of);
        const auto amount = quantity::parse(content);
        if (!amount) return write_as_json(of);
        return put_message(to_, of.number, [&] { return put_bytes(to_, 1, amount->canonical()), true; });
    }

    bool write_int_or_string(const single& of) {
        const auto& content = *static_cast<const int_or_string*>(of.at);
        if (!is_utf8(content.as_string())) return write_as_json(of);
        return put_message(to_, of.number, [&] {
            put_int_or_string(content.is_string(), content.is_string() ? 0 : content.as_int(), content.as_string(),
                              to_);
            return true;
        });
    }

    std::string& to_;
    const field_descriptor* metadata_member_ = nullptr;
    const object_meta* metadata_ = nullptr;
    std::size_t depth_ = 0;
};

}  // namespace kcontrol::detail
