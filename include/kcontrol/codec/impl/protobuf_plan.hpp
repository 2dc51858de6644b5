// protobuf_plan: a type of ours and a message side by side, so that a field number leads to a member at once. Made once
// for each pair, and used in both directions.
#pragma once

#include <kcontrol/codec/impl/protobuf_values.hpp>
#include <kcontrol/codec/impl/protobuf_writer.hpp>
#include <kcontrol/codec/object_block.hpp>
#include <kcontrol/codec/protobuf_schema.hpp>
#include <kcontrol/values/type_descriptor.hpp>

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// How a value gets into an object, and out of it. What has no way of its own goes through its JSON.
enum class protobuf_step : std::uint8_t {
    elsewhere,
    text,
    bytes,
    boolean,
    int32,
    int64,
    number,
    time,
    micro_time,
    quantity,
    int_or_string,
    structure,
    part,  ///< in memory of its own: boxed; of types that are no blocks any std::optional that is no scalar
    list,
    map,
};

struct protobuf_plan;

struct protobuf_value {
    protobuf_step step = protobuf_step::elsewhere;
    protobuf_wire wire{};
    bool optional = false;    ///< a scalar in a std::optional
    bool wide = false;        ///< an integer of 32 bits on the wire and 64 with us
    bool drops_zero = false;  ///< JSON would leave out a zero
    bool skips_zero = false;  ///< the same, and a zero is one by its first bytes: it is no message
    bool repeats = false;     ///< a list or a map
    const type_descriptor* type = nullptr;
    const protobuf_field* field = nullptr;
    const protobuf_plan* plan = nullptr;      ///< of structure
    const protobuf_value* element = nullptr;  ///< of part, list and map
};

struct protobuf_slot {
    const field_descriptor* member = nullptr;  ///< null: the fields stand among those around them
    const protobuf_field* field = nullptr;     ///< null: there is no such field, or the type has no such member
    protobuf_value value;
};

struct protobuf_plan {
    const type_descriptor* type = nullptr;
    const protobuf_message* message = nullptr;
    std::vector<protobuf_slot> slots;  // by number
    std::vector<std::string> absent;   // by number: what is written where there is no value
    std::optional<bool> is_block;      // whether objects of the type can be one block; asked of whole objects only
};

/// Makes plans and keeps them as long as the program runs: a pool knows values by their addresses.
///
/// Thread-safety: safe.
class protobuf_planner {
public:
    static const protobuf_plan& plan_of(const type_descriptor& type, const protobuf_message& message) {
        static protobuf_planner all;
        const std::lock_guard lock(all.mutex_);
        protobuf_plan& plan = all.make_plan(type, message);
        if (!plan.is_block) plan.is_block = is_blockable(type);
        return plan;
    }

private:
    protobuf_plan& make_plan(const type_descriptor& type, const protobuf_message& message) {
        auto& place = plans_[{&type, &message}];
        if (place != nullptr) return *place;
        place = std::make_unique<protobuf_plan>();
        protobuf_plan& made = *place;  // the map may change from here on, for types that hold themselves
        made.type = &type;
        made.message = &message;
        for (const auto& field : message.all()) {
            if (made.slots.size() <= field.number) made.slots.resize(std::size_t{field.number} + 1);
        }
        made.absent.resize(made.slots.size());
        for (const auto& field : message.all()) {
            made.slots[field.number] = make_slot(type, field);
            if (!field.name.empty()) made.absent[field.number] = protobuf_writer::write_absent(field);
        }
        return made;
    }

    protobuf_slot make_slot(const type_descriptor& type, const protobuf_field& field) {
        protobuf_slot slot;
        if (field.name.empty()) {
            slot.field = &field;
            slot.value.step = protobuf_step::structure;
            slot.value.type = &type;
            slot.value.field = &field;
            slot.value.wire = protobuf_wire::bytes;
            slot.value.plan = &make_plan(type, *field.message);
            return slot;
        }
        for (std::size_t i = 0; i < type.field_count; ++i) {
            if (type.fields[i].name != field.name) continue;
            slot.member = &type.fields[i];
            slot.field = &field;
            slot.value = make_value(*type.fields[i].type, field, field.form);
        }
        return slot;
    }

    protobuf_value make_value(const type_descriptor& type, const protobuf_field& field, protobuf_form form) {
        protobuf_value made;
        made.type = &type;
        made.field = &field;
        made.wire = wire_of(field.type);
        made.repeats = form == protobuf_form::list || form == protobuf_form::map;
        const auto element_as = [&](protobuf_step step, protobuf_form of) {
            made.step = step;
            made.element = &parts_.emplace_back(make_value(*type.element, field, of));
        };
        if (form == protobuf_form::list) {
            if (type.kind == type_kind::list) element_as(protobuf_step::list, protobuf_form::pointer);
            return made;
        }
        if (form == protobuf_form::map) {
            if (type.kind == type_kind::map) element_as(protobuf_step::map, protobuf_form::pointer);
            return made;
        }
        made.drops_zero = form == protobuf_form::value && !field.shown;
        made.skips_zero = made.drops_zero && field.type != protobuf_type::message;
        if (type.kind != type_kind::optional) {
            made.step = choose_step(type, field, made);
        } else if (type.handle || type.element->kind > type_kind::number) {
            element_as(protobuf_step::part, protobuf_form::pointer);
        } else {
            made.optional = true;
            made.step = choose_step(*type.element, field, made);
        }
        return made;
    }

    protobuf_step choose_step(const type_descriptor& type, const protobuf_field& field, protobuf_value& made) {
        const auto if_kind = [&](type_kind kind, protobuf_step step) {
            return type.kind == kind ? step : protobuf_step::elsewhere;
        };
        const bool is_text = type.kind == type_kind::text || type.kind == type_kind::string;
        switch (field.type) {
        case protobuf_type::boolean: return if_kind(type_kind::boolean, protobuf_step::boolean);
        case protobuf_type::int32:
            made.wide = type.kind == type_kind::int64;
            return made.wide ? protobuf_step::int64 : if_kind(type_kind::int32, protobuf_step::int32);
        case protobuf_type::int64: return if_kind(type_kind::int64, protobuf_step::int64);
        case protobuf_type::number: return if_kind(type_kind::number, protobuf_step::number);
        case protobuf_type::string: return is_text ? protobuf_step::text : protobuf_step::elsewhere;
        case protobuf_type::bytes: return is_text ? protobuf_step::bytes : protobuf_step::elsewhere;
        case protobuf_type::message: break;
        }
        const bool moment = type.kind == type_kind::timestamp || type.kind == type_kind::microseconds;
        switch (field.message->meaning) {
        case protobuf_meaning::fields:
            if (type.kind != type_kind::structure) break;
            made.plan = &make_plan(type, *field.message);
            return protobuf_step::structure;
        case protobuf_meaning::time: return moment ? protobuf_step::time : protobuf_step::elsewhere;
        case protobuf_meaning::micro_time: return moment ? protobuf_step::micro_time : protobuf_step::elsewhere;
        case protobuf_meaning::quantity:
            return is_text ? protobuf_step::quantity : if_kind(type_kind::quantity, protobuf_step::quantity);
        case protobuf_meaning::int_or_string: return if_kind(type_kind::int_or_string, protobuf_step::int_or_string);
        default: break;
        }
        return protobuf_step::elsewhere;
    }

    std::mutex mutex_;
    std::map<std::pair<const type_descriptor*, const protobuf_message*>, std::unique_ptr<protobuf_plan>> plans_;
    std::deque<protobuf_value> parts_;
};

}  // namespace kcontrol::detail
