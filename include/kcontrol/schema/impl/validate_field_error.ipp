#pragma once

#include <kcontrol/schema/validate.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL std::string_view field_error::reason() const noexcept {
    constexpr std::string_view reasons[] = {"FieldValueRequired",     "FieldValueInvalid",  "FieldValueTypeInvalid",
                                            "FieldValueNotSupported", "FieldValueTooLong",  "FieldValueTooMany",
                                            "FieldValueDuplicate",    "FieldValueForbidden"};
    return reasons[static_cast<std::size_t>(kind)];
}

KCONTROL_DECL std::string field_error::body() const {
    constexpr std::string_view names[] = {"Required value", "Invalid value", "Invalid value",   "Unsupported value",
                                          "Too long",       "Too many",      "Duplicate value", "Forbidden"};
    std::string text(names[static_cast<std::size_t>(kind)]);
    if (!value.empty()) (text += ": ") += value;
    if (!message.empty()) (text += ": ") += message;
    return text;
}

KCONTROL_DECL std::string to_string(const field_errors& errors) {
    std::string text;
    for (const field_error& e : errors) (text += text.empty() ? "" : ", ") += e.str();
    return errors.size() > 1 ? '[' + text + ']' : text;
}

}  // namespace kcontrol
