// Replacing an object by a type that knows only some of its fields.
// expect: kcontrol: this type is a projection
// expect: Use patch(snapshot, edited)
#include <kcontrol/model/resource.hpp>

struct widget {
    static constexpr kcontrol::resource_name kcontrol_resource{"example.com", "v1", "Widget", "widgets"};
#ifndef GOOD
    using kcontrol_projection = void;
#endif
    kcontrol::object_meta metadata;
    int size = 0;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("size", &widget::size)); }
};

// What client::update asks first.
void use() { kcontrol::assert_replaceable<widget>(); }
