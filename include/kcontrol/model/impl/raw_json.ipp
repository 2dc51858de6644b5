#pragma once

#include <kcontrol/json/writer.hpp>
#include <kcontrol/model/raw_json.hpp>

namespace kcontrol {

KCONTROL_DECL result<raw_json> raw_json::parse(std::string_view text) {
    json::document document;
    const auto root = document.parse(text);
    if (!root) return root.error();
    return from(*root);
}

KCONTROL_DECL raw_json raw_json::from(json::node value) {
    raw_json made;
    if (!value.is_null()) made.text_ = value.to_json();
    return made;
}

KCONTROL_DECL result<void> custom_codec<raw_json>::decode(json::node from, raw_json& to) {
    to = raw_json::from(from);
    return {};
}

KCONTROL_DECL void custom_codec<raw_json>::encode(const raw_json& from, json::writer& to) {
    if (from.empty()) {
        to.null();
    } else {
        to.raw(from.text());
    }
}

}  // namespace kcontrol
