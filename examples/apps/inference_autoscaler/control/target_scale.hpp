// What a scaler scales: its kind, by the server's discovery, and its scale.
#pragma once

#include <kcontrol/api/autoscaling/v1.hpp>
#include <kcontrol/client/client.hpp>

#include "api/inference_scaler.hpp"

#include <map>
#include <memory>
#include <string>

namespace inference_autoscaler {

using api::autoscaling::v1::scale;

/// "Deployment llama".
std::string words_of(const scale_target& target);
/// Whether another autoscaler's target is ours; its version may be another one.
bool is_same(const scale_target& other, const scale_target& ours);

struct found_target {
    const resource_info* kind = nullptr;
    scale now;
    std::string reason, sentence;  ///< why it can't be scaled, for the condition Ready; empty: it can
};

/// Keeps the kinds that it found.
///
/// Thread-safety: shared objects unsafe. Object lifetime: outlives its read() and what it found.
class target_scales {
public:
    /// Errors: those of the client, except that there is no such kind, object or scale, or no selector.
    awaitable<result<found_target>> read(client c, std::string ns, scale_target target, std::stop_token stop);

private:
    awaitable<result<const resource_info*>> kind_of(client c, scale_target target, std::stop_token stop);

    std::map<std::string, std::unique_ptr<const resource_info>> kinds_;
};

}  // namespace inference_autoscaler
