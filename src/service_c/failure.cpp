#include "failure.hpp"

#include <kcontrol/base/thrown.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

namespace kcontrol::inline v0_1::service_c {

namespace {

// Of one thread. `fixed` stands for texts for which there was no memory.
struct last_failure {
    std::string text;
    std::string_view fixed;
};
thread_local last_failure last;

int keep_fixed(int code, std::string_view text) noexcept {
    last.fixed = text;
    return code;
}

int code_of(const error& cause) noexcept {
    // unavailable: no memory, thread or descriptor for a loop, or an exception out of one.
    if (cause == errc::out_of_memory || cause == errc::unavailable) return KC_ENOMEM;
    if (cause == errc::timeout) return KC_ETIMEDOUT;
    if (cause == condition::access_denied) return KC_EFORBIDDEN;
    if (cause == condition::not_found) return KC_ENOTFOUND;
    if (cause == errc::invalid_argument || cause == errc::invalid_config || cause == errc::decode_failed ||
        cause == errc::file_failed || cause == errc::too_large || cause == api_errc::invalid ||
        cause == api_errc::bad_request)
        return KC_EINVAL;
    if (cause == errc::stopped) return KC_EHANDLE;
    return KC_EUNREACHABLE;
}

}  // namespace

failure failure_of(const error& cause) { return failure{code_of(cause), cause.what()}; }

int keep(failure&& what) noexcept {
    last.fixed = {};
    last.text = std::move(what.text);
    return what.code;
}

int keep_thrown() noexcept {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return keep_fixed(KC_ENOMEM, "out of memory: nothing was changed");
    } catch (const exception& thrown) {
        try {
            return keep(failure_of(thrown.cause()));
        } catch (...) {
            return keep_fixed(KC_ENOMEM, "out of memory: nothing was changed");
        }
    } catch (const std::system_error& thrown) {
        // A thread, a descriptor: what the system has no more of.
        try {
            return keep(failure{KC_ENOMEM, std::string("the system refused a thread or a descriptor: ") +
                                               thrown.what() + "; see ulimit -u and -n"});
        } catch (...) {
            return keep_fixed(KC_ENOMEM, "the system refused a thread or a descriptor");
        }
    } catch (...) {
        try {
            return keep(failure{KC_EINVAL, describe_thrown()});
        } catch (...) {
            return keep_fixed(KC_ENOMEM, "out of memory: nothing was changed");
        }
    }
}

std::size_t last_text(char* buffer, std::size_t size) noexcept {
    const std::string_view text = last.fixed.empty() ? std::string_view(last.text) : last.fixed;
    if (buffer != nullptr && size > 0) {
        const std::size_t copied = std::min(text.size(), size - 1);
        std::memcpy(buffer, text.data(), copied);
        buffer[copied] = '\0';
    }
    return text.size();
}

}  // namespace kcontrol::service_c
