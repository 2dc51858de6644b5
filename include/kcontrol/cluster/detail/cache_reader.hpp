// The informers of a cluster as what its client reads from.
#pragma once

#include <kcontrol/cache/informer.hpp>
#include <kcontrol/client/client_cache.hpp>
#include <kcontrol/cluster/cache_options.hpp>
#include <kcontrol/cluster/detail/pending_writes.hpp>
#include <kcontrol/cluster/detail/read_plan.hpp>
#include <kcontrol/cluster/detail/stale_marks.hpp>
#include <kcontrol/cluster/read_counts.hpp>
#include <kcontrol/runtime/log_rate_limit.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

class informer_set;

namespace detail {

class followed_writes;

/// Answers reads of the kinds that a set of informers watches, as the C++ type that they are read as; the rest is left
/// to the server. It starts no informer. Once the set is gone all is left to the server.
///
/// A read that asks for the newest state waits until its cache shows what the set's clients have written before, and
/// leaves the answer to the server where that takes too long.
///
/// Thread-safety: shared objects unsafe; use it on the set's executor. Object lifetime: shared with every client that
/// reads from it; the environment outlives it.
class cache_reader final : public client_cache, public std::enable_shared_from_this<cache_reader> {
public:
    KCONTROL_DECL cache_reader(environment& env, informer_set& set, logger log);

    /// The set goes.
    void detach() noexcept { set_ = nullptr; }
    /// How long a cache has to show a write, from then on.
    void own_writes_deadline(duration d) noexcept { patience_ = d; }
    /// What was written is of another server than what is read from now on.
    void forget_writes() noexcept {
        pending_.clear();
        flights_.clear();
    }
    const read_counts_by_kind& counts() const noexcept { return counts_; }

    // --- client_cache
    KCONTROL_DECL awaitable<std::optional<result<any_object>>> get(const client& from, const resource_info& info,
                                                                   namespaced_name key, get_options& options) override;
    KCONTROL_DECL awaitable<std::optional<result<any_list>>> list(const client& from, const resource_info& info,
                                                                  list_options& options) override;
    KCONTROL_DECL void on_read(const resource_info& info, const namespaced_name& key,
                               const result<any_object>& answer) override;
    KCONTROL_DECL void on_write(const executor& by, const resource_info& info, const any_object& stored) override;
    KCONTROL_DECL void deleted(const executor& by, const resource_info& info, const object_meta& what) override;
    KCONTROL_DECL void refused(const resource_info& info, const namespaced_name& key, const error& why) override;
    KCONTROL_DECL std::shared_ptr<own_writes> follow(const executor& by) override;

private:
    // The informers of a kind and what each holds.
    struct readable {
        std::vector<std::shared_ptr<any_informer>> informers;
        std::vector<cached_scope> scopes;
    };
    KCONTROL_DECL readable find(const resource_info& info) const;
    // Waits until the informer can answer: it has synced, and has that version, if one is asked for.
    KCONTROL_DECL awaitable<result<void>> ready(std::shared_ptr<any_informer> from, object_meta version,
                                                std::stop_token stop, time_point deadline);
    // The own writes of an informer that it has yet to show; null: none.
    pending_writes* pending_of(const any_informer& made) {
        const auto found = pending_.empty() ? pending_.end() : pending_.find(&made);
        return found == pending_.end() || found->second.of.expired() ? nullptr : &found->second.writes;
    }
    // What a read that asks for the newest state does so that it misses none of them.
    KCONTROL_DECL own_writes_plan plan_own_writes(const any_informer& made, const namespaced_name& wanted);
    // Carries out such a plan. False: the informer has not shown them in time, and the server is to be asked.
    KCONTROL_DECL awaitable<result<bool>> show_own_writes(std::shared_ptr<any_informer> from, own_writes_plan plan,
                                                          std::stop_token stop, time_point deadline);
    // What the server has, in place of an informer that is behind.
    KCONTROL_DECL awaitable<result<any_object>> get_live(const client& from, std::shared_ptr<any_informer> behind,
                                                         const resource_info& info, namespaced_name key,
                                                         get_options options);
    // A list of the server's; one that is under way is shared, unless something was written since it began.
    struct flight;
    class landing;
    KCONTROL_DECL std::shared_ptr<flight> find_flight(const any_informer& behind, const list_options& wanted) const;
    KCONTROL_DECL awaitable<result<any_list>> list_shared(const client& from, std::shared_ptr<any_informer> behind,
                                                          const resource_info& info, list_options options,
                                                          std::vector<field_requirement> terms, time_point deadline);
    // The same by terms that perhaps only an index of the cache can decide.
    KCONTROL_DECL awaitable<result<any_list>> list_live(const client& from, std::shared_ptr<any_informer> behind,
                                                        const resource_info& info, list_options options,
                                                        std::vector<field_requirement> terms, time_point deadline);
    // The server has said that there is that object.
    KCONTROL_DECL void expect(const resource_info& info, const any_object& stored);
    // Calls note(informer, scope) with each that may be told of an object of that namespace; the scope may be null.
    template <class Note>
    void for_each_watching(const group_version_kind& kind, std::string_view ns, Note note) const;
    // Calls note(followed_writes&) with those of the task on `by`.
    template <class Note>
    void for_each_follower(const executor& by, Note note) const;
    // Calls note(pending_writes&, const cache_view&) with those of an informer, whose lists under way are old then.
    template <class Note>
    void note_pending(const std::shared_ptr<any_informer>& made, Note note);

    environment* env_;
    informer_set* set_;
    logger log_;
    duration patience_ = cache_options::default_own_writes_deadline;
    stale_marks marks_;
    read_counts_by_kind counts_;
    std::vector<std::weak_ptr<followed_writes>> followers_;
    struct pending_entry {
        std::weak_ptr<any_informer> of;
        pending_writes writes;
    };
    std::map<const any_informer*, pending_entry> pending_;  // none is empty
    std::vector<std::shared_ptr<flight>> flights_;          // that can be shared
    log_rate_limit behind_told_{std::chrono::minutes(1)};
};

}  // namespace detail
}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/cache_reader.ipp>
#endif
