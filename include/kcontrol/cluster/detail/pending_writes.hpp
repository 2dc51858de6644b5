// This program's own writes that a cache has yet to show, and what they mean for a read, as a plain state machine.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/model/any_object.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/runtime/time.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// A write that the server has done.
class own_write {
public:
    own_write() = default;
    /// Of what `meta` is about it keeps namespace, name, uid and version.
    KCONTROL_DECL own_write(const object_meta& meta, bool was_deleted, time_point at);

    object_meta of;        ///< of a deletion the last version that is known
    bool deleted = false;  ///< finalizers may still hold the object
    time_point since{};
};

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

/// The own writes that one cache is to show. It has `patience` for each, from the write on; after that reads ask the
/// server at once. A write is forgotten when the cache shows it, and `lifetime` after that time in any case: versions
/// of a server that was restored may never come. There are `most`; where one too many is dropped, all reads ask the
/// server until it would have been forgotten.
///
/// Thread-safety: shared objects unsafe.
class pending_writes {
public:
    static constexpr duration lifetime = std::chrono::minutes(1);
    static constexpr std::size_t most = 1024;

    explicit pending_writes(duration patience) : patience_(patience) {}

    /// A write of the object has succeeded.
    KCONTROL_DECL void wrote(const object_meta& stored, const cache_view& cache, time_point now);
    /// The server has accepted a deletion. An object that neither an own write nor the cache knows is none to wait for.
    KCONTROL_DECL void deleted(const namespaced_name& key, const cache_view& cache, time_point now);
    /// A wait for that write has ended well.
    KCONTROL_DECL void shown(const own_write& write);

    /// What a read of an object does. Without a name it is a list of the namespace; empty: of all.
    KCONTROL_DECL own_writes_plan plan(const namespaced_name& wanted, const cache_view& cache, time_point now);

    /// Until when a read waits for a write.
    time_point deadline_of(const own_write& write) const { return write.since + patience_; }

    bool has(const namespaced_name& key) const { return writes_.contains(key); }
    bool empty() const noexcept { return writes_.empty() && !dropped_; }
    std::size_t size() const noexcept { return writes_.size(); }

private:
    KCONTROL_DECL void keep(own_write made, const cache_view& cache, time_point now);
    KCONTROL_DECL void settle(const cache_view& cache, time_point now);
    bool is_forgotten(time_point since, time_point now) const { return now - since >= patience_ + lifetime; }

    duration patience_;
    std::map<namespaced_name, own_write> writes_;  // of each object the last
    std::optional<time_point> dropped_;            // when that was written which there was no room for
    std::string settled_;                          // how far the cache was at the last settle()
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/pending_writes.ipp>
#endif
