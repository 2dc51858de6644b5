#pragma once

#include <kcontrol/scheduling/impl/amount_reader.hpp>
#include <kcontrol/scheduling/impl/capped_sum.hpp>
#include <kcontrol/scheduling/node_info.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

inline bool take_out(std::vector<const pod_info*>& from, const pod_info& pod) {
    // From the end: what is taken out first is often what came last.
    const auto found = std::find(from.rbegin(), from.rend(), &pod);
    if (found == from.rend()) return false;
    *found = from.back();
    from.pop_back();
    return true;
}

}  // namespace detail

KCONTROL_DECL node_info::node_info(std::shared_ptr<const api::core::v1::node> node) : name_(node->metadata.name) {
    set_node(std::move(node));
}

KCONTROL_DECL node_info::node_info(std::string name) : name_(std::move(name)) {}

KCONTROL_DECL std::uint64_t node_info::next_version() noexcept {
    static std::atomic<std::uint64_t> last{0};  // of all, so that a copy that changes by itself has one of its own
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

KCONTROL_DECL void node_info::set_node(std::shared_ptr<const api::core::v1::node> node) {
    version_ = next_version();
    node_ = std::move(node);
    allocatable_ = {};
    images_.clear();
    invalid_ = nullptr;
    is_unschedulable_ = has_taints_ = false;
    if (node_ == nullptr) return;
    is_unschedulable_ = node_->spec.unschedulable.value_or(false);
    has_taints_ = !node_->spec.taints.empty();
    detail::amount_reader reader(0);
    allocatable_ = reader.read(node_->status.allocatable, {"status.allocatable"}).rounded();
    if (!reader.wrong().empty()) {
        invalid_ = std::make_shared<const error>(errc::invalid_argument, "node " + name_ + ": " + reader.wrong());
    }
    for (const auto& one : node_->status.images) {
        for (const auto& name : one.names) images_.push_back({interned_name(name), one.size_bytes.value_or(0)});
    }
    std::stable_sort(images_.begin(), images_.end(),
                     [](const image& a, const image& b) { return std::less<>()(a.name.address(), b.name.address()); });
}

KCONTROL_DECL void node_info::add(const pod_info& pod) {
    version_ = next_version();
    pods_.push_back(&pod);
    if (pod.has_pod_affinity()) pods_with_affinity_.push_back(&pod);
    if (pod.has_required_anti_affinity()) pods_with_required_anti_affinity_.push_back(&pod);
    for (const auto& port : pod.host_ports()) {
        used_ports_.insert(std::upper_bound(used_ports_.begin(), used_ports_.end(), port), port);
    }
    add_amounts(pod);
}

KCONTROL_DECL bool node_info::remove(const pod_info& pod) {
    if (!detail::take_out(pods_, pod)) return false;
    version_ = next_version();
    if (pod.has_pod_affinity()) detail::take_out(pods_with_affinity_, pod);
    if (pod.has_required_anti_affinity()) detail::take_out(pods_with_required_anti_affinity_, pod);
    for (const auto& port : pod.host_ports()) {
        used_ports_.erase(std::lower_bound(used_ports_.begin(), used_ports_.end(), port));
    }
    if (is_exact_) {
        requested_.subtract(pod.requests());
        scored_cpu_milli_ -= pod.scored_cpu_milli();
        scored_memory_ -= pod.scored_memory();
        return true;
    }
    // A part of the sum was lost at 2^63-1: it is summed up anew.
    requested_ = {};
    scored_cpu_milli_ = scored_memory_ = 0;
    is_exact_ = true;
    for (const auto* one : pods_) add_amounts(*one);
    return true;
}

KCONTROL_DECL void node_info::add_amounts(const pod_info& pod) {
    is_exact_ &= requested_.add(pod.requests());
    is_exact_ &= detail::add_capped(scored_cpu_milli_, pod.scored_cpu_milli());
    is_exact_ &= detail::add_capped(scored_memory_, pod.scored_memory());
}

KCONTROL_DECL bool node_info::has_port_conflict(const host_port& wanted) const noexcept {
    auto one = std::lower_bound(used_ports_.begin(), used_ports_.end(), wanted.port,
                                [](const host_port& used, std::int32_t port) { return used.port < port; });
    for (; one != used_ports_.end() && one->port == wanted.port; ++one) {
        if (one->conflicts_with(wanted)) return true;
    }
    return false;
}

KCONTROL_DECL std::optional<std::int64_t> node_info::image_size(const interned_name& name) const noexcept {
    const auto found =
        std::lower_bound(images_.begin(), images_.end(), name, [](const image& one, const interned_name& wanted) {
            return std::less<>()(one.name.address(), wanted.address());
        });
    if (found == images_.end() || found->name != name) return std::nullopt;
    return found->size;
}

}  // namespace kcontrol::scheduling
