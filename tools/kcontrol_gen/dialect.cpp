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
    case shape::micro_time: return micro_time;
    case shape::int_or_string: return int_or_string;
    case shape::raw: return raw;
    case shape::list: return list;
    case shape::map: return dict;
    case shape::object: return boxed;
    }
    return raw;
}

const dialect& standard_dialect() {
    static constexpr dialect words{
        .name = "std",
        .text = {"std::string", "string"},
        .boolean = {"bool", "", true, false, " = false"},
        .int32 = {"std::int32_t", "cstdint", true, false, " = 0"},
        .int64 = {"std::int64_t", "cstdint", true, false, " = 0"},
        .number = {"double", "", true, false, " = 0"},
        .bytes = {"std::string", "string"},
        .quantity = {"kcontrol::int_or_string", "kcontrol/model/int_or_string.hpp", true},
        .time = {"std::string", "string"},
        .micro_time = {"std::string", "string"},
        .int_or_string = {"kcontrol::int_or_string", "kcontrol/model/int_or_string.hpp", true},
        .raw = {"kcontrol::raw_json", "kcontrol/model/raw_json.hpp"},
        .list = {"std::vector<@>", "vector", false, true},
        .dict = {"std::map<std::string, @>", "map", false, true},
        .boxed = {"std::optional<@>", "optional"},
        .optional = {"std::optional<@>", "optional"},
    };
    return words;
}

}  // namespace kcontrol_gen
