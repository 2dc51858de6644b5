// The informer: a local copy of all objects of one kind in one cluster, kept up to date, with handlers that are
// notified of every change. Stops, starts and rebuilds (new credentials, moved server) do not disturb the handlers.
#pragma once

#include <kcontrol/cache/event.hpp>
#include <kcontrol/cache/event_consumer.hpp>
#include <kcontrol/cache/handler_options.hpp>
#include <kcontrol/cache/store.hpp>
#include <kcontrol/cache/subscription.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/watch/options.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Where an informer stands. `failed`, `forbidden` and `not_installed` are retried: they are states, not ends.
enum class informer_state { idle, listing, live, paused, not_installed, forbidden, failed };

KCONTROL_DECL std::string_view to_string(informer_state) noexcept;

/// The status of an informer, for readiness, metrics and logs.
class informer_status {
public:
    informer_state state = informer_state::idle;  ///< idle before the first start, paused after a stop
    std::string reason;                   ///< why it is not live, or what is odd about it; empty when all is well
    error_code failure;                   ///< the code behind reason
    bool synced = false;                  ///< the first list is complete; false again once the kind is gone
    std::uint64_t generation = 0;         ///< counts starts and rebuilds
    std::uint64_t lists = 0;              ///< lists asked for since it was created, page by page or as a stream
    std::uint64_t watches = 0;            ///< watches since it was created, streamed lists that went on as one included
    std::string not_streamed;             ///< why lists are not streamed any more; empty if they are, or shall not be
    std::size_t objects = 0;              ///< in the store
    std::uint64_t list_bytes = 0;         ///< what the server sent for the last complete list
    std::uint64_t bytes = 0;              ///< of memory: the objects in the store, and what they have in common
    bool metadata_only = false;           ///< more than informer_options::memory_budget(): only metadata is kept
    std::size_t invalid = 0;              ///< objects that can't be decoded now; what was known of them stays
    std::uint64_t server_changes = 0;     ///< times another server answered at the same address
    std::uint64_t rollbacks = 0;          ///< times the server's versions went back: its store was restored
    std::uint64_t handler_errors = 0;     ///< times a handler or callback of this informer threw
    std::optional<wall_time> last_event;  ///< when the server sent something last
    std::vector<handler_lag> handlers;    ///< those that have a queue of their own
};

/// Makes of an object what is stored in its place. It is called once for each version, with what was decoded, and is to
/// return the same for the same; name, namespace, uid and resource version stay. Where it throws, or returns nothing,
/// the object is invalid: see any_informer::on_invalid.
using object_transform = std::function<any_object(const any_object&)>;

/// A transform that changes a copy of each object of type T: `transform_of<pod>([](pod& p) { … })`. Objects of other
/// types pass as they are.
template <class T, class F>
object_transform transform_of(F change) {
    return [change = std::move(change)](const any_object& object) {
        const auto read = object.as<T>();
        if (!read) return object;
        const auto changed = std::make_shared<T>(*read);
        change(*changed);
        return any_object(std::shared_ptr<const T>(changed));
    };
}

/// How an informer behaves.
class informer_options {
public:
    // Not inline, and so compiled once: nearly every file of a user copies, moves and destroys some.
    KCONTROL_DECL informer_options();
    KCONTROL_DECL informer_options(const informer_options&);
    KCONTROL_DECL informer_options(informer_options&&) noexcept;
    KCONTROL_DECL informer_options& operator=(const informer_options&);
    KCONTROL_DECL informer_options& operator=(informer_options&&) noexcept;
    KCONTROL_DECL ~informer_options();

    /// Empty: all namespaces.
    informer_options& in_namespace(std::string ns) { return reflector_.in_namespace(std::move(ns)), *this; }
    /// Such as "app=web"; the server selects by it, and refuses what it can't read; empty, the default: all objects.
    informer_options& label_selector(std::string s) { return reflector_.label_selector(std::move(s)), *this; }
    /// Such as "spec.nodeName=a"; the fields that a kind can be selected by are the server's; empty, the default: all.
    informer_options& field_selector(std::string s) { return reflector_.field_selector(std::move(s)), *this; }
    /// A part of the objects by a hash; see selection_options::shard_selector(). Empty, the default: all objects.
    informer_options& shard_selector(std::string s) { return reflector_.shard_selector(std::move(s)), *this; }
    /// Objects a list page; 0 asks for everything at once. The default is reflector_policy's.
    informer_options& page_size(std::int64_t n) { return reflector_.policy(policy().page_size(n)), *this; }
    /// How often a kind that is not installed or forbidden is tried again. The default is reflector_policy's.
    informer_options& probe_period(duration d) { return reflector_.policy(policy().probe_period(d)), *this; }
    /// Bounds of the watch's server-side timeout, drawn anew for each watch. The default is reflector_options'.
    informer_options& watch_timeout(std::chrono::seconds least, std::chrono::seconds most) {
        return reflector_.watch_timeout(least, most), *this;
    }
    /// What one list may be in all its pages. The default is list_bounds'.
    informer_options& list_limits(list_bounds b) { return reflector_.policy(policy().bounds(b)), *this; }
    /// Whether lists are streamed; see list_streaming.
    informer_options& streaming(list_streaming s) { return reflector_.policy(policy().streaming(s)), *this; }
    /// See reflector_policy::initial_events_deadline, whose default it is.
    informer_options& initial_events_deadline(duration d) {
        return reflector_.policy(policy().initial_events_deadline(d)), *this;
    }
    /// See reflector_policy::silence_period, whose default it is.
    informer_options& silence_period(duration d) { return reflector_.policy(policy().silence_period(d)), *this; }
    /// The longest that a watch may be without a sign of life; see reflector_options::watch_idle, whose default it is.
    informer_options& watch_idle(duration d) { return reflector_.watch_idle(d), *this; }
    /// What is stored in place of each object: for what nobody reads, and is not known by its type. Default: nothing.
    informer_options& transform(object_transform f) { return transform_ = std::move(f), *this; }
    /// How many bytes the objects may take (informer_status::bytes). Beyond it the informer keeps their metadata alone,
    /// for the rest of its life, rather than that the program ends for lack of memory: it logs an error, and its status
    /// says so. See docs/informers.md for what is different then. It is looked at when a list is complete and after
    /// each event. Default, and 0: no bound.
    informer_options& memory_budget(std::uint64_t bytes) { return memory_budget_ = bytes, *this; }
    /// That of handlers which set none; see handler_options. Default: never.
    informer_options& resync_period(duration d) { return resync_period_ = d, *this; }
    informer_options& log(logger l) { return log_ = std::move(l), *this; }  ///< default: none; a manager gives its own

    const std::string& in_namespace() const noexcept { return reflector_.in_namespace(); }
    const std::string& label_selector() const noexcept { return reflector_.label_selector(); }
    const std::string& field_selector() const noexcept { return reflector_.field_selector(); }
    const std::string& shard_selector() const noexcept { return reflector_.shard_selector(); }
    std::int64_t page_size() const noexcept { return reflector_.policy().page_size(); }
    const list_bounds& list_limits() const noexcept { return reflector_.policy().bounds(); }
    duration probe_period() const noexcept { return reflector_.policy().probe_period(); }
    /// Least of watch_timeout(); default 5 min.
    std::chrono::seconds watch_timeout_min() const noexcept { return reflector_.watch_timeout_min(); }
    /// Most of watch_timeout(); default 10 min.
    std::chrono::seconds watch_timeout_max() const noexcept { return reflector_.watch_timeout_max(); }
    duration watch_idle() const noexcept { return reflector_.watch_idle(); }
    /// Those of the informer's reflector.
    const reflector_options& reflector() const noexcept { return reflector_; }
    const object_transform& transform() const noexcept { return transform_; }
    std::uint64_t memory_budget() const noexcept { return memory_budget_; }
    duration resync_period() const noexcept { return resync_period_; }
    const logger& log() const noexcept { return log_; }

private:
    reflector_policy policy() const { return reflector_.policy(); }

    reflector_options reflector_;
    object_transform transform_;
    std::uint64_t memory_budget_ = 0;
    duration resync_period_{};
    logger log_;
};

/// What a rebuilt informer may rely on.
enum class resume_mode {
    resume,  ///< the same server in another way (new credentials): the watch goes on from the last version
    relist,  ///< perhaps another server: versions mean nothing, so list, and compare with the store
};

/// Is called when an informer's status changed, on its executor, in the same guarded way as its handlers.
using status_handler = std::function<void(const informer_status&)>;

namespace detail {
class published_loop;
class shared_watch;
struct informer_parts;
}  // namespace detail

/// The informer of a kind known at run time; informer<T> is its typed face.
///
/// Several informers may share one watch: each is a view of it, with a store of its own, decoded from the same bytes to
/// a C++ type of its own (a projection, a type with all fields, dynamic_object, metadata_object). While all that run
/// read metadata only, so does the watch. When one starts that has something to catch up with, the watch is exchanged
/// for another that begins with a list; the others are notified of nothing twice.
///
/// Thread-safety: shared objects unsafe but for the store's readers (store.hpp); use it on the executor given, a strand
/// or a single-threaded context.
/// Cancellation: stop() and the parent's stop token; both end every request of this informer and nothing else's. A
/// watch that is shared ends with the last of its informers.
/// Object lifetime: destruction stops it; what still runs keeps the shared part alive. `info` outlives all of it.
class any_informer {
public:
    /// Asks nothing before start(); `env` outlives what still runs.
    KCONTROL_DECL any_informer(environment& env, executor ex, client cl, const resource_info& info,
                               informer_options options = {});
    /// Another view of what `first` watches, decoded as `view` says, which is of the same kind.
    KCONTROL_DECL any_informer(const any_informer& first, const resource_info& view);
    KCONTROL_DECL ~any_informer();
    any_informer(const any_informer&) = delete;
    any_informer& operator=(const any_informer&) = delete;

    /// Begins a generation: resumes from the last resource version if there is one, else lists. Does nothing while one
    /// runs. A triggered `parent` ends it like stop().
    KCONTROL_DECL void start(std::stop_token parent = {});

    /// Ends the present generation and waits until its work has returned (true), or until `deadline` (false), after
    /// which that work calls no handler either. Store and handlers stay, and so does what waits in a handler's queue:
    /// it is told after the next start. A call of such a handler that is in progress is not waited for. Idempotent.
    KCONTROL_DECL awaitable<bool> stop(std::optional<time_point> deadline = std::nullopt);

    /// Ends the present generation and starts the next with another client. Store and handlers stay; handlers get what
    /// really changed, and nothing twice. A stopped informer takes the client and stays stopped. Informers that share
    /// its watch go over to that client as well.
    KCONTROL_DECL void rebuild(client next, resume_mode mode = resume_mode::resume);

    /// While the kind is not installed: asks for it now, instead of after the probe period.
    KCONTROL_DECL void probe_now();

    /// Whether both are views of one watch.
    KCONTROL_DECL bool shares_watch_with(const any_informer& other) const noexcept;
    /// The namespace that it watches; empty: all.
    KCONTROL_DECL const std::string& in_namespace() const noexcept;

    /// Ends it for all who share it: it stops, and handlers and callbacks are called no more, whoever holds them. What
    /// the store knows stays as long as a handle of it.
    KCONTROL_DECL void retire();

    /// The handler gets `added` (initial) for what is in the store already, then every change, as `how` says. With a
    /// resync period it gets every object again, as `updated` with the same object twice and `resync` set.
    [[nodiscard]] KCONTROL_DECL subscription subscribe(event_consumer handler, handler_options how = {});
    /// The same with that resync period; zero: that of the informer's options.
    [[nodiscard]] subscription subscribe(event_consumer handler, duration resync_period) {
        return subscribe(std::move(handler), handler_options().resync_period(resync_period));
    }

    /// The handler gets every object that can't be decoded now, and each that comes, once a version. What was known of
    /// it before stays in the store, and no other handler hears of it. The log has a warning for each.
    [[nodiscard]] KCONTROL_DECL subscription on_invalid(invalid_handler handler);

    /// Called on the executor whenever status() changed in state, reason, synced, generation, invalid, server_changes
    /// or rollbacks.
    [[nodiscard]] KCONTROL_DECL subscription on_status_change(status_handler callback);

    KCONTROL_DECL informer_status status() const;  ///< what it is now; a copy
    KCONTROL_DECL bool has_synced() const;  ///< whether the first list is complete; false again once the kind is gone

    /// Waits until the first list is complete (true), or until `deadline` or `stop` (false).
    KCONTROL_DECL awaitable<bool> wait_synced(std::stop_token stop, std::optional<time_point> deadline = std::nullopt);

    /// Waits until the copy is at least as new as a write: `written` is what the write returned, or its metadata with
    /// namespace, name and resource version. An object that was deleted since, or that this informer does not select,
    /// ends the wait as well: when the watch has passed that version (version_waits.hpp has the rules). How soon the
    /// watch says so is the server's: with the next change of any object of the kind, or a bookmark, one a minute.
    /// Errors: timeout at `deadline`, stopped by `stop`; neither disturbs the informer.
    KCONTROL_DECL awaitable<result<void>> at_least(const object_meta& written, std::stop_token stop,
                                                   std::optional<time_point> deadline = std::nullopt);

    /// Waits until the copy knows of a deletion: `last` is the object's metadata as it was. It has no such object then,
    /// another one of its name (by uid), or one that is being deleted, as one with finalizers is. Errors: as
    /// at_least().
    KCONTROL_DECL awaitable<result<void>> deletion_seen(const object_meta& last, std::stop_token stop,
                                                        std::optional<time_point> deadline = std::nullopt);

    /// The server has told this program of an object, by what a write returned or by a read that was left to it. If the
    /// object is deleted before the watch has brought it, and the watch is broken meanwhile, no event would tell of it:
    /// the list that follows has handlers told of an addition, with this object, and of its deletion. What the copy has
    /// is passed over, and so is an object that this informer does not select, which the caller sees to. The client of
    /// a cluster calls this. It costs a look at the store, and the object until its event comes, 1024 at most.
    KCONTROL_DECL void expect(any_object stored);

    /// Whether the copy has the metadata of objects alone: they took more than informer_options::memory_budget(). From
    /// any thread.
    KCONTROL_DECL bool metadata_only() const noexcept;
    /// The whole object, from the server. From any executor. Errors: those of client::get().
    KCONTROL_DECL awaitable<result<any_object>> fetch(namespaced_name key, std::stop_token stop) const;

    /// Up to which version of the server the copy has all changes; empty where nothing can be said of that.
    KCONTROL_DECL std::string resource_version() const;

    KCONTROL_DECL const store& objects() const noexcept;       ///< the copy itself; it lives as long as the informer
    KCONTROL_DECL const resource_info& info() const noexcept;  ///< the kind, as this view decodes it

    /// See store::add_index. What the rule's function throws is logged and counted like a handler's; such an object has
    /// no key in the index.
    KCONTROL_DECL result<store_index> add_index(std::string name, index_rule rule);

protected:
    struct another_handle {};
    /// The same informer again, not another view: it stops when the last handle of it is destroyed.
    KCONTROL_DECL any_informer(const any_informer& same, another_handle);

private:
    friend class detail::published_loop;
    struct impl;
    struct handle;
    KCONTROL_DECL detail::informer_parts parts() const;
    KCONTROL_DECL any_informer(std::shared_ptr<detail::shared_watch> watch, const resource_info& info);

    std::shared_ptr<impl> impl_;
    std::shared_ptr<handle> handle_;
};

/// The informer of a kind known at compile time.
template <resource T>
class informer : public any_informer {
public:
    /// As that of any_informer; the kind is that of T.
    informer(environment& env, executor ex, client cl, informer_options options = {})
        : any_informer(env, std::move(ex), std::move(cl), resource_of<T>(), std::move(options)) {}
    /// Another view of what `first` watches.
    explicit informer(const any_informer& first) : any_informer(first, resource_of<T>()) {}

    /// The typed face of an informer; null if its objects are not of type T.
    static std::shared_ptr<informer> of(const any_informer& same) {
        if (!resource_of<T>().decodes_same_as(same.info())) return nullptr;
        return std::shared_ptr<informer>(new informer(same, another_handle()));
    }

    /// The cached object, or null.
    std::shared_ptr<const T> get(const namespaced_name& key) const { return objects().get(key).template as<T>(); }

    /// What is cached and wanted, sorted by key, without a copy; from any thread, as get() and list().
    found_list<T> select(const cache_query& query) const { return found_list<T>(objects().select(query)); }

    using any_informer::add_index;
    /// An index by an own function of a T; see index_rule::of.
    template <class F>
    requires std::invocable<F&, const T&> result<store_index> add_index(std::string name, F f) {
        return add_index(std::move(name), index_rule::of<T>(std::move(f)));
    }
    /// What an index of this informer has under a key, sorted by key, without a copy.
    found_list<T> by_index(const store_index& index, std::string_view key) const {
        return found_list<T>(objects().by_index(index, key));
    }
    /// The same by the index's name. Errors: invalid_argument if there is none of that name.
    result<found_list<T>> by_index(std::string_view index, std::string_view key) const {
        auto found = objects().snapshot().by_index(index, key);
        if (!found) return found.error();
        return found_list<T>(std::move(*found));
    }

    /// Everything cached, sorted by key; `ns` empty: all namespaces.
    std::vector<std::shared_ptr<const T>> list(const std::string& ns = {}) const {
        std::vector<std::shared_ptr<const T>> out;
        for (const auto& object : objects().list(ns)) out.push_back(object.template as<T>());
        return out;
    }

private:
    informer(const any_informer& same, another_handle tag) : any_informer(same, tag) {}
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cache/impl/informer.ipp>
#endif
