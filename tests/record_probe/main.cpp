// For tests/e2e/test_events.py: Events at a real API server.
//     record_probe KUBECONFIG events|core    writes Events about the Node "n1" and the ConfigMap "default/c" of that
//     API
// Prints the recorder's counts; a failure ends it with 1.
#include <kcontrol/record/event_recorder.hpp>

#include "support/probe.hpp"

#include <iostream>
#include <string>

using namespace kcontrol;

namespace {

awaitable<result<void>> play(client c, bool core_v1) {
    const logger log([](const log_record& r) {
        std::cerr << r.message;
        for (const auto& field : r.fields) std::cerr << " " << field.name << "=" << field.value;
        std::cerr << "\n";
    });
    event_recorder_options options("kcontrol.dev/probe");
    options.instance("here").core_v1(core_v1);
    event_recorder events(c.env(), c.get_executor(), c, options, log);
    const object_reference node({"", "v1", "Node"}, {"", "n1"}, "11111111-0000-0000-0000-000000000000");
    const object_reference map({"", "v1", "ConfigMap"}, {"default", "c"}, "22222222-0000-0000-0000-000000000000", "7");
    events.start();
    for (int i = 0; i < 3; ++i) events.record(map, event_note::normal("Repeated", "the same"));
    for (int i = 1; i <= 12; ++i) events.record(map, event_note::warning("Failed", "try " + std::to_string(i)));
    // 15 so far; 25 are let through.
    for (int i = 0; i < 15; ++i) events.record(map, event_note::normal("R" + std::to_string(i), "m"));
    events.record(node, event_note::normal(std::string(200, 'R'), std::string(2000, 'm')).related(map));
    const bool drained = co_await events.stop(std::chrono::seconds(30));
    const auto stats = events.stats();
    std::cout << "drained " << drained << " created " << stats.created << " repeated " << stats.repeated << " spam "
              << stats.spam << " failed " << stats.failed << "\n";
    co_return result<void>();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return std::cerr << "usage: record_probe KUBECONFIG events|core\n", 2;
    const bool core_v1 = argv[2] == std::string("core");
    return test::run_probe(argv[1], [core_v1](client c) { return play(std::move(c), core_v1); });
}
