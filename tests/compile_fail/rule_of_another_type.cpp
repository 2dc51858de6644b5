// A rule for numbers on a string, and on a time.
// lines: 17
// expect(TEXT): kcontrol: minimum, maximum and multiple_of are rules for numbers
// expect(MOMENT): kcontrol: minimum, maximum and multiple_of are rules for numbers
#include <kcontrol/codec/codec.hpp>

struct spec {
#ifdef MOMENT
    kcontrol::micro_time value;
#else
    std::string value;
#endif
    static constexpr auto kcontrol_fields() {
#ifdef GOOD
        return kcontrol::fields(kcontrol::field("value", &spec::value, kcontrol::rules().min_length(1)));
#else
        return kcontrol::fields(kcontrol::field("value", &spec::value, kcontrol::rules().minimum(1)));
#endif
    }
};

std::string use(const spec& value) { return kcontrol::to_json(value); }
