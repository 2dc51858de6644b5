// A PriorityClass, as far as the operator reads it.
#pragma once

#include <kcontrol/model/field.hpp>
#include <kcontrol/model/object_meta.hpp>
#include <kcontrol/model/resource.hpp>

#include <cstdint>

namespace training_operator {

using namespace kcontrol;

struct priority_level {
    static constexpr resource_name kcontrol_resource{"scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses",
                                                     resource_scope::cluster};
    using kcontrol_projection = void;
    object_meta metadata;
    bool global_default = false;
    std::int32_t value = 0;
    static constexpr auto kcontrol_fields() {
        using self = priority_level;
        return fields(field("globalDefault", &self::global_default), field("value", &self::value));
    }
};

}  // namespace training_operator
