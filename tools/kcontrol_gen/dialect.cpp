#include "dialect.hpp"

namespace kcontrol_gen {

const vocabulary_word& dialect::word(shape form) const {
    switch (form) {
    case shape::text: return text;
    case shape::boolean: return boolean;
    case shape::int32: return int32;
    case shape::int64: return int64;
    case shape::number: return number;
    case shape::bytes: return bytes;
    case shape::quantity: return quantity;
    case shape::time: return time;
    case shape::date_time: return date_time;
    case shape::micro_time: return micro_time;
    case shape::int_or_string: return int_or_string;
    case shape::raw: return raw;
    case shape::list: return list;
    case shape::map: return dict;
    case shape::object: return boxed;
    }
    return raw;
}

const dialect& compact_dialect() {
    constexpr auto own = absence::own;
    static constexpr dialect words{
        .text = {"kcontrol::text", "kcontrol/values/text.hpp"},
        .boolean = {"bool", "", absence::optional, " = false"},
        .int32 = {"std::int32_t", "cstdint", absence::optional, " = 0"},
        .int64 = {"std::int64_t", "cstdint", absence::optional, " = 0"},
        .number = {"double", "", absence::optional, " = 0"},
        .bytes = {"kcontrol::text", "kcontrol/values/text.hpp"},
        .quantity = {"kcontrol::quantity_text", "kcontrol/values/quantity_text.hpp"},
        .time = {"kcontrol::timestamp", "kcontrol/values/timestamp.hpp"},
        .date_time = {"kcontrol::date_time", "kcontrol/values/date_time.hpp"},
        .micro_time = {"kcontrol::micro_time", "kcontrol/values/micro_time.hpp"},
        .int_or_string = {"kcontrol::int_or_string", "kcontrol/values/int_or_string.hpp", absence::boxed},
        .raw = {"kcontrol::raw_json", "kcontrol/values/raw_json.hpp"},
        .list = {"kcontrol::list<@>", "kcontrol/values/list.hpp", own, "", true},
        .dict = {"kcontrol::dict<@>", "kcontrol/values/dict.hpp", own, "", true},
        .boxed = {"kcontrol::boxed<@>", "kcontrol/values/boxed.hpp", own, "", true},
        .nullable = {"kcontrol::nullable<@>", "kcontrol/values/nullable.hpp", own, "", true},
        .optional = {"std::optional<@>", "optional"},
    };
    return words;
}

}  // namespace kcontrol_gen
