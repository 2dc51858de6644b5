// What the healer serves beside /metrics: its cases, and the nodes that have them.
#pragma once

#include <kcontrol/json/writer.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/serve/router.hpp>

#include "api/node_repair.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gpu_healer {

using repair_list = std::vector<std::shared_ptr<const node_repair>>;

/// The members of a case that every answer has, into an object that has begun.
void write_case(json::writer& out, const node_repair& of);
/// "KEY=VALUE:EFFECT" of the taint that the case has on its node; empty: none.
std::string taint_words(const node_repair& of);

/// {"items":[{"name","node","policy","phase","reason","step","attempt","timeline":[{"time","what"}]}]}
std::string repairs_json(const repair_list& repairs);
/// {"items":[{"name","phase","taint","repair"}]}: the nodes with a case that has not ended, or whose taint is left.
std::string nodes_json(const repair_list& repairs);

/// Adds GET /api/v1/repairs and /api/v1/nodes, which answer from the manager's caches. The manager outlives the router.
void add_routes(http::router& to, manager& m);

}  // namespace gpu_healer
