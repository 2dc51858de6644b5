// What a handler that is behind has yet to be told: a plain state machine between an informer and its handler.
#pragma once

#include <kcontrol/cache/event.hpp>
#include <kcontrol/config.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>

namespace kcontrol::inline v0_1::detail {

/// Takes the events of one handler in the order in which they were observed, and hands them out one by one.
///
/// A queue of every version keeps them as they came, and says when it is full. Any other keeps for each object what
/// leads from the state that the handler was told last to the newest: nothing, an addition, an update, a deletion, or a
/// deletion and an addition, in this order. So it holds two events an object at most:
///
/// | what waits | added | updated, the same uid | another uid | resync | deleted |
/// |---|---|---|---|---|---|
/// | nothing | addition | update | as it is | resync | deletion |
/// | addition | | addition of the newest | addition of the newest | addition | nothing |
/// | update | | update to the newest | deletion, addition | update | deletion |
/// | resync | | update to the newest | deletion, addition | resync | deletion |
/// | deletion | deletion, addition | | | | |
/// | deletion, addition | | deletion, addition of the newest | the same | the same | deletion |
///
/// What came and went before the handler heard of it is not told; the deletion of what it was told always is. An object
/// keeps its place from the first event that waits. The empty fields are events that no informer sends; they are taken
/// as the nearest one that makes sense.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class event_queue {
public:
    KCONTROL_DECL event_queue(bool every_version, std::size_t bound);

    /// Where there is no memory it throws, and nothing has changed.
    KCONTROL_DECL void push(any_event event, time_point now);
    /// All that was there at first has been pushed.
    void push_synced() { last_of_first_ = pushed_items_; }

    /// The next event to tell; nothing if none waits. It counts as pending until told().
    KCONTROL_DECL std::optional<any_event> pop();
    /// The handler has returned from the event that was popped last.
    KCONTROL_DECL void told();
    /// Forgets what waits.
    KCONTROL_DECL void clear();

    /// The handler has been told all that was there at first.
    KCONTROL_DECL bool synced() const;
    /// Too many wait. It remains so until half of them are told.
    bool full() const noexcept { return full_; }
    bool empty() const noexcept { return waiting_ == 0; }
    std::size_t pending() const noexcept { return waiting_ + (telling_ ? 1 : 0); }
    /// When the oldest that is pending was pushed.
    KCONTROL_DECL std::optional<time_point> oldest() const;
    std::uint64_t delivered() const noexcept { return delivered_; }
    std::uint64_t coalesced() const noexcept { return coalesced_; }
    std::uint64_t times_full() const noexcept { return times_full_; }  ///< how often it has become so

private:
    // What is to be told about an object: a deletion, then an addition or an update. One of them at least.
    struct item {
        std::optional<any_event> gone;
        std::optional<any_event> next;
        std::uint64_t number = 0;  // of all items, in order
        time_point since{};        // the first of it was pushed
    };
    using item_list = std::list<item>;
    using item_map = std::map<namespaced_name, item_list::iterator>;

    KCONTROL_DECL void append(any_event event, time_point now);
    KCONTROL_DECL void merge(item_map::iterator place, any_event event);
    KCONTROL_DECL void merge_state(item& at, any_event event);
    KCONTROL_DECL void merge_deletion(item& at, any_event event);

    bool every_version_;
    std::size_t bound_;
    item_list items_;
    item_map by_key_;  // of a queue that coalesces
    std::size_t waiting_ = 0;
    std::uint64_t pushed_items_ = 0;
    std::optional<std::uint64_t> last_of_first_;  // the last item of what was there at first
    struct in_hand {
        std::uint64_t number = 0;
        time_point since{};
    };
    std::optional<in_hand> telling_;
    bool full_ = false;
    std::uint64_t delivered_ = 0;
    std::uint64_t coalesced_ = 0;
    std::uint64_t times_full_ = 0;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cache/impl/event_queue.ipp>
#endif
