// Nodes under repair: the cases of the GPU healer (examples/apps/gpu_healer), listed when somebody looks.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "jobs/kinds.hpp"
#include "jobs/link_template.hpp"
#include "pods/insight.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

struct node_repair_spec {
    std::string node;
    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("node", &node_repair_spec::node));
    }
};

struct node_repair_status {
    std::string phase, reason, message, phase_time;
    static constexpr auto kcontrol_fields() {
        using self = node_repair_status;
        return kcontrol::fields(kcontrol::field("phase", &self::phase), kcontrol::field("reason", &self::reason),
                                kcontrol::field("message", &self::message),
                                kcontrol::field("phaseTime", &self::phase_time));
    }
};

struct node_repair : projection_of<node_repair_spec, node_repair_status> {
    static constexpr kcontrol::resource_name kcontrol_resource{"healing.kcontrol.dev", "v1alpha1", "NodeRepair",
                                                               "noderepairs", kcontrol::resource_scope::cluster};
};

/// An open case.
struct node_case {
    std::string name, phase, reason, message, since;
};
using cases_by_node = std::map<std::string, node_case, std::less<>>;

/// The open cases of a cluster by node; of several of one node, the one that has a taint. None where there is no
/// healer, the right to list NodeRepairs is missing, or the server does not answer in 5 s. Await it on the executor of
/// `from`.
kcontrol::awaitable<cases_by_node> ask_cases(kcontrol::client from, std::stop_token stop);

/// Writes "repair": {"node", "case", "phase", "reason", "message", "since", "links"}; `links` are those of the kind
/// NodeRepair.
void write_repair(kcontrol::json::writer& out, const std::string& cluster, const std::string& node, const node_case& of,
                  const std::vector<link_template>& links);

/// Those of all clusters, listed when somebody looks, every 30 s at most.
///
/// Thread-safety: shared objects unsafe; use it on the executor of the clusters' manager.
/// Object lifetime: the environment outlives it, and the lists that still run, which end with it.
class node_cases : public std::enable_shared_from_this<node_cases> {
public:
    using client_question = std::function<std::optional<kcontrol::client>(const std::string&)>;

    /// `client_of` gives the client of a cluster that is engaged, or nothing.
    node_cases(kcontrol::environment& env, client_question client_of) : env_(env), client_of_(std::move(client_of)) {}
    ~node_cases() { ending_.request_stop(); }
    node_cases(const node_cases&) = delete;
    node_cases& operator=(const node_cases&) = delete;

    /// The first of the nodes that has a case, as known now; more will be, soon. Null: none. Good until the next call.
    const std::pair<const std::string, node_case>* look(const std::string& cluster, const std::set<std::string>& nodes);

private:
    struct entry {
        cases_by_node known;
        std::optional<kcontrol::time_point> asked;
    };
    kcontrol::environment& env_;
    client_question client_of_;
    std::map<std::string, entry> clusters_;
    std::stop_source ending_;
};

/// What writes "repair" into a job's item, where a node of its pods, or the one on which it failed, has an open case.
/// `known` outlives it.
std::function<void(kcontrol::json::writer&, const job_view&)> repair_writer(kcontrol::environment& env, insight& known,
                                                                            std::vector<link_template> links);

}  // namespace training_monitor
