#pragma once

#include <kcontrol/api/policy/v1.hpp>
#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/scheduling/impl/scheduler_term.hpp>
#include <kcontrol/scheduling/impl/scheduler_term.ipp>
#include <kcontrol/scheduling/scheduler.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

inline constexpr std::size_t most_of_configuration = std::size_t{1} << 20;
inline constexpr duration configuration_poll = std::chrono::seconds(10);

inline std::string folder_of_configuration(const std::string& path) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

// `text`, which may be null, becomes the file's, if it is right.
inline result<std::vector<profile>> read_profiles(environment& env, const scheduler_options& how,
                                                  const plugin_registry& from, std::string* text) {
    const std::string& file = how.configuration_file();
    if (file.empty()) {
        auto only = from.make_default(how.scheduler_name());
        if (!only) return only.error();
        if (const auto part = how.percentage_of_nodes_to_score(); part != 0) only->percentage_of_nodes_to_score(part);
        std::vector<profile> out;
        out.push_back(std::move(*only));
        return out;
    }
    auto read = env.read_regular_file(file, most_of_configuration);
    if (!read) return read.error();
    auto parsed = parse_configuration(
        file, *read, [&from](std::string_view name) { return from.knows(name); }, how.further_keys());
    if (!parsed) return parsed.error();
    if (parsed->profiles.empty()) parsed->profiles.emplace_back().scheduler_name = how.scheduler_name();
    auto made = from.make(*parsed);
    if (made && how.read_further_keys()) {
        if (auto done = how.read_further_keys()(parsed->file); !done) return done.error();
    }
    if (made && text != nullptr) *text = std::move(*read);
    return made;
}

// For a look at what a configuration says, without a cluster.
KCONTROL_DECL result<std::vector<profile>> read_profiles(environment& env, const scheduler_options& how) {
    const volume_catalog volumes;
    auto plugins = default_registry(volumes);
    if (how.claims()) {
        plugins.add(std::string(node_resources_fit::name), node_resources_fit_factory({}, how.claims()));
        plugins.add(dynamic_resources(how.claims()));
    }
    plugins.add(default_preemption());
    if (how.plugins()) how.plugins()(plugins);
    return read_profiles(env, how, plugins, nullptr);
}

}  // namespace detail

inline scheduler::impl::impl(manager& manager_, scheduler_options o)
    : m(manager_),
      env(manager_.env()),
      options(std::move(o)),
      volumes(std::make_shared<detail::volume_access>(env, manager_.get_client())),
      claims(options.claims() == nullptr
                 ? nullptr
                 : std::make_shared<detail::claim_access>(env, manager_.get_client(), options.claims())),
      policy(policy_of(*this)),
      registry(registry_of(*this)),
      metrics(env, manager_.metrics()) {
    // Watched from the start, so that a follower is warm.
    m.get_informer<api::core::v1::node>();
    m.get_informer<api::core::v1::pod>();
    m.get_informer<api::core::v1::namespace_>();
    m.get_informer<api::core::v1::persistent_volume_claim>();
    m.get_informer<api::core::v1::persistent_volume>();
    m.get_informer<api::storage::v1::storage_class>();
    m.get_informer<api::storage::v1::csi_driver>();
    m.get_informer<api::storage::v1::csi_storage_capacity>();
    m.get_informer<api::policy::v1::pod_disruption_budget>();
}

inline preemption_policy scheduler::impl::policy_of(impl& of) {
    preemption_policy out;
    out.budgets([self = &of] { return self->budgets(); });
    if (of.options.may_evict()) out.may_evict(of.options.may_evict());
    out.keeps_from_all(of.options.keeps_places_from_all());
    return out;
}

inline plugin_registry scheduler::impl::registry_of(impl& of) {
    auto out = default_registry(of.volumes->objects);
    out.add(detail::volume_binder(of.volumes));
    if (of.claims != nullptr) {
        out.add(std::string(node_resources_fit::name), node_resources_fit_factory({}, of.claims->objects));
        out.add(detail::claim_binder(of.claims));
    }
    out.add(default_preemption(of.policy));
    if (of.options.plugins()) of.options.plugins()(out);
    return out;
}

inline std::vector<disruption_budget> scheduler::impl::budgets() const {
    std::vector<disruption_budget> out;
    for (const auto& each : m.get_informer<api::policy::v1::pod_disruption_budget>()->list()) {
        disruption_budget one;
        one.namespace_ = each->metadata.namespace_.str();
        auto selector = label_selector::of(each->spec.selector);
        if (!selector) continue;
        one.selector = std::move(*selector);
        one.disruptions_allowed = each->status.disruptions_allowed.value_or(0);
        for (const auto& [name, when] : each->status.disrupted_pods) one.disrupted_pods.push_back(name.str());
        out.push_back(std::move(one));
    }
    return out;
}

inline result<std::vector<profile>> scheduler::impl::read_profiles() {
    return detail::read_profiles(env, options, registry, &text);
}

// Looks at the file; true if other profiles count now.
inline bool scheduler::impl::reload() {
    const std::string before = text;
    auto read = read_profiles();
    if (!read) {
        const std::string why = read.error().what();
        if (why != complaint)
            m.log().error("the configuration is not read; what was read before counts", {{"error", why}});
        complaint = why;
        return false;
    }
    complaint.clear();
    if (text == before) return false;
    m.log().info("the configuration has changed", {{"file", options.configuration_file()}});
    if (now) now->set_profiles(std::move(*read));
    return true;
}

inline awaitable<void> scheduler::impl::follow_configuration(std::stop_token stop) {
    const executor mine = co_await boost::asio::this_coro::executor;
    const auto changed = std::make_shared<async_event>();
    std::unique_ptr<directory_watch> watch;
    auto opened = env.watch_directory(mine, detail::folder_of_configuration(options.configuration_file()));
    if (opened) watch = std::move(*opened);
    if (watch) {
        watch->start([weak = std::weak_ptr(changed)] {
            if (const auto event = weak.lock()) event->notify_all();
        });
    }
    while (!stop.stop_requested()) {
        const wake why = co_await changed->wait(env, stop, env.now() + detail::configuration_poll);
        if (why != wake::stopped) reload();
    }
    if (watch) watch->stop();
}

inline awaitable<bool> scheduler::impl::wait_synced(std::stop_token stop) {
    const auto nodes = m.get_informer<api::core::v1::node>();
    const auto pods = m.get_informer<api::core::v1::pod>();
    const auto namespaces = m.get_informer<api::core::v1::namespace_>();
    bool all = co_await nodes->wait_synced(stop);
    if (all) all = co_await pods->wait_synced(stop);
    if (all) all = co_await namespaces->wait_synced(stop);
    co_return all;
}

inline awaitable<result<void>> scheduler::impl::run(std::shared_ptr<impl> self, std::stop_token stop) {
    const bool is_synced = co_await self->wait_synced(stop);
    if (!is_synced) co_return result<void>();
    auto profiles = self->read_profiles();
    if (!profiles) co_return profiles.error();
    self->volumes->stop = stop;
    if (self->claims != nullptr) self->claims->stop = stop;
    const auto leading = std::make_shared<term>(self, stop);
    auto begun = leading->begin(std::move(*profiles));
    if (!begun) co_return begun;
    self->now = leading;
    if (!self->options.configuration_file().empty()) leading->tasks.spawn(self->follow_configuration(stop));
    co_await leading->loop();
    self->now.reset();
    self->overcommits += leading->core.foreign_overcommits();
    co_await leading->end();
    co_return result<void>();
}

inline void scheduler::impl::collect(metrics_writer& out) const {
    const auto size = [this](queue_state state) {
        return now ? static_cast<double>(now->core.queue().size(state)) : 0.0;
    };
    const auto pending = [&](const char* queue, queue_state state) {
        out.gauge("scheduler_pending_pods", "Pods that wait, by the part of the queue", {{"queue", queue}},
                  size(state));
    };
    pending("active", queue_state::active);
    pending("backoff", queue_state::backoff);
    pending("gated", queue_state::gated);
    pending("unschedulable", queue_state::unschedulable);
    out.gauge("scheduling_overdue_plugin_calls", "Calls of plugins that run on after their deadline", {},
              now ? static_cast<double>(now->binder.overdue_calls()) : 0.0);
    const auto all = overcommits + (now ? now->core.foreign_overcommits() : 0);
    out.counter("scheduling_foreign_overcommit_total",
                "How often a pod that another scheduler placed left its node with more than its allocatable", {},
                static_cast<double>(all));
}

KCONTROL_DECL result<std::shared_ptr<scheduler>> scheduler::add_to(manager& m, scheduler_options options) {
    if (m.get_informer<api::core::v1::pod>() == nullptr ||
        !m.get_informer<api::core::v1::pod>()->in_namespace().empty()) {
        return error(errc::invalid_argument, "a scheduler must see the pods of all namespaces, which fill the nodes");
    }
    const auto made = std::make_shared<impl>(m, std::move(options));
    const auto profiles = made->read_profiles();
    if (!profiles) return profiles.error();
    m.metrics().collect([weak = std::weak_ptr(made)](metrics_writer& out) {
        if (const auto self = weak.lock()) self->collect(out);
    });
    auto added =
        m.add(runnable("scheduler", [made](std::stop_token stop) { return impl::run(made, std::move(stop)); }));
    if (!added) return added.error();
    return std::shared_ptr<scheduler>(new scheduler(made));
}

KCONTROL_DECL result<preemption_plan> scheduler::what_must_go(const namespaced_name& pod,
                                                              const preemption_policy& policy) const {
    const auto current = impl_->now;
    if (current == nullptr) return error(errc::unavailable, "this scheduler does not schedule now: it does not lead");
    const auto found = impl_->m.get_informer<api::core::v1::pod>()->get(pod);
    if (found == nullptr) return error(api_errc::not_found, "there is no pod " + to_string(pod));
    return current->decider.what_must_go(std::make_shared<const pod_info>(found),
                                         current->core.inputs(impl_->env.now()), policy);
}

KCONTROL_DECL bool scheduler::schedules(const api::core::v1::pod& pod) const {
    const auto current = impl_->now;
    return current != nullptr && current->decider.schedules(pod);
}

KCONTROL_DECL bool scheduler::look_at(const std::function<void(const snapshot&)>& look) const {
    const auto current = impl_->now;
    if (current != nullptr) look(current->core.nodes().snapshot());
    return current != nullptr;
}

KCONTROL_DECL void scheduler::notify(const cluster_event& what) const {
    const auto current = impl_->now;
    if (current == nullptr) return;
    current->core.event(what, impl_->env.now());
    current->kick();
}

KCONTROL_DECL result<explanation> scheduler::explain(const namespaced_name& pod) const {
    const auto current = impl_->now;
    if (current == nullptr) return error(errc::unavailable, "this scheduler does not schedule now: it does not lead");
    const auto found = impl_->m.get_informer<api::core::v1::pod>()->get(pod);
    if (found == nullptr) return error(api_errc::not_found, "there is no pod " + to_string(pod));
    const pod_info info(found);
    return current->decider.explain(info, current->core.inputs(impl_->env.now()));
}

}  // namespace kcontrol::scheduling
