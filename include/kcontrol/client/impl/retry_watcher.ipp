#pragma once

#include <kcontrol/client/detail/watch_again.hpp>
#include <kcontrol/client/retry_after.hpp>
#include <kcontrol/client/retry_watcher.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {
namespace detail {

// client-go's RetryWatcher waits a second before each new try; this begins there.
inline backoff_policy rewatch_pace() {
    return backoff_policy().initial(std::chrono::seconds(1)).cap(std::chrono::seconds(30)).jitter(0.5);
}

inline error no_version_to_watch_from(const std::string& version) {
    return error(errc::invalid_argument, "resource_version \"" + version +
                                             "\": a watch that begins again needs a version to begin from; take that "
                                             "of a list");
}

}  // namespace detail

KCONTROL_DECL retry_watcher::retry_watcher(client from, const resource_info& info, watch_options options)
    : client_(std::move(from)),
      info_(&info),
      options_(std::move(options)),
      version_(std::as_const(options_).resource_version()),
      backoff_(detail::rewatch_pace()) {
    options_.bookmarks(true).initial_events(false);
    if (std::as_const(options_).pool() == nullptr) options_.pool(std::make_shared<share_pool>());
}

inline bool retry_watcher::is_over() const { return given_up_at_ && client_.env().now() >= *given_up_at_; }

KCONTROL_DECL awaitable<result<void>> retry_watcher::open(std::stop_token stop) {
    watch_options how = options_;
    how.resource_version(version_).stop(std::move(stop));
    opened_ = client_.env().now();
    if (given_up_at_) how.deadline(std::min<std::chrono::nanoseconds>(options_.deadline(), *given_up_at_ - opened_));
    auto stream = co_await client_.watch(*info_, std::move(how));
    if (!stream) co_return stream.error();
    stream_ = std::move(*stream);
    stream_->give_up_at(given_up_at_);
    co_return result<void>();
}

KCONTROL_DECL awaitable<std::optional<error>> retry_watcher::recover(error why, std::stop_token stop) {
    stream_.reset();
    if (is_over()) co_return error(errc::timeout, "its time is up; the last failure: " + why.what());
    if (!detail::may_watch_again(why)) co_return why;
    const time_point now = client_.env().now();
    // The client repeats no watch by itself: what the server asks to wait is waited for here.
    time_point again = now + std::max(backoff_.next(now, random_unit(client_.env())), retry_after_of(why));
    if (given_up_at_) again = std::min(again, *given_up_at_);
    const wake woken = co_await sleep_until(client_.env(), again, std::move(stop));
    if (woken == wake::stopped) co_return error(errc::stopped);
    if (is_over()) co_return error(errc::timeout, "its time is up; the last failure: " + why.what());
    co_return std::nullopt;
}

KCONTROL_DECL awaitable<result<watch_event>> retry_watcher::next(std::stop_token stop) {
    if (version_.empty() || version_ == "0") co_return detail::no_version_to_watch_from(version_);
    for (;;) {
        if (stop.stop_requested()) co_return error(errc::stopped);
        if (is_over()) co_return error(errc::timeout, "its time is up");
        result<watch_event> event = error(errc::unavailable);
        if (!stream_) {
            const auto opened = co_await open(stop);
            if (!opened) event = opened.error();
        }
        if (stream_) event = co_await stream_->next(stop);
        if (event && event->type == watch_event_type::error) event = event->failure;
        if (event && event->type == watch_event_type::end) {
            stream_.reset();
            // The server's usual end; one that ends each watch at once is waited for.
            if (client_.env().now() - opened_ >= std::chrono::seconds(1)) continue;
            event = error(errc::unavailable, "the server ended the watch at once");
        }
        if (!event) {
            auto over = co_await recover(event.error(), stop);
            if (over) co_return std::move(*over);
            continue;
        }
        backoff_.reset();
        if (!event->resource_version.empty()) version_ = event->resource_version;
        if (event->type != watch_event_type::bookmark) co_return event;
    }
}

}  // namespace kcontrol
