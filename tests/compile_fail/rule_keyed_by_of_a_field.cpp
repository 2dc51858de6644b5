// A rule of a struct, said of a list.
// lines: 17
// expect: kcontrol: keyed_by() is a rule for a struct, in its kcontrol_rules(); say list_type_map("name") of a list
#include <kcontrol/codec/codec.hpp>

struct part {
    std::string name;
    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("name", &part::name, kcontrol::rules().required()));
    }
#ifdef GOOD
    static constexpr auto kcontrol_rules() { return kcontrol::rules().keyed_by("name"); }
#endif
};
struct spec {
    std::vector<part> parts;
#ifdef GOOD
    static constexpr auto rules = kcontrol::rules();
#else
    static constexpr auto rules = kcontrol::rules().keyed_by("name");
#endif
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("parts", &spec::parts, rules)); }
};

std::string use(const spec& value) { return kcontrol::to_json(value); }
