#pragma once

#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/model/names.hpp>
#include <kcontrol/service/detail/leader_machine.hpp>
#include <kcontrol/service/impl/follow_loop.ipp>
#include <kcontrol/service/impl/leader_follower_url.ipp>
#include <kcontrol/service/leader_follower.hpp>

namespace kcontrol::inline v0_1::service {
namespace detail {

inline followed_objects lease_object(const namespaced_name& lease) {
    reflector_options selection;
    selection.in_namespace(lease.namespace_).field_selector("metadata.name=" + lease.name);
    followed_objects out(resource_of<followed_lease>(), selection);
    out.name = lease.name;
    return out;
}

}  // namespace detail

struct leader_follower::impl final : detail::follow_loop {
    impl(environment& env, const executor& ex, const client& cl, namespaced_name l, const leader_follower_options& o,
         leader_callback cb, const logger& log)
        : follow_loop(env, ex, cl, detail::lease_object(l), o.stale_after(), o.cache_file(),
                      log.with("lease", to_string(l))),
          lease(std::move(l)),
          on_change(std::move(cb)),
          machine("lease " + to_string(lease)),
          published(std::make_shared<detail::published<followed_leader>>(std::make_shared<const followed_leader>())) {}

    void take_list(std::vector<any_object> all) override {
        listed = true;
        if (all.empty()) {
            machine.vanished();
        } else {
            take(all.front());
        }
    }
    void take(const any_object& object) override { machine.observed(object.get<detail::followed_lease>(), now()); }
    void drop(const std::string&) override { machine.vanished(); }
    std::optional<time_point> due() const override { return machine.due(now()); }

    bool publish() override {
        const time_point at = now();
        const auto before = published->get();
        const bool first = before->version == 0 && (listed || from_file);
        const bool same = before->holder == machine.holder(at) && before->address == machine.address(at);
        if (same && !first) return false;
        auto next = std::make_shared<followed_leader>();
        next->version = before->version + 1;
        next->holder = machine.holder(at);
        next->address = machine.address(at);
        published->set(std::move(next));
        return true;
    }
    std::uint64_t version() const override { return published->version(); }
    std::optional<error> content_problem() const override { return listed ? machine.problem(now()) : std::nullopt; }

    void call_back(bool value_changed, freshness state, const std::optional<error>& problem) override {
        if (!on_change) return;
        leader_change change;
        change.leader_changed = value_changed;
        change.leader = published->get();
        change.state = state;
        change.problem = problem;
        calls_->call("on_change of leader_follower", [&] { on_change(change); });
    }

    std::string subject() const override { return "leader of lease " + to_string(lease); }
    std::string to_cache() const override {
        const auto now_is = published->get();
        detail::cached_leader out;
        out.holder = now_is->holder;
        out.address = now_is->address;
        out.lasts = machine.lasts();
        return out.to_json();
    }
    result<void> from_cache(std::string_view json) override {
        auto read = detail::cached_leader::parse(json);
        if (!read) return read.error();
        machine.loaded(std::move(read->holder), std::move(read->address), read->lasts, now());
        from_file = true;
        return {};
    }

    const namespaced_name lease;
    const leader_callback on_change;
    detail::leader_machine machine;
    std::shared_ptr<detail::published<followed_leader>> published;
    bool listed = false, from_file = false;
};

KCONTROL_DECL leader_follower::leader_follower(environment& env, executor ex, client cl, namespaced_name lease,
                                               leader_follower_options options, leader_callback on_change, logger log)
    : impl_(std::make_shared<impl>(env, ex, cl, std::move(lease), options, std::move(on_change), log)) {}

KCONTROL_DECL leader_follower::~leader_follower() { impl_->abandon(); }

KCONTROL_DECL result<void> leader_follower::start(std::stop_token parent) {
    const auto usable = parse_leader_url("k8s://" + to_string(impl_->lease));
    if (!usable) return usable.error();
    impl_->start(std::move(parent));
    return {};
}

KCONTROL_DECL awaitable<void> leader_follower::stop() { return impl::stop(impl_); }

KCONTROL_DECL std::shared_ptr<const followed_leader> leader_follower::leader() const { return impl_->published->get(); }
KCONTROL_DECL leader_reader leader_follower::reader() const { return leader_reader(impl_->published); }
KCONTROL_DECL freshness leader_follower::state() const { return impl_->state(); }
KCONTROL_DECL duration leader_follower::age() const { return impl_->age(); }
KCONTROL_DECL std::optional<error> leader_follower::problem() const { return impl_->problem(); }
KCONTROL_DECL const namespaced_name& leader_follower::lease() const noexcept { return impl_->lease; }

KCONTROL_DECL awaitable<result<std::shared_ptr<const followed_leader>>> leader_follower::wait(
    std::uint64_t after, std::stop_token stop, std::optional<time_point> deadline) {
    return detail::then_snapshot(impl::wait(impl_, after, std::move(stop), deadline), impl_->published);
}

KCONTROL_DECL awaitable<result<std::shared_ptr<const followed_leader>>> leader_follower::wait_live(
    std::stop_token stop, std::optional<time_point> deadline) {
    return detail::then_snapshot(impl::wait_live(impl_, std::move(stop), deadline), impl_->published);
}

}  // namespace kcontrol::service
