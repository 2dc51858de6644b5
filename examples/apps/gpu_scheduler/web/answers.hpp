// What the interface says: the answers of /api/v1 as JSON, and the metrics.
#pragma once

#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/serve/router.hpp>

#include "cluster/board.hpp"
#include "cluster/view.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpu_scheduler {

/// A node and its GPUs, as an element of /api/v1/nodes.
std::string node_json(const node_state& on, const board& of);

/// Answers from what the scheduler knows. It answers 503 while it does not lead.
///
/// Thread-safety: shared objects unsafe; it belongs to the scheduler's executor.
class answers {
public:
    answers(std::shared_ptr<cluster_view> of, std::shared_ptr<board> known)
        : view_(std::move(of)), board_(std::move(known)) {}

    kcontrol::http::response nodes(const kcontrol::http::routed_request& asked) const;
    kcontrol::http::response tenants(const kcontrol::http::routed_request& asked) const;
    kcontrol::http::response pending(const kcontrol::http::routed_request& asked) const;
    kcontrol::http::response why(const kcontrol::http::routed_request& asked) const;
    kcontrol::http::response fits(const kcontrol::http::routed_request& asked) const;

    /// The body of /api/v1/why. Errors: invalid_argument (no NAMESPACE/NAME, or no pod of this scheduler), not_found,
    /// unavailable (it does not schedule now).
    kcontrol::result<std::string> why(std::string_view pod) const;
    /// The body of /api/v1/tenants, as of the last refresh().
    std::string tenants() const;
    /// The families gpu_scheduler_….
    void collect(kcontrol::metrics_writer& out) const;
    /// Brings the board up to date. False: it does not schedule now.
    bool refresh() const;

private:
    std::vector<std::string> would(const cluster_view::pod_object& pod) const;

    std::shared_ptr<cluster_view> view_;
    std::shared_ptr<board> board_;
};

/// The pods of the scheduler that request GPUs, wait and are not gated, in the order of the queue.
std::vector<cluster_view::pod_object> queue_of(cluster_view& of, board& known);

/// The message of a pod's condition PodScheduled=False, or nothing.
std::string condition_of(const kcontrol::api::core::v1::pod& pod);
/// Whether a pod has no node, and is to get one.
bool waits(const kcontrol::api::core::v1::pod& pod);
bool is_ready(const kcontrol::api::core::v1::node& node);
/// "namespace/name".
std::string name_of(const kcontrol::api::core::v1::pod& pod);
/// 503.
kcontrol::http::response no_leader();
/// The parameters of a request. Errors: one is not among those.
result<std::map<std::string, std::string>> parameters_of(const kcontrol::http::routed_request& asked,
                                                         std::initializer_list<std::string_view> known);

}  // namespace gpu_scheduler
