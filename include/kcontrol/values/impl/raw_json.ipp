#pragma once

#include <kcontrol/values/raw_json.hpp>

namespace kcontrol::inline v0_1 {

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

}  // namespace kcontrol
