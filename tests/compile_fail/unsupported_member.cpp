// A member of a type that JSON integers do not fit.
// lines: 17
// expect: Members may be bool, 32- and 64-bit signed integers
#include <kcontrol/codec/codec.hpp>

#ifdef GOOD
using number = std::int64_t;
#else
using number = unsigned;
#endif

struct sample {
    number count = 0;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("count", &sample::count)); }
};

std::string use(const sample& value) { return kcontrol::to_json(value); }
