// What a watch brings.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/client/invalid_object.hpp>
#include <kcontrol/model/any_object.hpp>

#include <memory>
#include <string>

namespace kcontrol::inline v0_1 {

enum class watch_event_type { added, modified, deleted, bookmark, error, end };

/// One event of a watch.
class watch_event {
public:
    watch_event() = default;
    explicit watch_event(watch_event_type t) : type(t) {}  ///< of that type, and nothing else in it

    watch_event_type type = watch_event_type::end;  ///< what happened; `end` is the last one
    any_object object;                              ///< of added, modified and deleted; empty if it did not decode
    std::string resource_version;  ///< of added, modified, deleted and bookmark, as far as it can be read
    /// Of added, modified and deleted, where the object did not decode: what is known of it.
    std::shared_ptr<const invalid_object> invalid;
    /// Of a bookmark: all objects that a streamed list begins with have come.
    bool ends_initial = false;
    error failure;  ///< of error: the Status the server sent inside the stream
};

}  // namespace kcontrol
