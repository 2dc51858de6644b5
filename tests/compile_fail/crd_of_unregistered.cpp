// A CRD from a struct that names no kind.
// expect: kcontrol: this type is not registered as a Kubernetes kind
#include <kcontrol/schema/crd.hpp>

struct widget {
#ifdef GOOD
    static constexpr kcontrol::resource_name kcontrol_resource{"example.com", "v1", "Widget", "widgets"};
#endif
    kcontrol::object_meta metadata;
    std::string spec;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("spec", &widget::spec)); }
};

auto use() { return kcontrol::crd_of<widget>(); }
