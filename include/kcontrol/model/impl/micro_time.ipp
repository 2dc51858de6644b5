#pragma once

#include <kcontrol/json/writer.hpp>
#include <kcontrol/model/micro_time.hpp>

namespace kcontrol {

KCONTROL_DECL result<void> custom_codec<micro_time>::decode(json::node from, micro_time& to) {
    if (!from.is_string()) return error(errc::decode_failed, "expected a time as a string");
    const auto read = micro_time::parse(from.as_string());
    if (!read) return error(errc::decode_failed, read.error().message());
    to = *read;
    return {};
}

KCONTROL_DECL void custom_codec<micro_time>::encode(const micro_time& from, json::writer& to) {
    to.value(from.to_string());
}

}  // namespace kcontrol
