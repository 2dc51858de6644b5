// Two kinds taken for versions of one; and a version twice.
// expect: kcontrol: the versions of one CustomResourceDefinition have the same group, kind, plural and scope
#include <kcontrol/schema/crd.hpp>

struct old_widget {
    static constexpr kcontrol::resource_name kcontrol_resource{"example.com", "v1beta1", "Widget", "widgets"};
    kcontrol::object_meta metadata;
    std::string spec;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("spec", &old_widget::spec)); }
};
struct widget {
#ifdef GOOD
    static constexpr kcontrol::resource_name kcontrol_resource{"example.com", "v1", "Widget", "widgets"};
#else
    static constexpr kcontrol::resource_name kcontrol_resource{"example.com", "v1", "Gadget", "gadgets"};
#endif
    kcontrol::object_meta metadata;
    std::string spec;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("spec", &widget::spec)); }
};

auto use() { return kcontrol::crd_of<widget, old_widget>(); }
