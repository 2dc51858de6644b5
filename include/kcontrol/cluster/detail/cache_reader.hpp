// The informers of a cluster as what its client reads from.
#pragma once

#include <kcontrol/cache/informer.hpp>
#include <kcontrol/client/client_cache.hpp>
#include <kcontrol/cluster/detail/read_plan.hpp>
#include <kcontrol/cluster/detail/stale_marks.hpp>
#include <kcontrol/cluster/read_counts.hpp>

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
/// Thread-safety: shared objects unsafe; use it on the set's executor. Object lifetime: shared with every client that
/// reads from it; the environment outlives it.
class cache_reader final : public client_cache, public std::enable_shared_from_this<cache_reader> {
public:
    KCONTROL_DECL cache_reader(environment& env, const informer_set& set);

    /// The set goes.
    void detach() noexcept { set_ = nullptr; }
    const read_counts_by_kind& counts() const noexcept { return counts_; }

    // --- client_cache
    KCONTROL_DECL awaitable<std::optional<result<any_object>>> get(const resource_info& info, namespaced_name key,
                                                                   get_options options) override;
    KCONTROL_DECL awaitable<std::optional<result<any_list>>> list(const resource_info& info,
                                                                  list_options options) override;
    KCONTROL_DECL void on_read(const resource_info& info, const namespaced_name& key,
                               const result<any_object>& answer) override;
    KCONTROL_DECL void on_write(const executor& by, const resource_info& info, const any_object& stored) override;
    KCONTROL_DECL void deleted(const executor& by, const resource_info& info, const namespaced_name& key) override;
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
    // The server has said that there is that object.
    KCONTROL_DECL void expect(const resource_info& info, const any_object& stored);
    template <class Note>
    void note(const executor& by, const group_version_kind& kind, const namespaced_name& key, Note note);

    environment* env_;
    const informer_set* set_;
    stale_marks marks_;
    read_counts_by_kind counts_;
    std::vector<std::weak_ptr<followed_writes>> followers_;
};

}  // namespace detail
}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/cache_reader.ipp>
#endif
