// A CEL rule after those of an array.
// expect: kcontrol: this rule has its values from an array; put this one there, too
#include <kcontrol/model/rules.hpp>

constexpr kcontrol::cel_rule some[] = {{"self.a < self.b"}, {"self.b < self.c"}};
#ifdef GOOD
constexpr auto all = kcontrol::rules().validation("self.c < 9").validations(some);
#else
constexpr auto all = kcontrol::rules().validations(some).validation("self.c < 9");
#endif
