#pragma once

#include <kcontrol/json/writer.hpp>
#include <kcontrol/model/int_or_string.hpp>

namespace kcontrol {

KCONTROL_DECL result<void> custom_codec<int_or_string>::decode(json::node from, int_or_string& to) {
    if (from.is_string()) {
        to = std::string(from.as_string());
        return {};
    }
    // The engine knows how to refuse what is not a 32-bit integer.
    std::int32_t number = 0;
    const auto done = kcontrol::decode(describe<std::int32_t>(), from, &number);
    if (!done) return error(errc::decode_failed, done.error().message() + " (a string is fine too)");
    to = number;
    return {};
}

KCONTROL_DECL void custom_codec<int_or_string>::encode(const int_or_string& from, json::writer& to) {
    if (from.is_string()) {
        to.value(from.as_string());
    } else {
        to.value(from.as_int());
    }
}

}  // namespace kcontrol
