#pragma once

#include <kcontrol/auth/find_config.hpp>
#include <kcontrol/service/connection.hpp>
#include <kcontrol/service/detail/loop.hpp>
#include <kcontrol/transport/client.hpp>

namespace kcontrol::inline v0_1::service {
namespace detail {

inline result<auth::cluster_config> cluster_of(const connection_options& options, environment& env) {
    if (options.cluster()) return *options.cluster();
    auth::config_search how;
    how.file(options.kubeconfig()).order(auth::search_order::kubectl);
    if (!options.context().empty()) how.overrides(auth::kubeconfig_overrides().context(options.context()));
    return auth::find_config(env, how);
}

KCONTROL_DECL void stop_part(const std::shared_ptr<loop>& on, const std::shared_ptr<loop_part>& part, bool destroy) {
    on->stop_part(part, destroy);
}

}  // namespace detail

namespace detail {

KCONTROL_DECL awaitable<void> without_result(awaitable<bool> ending) { static_cast<void>(co_await std::move(ending)); }
KCONTROL_DECL awaitable<void> without_result(awaitable<result<void>> ending) {
    static_cast<void>(co_await std::move(ending));
}

}  // namespace detail

KCONTROL_DECL result<connection> connection::open(connection_options options) {
    auto opened = std::make_shared<detail::loop>(options.thread(), options.log());
    const auto config = detail::cluster_of(options, opened->env());
    if (!config) return config.error();
    auto made = kcontrol::client::connect(opened->env(), opened->get_executor(), *config,
                                          http::make_transport_factory(opened->env()), options.log());
    if (!made) return made.error();
    opened->set_client(options.user_agent().empty() ? std::move(*made)
                                                    : made->with(client_options().user_agent(options.user_agent())));
    if (auto ready = opened->open(); !ready) return ready.error();
    return connection(std::move(opened));
}

KCONTROL_DECL connection::connection(connection&&) noexcept = default;
KCONTROL_DECL connection& connection::operator=(connection&& other) noexcept {
    if (this == &other) return *this;
    stop();
    loop_ = std::move(other.loop_);
    return *this;
}
KCONTROL_DECL connection::~connection() { stop(); }

KCONTROL_DECL environment& connection::env() const noexcept { return loop_->env(); }
KCONTROL_DECL executor connection::get_executor() const noexcept { return loop_->get_executor(); }
KCONTROL_DECL kcontrol::client connection::client() const { return loop_->get_client(); }
KCONTROL_DECL const logger& connection::log() const noexcept { return loop_->log(); }
KCONTROL_DECL result<int> connection::fd() const { return loop_->fd(); }
KCONTROL_DECL result<std::size_t> connection::dispatch(std::optional<duration> timeout) {
    return loop_->dispatch(timeout);
}
KCONTROL_DECL bool connection::in_loop() const noexcept { return loop_->inside(); }
KCONTROL_DECL void connection::stop() {
    if (loop_) loop_->stop();
}

KCONTROL_DECL result<void> connection::run_step(const std::function<awaitable<void>()>& step) const {
    return loop_->run(step);
}
KCONTROL_DECL result<void> connection::start_part(const std::shared_ptr<detail::loop_part>& part) const {
    return loop_->start_part(part);
}

}  // namespace kcontrol::service
