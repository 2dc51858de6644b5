// A rule for numbers on a string.
// lines: 17
// expect: kcontrol: minimum, maximum and multiple_of are rules for numbers
#include <kcontrol/codec/codec.hpp>

struct spec {
    std::string color;
    static constexpr auto kcontrol_fields() {
#ifdef GOOD
        return kcontrol::fields(kcontrol::field("color", &spec::color, kcontrol::rules().min_length(1)));
#else
        return kcontrol::fields(kcontrol::field("color", &spec::color, kcontrol::rules().minimum(1)));
#endif
    }
};

std::string use(const spec& value) { return kcontrol::to_json(value); }
