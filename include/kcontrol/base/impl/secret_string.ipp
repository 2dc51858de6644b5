#pragma once

#include <kcontrol/base/secret_string.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

// Copied on purpose, see inside. NOLINTNEXTLINE(performance-move-constructor-init)
KCONTROL_DECL secret_string::secret_string(secret_string&& other) noexcept : value_(other.value_) {
    // A moved-from small string keeps its characters in place, so copy and wipe instead.
    other.wipe();
}

KCONTROL_DECL secret_string& secret_string::operator=(const secret_string& other) {
    if (this != &other) {
        wipe();
        value_ = other.value_;
    }
    return *this;
}

KCONTROL_DECL secret_string& secret_string::operator=(secret_string&& other) noexcept {
    if (this != &other) {
        wipe();
        value_ = other.value_;
        other.wipe();
    }
    return *this;
}

KCONTROL_DECL secret_string::~secret_string() { wipe(); }

KCONTROL_DECL void secret_string::wipe() noexcept {
    // Through a volatile pointer, or the compiler drops stores to a dying object.
    volatile char* bytes = value_.data();
    for (std::size_t i = 0; i < value_.size(); ++i) bytes[i] = 0;
    value_.clear();
}

}  // namespace kcontrol
