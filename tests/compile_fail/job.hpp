// The kind that programs which must not compile reconcile.
#pragma once

#include <kcontrol/model/resource.hpp>

#include <string>

struct job {
    static constexpr kcontrol::resource_name kcontrol_resource{"example.com", "v1", "Job", "jobs"};
    kcontrol::object_meta metadata;
    std::string spec;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("spec", &job::spec)); }
};
