#pragma once

#include <kcontrol/model/node_selector.hpp>
#include <kcontrol/scheduling/device_inventory.hpp>
#include <kcontrol/scheduling/impl/device_amounts.hpp>

#include <algorithm>
#include <set>
#include <tuple>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

inline bool is_reachable_from(const device_location& at, const api::core::v1::node& node) {
    if (at.is_everywhere) return true;
    if (!at.node.empty()) return node.metadata.name == at.node;
    if (at.selector == nullptr) return false;
    const auto selector = node_selector::of(*at.selector);
    return selector && selector->selects(node.metadata);
}

// The slices of a pool's newest generation.
struct device_pool {
    std::int64_t generation = 0;
    std::vector<std::shared_ptr<const api::resource::v1::resource_slice>> slices;

    bool is_whole() const {
        std::set<std::string_view> names;
        for (const auto& slice : slices) {
            for (const auto& device : slice->spec.devices) {
                if (!names.insert(device.name).second) return false;
            }
        }
        return static_cast<std::int64_t>(slices.size()) == slices.front()->spec.pool.resource_slice_count;
    }
};

}  // namespace detail

KCONTROL_DECL device_location location_of(const api::resource::v1::resource_slice& in,
                                          const api::resource::v1::device* of) {
    const auto made = [](const auto& from) {
        device_location out;
        out.is_everywhere = from.all_nodes.value_or(false);
        out.node = from.node_name.str();
        if (from.node_selector) out.selector = &*from.node_selector;
        return out;
    };
    const bool is_by_device = in.spec.per_device_node_selection.value_or(false);
    return is_by_device && of != nullptr ? made(*of) : made(in.spec);
}

KCONTROL_DECL device_inventory::device_inventory(const std::vector<std::shared_ptr<const slice>>& slices) {
    std::map<std::pair<std::string, std::string>, detail::device_pool> pools;
    for (const auto& each : slices) {
        auto& to = pools[{each->spec.driver.str(), each->spec.pool.name.str()}];
        const auto generation = each->spec.pool.generation;
        if (to.slices.empty() || generation > to.generation) to = {generation, {}};
        if (generation == to.generation) to.slices.push_back(each);
    }
    for (auto& [key, pool] : pools) {
        std::ranges::sort(pool.slices, {}, [](const auto& s) { return s->metadata.name.view(); });
        if (!pool.is_whole()) {
            incomplete_.insert(incomplete_.end(), pool.slices.begin(), pool.slices.end());
            continue;
        }
        auto& counters = counters_.emplace_back();
        begins_.push_back(devices_.size());
        for (const auto& each : pool.slices) {
            for (const auto& set : each->spec.shared_counters) {
                for (const auto& [name, counter] : set.counters) {
                    counters[{set.name.str(), std::string(name)}] = detail::amount_or_zero(counter.value);
                }
            }
            for (const auto& device : each->spec.devices) {
                known_device made{{key.first, key.second, device.name.str()}, each, &device, counters_.size() - 1, {}};
                for (const auto& part : device.consumes_counters) {
                    for (const auto& [name, counter] : part.counters) {
                        made.consumes[{part.counter_set.str(), std::string(name)}] +=
                            detail::amount_or_zero(counter.value);
                    }
                }
                const auto at = location_of(*each, &device);
                const bool names_node = !at.is_everywhere && !at.node.empty();
                (names_node ? at_node_[at.node] : elsewhere_).push_back(devices_.size());
                devices_.push_back(std::move(made));
            }
        }
    }
    begins_.push_back(devices_.size());
}

KCONTROL_DECL device_inventory::reachable_devices device_inventory::on(const api::core::v1::node& node) const {
    reachable_devices out;
    if (const auto own = at_node_.find(node.metadata.name.view()); own != at_node_.end()) {
        for (const auto each : own->second) out.devices.push_back(&devices_[each]);
    }
    for (const auto each : elsewhere_) {
        const auto& device = devices_[each];
        if (detail::is_reachable_from(location_of(*device.of, device.object), node)) out.devices.push_back(&device);
    }
    std::ranges::sort(out.devices);
    out.is_complete = std::ranges::none_of(incomplete_, [&](const auto& each) {
        if (!each->spec.per_device_node_selection.value_or(false)) {
            return detail::is_reachable_from(location_of(*each, nullptr), node);
        }
        return std::ranges::any_of(each->spec.devices, [&](const auto& device) {
            return detail::is_reachable_from(location_of(*each, &device), node);
        });
    });
    return out;
}

}  // namespace kcontrol::scheduling
