// What a scaler scales: its kind, by the server's discovery, and its scale.
#pragma once

#include <kcontrol/api/autoscaling/v1.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/cluster/cluster.hpp>

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
    time_point asked{};            ///< when the server was
};

/// Keeps the kinds that it found.
///
/// Thread-safety: shared objects unsafe. Object lifetime: outlives its read() and what it found.
class target_scales {
public:
    /// Errors: those of the client, except that there is no such kind, object or scale, or no selector.
    awaitable<result<found_target>> read(client c, std::string ns, scale_target target, std::stop_token stop);

    /// Whether the server would say of the object `key` what it said in `last`: it was asked five minutes ago at most,
    /// and a watch of the kind's metadata, which this begins, has the version that it said. Where the kind can't be
    /// watched, as without the right to, this is false, and the log says so once.
    bool is_current(cluster& in, const namespaced_name& key, const found_target& last);

private:
    awaitable<result<const resource_info*>> kind_of(client c, scale_target target, std::stop_token stop);

    std::map<std::string, std::unique_ptr<const resource_info>> kinds_;
    std::map<const resource_info*, time_point> unwatched_;  // until when
};

}  // namespace inference_autoscaler
