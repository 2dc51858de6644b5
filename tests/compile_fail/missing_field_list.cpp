// A member whose struct has no field list.
// lines: 17
// expect: kcontrol: this type has no field list
// expect: kcontrol_fields()
#include <kcontrol/codec/codec.hpp>

struct inner {
    std::string name;
#ifdef GOOD
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("name", &inner::name)); }
#endif
};

struct outer {
    std::optional<inner> part;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("part", &outer::part)); }
};

std::string use(const outer& value) { return kcontrol::to_json(value); }
