// scheduler::term: what a scheduler is from the moment it leads until it does not.
#pragma once

#include <kcontrol/record/event_recorder.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/trace.hpp>
#include <kcontrol/scheduling/detail/binding_limit.hpp>
#include <kcontrol/scheduling/detail/claim_binder.hpp>
#include <kcontrol/scheduling/detail/pod_binder.hpp>
#include <kcontrol/scheduling/detail/pod_group_watch.hpp>
#include <kcontrol/scheduling/detail/pod_notes.hpp>
#include <kcontrol/scheduling/detail/profile_decider.hpp>
#include <kcontrol/scheduling/detail/scheduler_metrics.hpp>
#include <kcontrol/scheduling/detail/volume_binder.hpp>
#include <kcontrol/scheduling/scheduler.hpp>
#include <kcontrol/scheduling/scheduler_core.hpp>

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

struct scheduler::impl : std::enable_shared_from_this<scheduler::impl> {
    impl(manager& manager_, scheduler_options o);

    result<std::vector<profile>> read_profiles();
    bool reload();
    awaitable<void> follow_configuration(std::stop_token stop);
    static awaitable<result<void>> run(std::shared_ptr<impl> self, std::stop_token stop);
    awaitable<bool> wait_synced(std::stop_token stop);
    static preemption_policy policy_of(impl& of);
    static plugin_registry registry_of(impl& of);
    std::vector<disruption_budget> budgets() const;
    void collect(metrics_writer& out) const;
    trace_sink sink() const;

    manager& m;
    environment& env;
    scheduler_options options;
    std::shared_ptr<detail::volume_access> volumes;
    std::shared_ptr<detail::claim_access> claims;  // null: claims are ignored
    preemption_policy policy;
    plugin_registry registry;
    detail::scheduler_metrics metrics;
    std::string text;               // of the configuration that counts
    std::string complaint;          // logged last
    std::uint64_t overcommits = 0;  // of earlier terms
    std::shared_ptr<term> now;      // null: it does not lead
};

// It is held by its coroutines, so that answers which come late have something to go to.
struct scheduler::term : std::enable_shared_from_this<scheduler::term> {
    term(std::shared_ptr<impl> s, std::stop_token until);

    result<void> begin(std::vector<profile> profiles);
    void set_profiles(std::vector<profile> profiles);
    void subscribe();
    awaitable<void> loop();
    awaitable<void> end();
    void kick();

    void carry_out();
    void carry_out(bind_effect& what);
    void carry_out(condition_effect& what);
    void carry_out(nominate_effect& what);
    void carry_out(evict_effect& what);
    void carry_out(group_effect& what);
    void add_note(const std::shared_ptr<const pod_info>& pod, detail::pod_note note);
    static awaitable<void> bind(std::shared_ptr<term> self, decided_pod place, detail::binding_limit::token counted);
    awaitable<detail::binding_end> bind(decided_pod place);
    static awaitable<void> write_notes(std::shared_ptr<term> self, std::string uid);
    static awaitable<void> evict(std::shared_ptr<term> self, evict_effect what);
    static awaitable<void> write_group(std::shared_ptr<term> self, group_effect what);
    void report(const detail::round_report& round);
    event_recorder& recorder_of(const pod_info& pod);

    template <class T>
    void subscribe_to(event_consumer handler);
    // Objects that only the volume catalog knows.
    template <class T, class Remove>
    void follow_storage(std::string_view kind, Remove remove);
    // Objects that only the claim catalog knows.
    void follow_claims();
    template <class T>
    void follow_claims(std::string_view kind);
    void claims_made(const event<api::core::v1::pod>& happened);
    static awaitable<void> complete_claims(std::shared_ptr<term> self);

    std::shared_ptr<impl> of;
    environment& env;
    std::stop_token stop;
    detail::profile_decider decider;
    scheduler_core core;
    detail::pod_binder binder;
    detail::binding_limit limit;
    detail::pod_group_watch groups;
    detail::pod_notes notes;
    task_group tasks;
    std::vector<std::shared_ptr<any_informer>> claim_kinds;
    std::vector<subscription> subscriptions;
    async_event wake, written;
    bool has_news = false;
    trace_sink trace;
};

}  // namespace kcontrol::scheduling
