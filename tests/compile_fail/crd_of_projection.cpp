// A CRD from a type that has only some fields of its kind.
// expect: kcontrol: this type is a projection
#include <kcontrol/schema/crd.hpp>

struct widget {
    static constexpr kcontrol::resource_name kcontrol_resource{"example.com", "v1", "Widget", "widgets"};
#ifndef GOOD
    using kcontrol_projection = void;
#endif
    kcontrol::object_meta metadata;
    std::string spec;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("spec", &widget::spec)); }
};

auto use() { return kcontrol::crd_of<widget>(); }
