// What tests of typed verbs know of a ConfigMap.
#pragma once

#include <kcontrol/model/resource.hpp>

#include <map>
#include <string>

namespace kcontrol::test {

struct config_map {
    static constexpr resource_name kcontrol_resource{"", "v1", "ConfigMap", "configmaps"};
    object_meta metadata;
    std::map<std::string, std::string> data;
    static constexpr auto kcontrol_fields() { return fields(field("data", &config_map::data)); }
};

}  // namespace kcontrol::test
