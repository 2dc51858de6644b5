#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/cluster/informer_set.hpp>
#include <kcontrol/multicluster/detail/cluster_board.hpp>
#include <kcontrol/multicluster/detail/kind_slot.hpp>
#include <kcontrol/multicluster/engaged_cluster.hpp>
#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/trouble_journal.hpp>

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>

namespace kcontrol {

struct engaged_cluster::impl : std::enable_shared_from_this<impl> {
    impl(environment& e, executor s, std::string n, std::shared_ptr<const multicluster_options> o,
         std::shared_ptr<detail::cluster_board> b)
        : env(e),
          strand(std::move(s)),
          name(std::move(n)),
          options(std::move(o)),
          board(std::move(b)),
          log(options->log().with("cluster", name)),
          calls(env, log),
          tasks(env, strand, log),
          running(std::make_shared<task_group>(env, strand, log)) {
        begin_term();
    }

    bool engaged() const { return config && !lifetime.stopped(); }

    void connect(const auth::cluster_config& next) {
        auto made = client::connect(env, strand, next, options->transport(), log);
        if (!made) {
            refuse(made.error());
            // A factory that threw may do better the next time; a configuration that can't be used stays so.
            if (made.error() == errc::callback_failed) {
                tasks.spawn(connect_again(shared_from_this(), next, offer, lifetime.token()));
            }
            return;
        }
        pause.reset();
        ++generation;
        accept();
        const auto previous = std::exchange(config, next);
        if (previous) {
            rotate(*previous, std::move(*made));
        } else {
            begin(std::move(*made));
        }
        log.info(previous ? "the cluster's configuration changed" : "the cluster joined",
                 {{"server", next.server_url()}});
    }

    void engage_with(const auth::cluster_config& next) {
        const bool before = engaged();
        if (!config || !(*config == next)) {
            connect(next);
        } else {
            accept();
        }
        if (!before && engaged() && !introduce()) tasks.spawn(introduce_again(shared_from_this(), lifetime.token()));
        publish();
    }

    static awaitable<void> connect_again(std::shared_ptr<impl> self, auth::cluster_config next, std::uint64_t offered,
                                         std::stop_token stop) {
        co_await sleep_for(self->env, self->pause.next(self->env.now(), random_unit(self->env)), stop);
        if (!stop.stop_requested() && offered == self->offer) self->engage_with(next);
    }

    void begin(client first) {
        // The caches outlive the controllers, so they have a scope of their own.
        const auto scopes = [o = options, l = log](const resource_info&) { return scopes_of(*o, l); };
        informers.emplace(env, strand, std::move(first), scopes, log);
        for (const auto& choice : options->kinds()) make_slot(choice);
        informers->start(caches.token());
    }

    void rotate(const auth::cluster_config& previous, client next) {
        const bool same_server = previous.server() == config->server() && previous.base_path() == config->base_path();
        client old = informers->get_client();
        informers->rebuild(std::move(next), same_server ? resume_mode::resume : resume_mode::relist);
        old.close();
    }

    // The new configuration is unusable. What runs with the old one goes on.
    void refuse(const error& why) {
        failure = why;
        if (!config) return;  // that the cluster has failed is told with this reason
        const auto entry = refusals.trouble(why.code(), env.now());
        if (!entry) return;
        log.warning("the cluster's new configuration can't be used; the one before stays in use",
                    told_fields(why.what(), *entry));
    }

    void accept() {
        failure.reset();
        refusals.well(env.now());
    }

    static std::vector<log_field> told_fields(std::string reason, const trouble_entry& entry) {
        std::vector<log_field> out{{"reason", std::move(reason)}};
        if (entry.times > 1) out.push_back({"times", std::to_string(entry.times)});
        return out;
    }

    // Which trouble it is: the state, and the code behind its reason. How nobody answers is no news.
    std::pair<cluster_state, error_code> cause_of(const cluster_status& now) const {
        if (now.state == cluster_state::unreachable) return {now.state, {}};
        if (!config && failure) return {now.state, failure->code()};
        if (engage_failure) return {now.state, errc::callback_failed};
        error_code code;
        for (const auto& kind : now.kinds) {
            const bool failed = kind.informer.state == informer_state::failed;
            if (failed || (kind.informer.state == informer_state::forbidden && !code)) code = kind.informer.failure;
            if (failed) break;
        }
        return {now.state, code};
    }

    void tell(const cluster_status& now) {
        if (now.state == cluster_state::connecting) return;
        const std::string message = "the cluster is " + std::string(to_string(now.state));
        if (now.state != cluster_state::live) {
            const auto entry = journal.trouble(cause_of(now), env.now());
            if (entry) log.warning(message, told_fields(now.reason, *entry));
            return;
        }
        const auto entry = journal.well(env.now());
        if (!entry) return;
        std::vector<log_field> fields;
        if (entry->lasted > duration::zero()) {
            const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(entry->lasted);
            fields.push_back({"after_seconds", std::to_string(seconds.count())});
        }
        log.info(message, std::move(fields));
    }

    static std::vector<informer_options> scopes_of(const multicluster_options& options, const logger& log) {
        auto namespaces = options.namespaces();
        if (namespaces.empty()) namespaces.emplace_back();
        std::vector<informer_options> out;
        for (const auto& ns : namespaces) {
            out.push_back(options.informers());
            out.back().in_namespace(ns).log(log);
        }
        return out;
    }

    // A kind of one version runs with the other informers, and is shared with controllers. Of several versions only the
    // served one runs, which the slot decides.
    void make_slot(const kind_choice& choice) {
        const auto slot = std::make_shared<detail::kind_slot>();
        const bool only_one = choice.versions.size() == 1;
        for (const auto* kind : choice.versions) {
            detail::kind_version version(*kind);
            version.informers = only_one ? informers->of(*kind) : informers->make_unshared(*kind);
            for (const auto& one : version.informers) observe(slot, version, one);
            slot->versions.push_back(std::move(version));
        }
        slots.push_back(slot);
        if (!only_one) tasks.spawn(run_kind(shared_from_this(), slot, lifetime.token()));
    }

    void observe(const std::shared_ptr<detail::kind_slot>& slot, detail::kind_version& version,
                 const std::shared_ptr<any_informer>& one) {
        version.subscriptions.push_back(one->subscribe([this, info = version.info](const any_event& event) {
            // What was on its way when the cluster was destroyed is not delivered any more.
            if (!options->on_event() || lifetime.stopped()) return;
            calls.call(
                "on_event()", [&] { options->on_event()(name, *info, event); },
                [&] { return info->gvk.kind + " " + to_string(event.object().key()); });
        }));
        // Who shares the informer may hold it longer than this cluster lives.
        version.subscriptions.push_back(
            one->on_status_change([weak = weak_from_this(), weak_slot = std::weak_ptr(slot)](const informer_status&) {
                const auto self = weak.lock();
                const auto changed = weak_slot.lock();
                if (!self || !changed) return;
                changed->changed.notify_all();
                self->publish();
            }));
    }

    static awaitable<void> run_kind(std::shared_ptr<impl> self, std::shared_ptr<detail::kind_slot> slot,
                                    std::stop_token stop) {
        co_await detail::run_slot(self->env, *slot, self->options->informers().probe_period(), stop);
    }

    static awaitable<void> publish_counts(std::shared_ptr<impl> self, std::stop_token stop) {
        while (!stop.stop_requested()) {
            co_await sleep_for(self->env, std::chrono::seconds(1), stop);
            self->publish();
        }
    }

    // A cluster that can't be reached for long makes the sync time out, and a source may throw. That is tried again, as
    // everything here is.
    static awaitable<void> run_controller(std::shared_ptr<impl> self, std::shared_ptr<any_controller> one,
                                          std::stop_token stop) {
        while (!stop.stop_requested()) {
            const result<void> outcome = co_await one->run(stop);
            const bool again =
                !outcome && (outcome.error() == errc::timeout || outcome.error() == errc::callback_failed);
            if (!again) co_return;
            co_await sleep_for(self->env, self->options->informers().probe_period(), stop);
        }
    }

    // Those that controllers watch and options->kinds() does not name.
    void add_other_kinds(std::vector<kind_status>& to) const {
        if (!informers) return;
        const auto in_slot = [this](const std::shared_ptr<any_informer>& one) {
            for (const auto& slot : slots) {
                for (const auto& version : slot->versions) {
                    for (const auto& watched : version.informers) {
                        if (watched == one || watched->shares_watch_with(*one)) return true;
                    }
                }
            }
            return false;
        };
        auto others = informers->all();
        std::erase_if(others, in_slot);
        const std::size_t named = to.size();
        for (auto& report : reports_of(others, options->namespaces())) {
            if (to.size() > named && to.back().gvk == report.gvk) {  // they are sorted by kind
                merge(to.back().informer, report.status);
            } else {
                to.push_back({report.gvk, std::move(report.status)});
            }
        }
    }

    cluster_status current() const {
        cluster_status out;
        out.name = name;
        out.generation = generation;
        if (config) out.server = config->server_url();
        for (const auto& slot : slots) out.kinds.push_back(slot->status());
        add_other_kinds(out.kinds);
        for (const auto& kind : out.kinds) {
            const auto& heard = kind.informer.last_event;
            if (heard && (!out.last_sync || *heard > *out.last_sync)) out.last_sync = heard;
        }
        std::tie(out.state, out.reason) = derive_cluster_state(out.kinds);
        if (failure && !config) {
            out.state = cluster_state::failed;
            out.reason = failure->what();
        } else if (engage_failure) {
            out.state = cluster_state::failed;
            out.reason = *engage_failure + "; it is called again";
        } else if (out.reason.empty()) {
            out.reason = failure ? failure->what() : warning;
        }
        out.callback_exceptions = calls.thrown();
        out.last_callback_exception = calls.last_thrown();
        return out;
    }

    // Signs of life are published now and then: a quiet cluster must not look like a dead one.
    static bool heard_since(const std::optional<wall_time>& then, const std::optional<wall_time>& now) {
        return now && (!then || *now - *then >= std::chrono::seconds(10));
    }

    std::vector<informer_report> reports() const {
        return informers ? reports_of(informers->all(), options->namespaces()) : std::vector<informer_report>();
    }

    void publish() {
        if (lifetime.stopped()) return;
        auto now = current();
        tell(now);
        if (board) board->set(name, {now.state, now.generation, reports()});
        if (published && same_but_for_time(*published, now) && !heard_since(published->last_sync, now.last_sync))
            return;
        published = now;
        if (!options->on_status()) return;
        const bool told = calls.call("on_status()", [&] { options->on_status()(now); });
        if (!told) published.reset();  // and so it is told again, within a second
    }

    void watch_over_status() {
        if (std::exchange(counting, true) || lifetime.stopped()) return;
        tasks.spawn(publish_counts(shared_from_this(), lifetime.token()));
    }

    static backoff_policy retry_backoff() {
        return backoff_policy().initial(std::chrono::seconds(1)).cap(std::chrono::minutes(1)).jitter(0.1);
    }

    // False if on_engage() threw.
    bool introduce() {
        engage_failure.reset();
        if (!options->on_engage() || owner == nullptr) return true;
        if (calls.call("on_engage()", [&] { options->on_engage()(*owner); })) return true;
        engage_failure = calls.last_thrown();
        return false;
    }

    // What on_engage() had made when it threw is taken back before it is called again.
    static awaitable<void> introduce_again(std::shared_ptr<impl> self, std::stop_token stop) {
        backoff pause(retry_backoff());
        while (!stop.stop_requested()) {
            self->built->stop();
            const time_point deadline = self->env.now() + self->options->graceful_shutdown_timeout();
            co_await self->running->join(deadline);
            self->controllers.clear();
            co_await sleep_for(self->env, pause.next(self->env.now(), random_unit(self->env)), stop);
            if (stop.stop_requested()) co_return;
            self->built->rebuild();
            const bool engaged = self->introduce();
            self->publish();
            if (engaged) co_return;
        }
    }

    void begin_term() { built = std::make_unique<scope>(lifetime.token()); }

    // Controllers first, then what they read; then nothing is known any more, and all is as at first.
    static awaitable<void> end_term(std::shared_ptr<impl> self) {
        self->lifetime.stop();
        for (const auto& slot : self->slots) {
            for (auto& version : slot->versions) version.subscriptions.clear();
        }
        const time_point deadline = self->env.now() + self->options->graceful_shutdown_timeout();
        const bool drained = co_await self->running->join(deadline);
        if (!drained) {
            self->log.error("the cluster disengages, but not every controller has returned",
                            {{"controllers", std::to_string(self->running->awaited())}});
        }
        self->caches.stop();
        if (self->informers) co_await self->informers->stop();
        co_await self->tasks.join();
        self->slots.clear();
        if (self->informers) {
            self->informers->clear();
            self->informers->get_client().close();
        }
        self->controllers.clear();
        self->running = std::make_shared<task_group>(self->env, self->strand, self->log);
        self->config.reset();
        self->failure.reset();
        self->engage_failure.reset();
        self->published.reset();
        self->counting = false;
        if (self->abandoned) co_return;
        self->lifetime.rebuild();
        self->caches.rebuild();
        self->begin_term();
    }

    static awaitable<void> disengage(std::shared_ptr<impl> self, guest_task caller) {
        self->running->leave_out(caller);
        if (self->disengaging) {
            const std::uint64_t number = self->disengagements;
            while (self->disengagements == number) co_await self->disengaged.wait(self->env, {});
            co_return;
        }
        self->disengaging = true;
        const auto& notify = self->options->on_disengage();
        if (self->engaged() && notify && self->owner != nullptr && !self->abandoned) {
            self->calls.call("on_disengage()", [&] { notify(*self->owner); });
        }
        co_await end_term(self);
        const auto& on_removed = self->options->on_removed();
        if (!std::exchange(self->removed, true) && !self->abandoned && on_removed) {
            self->calls.call("on_removed()", [&] { on_removed(self->name); });
        }
        self->disengaging = false;
        ++self->disengagements;
        self->disengaged.notify_all();
        const auto next = std::exchange(self->next_config, std::nullopt);
        if (next && self->owner != nullptr && !self->abandoned) self->owner->engage(*next, self->warning);
    }

    static awaitable<void> disengage_by_caller(std::shared_ptr<impl> self) {
        const executor mine = co_await boost::asio::this_coro::executor;
        co_await disengage(self, guest_task::of(mine));
    }

    environment& env;
    executor strand;
    std::string name;
    std::shared_ptr<const multicluster_options> options;
    std::shared_ptr<detail::cluster_board> board;  // null if nobody wants metrics
    logger log;
    guarded_calls calls;                         // of the options' functions
    engaged_cluster* owner = nullptr;            // null once it is destroyed
    task_group tasks;                            // of slots and of the status
    std::shared_ptr<task_group> running;         // controllers
    scope lifetime;                              // of slots, status and controllers
    std::unique_ptr<scope> built;                // of the controllers; rebuilt where on_engage() threw
    scope caches;                                // of informers; it ends after the controllers have returned
    std::optional<auth::cluster_config> config;  // in use
    std::optional<informer_set> informers;       // nothing before the first usable configuration
    std::uint64_t offer = 0;                     // counts what engage() and refuse() were called with
    backoff pause{retry_backoff()};              // of a transport factory that threw
    std::optional<error> failure;                // of the configuration offered last
    std::optional<std::string> engage_failure;   // what on_engage() threw
    trouble_journal<error_code> refusals;        // of configurations
    trouble_journal<std::pair<cluster_state, error_code>> journal;
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
    std::optional<auth::cluster_config> next_config;  // offered while it disengages
    std::atomic<bool> abandoned = false;              // by request_stop(): no function is called any more
};

KCONTROL_DECL engaged_cluster::engaged_cluster(environment& env, executor strand, std::string name,
                                               std::shared_ptr<const multicluster_options> options,
                                               std::shared_ptr<detail::cluster_board> board)
    : impl_(std::make_shared<impl>(env, std::move(strand), std::move(name), std::move(options), std::move(board))) {
    impl_->owner = this;
}

KCONTROL_DECL engaged_cluster::~engaged_cluster() {
    impl_->owner = nullptr;
    request_stop();
}

KCONTROL_DECL void engaged_cluster::request_stop() noexcept {
    impl_->abandoned = true;
    impl_->lifetime.stop();
    impl_->caches.stop();
}

KCONTROL_DECL void engaged_cluster::engage(const auth::cluster_config& config, std::string warning) {
    ++impl_->offer;
    impl_->warning = std::move(warning);
    if (impl_->disengaging) {
        impl_->next_config = config;
        return;
    }
    impl_->removed = false;
    impl_->watch_over_status();
    impl_->engage_with(config);
}

KCONTROL_DECL void engaged_cluster::refuse(const error& why) {
    ++impl_->offer;
    impl_->next_config.reset();
    impl_->refuse(why);
    if (impl_->disengaging) return;
    impl_->removed = false;
    impl_->watch_over_status();
    impl_->publish();
}

KCONTROL_DECL awaitable<void> engaged_cluster::disengage() { return impl::disengage_by_caller(impl_); }

KCONTROL_DECL awaitable<void> engaged_cluster::disengage_for(guest_task caller) {
    return impl::disengage(impl_, std::move(caller));
}

KCONTROL_DECL void engaged_cluster::leave_out(const guest_task& caller) { impl_->running->leave_out(caller); }

KCONTROL_DECL cluster_status engaged_cluster::status() const { return impl_->current(); }
KCONTROL_DECL std::vector<informer_report> engaged_cluster::informer_reports() const { return impl_->reports(); }

KCONTROL_DECL const std::string& engaged_cluster::name() const noexcept { return impl_->name; }
KCONTROL_DECL environment& engaged_cluster::env() const noexcept { return impl_->env; }
KCONTROL_DECL executor engaged_cluster::get_executor() const { return impl_->strand; }
KCONTROL_DECL const logger& engaged_cluster::log() const noexcept { return impl_->log; }
KCONTROL_DECL client& engaged_cluster::get_client() noexcept { return impl_->informers->get_client(); }

KCONTROL_DECL std::vector<std::shared_ptr<any_informer>> engaged_cluster::informers_of(const resource_info& kind) {
    return impl_->informers->of(kind);
}

KCONTROL_DECL std::shared_ptr<cached_source> engaged_cluster::source_of(const resource_info& kind) {
    return impl_->informers->source_of(kind);
}

KCONTROL_DECL result<void> engaged_cluster::add(std::shared_ptr<any_controller> added) {
    if (!impl_->engaged() || impl_->built->stopped()) {
        return error(errc::unavailable,
                     "controller " + added->name() + ": the cluster " + impl_->name + " is not engaged");
    }
    result<void> taken = impl_->controllers.add(added);
    if (!taken) return taken;
    impl_->running->spawn_guest(impl::run_controller(impl_, std::move(added), impl_->built->token()));
    return {};
}

}  // namespace kcontrol
