// The generated kinds that are linked into the test.
#pragma once

#include <kcontrol/model/resource.hpp>

#include <vector>

namespace kcontrol_test {

inline std::vector<const kcontrol::resource_info*>& registered_kinds() {
    static std::vector<const kcontrol::resource_info*> kinds;
    return kinds;
}

inline bool register_kind(const kcontrol::resource_info& info) {
    registered_kinds().push_back(&info);
    return true;
}

}  // namespace kcontrol_test
