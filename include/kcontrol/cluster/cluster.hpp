// What everything that works on one cluster asks of it; a manager's own cluster and an engaged one offer the same.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/cluster/cache_options.hpp>
#include <kcontrol/cluster/merged_informer.hpp>
#include <kcontrol/cluster/source.hpp>

#include <memory>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

class event_recorder;          // record/event_recorder.hpp
class event_recorder_options;  // there, too

/// One cluster at work: its client, and the informers and recorders that all who work on it share.
///
/// Thread-safety: shared objects unsafe; use it on its executor, but for name(), env() and get_executor().
/// Object lifetime: whoever runs it (a manager, a multicluster_manager) says how long it lives.
class cluster {
public:
    virtual ~cluster() = default;

    /// Unique among the clusters of one manager; empty for a manager's own.
    virtual const std::string& name() const noexcept = 0;
    virtual environment& env() const noexcept = 0;  ///< its clocks, timers and random numbers; outlives it
    /// A strand or a single-threaded context: all work of this cluster happens on it.
    virtual executor get_executor() const = 0;
    virtual const logger& log() const noexcept = 0;  ///< its records carry the cluster's name, where it has one

    /// The client of the present configuration. It reads from the informers below, where there are some of the kind
    /// that is asked for; `get_client().live()` asks the server always (docs/cache.md). New credentials make another
    /// one and close this one, so ask for it before each use instead of keeping a copy.
    virtual client& get_client() noexcept = 0;

    /// The informers of a kind, made at the first call: one for each namespace that this cluster is watched in, usually
    /// one for all. They run while the cluster does, and stay when its credentials change. The resource_info, be it of
    /// a type (resource_of) or made at run time, outlives the cluster; several of one kind are views of one watch.
    virtual std::vector<std::shared_ptr<any_informer>> informers_of(const resource_info& kind) = 0;

    /// The objects of a kind, as what a controller watches.
    virtual std::shared_ptr<cached_source> source_of(const resource_info& kind) = 0;

    /// The same with options of its own, in place of those that the cluster has for the kind: other informers, unless
    /// some of the same namespaces and selectors are there. Errors: invalid_argument (those have been there for longer,
    /// so that a transform comes too late), unavailable (this cluster can't).
    KCONTROL_DECL virtual result<std::shared_ptr<cached_source>> source_with(const resource_info& kind,
                                                                             const kind_options& how);

    /// Writes Events about objects of this cluster in the name of who asks ("example.com/website-operator"). All who
    /// ask for that name share it, and the options of the first count. It writes while the cluster is at work, and ends
    /// last: what is recorded before, and by what ends before, is written.
    virtual std::shared_ptr<event_recorder> recorder_of(const event_recorder_options& options) = 0;
    /// Of who reports by that name, with the default options.
    KCONTROL_DECL std::shared_ptr<event_recorder> get_event_recorder(std::string reporter);

    /// Forgets the informers of a kind, as which type it is read: their watch ends unless others read the kind as
    /// another type, their handlers are called no more, and the memory is freed with the last handle that somebody
    /// keeps. Who asks for the kind next gets new ones. What it returns need not be awaited; it does so when their work
    /// has ended. Errors: invalid_argument (a controller, or who else holds a source_of() that reads them, needs them),
    /// unavailable (this cluster can't).
    KCONTROL_DECL virtual awaitable<result<void>> remove_informers_of(const resource_info& kind);
    /// The same of the kind of T, read as T.
    template <resource T>
    awaitable<result<void>> remove_informer() {
        return remove_informers_of(resource_of<T>());
    }

    /// The informers of a kind as one, in however many namespaces it is watched.
    template <resource T>
    merged_informer<T> get_informers() {
        return merged_informer<T>(informers_of(resource_of<T>()));
    }

    /// The informer of a kind. Null where it is watched in several namespaces: get_informers() has them all as one.
    KCONTROL_DECL std::shared_ptr<any_informer> informer_of(const resource_info& kind);
    /// The same as an informer of objects of type T. Null where informer_of() is.
    template <resource T>
    std::shared_ptr<informer<T>> get_informer() {
        const auto found = informer_of(resource_of<T>());
        return found ? informer<T>::of(*found) : nullptr;
    }
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/cluster.ipp>
#endif
