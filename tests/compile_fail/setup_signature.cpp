// Functions that run() can't call as its set-up step.
// expect(ARGUMENTS): kcontrol: run() needs a set-up function that takes (kcontrol::manager&), or (kcontrol::manager&,
// expect(NO_FUNCTION): kcontrol: run() needs a set-up function that takes (kcontrol::manager&), or (kcontrol::manager&,
// expect(RETURNS_INT): kcontrol: run() needs a set-up function that returns nothing or a kcontrol::result<T>, or, if it
// expect(AWAITS_INT): is a coroutine, kcontrol::awaitable<void> or kcontrol::awaitable<kcontrol::result<T>>
#include <kcontrol/manager/run.hpp>

#if defined(ARGUMENTS)
void setup(kcontrol::client&) {}
#elif defined(NO_FUNCTION)
const int setup = 1;
#elif defined(RETURNS_INT)
int setup(kcontrol::manager&) { return 0; }
#elif defined(AWAITS_INT)
kcontrol::awaitable<int> setup(kcontrol::manager&) { co_return 0; }
#else
kcontrol::awaitable<kcontrol::result<void>> setup(kcontrol::manager&, std::stop_token) {
    co_return kcontrol::result<void>();
}
#endif

int main(int argc, char** argv) { return kcontrol::run(argc, argv, setup); }
