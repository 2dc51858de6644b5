// A watch as objects of one type.
#pragma once

#include <kcontrol/client/watch_stream.hpp>

#include <memory>
#include <stop_token>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// One event: watch_event with a type.
template <class T>
class object_event {
public:
    object_event() = default;
    /// An object that is no T becomes null.
    explicit object_event(watch_event from)
        : type(from.type),
          object(std::move(from.object).template as<T>()),
          resource_version(std::move(from.resource_version)),
          invalid(std::move(from.invalid)),
          ends_initial(from.ends_initial),
          failure(std::move(from.failure)) {}

    watch_event_type type = watch_event_type::end;  ///< what happened; `end` is the last one
    std::shared_ptr<const T> object;                ///< of added, modified and deleted; null if it did not decode
    std::string resource_version;  ///< of added, modified, deleted and bookmark, as far as it can be read
    std::shared_ptr<const invalid_object> invalid;  ///< where the object did not decode: what is known of it
    bool ends_initial = false;  ///< of a bookmark: all objects that a streamed list begins with have come
    error failure;              ///< of error: the Status the server sent inside the stream
};

/// Reads typed events off one watch.
///
/// Thread-safety: shared objects unsafe. Object lifetime: destruction ends the watch.
template <class T>
class object_watch {
public:
    /// Of a stream of T's kind, which is not null; client::watch() makes it.
    explicit object_watch(std::unique_ptr<watch_stream> stream) : stream_(std::move(stream)) {}

    /// See watch_stream::next(). The watch outlives the call.
    awaitable<result<object_event<T>>> next(std::stop_token stop) {
        auto event = co_await stream_->next(std::move(stop));
        if (!event) co_return event.error();
        co_return object_event<T>(std::move(*event));
    }

    watch_stream& stream() noexcept { return *stream_; }  ///< for idle(), give_up_at() and received()

private:
    std::unique_ptr<watch_stream> stream_;
};

}  // namespace kcontrol
