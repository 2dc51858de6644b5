// What the labeler answers about its GPUs: the page at "/", /api/v1/gpus and /api/v1/history.
#pragma once

#include <kcontrol/serve/router.hpp>

#include "health/sample.hpp"
#include "history/history.hpp"
#include "inventory/inventory.hpp"
#include "web/gpus_json.hpp"

#include <string>

namespace gpu_labeler {

/// Keeps the last sample and the past of those before it. Reads neither clock nor network: times are those of the
/// samples.
///
/// Thread-safety: shared objects unsafe; use it on the executor that serves.
class web_handlers {
public:
    /// `node` is the node's name, empty where it has none.
    explicit web_handlers(std::string node, history_layout layout = history_layout());

    /// What was measured now. One without a time is shown, and leaves the past as it is.
    void take(const node_sample& sample);

    /// Which GPUs are divided, which samples say only of those that have slices.
    void take(const inventory& found);

    /// Adds the paths above. Parameters that are wrong or unknown get 400 `{"error"}`, which names the parameter, the
    /// value and what would be right. This outlives the router.
    void add_routes(kcontrol::http::router& to) const;

    const history& past() const noexcept { return past_; }
    history& past() noexcept { return past_; }

private:
    kcontrol::http::response gpus(std::string_view query) const;

    std::string node_;
    node_sample now_;
    mig_modes modes_;
    history past_;
};

}  // namespace gpu_labeler
