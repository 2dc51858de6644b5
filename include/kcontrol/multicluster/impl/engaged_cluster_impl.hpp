// The inside of an engaged cluster: its client and informers, the kinds it watches, its controllers, and what it says
// of itself.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/cluster/informer_set.hpp>
#include <kcontrol/manager/run_groups.hpp>
#include <kcontrol/multicluster/detail/budgeted_transport.hpp>
#include <kcontrol/multicluster/detail/cluster_board.hpp>
#include <kcontrol/multicluster/detail/cluster_life.hpp>
#include <kcontrol/multicluster/detail/kind_slot.hpp>
#include <kcontrol/multicluster/engaged_cluster.hpp>
#include <kcontrol/record/recorder_set.hpp>
#include <kcontrol/runtime/failure_log.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/timer.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

struct engaged_cluster::impl : std::enable_shared_from_this<engaged_cluster::impl> {
    impl(environment& e, executor s, std::string n, std::shared_ptr<const multicluster_options> o,
         std::shared_ptr<detail::cluster_board> b, std::optional<leader_fence> f)
        : env(e),
          strand(std::move(s)),
          name(std::move(n)),
          options(std::move(o)),
          board(std::move(b)),
          log(options->log().with("cluster", name)),
          calls(env, log),
          life(options->budget().retry_backoff()),
          fence(std::move(f)),
          tasks(env, strand, log),
          lifetime(abandoned.get_token()),
          built(std::make_unique<scope>(lifetime.token())),
          caches(abandoned.get_token()),
          groups(env, strand, log, fence.has_value()) {
        groups.start();
    }

    // Controllers may be added.
    bool engaged() const { return life.used() && !built->stopped(); }
    // Does what the life of the cluster asks for, in order. Once it is abandoned an end is completed, and nothing else.
    void apply(const detail::cluster_life::actions& todo);
    // False if it threw. It is not called once the cluster is abandoned.
    bool call(const char* what, const multicluster_options::cluster_callback& f);
    void connect();
    void begin(client first);
    void rotate(const auth::cluster_config& from, const auth::cluster_config& to, client next, bool& has_moved);
    static awaitable<void> retry(std::shared_ptr<impl> self, std::uint64_t offer, duration pause, std::stop_token stop);
    static awaitable<void> retract(std::shared_ptr<impl> self, std::stop_token stop);
    // Controllers first, then what they read; then nothing is known any more, and all is as at first.
    static awaitable<void> end(std::shared_ptr<impl> self, std::optional<error> why);
    // Without a caller, on behalf of the task whose coroutine awaits it.
    static awaitable<void> disengage(std::shared_ptr<impl> self, user_task caller);

    // A kind of one version runs with the other informers, and is shared with controllers. Of several versions only the
    // served one runs, which the slot decides.
    void make_slot(const kind_choice& choice);
    void observe(const std::shared_ptr<detail::kind_slot>& slot, detail::kind_version& version,
                 const std::shared_ptr<any_informer>& one);
    // Has the definitions of the kinds of which no version is served watched.
    void look_for_kinds();
    static awaitable<void> run_kind(std::shared_ptr<impl> self, std::shared_ptr<detail::kind_slot> slot,
                                    std::stop_token stop);

    // A cluster that can't be reached for long makes the sync time out, and a source may throw. That is retried, as
    // everything here is.
    static awaitable<void> run_controller(std::shared_ptr<impl> self, std::shared_ptr<any_controller> one,
                                          stop_parents parents);
    result<void> take(std::shared_ptr<any_controller> added, run_group group);
    static awaitable<void> lead(std::shared_ptr<impl> self, std::stop_token stop);
    void discard_controllers();
    client guarded(client cl) const { return fence ? cl.guarded(fence->guard()) : cl; }

    // A configuration can't be used. What runs with the one before goes on.
    void log_refusal(const error& why);
    // Which failure it is: the state, and the code behind its reason. How a server can't be reached is no news.
    std::pair<cluster_state, error_code> cause_of(const cluster_status& now) const;
    void log_state(const cluster_status& now);
    bool in_slot(const any_informer& one) const;
    // Of the informers of slots, or of the others: those that only controllers watch.
    std::vector<informer_report> reports(bool of_slots) const;
    std::vector<informer_report> all_reports(std::vector<informer_report> others) const;
    cluster_status current(const std::vector<informer_report>& others) const;
    void publish();
    // Every second from now on, until the next end. No task: it would take 2 KB while it waits.
    void publish_counts();

    environment& env;
    executor strand;
    std::string name;
    cluster_labels labels;                // set once, by the constructor
    std::vector<std::string> namespaces;  // likewise
    cluster_part part;                    // likewise
    std::shared_ptr<const multicluster_options> options;
    std::shared_ptr<detail::cluster_board> board;  // null without metrics
    logger log;
    guarded_calls calls;                    // of the options' functions
    engaged_cluster* owner = nullptr;       // valid until the cluster is abandoned
    detail::cluster_life life;              // what it is engaged with, and what is next
    std::stop_source abandoned;             // by request_stop(), with both scopes below: no function is called any more
    async_event ended;                      // a disengagement has
    std::optional<leader_fence> fence;      // none: all controllers run
    task_group tasks;                       // of slots, of retries
    scope lifetime;                         // of tasks and controllers
    std::unique_ptr<scope> built;           // of the controllers; rebuilt where on_engage() threw
    scope caches;                           // of informers; it ends after the controllers have returned
    std::optional<informer_set> informers;  // nothing before the first usable configuration
    std::optional<recorder_set> recorders;  // likewise
    std::optional<client> unfenced;         // likewise
    detail::run_groups groups;              // controllers
    detail::always_host always;
    const std::shared_ptr<detail::budget_counts> budgeted = std::make_shared<detail::budget_counts>();
    std::shared_ptr<bool> moved;  // whether the present client's server is the cluster's no longer
    std::vector<std::shared_ptr<detail::kind_slot>> slots;
    failure_log<error_code> refusals;  // of configurations
    failure_log<std::pair<cluster_state, error_code>> journal;
    std::optional<cluster_status> published;
    std::unique_ptr<timer> ticks;  // of publish_counts(); null after an end
};

}  // namespace kcontrol
