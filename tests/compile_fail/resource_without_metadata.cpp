// A resource that has no metadata.
// expect: kcontrol: a resource has a member `kcontrol::object_meta metadata`
#include <kcontrol/codec/resource_of.hpp>

struct widget {
    static constexpr kcontrol::resource_name kcontrol_resource{"example.com", "v1", "Widget", "widgets"};
#ifdef GOOD
    kcontrol::object_meta metadata;
#endif
    int size = 0;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("size", &widget::size)); }
};

const kcontrol::resource_info& use() { return kcontrol::resource_of<widget>(); }
