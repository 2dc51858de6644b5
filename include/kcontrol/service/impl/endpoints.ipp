#pragma once

#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/service/detail/endpoints_machine.hpp>
#include <kcontrol/service/endpoints.hpp>
#include <kcontrol/service/impl/follow_loop.ipp>

#include <algorithm>

namespace kcontrol::inline v0_1::service {
namespace detail {

inline followed_objects endpoints_objects(const endpoints_target& target) {
    reflector_options selection;
    selection.in_namespace(target.in_namespace());
    if (!target.is_service()) {
        return followed_objects(resource_of<followed_pod>(), selection.label_selector(target.selector()));
    }
    selection.label_selector("kubernetes.io/service-name=" + target.service_name().name);
    return followed_objects(resource_of<endpoint_slice>(), selection);
}

inline followed_objects service_object(const endpoints_target& target) {
    reflector_options selection;
    selection.in_namespace(target.in_namespace()).field_selector("metadata.name=" + target.service_name().name);
    followed_objects out(resource_of<followed_service>(), selection);
    out.name = target.service_name().name;
    return out;
}

template <class T>
std::vector<std::shared_ptr<const T>> all_as(const std::vector<any_object>& objects) {
    std::vector<std::shared_ptr<const T>> out;
    out.reserve(objects.size());
    for (const auto& one : objects) out.push_back(one.as<T>());
    return out;
}

// A slice's port may be known by the Service alone: so long the first value waits for it.
inline constexpr duration service_patience = std::chrono::seconds(5);

}  // namespace detail

struct endpoints::impl final : detail::follow_loop {
    // Takes the Service itself.
    struct service_sink final : reflector_sink {
        explicit service_sink(impl& o) : owner(o) {}
        void replace(listed_objects all) override {
            put(all.objects.empty() ? nullptr : all.objects.front().as<detail::followed_service>());
        }
        void apply(any_object object) override { put(object.as<detail::followed_service>()); }
        void remove(any_object) override { put(nullptr); }
        void mark_invalid(invalid_object) override { settle(); }
        void remove_invalid(const invalid_object&) override { put(nullptr); }
        void stepped() override {
            // Without the right to read it, nothing is known of its ports; what an outage interrupts stays known.
            const bool refused = owner.service->source.fsm().state() == reflector_state::forbidden;
            owner.service->log_state(owner.log_, owner.env_.now(),
                                     refused ? "the Service can't be read: its ports are known by name only"
                                             : "the Service can't be followed: its ports stay as they are known");
            if (owner.service->failure()) settle();
        }
        void put(std::shared_ptr<const detail::followed_service> now_is) {
            owner.machine.put_service(std::move(now_is));
            settle();
        }
        void settle() {
            owner.settled = true;
            owner.wake();
        }
        impl& owner;
    };

    impl(environment& env, const executor& ex, const client& cl, endpoints_target t, endpoints_options o,
         endpoints_callback cb, const logger& log)
        : follow_loop(env, ex, cl, detail::endpoints_objects(t), o.stale_after(), o.cache_file(),
                      log.with("endpoints", to_string(t))),
          target(std::move(t)),
          options(std::move(o)),
          on_change(std::move(cb)),
          port(detail::port_choice::parse(options.port())),
          machine(target, port ? *port : detail::port_choice()),
          published(
              std::make_shared<detail::published<endpoints_snapshot>>(std::make_shared<const endpoints_snapshot>())),
          sink(*this),
          settled(!target.is_service()) {
        if (!target.is_service()) return;
        service.emplace(env_, ex_, detail::service_object(target), sink);
        add_feed(*service);
    }

    void take_list(std::vector<any_object> all) override {
        if (!std::exchange(listed, true)) settle_at = now() + detail::service_patience;
        if (target.is_service()) {
            machine.replace(detail::all_as<detail::endpoint_slice>(all));
        } else {
            machine.replace(detail::all_as<detail::followed_pod>(all));
        }
    }
    void take(const any_object& object) override {
        if (target.is_service()) {
            machine.put(object.as<detail::endpoint_slice>());
        } else {
            machine.put(object.get<detail::followed_pod>());
        }
    }
    void drop(const std::string& name) override { machine.remove(name); }

    bool is_held_back() const override { return listed && !settled && now() < settle_at; }
    std::optional<time_point> due() const override { return is_held_back() ? std::optional(settle_at) : std::nullopt; }

    bool publish() override {
        if (is_held_back()) return false;
        auto next = machine.take();
        const bool first = version() == 0 && (listed || from_file);
        if (next.empty() && !first) return false;
        delta = std::move(next);
        auto snapshot = std::make_shared<endpoints_snapshot>();
        snapshot->version = version() + 1;
        snapshot->endpoints = machine.value();
        published->set(std::move(snapshot));
        return true;
    }
    std::uint64_t version() const override { return published->version(); }
    std::optional<error> content_problem() const override {
        return listed && !is_held_back() ? machine.problem() : std::nullopt;
    }

    void call_back(bool, freshness state, const std::optional<error>& problem) override {
        if (!on_change) return;
        endpoints_change change;
        change.added = std::move(delta.added);
        change.removed = std::move(delta.removed);
        delta = {};
        change.snapshot = published->get();
        change.state = state;
        change.problem = problem;
        calls_->call("on_change of endpoints", [&] { on_change(change); });
    }

    std::string subject() const override {
        return "endpoints of " + to_string(target) +
               (options.port().empty() ? std::string() : ", port " + options.port());
    }
    std::string to_cache() const override { return detail::write_endpoints(machine.value()); }
    result<void> from_cache(std::string_view json) override {
        auto read = detail::read_endpoints(json);
        if (!read) return read.error();
        machine.load(std::move(*read));
        from_file = true;
        return {};
    }

    const endpoints_target target;
    const endpoints_options options;
    const endpoints_callback on_change;
    const result<detail::port_choice> port;
    detail::endpoints_machine machine;
    std::shared_ptr<detail::published<endpoints_snapshot>> published;
    service_sink sink;
    std::optional<detail::followed_feed> service;
    detail::endpoint_delta delta;  // for the callback
    bool listed = false, from_file = false;
    bool settled;  // what the Service says is known, or that it can't be
    time_point settle_at{};
};

KCONTROL_DECL endpoints::endpoints(environment& env, executor ex, client cl, endpoints_target target,
                                   endpoints_options options, endpoints_callback on_change, logger log)
    : impl_(std::make_shared<impl>(env, ex, cl, std::move(target), std::move(options), std::move(on_change), log)) {}

KCONTROL_DECL endpoints::~endpoints() { impl_->abandon(); }

KCONTROL_DECL result<void> endpoints::start(std::stop_token parent) {
    result<void> usable = impl_->target.validate();
    if (!usable) return usable;
    if (!impl_->port) return impl_->port.error();
    impl_->start(std::move(parent));
    return {};
}

KCONTROL_DECL awaitable<void> endpoints::stop() { return impl::stop(impl_); }

KCONTROL_DECL std::shared_ptr<const endpoints_snapshot> endpoints::snapshot() const { return impl_->published->get(); }
KCONTROL_DECL endpoints_reader endpoints::reader() const { return endpoints_reader(impl_->published); }
KCONTROL_DECL freshness endpoints::state() const { return impl_->state(); }
KCONTROL_DECL duration endpoints::age() const { return impl_->age(); }
KCONTROL_DECL std::optional<error> endpoints::problem() const { return impl_->problem(); }
KCONTROL_DECL const endpoints_target& endpoints::target() const noexcept { return impl_->target; }

KCONTROL_DECL awaitable<result<std::shared_ptr<const endpoints_snapshot>>> endpoints::wait(
    std::uint64_t after, std::stop_token stop, std::optional<time_point> deadline) {
    return detail::then_snapshot(impl::wait(impl_, after, std::move(stop), deadline), impl_->published);
}

KCONTROL_DECL awaitable<result<std::shared_ptr<const endpoints_snapshot>>> endpoints::wait_live(
    std::stop_token stop, std::optional<time_point> deadline) {
    return detail::then_snapshot(impl::wait_live(impl_, std::move(stop), deadline), impl_->published);
}

}  // namespace kcontrol::service
