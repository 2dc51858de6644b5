// What a server holds, in a form in which two worlds can be compared.
#pragma once

#include <kcontrol/testing/idempotence.hpp>

#include <map>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

/// Objects by "Kind namespace/name"; several where names were generated.
using end_state = std::map<std::string, std::vector<json::value>>;

/// Without what differs from world to world: uids and generated names are named by what they are of, times, versions,
/// addresses and managedFields are left out.
end_state read_end_state(const api_server& api, const idempotence_options& options);

/// What differs, in words; at most three lines.
std::vector<std::string> compare_end_states(const end_state& wanted, const end_state& found);

}  // namespace kcontrol::testing::detail
