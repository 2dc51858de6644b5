// The GPUs that ResourceClaims hold, and those that they ask for.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/scheduling/claim_catalog.hpp>
#include <kcontrol/scheduling/pod_info.hpp>

#include "devices/gpu.hpp"
#include "devices/record.hpp"
#include "devices/request.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpu_scheduler {

/// Devices of NVIDIA's DRA driver on nodes as parts of GPUs. Devices that take from one counter set are parts of one
/// GPU, and so are MIG devices that name one parent. A part counts by its memory: by the counter "memory" or else those
/// that begin with it, by its capacity, or by its MIG profile. One whose part is not known counts as all of its GPU.
///
/// Thread-safety: shared objects unsafe.
class gpu_claims {
public:
    using catalog = kcontrol::scheduling::claim_catalog;
    using claim_object = std::shared_ptr<const catalog::claim>;
    using claim_name = kcontrol::namespaced_name;
    using claim_names = std::set<claim_name>;

    static constexpr std::string_view driver = "gpu.nvidia.com";

    /// What a claim has, by the API server or by a decision. Empty: nothing of GPUs.
    struct holding {
        std::string node;  ///< may be empty: it is not known
        std::vector<device_hold> devices;
        std::int64_t amount = 0;  ///< thousandths of GPUs
    };

    /// Follows the catalog from now on.
    explicit gpu_claims(const std::shared_ptr<catalog>& all);
    gpu_claims(const gpu_claims&) = delete;
    gpu_claims& operator=(const gpu_claims&) = delete;

    /// Another number: slices or classes are other ones than before.
    std::uint64_t edition() const noexcept { return news_->edition; }
    /// The claims that have changed since the last call.
    claim_names take_changed() { return std::exchange(news_->changed, {}); }

    /// The GPUs of a node by its slices; none: it has no devices of the driver.
    std::optional<node_devices> on(const std::string& node);
    /// The claims that a pod names, as far as they were made.
    static claim_names names_of(const kcontrol::api::core::v1::pod& pod);
    /// The same, and the one for its extended resources.
    claim_names all_names_of(const kcontrol::api::core::v1::pod& pod) const;
    /// Whether it names claims, or a class stands for an extended resource of it.
    bool may_take(const kcontrol::scheduling::pod_info& pod) const;
    /// Whether a claim for extended resources of the pod has an allocation: what the pod requests counts by it.
    bool has_extended(const kcontrol::api::core::v1::pod& pod) const;
    /// Whether all GPUs and slices that the pod requests come from a claim on that node: classes stand for them, and
    /// the node has none itself. Shares never do.
    bool takes_place_of(const gpu_request& request, const kcontrol::api::core::v1::pod& pod,
                        const kcontrol::api::core::v1::node& node) const;
    const std::shared_ptr<const catalog>& objects() const noexcept { return all_; }
    claim_object find(const claim_name& name) const { return all_->find_claim(name.namespace_, name.name); }
    /// Whether it has an allocation, of whatever devices.
    bool is_given(const claim_object& claim) const { return all_->allocation_of(claim) != nullptr; }
    holding held_by(const claim_object& claim);
    /// What a pod takes besides what its claims have already: least() or most() of the others. Extended resources that
    /// classes stand for are among them; of the least, those that the pod requests as GPUs are not.
    std::int64_t least_of(const kcontrol::api::core::v1::pod& pod);
    std::int64_t least_of_extended(const kcontrol::api::core::v1::pod& pod);  ///< the part of extended resources
    std::int64_t most_of(const kcontrol::api::core::v1::pod& pod, const kcontrol::api::core::v1::node& node);

    /// So much a claim without an allocation takes at least, wherever it gets it; 0: no GPUs.
    std::int64_t least(const catalog::claim& claim);
    /// So much it takes on that node at most, with whichever devices it gets there.
    std::int64_t most(const catalog::claim& claim, const std::string& node);

private:
    using known_device = kcontrol::scheduling::device_inventory::known_device;
    struct part {
        std::string node, uuid;
        std::int64_t amount = 0, memory_mib = 0;  // memory: 0 of a whole one
    };
    // The devices that a request lets through.
    struct kind {
        struct on_node {
            std::int64_t most = 0, sum = 0;  // of one device, of all
        };
        std::int64_t least = 0, least_sum = 0;  // of one device; of all on the node where that is least
        std::map<std::string, on_node> nodes;
    };
    struct news {
        std::uint64_t edition = 1;
        claim_names changed;
    };

    void update();
    void add(const std::vector<const known_device*>& of_pool,
             const kcontrol::scheduling::device_inventory::counter_amounts& counters);
    const kind& kind_of(const kcontrol::text& of_class,
                        const kcontrol::list<kcontrol::api::resource::v1::device_selector>& selectors);

    std::shared_ptr<const catalog> all_;
    std::shared_ptr<news> news_ = std::make_shared<news>();
    std::uint64_t made_of_ = 0;  // the edition that the rest is of
    std::map<kcontrol::scheduling::device_id, part> parts_;
    std::map<std::string, node_devices> nodes_;
    std::map<std::string, kind> kinds_;
};

}  // namespace gpu_scheduler
