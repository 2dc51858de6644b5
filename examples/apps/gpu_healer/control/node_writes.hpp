// What the healer writes on Nodes, and how pods leave them.
#pragma once

#include <kcontrol/client/client.hpp>

#include "control/objects.hpp"

#include <memory>
#include <set>
#include <stop_token>
#include <vector>

namespace gpu_healer {

/// Puts a taint on the Node, or takes it off, by a JSON patch that tests what is there; after a failed test the Node is
/// read again, five times at most. `known` is what a cache has. Nothing where it is so already, where there is no such
/// Node, or another one of that name. Errors: those of the requests; unavailable if others write all the time,
/// invalid_argument if the key has another value there, which is not ours.
awaitable<result<void>> set_taint(client c, std::shared_ptr<const healed_node> known, node_taint taint, bool wanted,
                                  std::stop_token stop);

/// Writes, or with an empty value removes, an annotation.
awaitable<result<void>> annotate(client c, const resource_info& kind, namespaced_name key, std::string_view name,
                                 std::string value, std::stop_token stop);

using drained_pods = std::vector<std::shared_ptr<const drained_pod>>;
/// The pods that a drain of that node concerns, as the server has them.
awaitable<result<drained_pods>> pods_on(client c, std::string node, bool all, std::stop_token stop);

/// Sends pods away: by the eviction API (429 is tried at the next call); with `jobs`, the gang of a TrainingJob by its
/// annotation, once for each of `restarted`. Errors: of requests, but not found and 429.
awaitable<result<void>> send_away(client c, const drained_pods& pods, bool jobs, std::string token,
                                  std::shared_ptr<std::set<std::string>> restarted, std::stop_token stop);

}  // namespace gpu_healer
