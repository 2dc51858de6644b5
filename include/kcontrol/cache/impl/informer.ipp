#pragma once

#include <kcontrol/cache/detail/informer_parts.hpp>
#include <kcontrol/cache/impl/informer_view.ipp>
#include <kcontrol/cache/informer.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL informer_options::informer_options() = default;
KCONTROL_DECL informer_options::informer_options(const informer_options&) = default;
KCONTROL_DECL informer_options::informer_options(informer_options&&) noexcept = default;
KCONTROL_DECL informer_options& informer_options::operator=(const informer_options&) = default;
KCONTROL_DECL informer_options& informer_options::operator=(informer_options&&) noexcept = default;
KCONTROL_DECL informer_options::~informer_options() = default;

KCONTROL_DECL std::string_view to_string(informer_state state) noexcept {
    switch (state) {
    case informer_state::idle: return "idle";
    case informer_state::listing: return "listing";
    case informer_state::live: return "live";
    case informer_state::paused: return "paused";
    case informer_state::not_installed: return "not-installed";
    case informer_state::forbidden: return "forbidden";
    case informer_state::failed: return "failed";
    }
    return "unknown";
}

// What the informers that are handles of one share. The last one that goes stops it.
struct any_informer::handle {
    explicit handle(std::shared_ptr<any_informer::impl> i) : impl(std::move(i)) {}
    ~handle() { impl->retire(); }
    handle(const handle&) = delete;
    handle& operator=(const handle&) = delete;

    std::shared_ptr<any_informer::impl> impl;
};

KCONTROL_DECL any_informer::any_informer(environment& env, executor ex, client cl, const resource_info& info,
                                         informer_options options)
    : any_informer(std::make_shared<detail::shared_watch>(env, std::move(ex), std::move(cl), info, std::move(options)),
                   info) {}

KCONTROL_DECL any_informer::any_informer(std::shared_ptr<detail::shared_watch> watch, const resource_info& info)
    : impl_(std::make_shared<impl>(std::move(watch), info)), handle_(std::make_shared<handle>(impl_)) {}

KCONTROL_DECL any_informer::any_informer(const any_informer& first, const resource_info& view)
    : any_informer(first.impl_->watch, view) {}

KCONTROL_DECL any_informer::any_informer(const any_informer& same, another_handle)
    : impl_(same.impl_), handle_(same.handle_) {}

KCONTROL_DECL any_informer::~any_informer() = default;

KCONTROL_DECL void any_informer::start(std::stop_token parent) { impl_->start(std::move(parent)); }

KCONTROL_DECL awaitable<bool> any_informer::stop(std::optional<time_point> deadline) {
    return impl::stop(impl_, deadline);
}

KCONTROL_DECL void any_informer::rebuild(client next, resume_mode mode) {
    impl_->watch->rebuild(std::move(next), mode);
}

KCONTROL_DECL void any_informer::probe_now() { impl_->watch->probe_now(); }

KCONTROL_DECL bool any_informer::shares_watch_with(const any_informer& other) const noexcept {
    return impl_->watch == other.impl_->watch;
}

KCONTROL_DECL const std::string& any_informer::in_namespace() const noexcept {
    return impl_->watch->options().in_namespace();
}

KCONTROL_DECL void any_informer::retire() { impl_->retire(); }

KCONTROL_DECL subscription any_informer::subscribe(event_consumer handler, handler_options how) {
    const auto self = impl_;
    auto entry = std::make_shared<detail::handler_entry>();
    entry->progress->env = &self->env;
    const bool own_period = how.resync_period() > duration::zero();
    entry->resync = detail::resync_schedule(own_period ? how.resync_period() : self->watch->options().resync_period(),
                                            self->env.now());
    if (how.run_on() || handler.coroutine()) {
        entry->progress->lane = self->make_lane(entry->progress, std::move(handler), how);
    } else {
        entry->handler = handler.function();
    }
    self->deliver_all(*entry, false);
    if (self->listed_once) entry->mark_complete();
    self->handlers.add(entry);
    self->subscribed.notify_all();
    return subscription(entry, entry->progress);
}

KCONTROL_DECL subscription any_informer::on_invalid(invalid_handler handler) {
    const auto self = impl_;
    const auto entry = std::make_shared<detail::invalid_entry>();
    entry->handler = std::move(handler);
    for (const auto& object : self->content.invalid()) self->handlers.call(*entry, object);
    self->handlers.add(entry);
    return subscription(entry);
}

KCONTROL_DECL subscription any_informer::on_status_change(status_handler callback) {
    const auto entry = std::make_shared<detail::status_entry>();
    entry->handler = std::move(callback);
    impl_->handlers.add(entry);
    return subscription(entry);
}

KCONTROL_DECL informer_status any_informer::status() const {
    informer_status out = impl_->current();
    out.handlers = impl_->handlers.lags();
    return out;
}

KCONTROL_DECL bool any_informer::has_synced() const { return impl_->synced(); }

KCONTROL_DECL awaitable<bool> any_informer::wait_synced(std::stop_token stop, std::optional<time_point> deadline) {
    return impl::wait_synced(impl_, std::move(stop), deadline);
}

KCONTROL_DECL awaitable<result<void>> any_informer::at_least(const object_meta& written, std::stop_token stop,
                                                             std::optional<time_point> deadline) {
    return impl::at_least(impl_, key_of(written), written.resource_version.str(), std::move(stop), deadline);
}

KCONTROL_DECL awaitable<result<void>> any_informer::deletion_seen(const object_meta& last, std::stop_token stop,
                                                                  std::optional<time_point> deadline) {
    return impl::deletion_seen(impl_, key_of(last), last.uid.str(), last.deletion_timestamp.present(), std::move(stop),
                               deadline);
}

KCONTROL_DECL void any_informer::expect(any_object stored) { impl_->expect(std::move(stored)); }

KCONTROL_DECL bool any_informer::metadata_only() const noexcept { return impl_->thin; }

// On the watch's executor, where its client is.
inline awaitable<void> any_informer::impl::ask(std::shared_ptr<const impl> self, namespaced_name key,
                                               std::stop_token stop,
                                               std::shared_ptr<std::optional<result<any_object>>> out) {
    client with = self->watch->get_client();
    get_options how;
    how.stop(std::move(stop));
    auto whole = co_await with.get(self->info, std::move(key), how);
    out->emplace(std::move(whole));
}

inline awaitable<result<any_object>> any_informer::impl::fetch(std::shared_ptr<const impl> self, namespaced_name key,
                                                               std::stop_token stop) {
    const auto out = std::make_shared<std::optional<result<any_object>>>();
    co_await boost::asio::co_spawn(self->watch->get_executor(), ask(self, std::move(key), std::move(stop), out),
                                   boost::asio::use_awaitable);
    co_return std::move(**out);
}

KCONTROL_DECL awaitable<result<any_object>> any_informer::fetch(namespaced_name key, std::stop_token stop) const {
    return impl::fetch(impl_, std::move(key), std::move(stop));
}

KCONTROL_DECL std::string any_informer::resource_version() const { return std::string(impl_->filled()); }

KCONTROL_DECL const store& any_informer::objects() const noexcept { return impl_->content; }

KCONTROL_DECL const resource_info& any_informer::info() const noexcept { return impl_->info; }

KCONTROL_DECL detail::informer_parts any_informer::parts() const {
    return {impl_, impl_->env, impl_->watch->get_executor(), impl_->calls, impl_->tasks, impl_->content};
}

KCONTROL_DECL result<store_index> any_informer::add_index(std::string name, index_rule rule) {
    if (!rule) return impl_->content.add_index(std::move(name), std::move(rule));
    std::string what = "the function of the index \"" + name + "\"";
    std::string label = rule.label();
    // The store asks it, which the informer owns as it owns the calls.
    index_rule guarded([what = std::move(what), rule = std::move(rule), &calls = impl_->calls](const any_object& object,
                                                                                               index_keys& to) {
        const bool returned = calls.call(
            what, [&] { rule(object, to); }, [&] { return to_string(object.key()); });
        if (!returned) to.clear();
    });
    guarded.label(std::move(label));
    return impl_->content.add_index(std::move(name), std::move(guarded));
}

}  // namespace kcontrol
