// A struct for the fuzzers of decoding: members of one letter, so that a fuzzer finds them, and one that holds itself.
#pragma once

#include <kcontrol/model/field.hpp>
#include <kcontrol/values/list.hpp>
#include <kcontrol/values/text.hpp>

#include <cstdint>
#include <optional>

namespace kcontrol::fuzz {

struct part {
    text name;
    std::optional<std::int32_t> count;
    list<part> inner;
    static constexpr auto kcontrol_fields() {
        return fields(field("n", &part::name), field("c", &part::count), field("i", &part::inner));
    }
};

}  // namespace kcontrol::fuzz
