// Headers of kcontrol::testing in a second translation unit beside testing_consumer.cpp: a definition in one of them
// that is not inline shows as a duplicate symbol.
#include <kcontrol/testing/api_server.hpp>
#include <kcontrol/testing/event_checker.hpp>
#include <kcontrol/testing/fake_source.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/scripted_transport.hpp>
#include <kcontrol/testing/sim_world.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

// Never called; it makes the compiler define what it uses of them.
std::size_t second(kcontrol::environment& env) {
    const kcontrol::testing::scripted_transport script(env);
    const kcontrol::testing::fake_source source(env);
    return script.failures().size() + source.listeners() + kcontrol::testing::temporary_directory().path().size();
}
