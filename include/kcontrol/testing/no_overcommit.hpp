// An invariant for simulate(): no node holds more pods than it has room for.
#pragma once

#include <string>

namespace kcontrol::inline v0_1::testing {

class api_server;

/// Whether each node of a server has room for the pods on it: `scenario.always(no_overcommit)`. It counts each pod with
/// a node that has not ended, whoever bound it, and its requests as the scheduler does. Nodes that are not there, or do
/// not say what they have allocatable, are passed over. A node that shrinks below what its pods request is found, too.
///
/// Returns: empty, or what is wrong: `node a is over-committed: its pods request 5 of 4 cpu`.
/// Thread-safety: use it on the server's executor, as scenario does.
std::string no_overcommit(const api_server& api);

}  // namespace kcontrol::testing
