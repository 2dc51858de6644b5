#pragma once

#include <kcontrol/model/field_path.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL std::string field_path::str() const {
    std::string text;
    for (const std::string_view name : *this) {
        if (!text.empty()) text += '.';
        text += name;
    }
    return text;
}

KCONTROL_DECL std::string field_path::pointer() const {
    std::string text;
    for (const std::string_view name : *this) {
        text += '/';
        for (const char c : name) {
            if (c == '~' || c == '/') {
                text += c == '~' ? "~0" : "~1";
            } else {
                text += c;
            }
        }
    }
    return text;
}

KCONTROL_DECL std::string field_path::json_path() const {
    std::string text;
    for (const std::string_view name : *this) {
        text += '.';
        for (const char c : name) {
            if (c == '.') text += '\\';
            text += c;
        }
    }
    return text;
}

}  // namespace kcontrol
