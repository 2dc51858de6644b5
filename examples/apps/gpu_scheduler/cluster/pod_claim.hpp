// What a pod says of GPUs and of its gang, read once.
#pragma once

#include <kcontrol/api/core/v1.hpp>

#include "devices/ledger.hpp"
#include "devices/record.hpp"
#include "devices/request.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_scheduler {

inline constexpr std::string_view topology_wish_annotation = "scheduling.kcontrol.dev/topology";

/// What a pod requests, and the words that go with it.
struct pod_claim {
    gpu_request request;
    std::string wrong;         ///< field, value and what is expected; empty: nothing is wrong
    std::string product;       ///< that spec.nodeSelector names; empty: any
    std::string gang;          ///< "namespace/name"; empty: none. Of pods with ResourceClaims, too
    std::string topology_key;  ///< of the gang's domain; empty: the pod names none
    bool is_required = false;  ///< the gang is in one domain or nowhere

    bool has_gpus() const noexcept { return !request.empty() || !wrong.empty(); }
};

pod_claim read_claim(const kcontrol::api::core::v1::pod& pod);

/// Whether a record has the devices that a request asks for, in its order.
bool matches(const gpu_request& request, const std::vector<device_hold>& record);

/// So much of the GPUs of such a node a request takes, in thousandths of a GPU.
std::int64_t amount_of(const gpu_request& request, const node_ledger& on);

/// How many such pods its free GPUs take at most: an estimate that is never too low.
std::int64_t most_pods(const gpu_request& request, const node_ledger& on);

}  // namespace gpu_scheduler
