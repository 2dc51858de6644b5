#pragma once

#include <kcontrol/model/names.hpp>
#include <kcontrol/service/impl/label_keeper.ipp>
#include <kcontrol/service/impl/lead_impl.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::service {
namespace detail {

inline result<void> refuse(const char* field, const std::string& value, const name_problems& problems) {
    if (problems.empty()) return {};
    return error(errc::invalid_argument,
                 std::string(field) + " \"" + escape_control(value) + "\": " + join_problems(problems));
}

inline result<void> refuse_control(const char* field, const std::string& value) {
    if (escape_control(value) == value) return {};
    return error(errc::invalid_argument, std::string(field) + " \"" + escape_control(value) +
                                             "\": it has control characters or is not UTF-8: leave them out");
}

inline leader_options elector_options(const lead_options& options) {
    leader_options out(options.lease());
    out.lease_duration(options.lease_duration()).renew_deadline(options.renew_deadline());
    out.retry_period(options.retry_period()).refuse_token_reset(!options.accept_token_reset());
    if (!options.identity().empty()) out.identity(options.identity());
    // Also an empty one: the address of a former leader must not stay.
    return out.annotations({{std::string(address_annotation), options.address()}});
}

}  // namespace detail

KCONTROL_DECL result<void> lead_label::validate() const {
    if (auto ok = detail::refuse("label key", key_, check_label_key(key_)); !ok) return ok;
    if (value_.empty()) return error(errc::invalid_argument, "label value \"\": give it one, such as \"leader\"");
    if (auto ok = detail::refuse("label value", value_, check_label_value(value_)); !ok) return ok;
    if (!pod_.empty()) {
        if (auto ok = detail::refuse("label pod", pod_, check_dns1123_subdomain(pod_)); !ok) return ok;
    }
    if (namespace_.empty()) return {};
    return detail::refuse("label namespace", namespace_, check_dns1123_label(namespace_));
}

KCONTROL_DECL result<void> lead_options::validate() const {
    if (auto ok = detail::refuse("lease", lease_.name, check_dns1123_subdomain(lease_.name)); !ok) return ok;
    if (!lease_.namespace_.empty()) {
        auto ok = detail::refuse("lease namespace", lease_.namespace_, check_dns1123_label(lease_.namespace_));
        if (!ok) return ok;
    }
    if (auto ok = detail::refuse_control("identity", identity_); !ok) return ok;
    if (auto ok = detail::refuse_control("address", address_); !ok) return ok;
    if (lease_duration_ % std::chrono::seconds(1) != duration::zero()) {
        return error(errc::invalid_argument, "lease_duration: a Lease has whole seconds, so give it those");
    }
    if (auto ok = detail::elector_options(*this).validate(); !ok) return ok;
    return label_ ? label_->validate() : result<void>();
}

inline lead::impl::impl(environment& e, executor x, lead_options o, lead_callbacks cb, logger l)
    : env(e),
      ex(std::move(x)),
      options(std::move(o)),
      callbacks(std::move(cb)),
      log(std::move(l)),
      calls(std::make_shared<guarded_calls>(e, log)),
      tasks(e, ex, log) {
    lifetime.stop();  // until start()
}

inline void lead::impl::begin(client cl) {
    elector.emplace(env, ex, cl, detail::elector_options(options), callbacks_of(), log);
    if (!options.label()) return;
    label =
        std::make_shared<detail::label_keeper>(env, ex, cl, cl.guarded(elector->fence().guard()), *options.label(),
                                               elector->options().lease().namespace_, options.lease_duration(), log);
}

// The elector is a member, and calls nothing after its end.
inline leader_callbacks lead::impl::callbacks_of() {
    leader_callbacks out;
    const auto weak = weak_from_this();
    out.on_started_leading([weak](std::stop_token stop) { return term(weak, std::move(stop)); });
    out.on_stopped_leading([this] { ended(); });
    if (callbacks.on_leader()) out.on_new_leader(callbacks.on_leader());
    return out;
}

inline result<void> lead::impl::start(std::stop_token parent) {
    if (auto ok = options.validate(); !ok) return ok;
    if (!lifetime.stopped() && !stopping) return {};
    if (auto ok = elector->start(); !ok) return ok;  // after the end of a stop
    stopping = false;
    const std::stop_token mine = lifetime.rebuild();
    if (label) label->start();
    if (parent.stop_possible()) tasks.spawn(stop_with(shared_from_this(), std::move(parent), mine));
    return {};
}

inline awaitable<void> lead::impl::stop_with(std::shared_ptr<impl> self, std::stop_token parent,
                                             std::stop_token lifetime) {
    // Whichever comes first; the wait itself knows one token only.
    async_event over;
    const std::stop_callback<std::function<void()>> at_end(lifetime, [&over] { over.notify_all(); });
    const wake why = co_await over.wait(self->env, parent);
    if (why == wake::stopped && !lifetime.stop_requested()) co_await stop(self, std::chrono::seconds(30));
}

inline awaitable<bool> lead::impl::stop(std::shared_ptr<impl> self, duration drain) {
    if (self->gone || self->lifetime.stopped()) co_return true;
    const auto generation = self->lifetime.generation();
    self->stopping = true;
    const bool returned = co_await self->elector->stop(drain);
    if (self->label) {
        // It is off by now, unless the work awaits this stop.
        if (self->lifetime.generation() == generation) self->label->lead(false);
        co_await self->label->settle(self->options.retry_period());
    }
    if (self->gone || self->lifetime.generation() != generation) co_return returned;  // started again
    if (self->label) co_await self->label->stop();
    if (self->lifetime.generation() != generation) co_return returned;
    self->stopping = false;
    self->lifetime.stop();
    self->changed.notify_all();
    co_return returned;
}

// A term, from its begin to the end of the work and of the label.
inline awaitable<void> lead::impl::term(std::weak_ptr<impl> weak, std::stop_token stop) {
    const auto self = weak.lock();
    if (!self || self->gone || stop.stop_requested()) co_return;  // lost before it could begin
    const std::uint64_t token = self->elector->fence().token();
    self->token = token;
    self->leading = true;
    if (self->label) {
        self->label->lead(true);
        self->tasks.spawn(end_label(self, stop));
    }
    self->changed.notify_all();
    const auto& change = self->callbacks.on_change();
    if (change) self->calls->call("on_change", [&] { change(true, token); });
    if (self->callbacks.work() && !self->gone) {
        try {
            co_await self->callbacks.work()(token, stop);
        } catch (...) {
            self->calls->caught("the work of a leader", [] { return std::string(); });
        }
    }
    async_event never;
    co_await never.wait(self->env, stop);
    if (!self->label) co_return;
    // The Lease is not given up before the label is off, if the server lets it. Whether end_label() has run by now is a
    // matter of chance, and without it the label would still count as settled.
    self->label->lead(false);
    co_await self->label->settle(self->options.renew_deadline());
}

// At once, while the work may still run.
inline awaitable<void> lead::impl::end_label(std::shared_ptr<impl> self, std::stop_token stop) {
    async_event never;
    co_await never.wait(self->env, stop);
    self->label->lead(false);
}

inline void lead::impl::ended() {
    if (!std::exchange(leading, false) || gone) return;
    if (label) label->lead(false);
    changed.notify_all();
    const auto& change = callbacks.on_change();
    const std::uint64_t last = token;
    if (change) calls->call("on_change", [&] { change(false, last); });
}

KCONTROL_DECL lead::lead(environment& env, executor ex, client cl, lead_options options, lead_callbacks callbacks,
                         logger log)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(options), std::move(callbacks), std::move(log))) {
    impl_->begin(std::move(cl));
}

KCONTROL_DECL lead::~lead() {
    impl_->gone = true;
    impl_->lifetime.stop();
    if (impl_->label) impl_->label->abandon();
    impl_->changed.notify_all();
    impl_->elector.reset();
}

KCONTROL_DECL result<void> lead::start(std::stop_token parent) { return impl_->start(std::move(parent)); }
KCONTROL_DECL awaitable<bool> lead::stop(duration drain) { return impl::stop(impl_, drain); }

KCONTROL_DECL lead_state lead::now() const noexcept {
    const leader_fence& fence = impl_->elector->fence();
    lead_state out;
    // Until no term has begun between the two.
    do {
        out.token = fence.token();
        out.left = duration::zero();
        if (!fence.open()) continue;
        if (const auto left = fence.remaining()) out.left = *left;
    } while (out.token != fence.token());
    return out;
}

KCONTROL_DECL duration lead::left() const noexcept { return now().left; }
KCONTROL_DECL std::uint64_t lead::token() const noexcept { return impl_->elector->fence().token(); }
KCONTROL_DECL const leader_fence& lead::fence() const noexcept { return impl_->elector->fence(); }
KCONTROL_DECL std::string lead::leader() const { return impl_->elector->leader(); }
KCONTROL_DECL const std::string& lead::identity() const noexcept { return impl_->elector->identity(); }
KCONTROL_DECL const namespaced_name& lead::lease() const noexcept { return impl_->elector->options().lease(); }
KCONTROL_DECL leader_stats lead::stats() const { return impl_->elector->stats(); }

KCONTROL_DECL awaitable<result<std::uint64_t>> lead::wait_leading(std::stop_token stop) {
    const auto self = impl_;
    while (!self->leading) {
        if (self->gone || self->lifetime.stopped()) co_return error(errc::stopped, "it does not contend");
        const wake why = co_await self->changed.wait(self->env, stop);
        if (why == wake::stopped) co_return error(errc::stopped);
    }
    co_return self->token;
}

KCONTROL_DECL awaitable<result<void>> lead::wait_lost(std::uint64_t token, std::stop_token stop) {
    const auto self = impl_;
    while (self->leading && self->token == token) {
        if (self->gone) co_return error(errc::stopped, "it does not contend");
        const wake why = co_await self->changed.wait(self->env, stop);
        if (why == wake::stopped) co_return error(errc::stopped);
    }
    co_return result<void>();
}

}  // namespace kcontrol::service
