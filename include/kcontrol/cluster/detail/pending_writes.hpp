// This program's own writes that a cache has yet to show, and what they mean for a read, as a plain state machine.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/model/any_object.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/runtime/time.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// What a write has done to its object.
enum class own_change {
    stored,   ///< the object has been written
    deleted,  ///< a deletion has been accepted; finalizers may still hold the object
    removed   ///< it has gone, as with its last finalizer
};

/// A write that the server has done.
class own_write {
public:
    own_write() = default;
    /// Of what `meta` is about it keeps namespace, name, uid and version.
    KCONTROL_DECL own_write(const object_meta& meta, own_change what, time_point at);

    object_meta of;  ///< of a deletion the last version that is known; none: a write of another object with that name
    own_change change = own_change::stored;
    bool left = false;  ///< the cache does not select it any more: of later versions nothing is to be seen
    std::string after;  ///< the version of an earlier write that the cache is to show first; empty: none
    bool seen = false;  ///< the cache has had this very object since, so its absence says enough
    time_point since{};
    std::string overdue;  ///< an earlier version that was not shown in time: a later one won't be, either
    std::string by;       ///< a later version of the server, which has the write in any case; empty: not known
};

/// Whether an answer's object has gone: its last finalizer was removed, or its grace was none. The version of such an
/// answer is often the one before. Source: apiserver's registry.Store (ShouldDeleteDuringUpdate).
KCONTROL_DECL bool is_removed(const object_meta& answer);

/// What a cache shows at one moment.
class cache_view {
public:
    using get_function = std::function<any_object(const namespaced_name&)>;
    cache_view(std::string up_to, get_function f) : passed(std::move(up_to)), get(std::move(f)) {}

    std::string passed;  ///< all changes up to that version are there; empty: nothing is known of that
    get_function get;    ///< an object, or an empty one
};

/// What a read does so that it misses no own write.
class own_writes_plan {
public:
    enum class step {
        answer,     ///< it reads the cache
        wait,       ///< it waits for each of `awaited`, at most until their time is up, and then reads the cache
        ask_server  ///< the cache has had its time
    };
    step next = step::answer;
    std::vector<own_write> awaited;  ///< the newest first: those before it are often over with it
};

/// Whether a cache selects what was written.
enum class selection {
    yes,
    perhaps,  ///< fields decide that are not known here: yes, if the cache has the object
    no
};

/// The own writes that one cache is to show. It has `patience` for each, from the write on; after that reads ask the
/// server at once. While the cache has not shown an object's overdue version, later writes of it have no patience. A
/// write is forgotten when the cache shows it, and `lifetime` after that time in any case: versions of a server that
/// was restored may never come. There are `most`; where one too many is dropped, all reads ask the server until the
/// cache has its version, or until it would have been forgotten.
///
/// Thread-safety: shared objects unsafe.
class pending_writes {
public:
    static constexpr duration lifetime = std::chrono::minutes(1);
    static constexpr std::size_t most = 1024;

    static constexpr duration most_patience = std::chrono::hours(24 * 366);

    explicit pending_writes(duration patience) : patience_(std::clamp(patience, duration::zero(), most_patience)) {}

    /// A write of the object has succeeded.
    KCONTROL_DECL void wrote(const object_meta& stored, selection selected, const cache_view& cache, time_point now);
    /// The server has accepted a deletion. `what` has namespace, name, and what the answer said: uid, version, whether
    /// it is removed. An object that neither an own write nor the cache knows is none to wait for.
    KCONTROL_DECL void deleted(const object_meta& what, const cache_view& cache, time_point now);
    /// Perhaps objects were deleted, and it is not known which.
    KCONTROL_DECL void lost(time_point now);
    /// A wait for that write has ended well.
    KCONTROL_DECL void shown(const own_write& write);

    /// The server's answers to reads that were sent at `began`: an object, or null if there is none; and a list of that
    /// version.
    KCONTROL_DECL void answered(const namespaced_name& key, const object_meta* present, time_point began);
    KCONTROL_DECL void listed(const std::string& version, time_point began);

    /// What a read of an object does. Without a name it is a list of the namespace; empty: of all.
    KCONTROL_DECL own_writes_plan plan(const namespaced_name& wanted, const cache_view& cache, time_point now);

    /// Until when a read waits for a write.
    time_point deadline_of(const own_write& write) const { return write.since + patience_; }

    /// The last write of the object, if the cache has yet to show it; null: none.
    const own_write* find(const namespaced_name& key) const {
        const auto found = writes_.find(key);
        return found == writes_.end() ? nullptr : &found->second;
    }
    bool empty() const noexcept { return writes_.empty() && !dropped_; }
    std::size_t size() const noexcept { return writes_.size(); }

private:
    using by_object = std::map<namespaced_name, own_write>;
    // Writes that are not remembered one by one.
    struct dropped {
        time_point since;  // the last of them
        std::string by;    // a version that has them all; empty: not known
    };
    KCONTROL_DECL void keep(own_write made, const cache_view& cache, time_point now);
    KCONTROL_DECL void drop(const own_write& write);
    KCONTROL_DECL void settle(const cache_view& cache, time_point now);
    KCONTROL_DECL own_write* look_at(by_object::iterator found, const cache_view& cache, time_point now);
    bool is_forgotten(time_point since, time_point now) const { return now - since >= patience_ + lifetime; }

    duration patience_;
    by_object writes_;  // of each object the last
    std::optional<dropped> dropped_;
    std::string settled_;  // how far the cache was at the last settle()
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/pending_writes.ipp>
#endif
