// What the interface says: the answers of /api/v1 as JSON, and the metrics.
#pragma once

#include <kcontrol/cache/informer.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/scheduling/scheduler.hpp>
#include <kcontrol/serve/router.hpp>

#include "cluster/board.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gpu_scheduler {

/// Answers from what the scheduler knows. It answers 503 while it does not lead.
///
/// Thread-safety: shared objects unsafe; it belongs to the manager's executor. Object lifetime: the manager outlives
/// it.
class answers {
public:
    answers(kcontrol::manager& m, std::shared_ptr<board> known, std::shared_ptr<kcontrol::scheduling::scheduler> by)
        : m_(m), board_(std::move(known)), scheduler_(std::move(by)) {}

    kcontrol::http::response nodes(const kcontrol::http::routed_request& asked) const;
    kcontrol::http::response tenants(const kcontrol::http::routed_request& asked) const;
    kcontrol::http::response pending(const kcontrol::http::routed_request& asked) const;
    kcontrol::http::response why(const kcontrol::http::routed_request& asked) const;
    kcontrol::http::response fits(const kcontrol::http::routed_request& asked) const;
    /// The families gpu_scheduler_….
    void collect(kcontrol::metrics_writer& out) const;

private:
    using pod_object = std::shared_ptr<const kcontrol::api::core::v1::pod>;

    bool refresh() const;
    std::vector<std::string> would(const pod_object& pod) const;

    kcontrol::manager& m_;
    std::shared_ptr<board> board_;
    std::shared_ptr<kcontrol::scheduling::scheduler> scheduler_;
};

}  // namespace gpu_scheduler
