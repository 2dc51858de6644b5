// What a C function returns when it can't do what was asked: a code of kcontrol_service.h, and a text for kc_error().
#pragma once

#include <kcontrol/base/result.hpp>

#include <cstddef>
#include <kcontrol_service.h>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::service_c {

struct failure {
    int code = KC_OK;
    std::string text;
};

/// A value, or the failure that the C function returns.
template <class T>
using outcome = basic_result<T, failure>;

/// The failure that stands for the library's own error.
failure failure_of(const error& cause);

/// Keeps the failure's text as this thread's last one. Returns its code.
int keep(failure&& what) noexcept;
/// The same for what the current handler has caught; of std::bad_alloc no memory is taken.
int keep_thrown() noexcept;

/// As kc_error().
std::size_t last_text(char* buffer, std::size_t size) noexcept;

}  // namespace kcontrol::service_c
