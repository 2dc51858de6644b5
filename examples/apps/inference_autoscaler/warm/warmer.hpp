// Warms up pods: sends the requests, sets the condition, deletes what does not become warm.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "warm/warm_up.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace inference_autoscaler {

/// What came of a warm-up; `took` is since the pod's containers were ready.
struct warm_outcome {
    warm_pod pod;
    bool warm = false;
    std::string words;  ///< the message of the condition
    kcontrol::duration took{};
};

/// Each pod has one request at a time, of 2 minutes and 1 MiB at most and none beyond timeoutSeconds; redirects are not
/// followed, so they are no good answers. Conditions are patches of pods/status, and deletions have the pod's uid.
///
/// Thread-safety: shared objects unsafe; use it on the executor given.
/// Object lifetime: the environment outlives the executor's work. Its destruction stops what runs.
class warmer {
public:
    /// `told` is called for every pod that became warm, or failed.
    warmer(kcontrol::environment& env, kcontrol::executor ex, kcontrol::http::transport_factory connect,
           kcontrol::client cluster, std::function<void(const namespaced_name& scaler, const warm_outcome&)> told);
    ~warmer();
    warmer(const warmer&) = delete;
    warmer& operator=(const warmer&) = delete;

    /// The pods of a scaler's target that have the gate, as they are now: those that are not named any more are left
    /// alone from now on.
    void observe(const namespaced_name& scaler, const warm_up_spec& how, const std::vector<warm_pod>& pods);
    void forget(const namespaced_name& scaler);  ///< one that is deleted, or has no warm-up any more
    /// Whether three pods of that template failed, and none was warm since.
    bool failing(const namespaced_name& scaler, const std::string& template_hash) const;
    /// Pods that something is done for at the moment.
    std::size_t running() const noexcept;

private:
    struct shared;
    std::shared_ptr<shared> shared_;
};

}  // namespace inference_autoscaler
