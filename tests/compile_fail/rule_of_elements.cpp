// A rule for the elements, said of the list.
// lines: 17
// expect: kcontrol: enum_values is a rule for scalars; say items(
#include <kcontrol/codec/codec.hpp>

struct spec {
    std::vector<std::string> colors;
    static constexpr auto kcontrol_fields() {
#ifdef GOOD
        constexpr auto r = kcontrol::rules().items(kcontrol::rules().enum_values("red", "green"));
#else
        constexpr auto r = kcontrol::rules().enum_values("red", "green");
#endif
        return kcontrol::fields(kcontrol::field("colors", &spec::colors, r));
    }
};

std::string use(const spec& value) { return kcontrol::to_json(value); }
