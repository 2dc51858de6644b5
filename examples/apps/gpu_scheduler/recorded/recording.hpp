// A cluster as it was at a moment, in a file: what the scheduler decides on, and what it decided.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/resource/v1.hpp>
#include <kcontrol/api/storage/v1.hpp>
#include <kcontrol/client/blocking_client.hpp>
#include <kcontrol/runtime/time.hpp>

#include "messages.hpp"
#include "tenants/tenant.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace gpu_scheduler {

/// Of a pod that waits.
struct recorded_decision {
    std::string pod;         ///< "namespace/name"
    std::string node;        ///< where it goes; empty: nowhere
    std::string allocation;  ///< the record of its GPUs
    std::string message;     ///< why nowhere

    friend bool operator==(const recorded_decision&, const recorded_decision&) = default;
};

/// How the scheduler runs, as the flags of those names say it.
struct recorded_flags {
    std::string scheduler_name = "gpu-scheduler";
    std::string configuration;  ///< the text of --config; empty: none
    std::string node_selector;
    bool has_tenants = true;
};

template <class T>
using recorded = std::vector<std::shared_ptr<const T>>;

struct recording {
    kcontrol::wall_time time{};
    recorded_flags flags;
    std::tuple<
        recorded<kcontrol::api::core::v1::node>, recorded<kcontrol::api::core::v1::pod>,
        recorded<kcontrol::api::core::v1::namespace_>, recorded<tenant>,
        recorded<kcontrol::api::core::v1::persistent_volume_claim>,
        recorded<kcontrol::api::core::v1::persistent_volume>, recorded<kcontrol::api::storage::v1::storage_class>,
        recorded<kcontrol::api::storage::v1::csi_driver>, recorded<kcontrol::api::storage::v1::csi_storage_capacity>,
        recorded<kcontrol::api::resource::v1::resource_claim>, recorded<kcontrol::api::resource::v1::device_class>,
        recorded<kcontrol::api::resource::v1::resource_slice>>
        objects;
    std::vector<recorded_decision> decisions;

    template <class T>
    const recorded<T>& all() const {
        return std::get<recorded<T>>(objects);
    }
    template <class T>
    recorded<T>& all() {
        return std::get<recorded<T>>(objects);
    }
};

/// Lists the cluster; a kind that it does not have is left out. What no decision needs is not kept: environments of
/// containers and the annotation of kubectl apply. Errors: those of the lists.
result<recording> record_cluster(const kcontrol::blocking_client& from, kcontrol::wall_time now, recorded_flags flags);

/// One line of JSON: {"v":1,"time","schedulerName","config","nodeSelector","tenants","objects":[…],"decisions":[…]}.
std::string write_recording(const recording& of);
/// Reads it. Errors: invalid_argument with the file's name, and what is wrong with which object.
result<recording> read_recording(const std::string& file, std::string_view text);

/// Gives all names other ones, equal ones for equal names: of objects, labels' values, images, GPUs. The keys of labels
/// and annotations, resources, products and numbers stay; messages and annotations that the scheduler does not read go.
/// Decisions are dropped. Errors: those of read_recording().
result<recording> anonymize(const recording& of);

}  // namespace gpu_scheduler
