// The rights that a program needs: derived from what it asked an API server for in a test.
#pragma once

#include <kcontrol/testing/request_log.hpp>

#include <string>

namespace kcontrol::inline v0_1::testing {

/// The rules of a ClusterRole, as YAML, that allow all requests of the log, one for each group and resource, in order.
/// Discovery needs none. An apply that made its object needs create, too, which the server asks for besides. A right
/// that the program did not exercise is not among them; namespaces and names are not either. Of a log with more than
/// 10,000 requests it knows the last ones.
/// Thread-safety: as request_log.
std::string rbac_rules(const request_log& log);

}  // namespace kcontrol::testing
