// A status subresource of a kind without status.
// expect: kcontrol: kcontrol_crd() says status(), but the field list has no "status"
#include <kcontrol/schema/crd.hpp>

struct widget {
    static constexpr kcontrol::resource_name kcontrol_resource{"example.com", "v1", "Widget", "widgets"};
    kcontrol::object_meta metadata;
    std::string spec;
    std::string status;
    static constexpr auto kcontrol_fields() {
#ifdef GOOD
        return kcontrol::fields(kcontrol::field("spec", &widget::spec), kcontrol::field("status", &widget::status));
#else
        return kcontrol::fields(kcontrol::field("spec", &widget::spec));
#endif
    }
    static constexpr auto kcontrol_crd() { return kcontrol::crd().status(); }
};

auto use() { return kcontrol::crd_of<widget>(); }
