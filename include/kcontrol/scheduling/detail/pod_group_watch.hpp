// pod_group_watch: the PodGroups of the three groups, of which a server may have any, and their condition.
#pragma once

#include <kcontrol/cache/informer.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/scheduling/gang_claim.hpp>

#include <array>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::scheduling::detail {

/// Watches PodGroups as long as it exists. A kind that the server lacks is asked for every 30 s.
///
/// Thread-safety: shared objects unsafe; it belongs to the client's executor.
class pod_group_watch {
public:
    using set_function = std::function<void(const gang_id&, const gang_terms&)>;  ///< one was added or modified
    using remove_function = std::function<void(const gang_id&)>;                  ///< one was deleted

    /// Nothing is asked before start(). It reads and writes through `cl`.
    KCONTROL_DECL pod_group_watch(environment& env, executor ex, client cl);

    KCONTROL_DECL void start(std::stop_token stop);  ///< begins to watch
    KCONTROL_DECL awaitable<void> stop();            ///< ends it
    /// Says what there is now, and each change from then on.
    KCONTROL_DECL void subscribe(set_function set, remove_function remove);
    void unsubscribe() { subscriptions_.clear(); }  ///< ends that

    /// Writes the condition that says whether the minimum of the PodGroup is placed: PodGroupScheduled of v1alpha2,
    /// PodGroupInitiallyScheduled of v1beta1. Gangs of other sources have none. Errors: those of client::apply().
    KCONTROL_DECL awaitable<result<void>> write_condition(gang_id of, bool is_scheduled, std::string message,
                                                          std::string field_manager, std::stop_token stop);

private:
    struct kind {
        gang_source source;
        std::shared_ptr<any_informer> groups;
        const char* condition;  // null: none is written
    };
    template <class Api>
    void add(environment& env, const executor& ex, gang_source source, const char* condition);
    template <class Api>
    void subscribe_to(const kind& of, const set_function& set, const remove_function& remove);

    client client_;
    std::vector<kind> kinds_;
    std::vector<subscription> subscriptions_;
};

}  // namespace kcontrol::scheduling::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/pod_group_watch.ipp>
#endif
