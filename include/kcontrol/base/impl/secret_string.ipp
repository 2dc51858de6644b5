#pragma once

#include <kcontrol/base/secret_string.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

// A moved-from small string keeps its characters in place, so these copy and wipe instead.
KCONTROL_DECL secret_string::secret_string(std::string&& value) : value_(value) { wipe(value); }

// NOLINTNEXTLINE(performance-move-constructor-init)
KCONTROL_DECL secret_string::secret_string(secret_string&& other) noexcept : value_(other.value_) {
    wipe(other.value_);
}

KCONTROL_DECL secret_string& secret_string::operator=(const secret_string& other) {
    if (this != &other) {
        wipe(value_);
        value_ = other.value_;
    }
    return *this;
}

KCONTROL_DECL secret_string& secret_string::operator=(secret_string&& other) noexcept {
    if (this != &other) {
        wipe(value_);
        value_ = other.value_;
        wipe(other.value_);
    }
    return *this;
}

KCONTROL_DECL secret_string::~secret_string() { wipe(value_); }

KCONTROL_DECL void secret_string::wipe(std::string& text) noexcept {
    // Through a volatile pointer, or the compiler drops stores to a dying object.
    volatile char* bytes = text.data();
    for (std::size_t i = 0; i < text.size(); ++i) bytes[i] = 0;
    text.clear();
}

}  // namespace kcontrol
