// The leadership of a multicluster_manager: one Lease, and controllers in all clusters that run while it is held.
#pragma once

#include <kcontrol/multicluster/impl/multicluster_manager_impl.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

// Where nothing can be contended for the fence stays shut.
inline void multicluster_manager::impl::prepare_to_lead() {
    const leader_options& how = *options->leader_election();
    auto cl = client::connect(env, home, *options->home(), options->transport(), options->log());
    if (!cl) {
        fence.emplace(env, to_string(how.lease()));
        refuse_to_lead(cl.error().with_context("the cluster of the Lease"));
        return;
    }
    leader_callbacks on;
    on.on_started_leading([this](std::stop_token stop) { return lead_work(shared_from_this(), std::move(stop)); });
    on.on_stopped_leading([this] { tell_leading(false); });
    elector = std::make_unique<leader_elector>(env, home, std::move(*cl), how, on, options->log());
    fence = elector->fence();
}

inline void multicluster_manager::impl::refuse_to_lead(const error& why) {
    if (!lead_error) {
        options->log().error("no controller runs, for leadership can't be contended for", {{"error", why.what()}});
    }
    lead_error = why;
}

inline void multicluster_manager::impl::contend() {
    ++offers;
    if (!elector) return;
    const auto contends = elector->start();
    if (!contends) return refuse_to_lead(contends.error());
    lead_error.reset();
    if (!board || !counting.stopped()) return;
    asio::co_spawn(home, count_leadership(weak_from_this(), env, counting.rebuild()), asio::detached);
}

// A term of leadership. The elector says how long the end of it is waited for.
inline awaitable<void> multicluster_manager::impl::lead_work(std::shared_ptr<impl> self, std::stop_token stop) {
    const executor mine = co_await asio::this_coro::executor;
    const auto group = std::make_shared<task_group>(self->env, self->home, self->options->log(), user_task::of(mine));
    if (stop.stop_requested()) co_return;
    self->term = group;
    self->term_stop = stop;
    for (auto& [name, m] : self->members) {
        if (m.object) self->lead_in(m);
    }
    self->tell_leading(true);
    async_event never;
    co_await never.wait(self->env, stop);
    co_await group->join();
    if (self->term == group) self->term.reset();
}

inline void multicluster_manager::impl::lead_in(member& m) {
    m.led = std::make_shared<scope>(term_stop);
    term->spawn(lead_one(m.strand, m.object, m.led));
}

// A cluster that leaves ends its part of the term.
inline awaitable<void> multicluster_manager::impl::lead_one(executor strand, std::shared_ptr<engaged_cluster> object,
                                                            std::shared_ptr<scope> led) {
    awaitable<void> leading = object->lead(led->token());
    object.reset();
    co_await asio::co_spawn(strand, std::move(leading), asio::use_awaitable);
}

inline void multicluster_manager::impl::tell_leading(bool leads) {
    publish_leadership();
    const auto& tell = options->on_leading();
    if (tell) calls.call("on_leading()", [&] { tell(leads); });
}

inline void multicluster_manager::impl::publish_leadership() {
    if (board && elector) board->set_leadership(elector->options().lease().name, elector->stats());
}

inline awaitable<void> multicluster_manager::impl::count_leadership(std::weak_ptr<impl> weak, environment& env,
                                                                    std::stop_token stop) {
    while (!stop.stop_requested()) {
        if (const auto self = weak.lock()) self->publish_leadership();
        co_await sleep_for(env, std::chrono::seconds(1), stop);
    }
}

}  // namespace kcontrol
