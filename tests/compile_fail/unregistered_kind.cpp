// A struct that names no kind, used as one.
// expect: kcontrol: this type is not registered as a Kubernetes kind
// expect: kcontrol_resource
#include <kcontrol/codec/resource_of.hpp>

struct widget {
#ifdef GOOD
    static constexpr kcontrol::resource_name kcontrol_resource{"example.com", "v1", "Widget", "widgets"};
#endif
    kcontrol::object_meta metadata;
    int size = 0;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("size", &widget::size)); }
};

const kcontrol::resource_info& use() { return kcontrol::resource_of<widget>(); }
