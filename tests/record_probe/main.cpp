// For tests/e2e/test_events.py: Events at a real API server.
//     record_probe KUBECONFIG events|core    writes Events about the Node "n1" and the ConfigMap "default/c" of that
//     API
// Prints the recorder's counts; a failure ends it with 1.
#include <kcontrol/manager/find_config.hpp>
#include <kcontrol/record/event_recorder.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <iostream>
#include <string>

using namespace kcontrol;

namespace {

awaitable<bool> play(event_recorder& events) {
    const object_reference node({"", "v1", "Node"}, {"", "n1"}, "11111111-0000-0000-0000-000000000000");
    const object_reference map({"", "v1", "ConfigMap"}, {"default", "c"}, "22222222-0000-0000-0000-000000000000", "7");
    events.start();
    for (int i = 0; i < 3; ++i) events.record(map, event_note::normal("Repeated", "the same"));
    for (int i = 1; i <= 12; ++i) events.record(map, event_note::warning("Failed", "try " + std::to_string(i)));
    // 15 so far; 25 are let through.
    for (int i = 0; i < 15; ++i) events.record(map, event_note::normal("R" + std::to_string(i), "m"));
    events.record(node, event_note::normal(std::string(200, 'R'), std::string(2000, 'm')).related(map));
    const bool drained = co_await events.stop(std::chrono::seconds(30));
    co_return drained;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return std::cerr << "usage: record_probe KUBECONFIG events|core\n", 2;
    system_environment env;
    boost::asio::io_context context(1);
    const auto config = find_cluster_config(env, argv[1]);
    if (!config) return std::cerr << config.error().what() << "\n", 1;
    auto c = client::connect(env, context.get_executor(), *config, http::make_transport_factory(env));
    if (!c) return std::cerr << c.error().what() << "\n", 1;
    const logger log([](const log_record& r) {
        std::cerr << r.message;
        for (const auto& field : r.fields) std::cerr << " " << field.name << "=" << field.value;
        std::cerr << "\n";
    });
    event_recorder events(
        env, context.get_executor(), *c,
        event_recorder_options("kcontrol.dev/probe").instance("here").core_v1(argv[2] == std::string("core")), log);
    bool drained = false;
    boost::asio::co_spawn(context, play(events), [&](std::exception_ptr failure, bool ended) {
        if (failure) std::rethrow_exception(failure);
        drained = ended;
        context.stop();
    });
    context.run();
    const auto stats = events.stats();
    std::cout << "drained " << drained << " created " << stats.created << " repeated " << stats.repeated << " spam "
              << stats.spam << " failed " << stats.failed << "\n";
    return 0;
}
