#pragma once

#include <kcontrol/scheduling/impl/plugin_call.hpp>
#include <kcontrol/scheduling/profile.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::scheduling {

KCONTROL_DECL std::size_t nodes_to_find(std::size_t nodes, std::int32_t percentage) {
    constexpr std::size_t least = 100;
    if (nodes < least) return nodes;
    auto part = static_cast<std::size_t>(std::clamp(percentage, 0, 100));
    if (part == 0) part = nodes / 125 < 45 ? 50 - nodes / 125 : 5;
    return std::max(least, nodes * part / 100);
}

KCONTROL_DECL profile& profile::add(plugin one, std::int64_t weight) {
    if (one.has(plugin_point::queue_sort)) sorter_ = plugins_.size();
    const plugin_set number = plugins_.size() < 64 ? plugin_set{1} << plugins_.size() : 0;
    plugins_.push_back({std::move(one), weight, number});
    return *this;
}

KCONTROL_DECL plugin_set profile::gated_by(const pod_info& pod, plugin_answer* first) const {
    plugin_set out = 0;
    for (const auto& one : plugins_) {
        if (!one.made.has(plugin_point::pre_enqueue)) continue;
        const auto ask = [&] { return one.made.thunks_->pre_enqueue(one.made.object_.get(), pod); };
        auto said = detail::call_plugin(one.made.name(), plugin_point::pre_enqueue, nullptr, ask);
        if (said.ok()) continue;
        if (out == 0 && first != nullptr) *first = {std::move(said), one.made.name(), plugin_point::pre_enqueue};
        out |= one.number;
    }
    return out;
}

KCONTROL_DECL queue_rank profile::rank_of(const queued_pod& pod) const {
    const auto& one = plugins_[sorter_].made;
    try {
        return one.thunks_->queue_sort(one.object_.get(), pod);
    } catch (...) {
        return scheduling_queue::default_rank(pod);  // it must come somewhere
    }
}

KCONTROL_DECL plugin_answer profile::reserve(placement& of, const node_info& node, plugin_observer* observer) const {
    for (std::size_t i = 0; i < plugins_.size(); ++i) {
        const auto& one = plugins_[i].made;
        if (!one.has(plugin_point::reserve)) continue;
        const auto ask = [&] { return one.thunks_->reserve(one.object_.get(), of.states_.at(i), of, node); };
        auto said = detail::call_plugin(one.name(), plugin_point::reserve, observer, ask);
        if (said.ok()) continue;
        unreserve(of, observer);
        return {std::move(said), one.name(), plugin_point::reserve};
    }
    return {};
}

KCONTROL_DECL void profile::unreserve(const placement& of, plugin_observer* observer) const noexcept {
    for (std::size_t i = plugins_.size(); i-- > 0;) {
        const auto& one = plugins_[i].made;
        if (!one.has(plugin_point::unreserve)) continue;
        const auto call = [&] {
            one.thunks_->unreserve(one.object_.get(), of.states_.at(i), of);
            return status();
        };
        detail::call_plugin(one.name(), plugin_point::unreserve, observer, call);
    }
}

KCONTROL_DECL void profile::post_bind(const placement& of, plugin_observer* observer) const noexcept {
    for (std::size_t i = 0; i < plugins_.size(); ++i) {
        const auto& one = plugins_[i].made;
        if (!one.has(plugin_point::post_bind)) continue;
        const auto call = [&] {
            one.thunks_->post_bind(one.object_.get(), of.states_.at(i), of);
            return status();
        };
        detail::call_plugin(one.name(), plugin_point::post_bind, observer, call);
    }
}

// The plugins of a point in turn, until one does not answer `goes_on`: that one's answer, or `goes_on`.
template <class Of>
awaitable<plugin_answer> profile::call_in_turn(awaitable<status> (*detail::plugin_thunks::*member)(void*, void*, Of&),
                                               plugin_point point, status_code goes_on, Of& of,
                                               plugin_observer* observer) const {
    for (std::size_t i = 0; i < plugins_.size(); ++i) {
        const auto& one = plugins_[i].made;
        const auto call = one.thunks_->*member;
        if (call == nullptr) continue;
        const std::int64_t started = observer == nullptr ? 0 : observer->now();
        of.awaited_ = one.name();
        status said;
        try {
            awaitable<status> pending = call(one.object_.get(), of.states_.at(i), of);
            said = co_await std::move(pending);
        } catch (...) {
            said = status::error(describe_thrown());
        }
        if (observer != nullptr) observer->called(one.name(), point, said.code(), observer->now() - started);
        if (said.code() == goes_on) continue;
        plugin_answer out;
        out.answer = said.code() == status_code::error ? detail::failed_answer(one.name(), point, said) : said;
        out.plugin = one.name();
        out.point = point;
        co_return out;
    }
    plugin_answer out;
    out.answer.set_code(goes_on);
    out.point = point;
    co_return out;
}

KCONTROL_DECL awaitable<plugin_answer> profile::permit(placement& of, plugin_observer* observer) const {
    return call_in_turn(&detail::plugin_thunks::permit, plugin_point::permit, status_code::success, of, observer);
}

KCONTROL_DECL awaitable<plugin_answer> profile::pre_bind(placement& of, plugin_observer* observer) const {
    return call_in_turn(&detail::plugin_thunks::pre_bind, plugin_point::pre_bind, status_code::success, of, observer);
}

KCONTROL_DECL awaitable<plugin_answer> profile::bind(const placement& of, plugin_observer* observer) const {
    return call_in_turn(&detail::plugin_thunks::bind, plugin_point::bind, status_code::skip, of, observer);
}

}  // namespace kcontrol::scheduling
