// The informers of one cluster: one for each kind and scope, started, stopped and rebuilt together.
#pragma once

#include <kcontrol/cache/informer.hpp>
#include <kcontrol/cluster/cache_options.hpp>
#include <kcontrol/cluster/crd_watch.hpp>
#include <kcontrol/cluster/read_counts.hpp>
#include <kcontrol/cluster/source.hpp>
#include <kcontrol/runtime/scope.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

namespace detail {
class cache_audit;
class cache_reader;
class cached_scope;
}  // namespace detail

/// Owns informers. Who asks for the same kind in the same scope (namespace and selectors) looks at the same watch,
/// whatever C++ type he wants: two resource_infos that read alike get the same informer, others of the kind get a view
/// each. Of the options, those of the view that was asked for first count.
///
/// While a kind of a CustomResourceDefinition is not installed it watches the definitions' metadata (crd_watch), and
/// asks for the kind when its own comes or changes. There is one such watch for all of them.
///
/// Thread-safety: shared objects unsafe; use it on the executor given, a strand or a single-threaded context.
/// Cancellation: stop() and the token given to start().
/// Object lifetime: destruction stops it. Informers that are still held elsewhere stay readable.
class informer_set {
public:
    /// How the informers of a kind shall be, one of each of the options that this returns.
    using scopes_function = std::function<std::vector<informer_options>(const resource_info&)>;
    /// What probe_kinds() calls with each of its kinds whose definition has come or changed.
    using probe_function = std::function<void(const resource_info&)>;

    /// `scopes` is asked each time that somebody asks for informers. They ask with `cl`, never with caches that it may
    /// read from. The environment outlives it.
    KCONTROL_DECL informer_set(environment& env, executor ex, client cl, scopes_function scopes, logger log = {});
    KCONTROL_DECL ~informer_set();
    informer_set(const informer_set&) = delete;
    informer_set& operator=(const informer_set&) = delete;

    /// The informers of a kind, one a scope, made at the first call. They run while the set does.
    KCONTROL_DECL std::vector<std::shared_ptr<any_informer>> of(const resource_info& kind);

    /// The same as one source.
    KCONTROL_DECL std::shared_ptr<cached_source> source_of(const resource_info& kind);

    /// The same with options in place of those that scopes_function says; see cluster::source_with. The client reads
    /// from them, too.
    KCONTROL_DECL result<std::shared_ptr<cached_source>> source_with(const resource_info& kind,
                                                                     const kind_options& how);

    /// Forgets what of() made of a kind, as which type it is read, and source_of() of the same: see
    /// cluster::remove_informers_of. A source that somebody still holds is an error (invalid_argument), and nothing has
    /// changed. The rest is done when this is called; what it returns waits until their work has ended.
    KCONTROL_DECL awaitable<result<void>> remove(const resource_info& kind);

    /// Informers of a kind, one a scope, that nobody else gets, and that the caller starts and stops. They are rebuilt,
    /// and stopped in the end, with the others.
    KCONTROL_DECL std::vector<std::shared_ptr<any_informer>> make_unshared(const resource_info& kind);

    /// Kinds that are missing though no shared informer says so, as those of which several versions are tried in turn.
    /// While the set runs, their definitions are watched as well, and `probe`, if there is one, is called with a kind
    /// that is to be asked for now. Replaces the kinds of the call before; with none it ends. The kinds outlive that.
    KCONTROL_DECL void probe_kinds(std::vector<const resource_info*> kinds, probe_function probe = {});

    /// Starts every shared informer that is there or will be asked for. Does nothing while it runs.
    KCONTROL_DECL void start(std::stop_token parent = {});

    /// Stops every informer and waits until they have (true), or until `deadline` (false). What they know stays, and
    /// start() goes on with it. Idempotent.
    KCONTROL_DECL awaitable<bool> stop(std::optional<time_point> deadline = std::nullopt);

    /// Goes over to another client; see any_informer::rebuild. Handlers are notified of nothing twice. The client
    /// before it is not closed.
    KCONTROL_DECL void rebuild(client next, resume_mode mode = resume_mode::resume);

    /// Stops all and forgets them.
    KCONTROL_DECL void clear();

    /// What the informers ask with.
    client& get_client() noexcept { return client_; }
    /// The same client, which reads from the informers that there are: of kinds that somebody has asked of() for, as
    /// the type that he did. It may outlive the set, and asks the server always then.
    client& get_reading_client() noexcept { return reading_; }
    /// Who answered its reads.
    KCONTROL_DECL const read_counts_by_kind& reads() const noexcept;

    /// Has the informers compared with the server while they run, from the next start(): see
    /// cache_options::audit_period. Called once, before that.
    KCONTROL_DECL void audit_every(duration period);
    /// See cache_options::own_writes_deadline; of reads from then on.
    KCONTROL_DECL void own_writes_deadline(duration d);
    /// What audits have found so far, by kind. Empty without audit_every().
    KCONTROL_DECL audit_counts_by_kind audits() const;

    /// Calls f(const informer_options&, const std::shared_ptr<any_informer>&, const detail::cached_scope*) with what
    /// of() made; the scope is null if the selectors are such that the server refuses them.
    template <class F>
    void for_each_shared(F f) const {
        for (const entry& one : entries_) {
            if (one.shared) f(one.options, one.made, one.scope.get());
        }
    }

    /// Every informer, sorted by group, version, kind and namespace.
    KCONTROL_DECL std::vector<std::shared_ptr<any_informer>> all() const;
    KCONTROL_DECL bool has_synced() const;  ///< whether every informer has, unshared ones too; true without any

private:
    struct entry {
        KCONTROL_DECL entry(informer_options o, std::shared_ptr<any_informer> m);

        const resource_info& kind() const noexcept { return made->info(); }

        informer_options options;
        std::shared_ptr<any_informer> made;
        std::shared_ptr<const detail::cached_scope> scope;  // of the options; asked at each read
        subscription observed;                              // its status
        bool shared = true;
    };
    KCONTROL_DECL std::shared_ptr<cached_source> keep_source(const resource_info& kind,
                                                             std::vector<std::shared_ptr<any_informer>> of);
    KCONTROL_DECL std::shared_ptr<any_informer> get(const resource_info& kind, const informer_options& wanted);
    KCONTROL_DECL void add(entry added);
    KCONTROL_DECL void follow_missing();
    KCONTROL_DECL void probe(const std::string& crd);
    bool running() const { return term_ && !term_->stopped(); }

    environment* env_;
    executor ex_;
    client client_;
    std::shared_ptr<detail::cache_reader> reader_;
    client reading_;
    scopes_function scopes_;
    logger log_;
    std::vector<entry> entries_;
    std::vector<std::pair<const resource_info*, std::weak_ptr<cached_source>>> sources_;
    std::vector<const resource_info*> sought_;  // by probe_kinds()
    probe_function probe_sought_;
    std::unique_ptr<scope> term_;             // of the present run; null before the first
    std::shared_ptr<crd_watch> definitions_;  // null before a kind is missing
    std::shared_ptr<detail::cache_audit> audit_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/informer_set.ipp>
#endif
