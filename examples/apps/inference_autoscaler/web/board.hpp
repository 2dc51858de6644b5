// What the autoscaler shows of its scalers: each as it is, and six hours of its past.
#pragma once

#include <kcontrol/model/object_key.hpp>
#include <kcontrol/runtime/time.hpp>

#include "api/inference_scaler.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace inference_autoscaler {

/// Keeps a point per minute and scaler, and its last 200 decisions: some 14 KB per scaler. Reads no clock.
///
/// Thread-safety: shared objects unsafe; use it on the executor that serves.
class board {
public:
    /// A scaler at a look, with its status as it was decided just now, which need not have been written.
    void take(kcontrol::wall_time now, const inference_scaler& scaler);
    /// A scaler as the API server has it. The decision is that of the last look, unless the last three are missing.
    void note(kcontrol::wall_time now, inference_scaler scaler);
    void forget(const namespaced_name& scaler);

    /// {"items":[…]}, by namespace and name; of each scaler what it is and what was decided.
    std::string scalers_json() const;
    /// {"namespace","name","rules":[…],"points":[[unixSeconds,replicas,ready,warming,wanted,rule,value,threshold],…],
    /// "decisions":[…]}, oldest first; `rule` is an index in `rules` or null. Empty: there is no such scaler.
    std::string history_json(const namespaced_name& scaler) const;

private:
    struct point {
        std::int64_t minute = 0;
        std::int32_t replicas = 0, ready = 0, warming = 0, wanted = 0, rule = -1;
        float value = 0, threshold = 0;  // NaN: not known
    };
    struct past {
        inference_scaler now;
        kcontrol::wall_time seen{}, looked{};
        std::vector<std::string> rules;
        std::deque<point> points;
        std::deque<std::string> decisions;  // in JSON
    };
    void add(kcontrol::wall_time now, const inference_scaler& scaler, past& to);

    std::map<namespaced_name, past> scalers_;
};

}  // namespace inference_autoscaler
