// What a server's error means to a list, a watch and a streamed list: one table, which docs/watch_failures.md shows
// beside client-go's and kube-rs'.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/error.hpp>
#include <kcontrol/runtime/time.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

/// Sorts of failure, by the status and the causes of the answer.
enum class failure_kind {
    expired,            ///< 410: the version is too old
    version_too_large,  ///< 504, cause ResourceVersionTooLarge: the server has not caught up with the version
    version_refused,    ///< 400, 422: the server makes no sense of the version, as after a restore from a backup
    missing,            ///< 404: the kind is not served
    forbidden,          ///< 403
    unauthorized,       ///< 401
    overloaded,         ///< 429, 503: the next request would add to the load
    timed_out,          ///< 504, or 500 with the reason ServerTimeout
    storage_read,       ///< 500 with the reason StorageReadError: an object can't be read from etcd any more
    internal,           ///< any other 5xx
    other_answer,       ///< any other status; an answer that is not an API server's
    no_answer,          ///< no whole answer came, or there was no memory for it
};

/// What follows a failure. All but the first two wait for the backoff, and no less than Retry-After says.
enum class remedy {
    list,                ///< a list at the last version; at once, unless the list before did not help
    list_newest,         ///< a list of the newest state; at once, unless the one before was refused, too
    list_later,          ///< a list at the last version
    list_newest_later,   ///< a list of the newest state
    again,               ///< the same request
    again_or_list,       ///< the same request; once that has failed for failure_patience, a list at the last version
    probe_rights,        ///< the same request, every probe period
    probe_kind,          ///< a list of the newest state, every probe period
    list_instead,        ///< a list in pages, at once, in place of the stream; it shows whether it was the stream
    again_or_list_once,  ///< the same stream; after the third refusal in a row one list in pages
};

/// Of one sort of failure: what it leads to as the answer to a list, as the answer to a watch, as an ERROR event of an
/// open watch, and as either of a streamed list.
class failure_row {
public:
    failure_kind kind;
    remedy list, watch, event, stream;
};

/// Source: client-go tools/cache/reflector.go, kube-rs kube-runtime/src/watcher.rs; the differences are in the page.
inline constexpr std::array<failure_row, 12> failure_table{{
    {failure_kind::expired, remedy::list_newest, remedy::list, remedy::list, remedy::list_newest},
    {failure_kind::version_too_large, remedy::list_newest, remedy::list_newest_later, remedy::list_newest_later,
     remedy::list_newest},
    {failure_kind::version_refused, remedy::list_newest_later, remedy::list_newest_later, remedy::list_newest_later,
     remedy::list_instead},
    {failure_kind::missing, remedy::probe_kind, remedy::list, remedy::list_later, remedy::probe_kind},
    {failure_kind::forbidden, remedy::probe_rights, remedy::probe_rights, remedy::list_later, remedy::list_instead},
    {failure_kind::unauthorized, remedy::again, remedy::again, remedy::list_later, remedy::again_or_list_once},
    {failure_kind::overloaded, remedy::again, remedy::again, remedy::again, remedy::again_or_list_once},
    {failure_kind::timed_out, remedy::again, remedy::again_or_list, remedy::again_or_list, remedy::again_or_list_once},
    {failure_kind::storage_read, remedy::again, remedy::list_later, remedy::list_later, remedy::list_instead},
    {failure_kind::internal, remedy::again, remedy::again_or_list, remedy::again_or_list, remedy::list_instead},
    {failure_kind::other_answer, remedy::again, remedy::again_or_list, remedy::list_later, remedy::list_instead},
    {failure_kind::no_answer, remedy::again, remedy::again, remedy::again, remedy::again},
}};

constexpr bool is_in_order(const std::array<failure_row, 12>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].kind != static_cast<failure_kind>(i)) return false;
    }
    return true;
}
static_assert(is_in_order(failure_table), "failure_table has one row per failure_kind, in its order");

/// What a watch that the server refuses for so long has in common with one that it would never accept: a list shows
/// what changed meanwhile, and its version may be one that the server accepts.
inline constexpr duration failure_patience = std::chrono::minutes(1);

/// "Too large resource version". Servers before 1.18.6 report it in the message of the cause or of the status only, and
/// some words may stand before it ("Timeout: Too large resource version: 9, current: 5").
inline bool is_version_too_large(const error& why) {
    const api_status* status = why.status();
    if (status == nullptr) return false;
    const bool has_cause = std::any_of(status->causes.begin(), status->causes.end(),
                                       [](const auto& cause) { return cause.reason == "ResourceVersionTooLarge"; });
    if (has_cause || why.code() != api_errc::timeout) return has_cause;
    const auto too_large = [](std::string_view text) {
        return text.find("Too large resource version") != std::string_view::npos;
    };
    return too_large(status->message) || std::any_of(status->causes.begin(), status->causes.end(),
                                                     [&](const auto& cause) { return too_large(cause.message); });
}

/// Of which sort a failure is. The reason of a Status comes before its code.
inline failure_kind failure_kind_of(const error& why) {
    if (why == errc::not_an_api_server) return failure_kind::other_answer;
    if (why.code().category() != api_category() && why != errc::no_such_kind) return failure_kind::no_answer;
    if (is_version_too_large(why)) return failure_kind::version_too_large;
    if (why.code() == condition::expired) return failure_kind::expired;
    if (why.code() == condition::not_found) return failure_kind::missing;
    if (why.status() != nullptr && why.status()->reason == "StorageReadError") return failure_kind::storage_read;
    switch (static_cast<api_errc>(why.code().value())) {
    case api_errc::bad_request:
    case api_errc::invalid: return failure_kind::version_refused;
    case api_errc::unauthorized: return failure_kind::unauthorized;
    case api_errc::forbidden: return failure_kind::forbidden;
    case api_errc::too_many_requests:
    case api_errc::service_unavailable: return failure_kind::overloaded;
    case api_errc::timeout:
    case api_errc::server_timeout: return failure_kind::timed_out;
    case api_errc::internal_error: return failure_kind::internal;
    default: return failure_kind::other_answer;
    }
}

/// What such a failure leads to.
inline const failure_row& failure_row_of(const error& why) {
    return failure_table[static_cast<std::size_t>(failure_kind_of(why))];
}

/// It would be the same for any request: nobody answers, or the transport sends nothing, such as to a server that did
/// not answer before.
inline bool nobody_answers(const error& why) {
    return why == errc::unavailable || (why.code() == condition::unreachable && why != errc::timeout);
}

}  // namespace kcontrol::detail
