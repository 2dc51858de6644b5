// The inside of an engaged cluster: its client and informers, the kinds it watches, its controllers, and what it says
// of itself.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/cluster/informer_set.hpp>
#include <kcontrol/multicluster/detail/budgeted_transport.hpp>
#include <kcontrol/multicluster/detail/cluster_board.hpp>
#include <kcontrol/multicluster/detail/cluster_leadership.hpp>
#include <kcontrol/multicluster/detail/kind_slot.hpp>
#include <kcontrol/multicluster/engaged_cluster.hpp>
#include <kcontrol/record/recorder_set.hpp>
#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/failure_log.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

struct engaged_cluster::impl : std::enable_shared_from_this<engaged_cluster::impl> {
    impl(environment& e, executor s, std::string n, std::shared_ptr<const multicluster_options> o,
         std::shared_ptr<detail::cluster_board> b, std::optional<leader_fence> fence)
        : env(e),
          strand(std::move(s)),
          name(std::move(n)),
          options(std::move(o)),
          board(std::move(b)),
          log(options->log().with("cluster", name)),
          calls(env, log),
          tasks(env, strand, log),
          running(std::make_shared<task_group>(env, strand, log)),
          leadership(std::move(fence)) {
        begin_term();
    }

    bool engaged() const { return config && !lifetime.stopped(); }

    // It is engaged with that already, and nothing is wrong.
    bool has(const auth::cluster_config& offered, const std::string& with_warning) const;
    void connect(const auth::cluster_config& next);
    void engage_with(const auth::cluster_config& next);
    static awaitable<void> connect_again(std::shared_ptr<impl> self, auth::cluster_config next, std::uint64_t offered,
                                         std::stop_token stop);
    void begin(client first);
    void rotate(const auth::cluster_config& previous, client next, bool& has_moved);
    // The new configuration is unusable. What runs with the old one goes on.
    void refuse(const error& why);
    void accept();
    // Which trouble it is: the state, and the code behind its reason. How nobody answers is no news.
    std::pair<cluster_state, error_code> cause_of(const cluster_status& now) const;
    void tell(const cluster_status& now);
    // A kind of one version runs with the other informers, and is shared with controllers. Of several versions only the
    // served one runs, which the slot decides.
    void make_slot(const kind_choice& choice);
    void observe(const std::shared_ptr<detail::kind_slot>& slot, detail::kind_version& version,
                 const std::shared_ptr<any_informer>& one);
    // Has the definitions of the kinds of which no version is served watched.
    void look_for_kinds();
    static awaitable<void> run_kind(std::shared_ptr<impl> self, std::shared_ptr<detail::kind_slot> slot,
                                    std::stop_token stop);
    static awaitable<void> publish_counts(std::shared_ptr<impl> self, std::stop_token stop);
    // A cluster that can't be reached for long makes the sync time out, and a source may throw. That is tried again, as
    // everything here is.
    static awaitable<void> run_controller(std::shared_ptr<impl> self, std::shared_ptr<any_controller> one,
                                          stop_parents parents);
    result<void> take(std::shared_ptr<any_controller> added, bool always);
    void run_now(const std::shared_ptr<any_controller>& one);
    static awaitable<void> lead(std::shared_ptr<impl> self, std::stop_token stop);
    // True if all have returned by then.
    static awaitable<bool> join_controllers(std::shared_ptr<impl> self, time_point deadline);
    void forget_controllers();
    bool in_slot(const any_informer& one) const;
    // Of the informers of slots, or of the others: those that only controllers watch.
    std::vector<informer_report> reports(bool of_slots) const;
    std::vector<informer_report> all_reports(std::vector<informer_report> others) const;
    static void add_kinds(std::vector<kind_status>& to, const std::vector<informer_report>& others);
    cluster_status current(const std::vector<informer_report>& others) const;
    // Signs of life are published now and then: a quiet cluster must not look like a dead one.
    static bool heard_since(const std::optional<wall_time>& then, const std::optional<wall_time>& now);
    void publish();
    void watch_over_status();
    // Over its budget: what runs there ends, and begins anew after a rest.
    void back_off_if_over_budget(const std::vector<informer_report>& held);
    static awaitable<void> back_off(std::shared_ptr<impl> self, error why);
    static awaitable<void> engage_after_backoff(std::shared_ptr<impl> self, auth::cluster_config with,
                                                std::stop_token stop);
    static backoff_policy budget_backoff(const multicluster_options& options);
    static backoff_policy retry_backoff();
    // False if on_engage() threw.
    bool introduce();
    // What on_engage() had made when it threw is taken back before it is called again.
    static awaitable<void> introduce_again(std::shared_ptr<impl> self, std::stop_token stop);
    void begin_term() { built = std::make_unique<scope>(lifetime.token()); }

    // Controllers first, then what they read; then nothing is known any more, and all is as at first.
    static awaitable<void> end_term(std::shared_ptr<impl> self);
    static awaitable<void> disengage(std::shared_ptr<impl> self, user_task caller);
    static awaitable<void> disengage_by_caller(std::shared_ptr<impl> self);

    environment& env;
    executor strand;
    std::string name;
    cluster_labels labels;                // set once, by the constructor
    std::vector<std::string> namespaces;  // likewise
    std::shared_ptr<const multicluster_options> options;
    std::shared_ptr<detail::cluster_board> board;  // null if nobody wants metrics
    logger log;
    guarded_calls calls;                         // of the options' functions
    engaged_cluster* owner = nullptr;            // null once it is destroyed
    task_group tasks;                            // of slots and of the status
    std::shared_ptr<task_group> running;         // controllers that do not wait for leadership
    detail::cluster_leadership leadership;       // and those that do
    scope lifetime;                              // of slots, status and controllers
    std::unique_ptr<scope> built;                // of the controllers; rebuilt where on_engage() threw
    scope caches;                                // of informers; it ends after the controllers have returned
    std::optional<auth::cluster_config> config;  // in use
    std::optional<informer_set> informers;       // nothing before the first usable configuration
    std::optional<recorder_set> recorders;       // likewise
    const std::shared_ptr<detail::budget_counts> budgeted = std::make_shared<detail::budget_counts>();
    std::shared_ptr<bool> moved;                // whether it is another server than that which the present client asks
    std::uint64_t offer = 0;                    // counts what engage() and refuse() were called with
    backoff pause{retry_backoff()};             // of a transport factory that threw
    std::optional<error> failure;               // of the configuration offered last
    std::optional<std::string> engage_failure;  // what on_engage() threw
    failure_log<error_code> refusals;           // of configurations
    failure_log<std::pair<cluster_state, error_code>> journal;
    std::string warning;
    std::uint64_t generation = 0;
    std::vector<std::shared_ptr<detail::kind_slot>> slots;
    controller_list controllers;
    std::optional<cluster_status> published;
    bool counting = false;  // publish_counts() runs
    bool removed = false;   // on_removed() was called since the last offer
    bool disengaging = false;
    std::uint64_t disengagements = 0;  // that have ended
    async_event disengaged;
    // Mostly null, and a thousand bytes if not.
    std::shared_ptr<const auth::cluster_config> next_config;  // offered while it disengages
    std::shared_ptr<const auth::cluster_config> over_budget;  // its own, while it rests
    backoff rests{budget_backoff(*options)};
    bool ending_over_budget = false;      // the rest begins: what runs ends
    async_event rested;                   // that is over
    std::size_t leaving = 0;              // disengagements that wait for it
    std::atomic<bool> abandoned = false;  // by request_stop(): no function is called any more
};

}  // namespace kcontrol
