// A scale subresource whose replicas are the whole spec.
// expect: kcontrol: scale() takes the path of the wanted replicas below .spec
#include <kcontrol/schema/crd.hpp>

struct widget {
    static constexpr kcontrol::resource_name kcontrol_resource{"example.com", "v1", "Widget", "widgets"};
    kcontrol::object_meta metadata;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(); }
#ifdef GOOD
    static constexpr auto kcontrol_crd() { return kcontrol::crd().scale(".spec.n", ".status.n"); }
#else
    static constexpr auto kcontrol_crd() { return kcontrol::crd().scale(".spec", ".status.n"); }
#endif
};

auto use() { return kcontrol::crd_of<widget>(); }
