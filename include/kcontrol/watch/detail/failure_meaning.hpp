// What a server's error means to a list or a watch, where its code alone does not say.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/error.hpp>
#include <kcontrol/runtime/time.hpp>

#include <algorithm>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

/// "Too large resource version": the server has not caught up with the version asked for. Servers before 1.18.6 report
/// it in the message of the cause or of the status only.
inline bool is_version_too_large(const error& why) {
    const api_status* status = why.status();
    if (status == nullptr || why.code() != api_errc::timeout) return false;
    const auto too_large = [](std::string_view text) { return text.starts_with("Too large resource version"); };
    if (too_large(status->message)) return true;
    return std::any_of(status->causes.begin(), status->causes.end(), [&](const status_cause& cause) {
        return cause.reason == "ResourceVersionTooLarge" || too_large(cause.message);
    });
}

/// The server makes no sense of the version asked for, as after a restore from a backup.
inline bool is_version_refused(const error& why) {
    return why.code() == api_errc::bad_request || why.code() == api_errc::invalid;
}

/// The server can't read one of its objects any more.
inline bool is_storage_read_error(const error& why) {
    return why.status() != nullptr && why.status()->reason == "StorageReadError";
}

/// How long the server asks to wait; zero if it does not say.
inline duration retry_after_of(const error& why) {
    if (why.status() == nullptr || !why.status()->retry_after) return duration::zero();
    return std::clamp(*why.status()->retry_after, std::chrono::seconds(0), api_status::max_retry_after);
}

/// It would be the same for any request: nobody answers.
inline bool nobody_answers(const error& why) { return why.code() == condition::unreachable && why != errc::timeout; }

}  // namespace kcontrol::detail
