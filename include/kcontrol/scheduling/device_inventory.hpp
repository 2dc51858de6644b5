// device_inventory: the devices that drivers publish in ResourceSlices, by pool.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/resource/v1.hpp>
#include <kcontrol/values/quantity.hpp>

#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// A device by its place.
struct device_id {
    std::string driver;  ///< "gpu.example.com"
    std::string pool;    ///< the driver's pool, often named after the node
    std::string name;    ///< unique in the pool

    auto operator<=>(const device_id&) const = default;
};

/// The devices of the newest generation of each pool, and their shared counters. Nothing is given of a pool of which
/// slices are missing or that has a device twice: its driver is about to change it.
/// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class device_inventory {
public:
    using slice = api::resource::v1::resource_slice;  ///< a ResourceSlice

    /// A counter of a pool: counter set and name.
    using counter_name = std::pair<std::string, std::string>;
    /// Amounts of counters.
    using counter_amounts = std::map<counter_name, quantity>;

    /// A device of a slice.
    struct known_device {
        device_id id;
        std::shared_ptr<const slice> of;                    ///< keeps the object
        const api::resource::v1::device* object = nullptr;  ///< as the driver describes it
        std::size_t pool = 0;                               ///< for counters()
        counter_amounts consumes;                           ///< of the counters of its pool
    };
    /// What a node can use.
    struct reachable_devices {
        std::vector<const known_device*> devices;  ///< by driver, pool, and their order in slices
        bool is_complete = true;                   ///< false: a pool with devices for that node is incomplete
    };

    device_inventory() = default;
    /// From all slices of the cluster, in any order.
    KCONTROL_DECL explicit device_inventory(const std::vector<std::shared_ptr<const slice>>& slices);

    /// The devices that are on the node, or can be reached from it.
    KCONTROL_DECL reachable_devices on(const api::core::v1::node& node) const;
    const std::vector<known_device>& devices() const noexcept { return devices_; }  ///< of all pools
    /// The counters of a pool, without what is consumed.
    const counter_amounts& counters(std::size_t pool) const { return counters_[pool]; }
    /// The devices of a pool.
    std::span<const known_device> devices_of(std::size_t pool) const {
        return std::span(devices_).subspan(begins_[pool], begins_[pool + 1] - begins_[pool]);
    }

private:
    std::vector<known_device> devices_;                                     // pool after pool
    std::vector<std::size_t> begins_;                                       // of pools in devices_, and its end
    std::vector<counter_amounts> counters_;                                 // by pool
    std::map<std::string, std::vector<std::size_t>, std::less<>> at_node_;  // devices of one node, by its name
    std::vector<std::size_t> elsewhere_;                                    // devices that name no node
    std::vector<std::shared_ptr<const slice>> incomplete_;                  // of pools that give nothing
};

/// Where a device is: its own words if its slice leaves it to the devices, else those of the slice.
struct device_location {
    bool is_everywhere = false;                              ///< all nodes reach it
    std::string node;                                        ///< the only node; empty: see below
    const api::core::v1::node_selector* selector = nullptr;  ///< the nodes that reach it, or null
};
/// The location. `of` may be null for the slice as a whole.
KCONTROL_DECL device_location location_of(const api::resource::v1::resource_slice& in,
                                          const api::resource::v1::device* of);

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/device_inventory.ipp>
#endif
