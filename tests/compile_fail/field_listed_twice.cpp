// Two members with one JSON name.
// expect: kcontrol: a field list has an empty name, or one twice
#include <kcontrol/codec/codec.hpp>

#ifdef GOOD
inline constexpr const char* second = "b";
#else
inline constexpr const char* second = "a";
#endif

struct sample {
    int a = 0;
    int b = 0;
    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("a", &sample::a), kcontrol::field(second, &sample::b));
    }
};

std::string use(const sample& value) { return kcontrol::to_json(value); }
