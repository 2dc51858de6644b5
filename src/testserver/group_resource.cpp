#include <kcontrol/testing/group_resource.hpp>

namespace kcontrol::inline v0_1::testing {

std::string group_resource::text() const { return group.empty() ? resource : resource + "." + group; }

}  // namespace kcontrol::testing
