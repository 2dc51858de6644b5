// How many more replicas find a node: what the GPU scheduler says.
#pragma once

#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "control/target_pod.hpp"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace inference_autoscaler {

/// GPUs that a pod asks for.
std::int64_t gpus_of(const target_pod& pod);
/// "/api/v1/fits?…" for so many pods like this one.
std::string fits_query(const target_pod& like, std::int32_t pods);

/// Asks `/api/v1/fits` of the scheduler whose address is `url` (spec.capacity.scheduler). Nothing: it does not answer
/// within 2 s, or the pod has no GPUs, of which alone it knows.
///
/// Thread-safety: shared objects safe. Object lifetime: the environment outlives the executor's work.
class free_places {
public:
    free_places(executor ex, http::transport_factory connect) : ex_(std::move(ex)), connect_(std::move(connect)) {}

    awaitable<std::optional<std::int32_t>> ask(std::string url, std::shared_ptr<const target_pod> like,
                                               std::int32_t pods, std::stop_token stop) const;

private:
    executor ex_;
    http::transport_factory connect_;
};

}  // namespace inference_autoscaler
