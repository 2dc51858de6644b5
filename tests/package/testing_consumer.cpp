// A user's test of what they build on kcontrol: an informer and a client against an API server in the same process,
// once on a socket and once in a simulated world.
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/sim_world.hpp>
#include <kcontrol/transport/client.hpp>

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstdio>
#include <string>

namespace {

struct crontab {
    static constexpr kcontrol::resource_name kcontrol_resource{"stable.example.com", "v1", "CronTab", "crontabs"};
    kcontrol::object_meta metadata;
    std::string schedule;
    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("schedule", &crontab::schedule));
    }
};

kcontrol::json::value hourly() {
    return {{"apiVersion", "stable.example.com/v1"},
            {"kind", "CronTab"},
            {"metadata", {{"name", "hourly"}}},
            {"schedule", "0 * * * *"}};
}

bool over_a_socket() {
    boost::asio::io_context context;
    kcontrol::system_environment env;
    kcontrol::testing::local_api_server server(env, context.get_executor());
    server.api().register_resource(kcontrol::testing::resource_type_of(kcontrol::resource_of<crontab>()));
    if (!server.start() || !server.api().create(hourly())) return false;
    auto connected = kcontrol::client::connect(env, context.get_executor(), server.config(),
                                               kcontrol::http::make_transport_factory(env));
    if (!connected) return false;
    const auto found = kcontrol::testing::run(context, connected->get<crontab>({"default", "hourly"}));
    kcontrol::testing::run(context, server.stop());
    return found && found->schedule == "0 * * * *";
}

bool simulated() {
    kcontrol::testing::sim_world world;
    world.register_resource(kcontrol::testing::resource_type_of(kcontrol::resource_of<crontab>()));
    auto& server = world.add_server("cluster");
    kcontrol::informer<crontab> tabs(world.env(), world.get_executor(), world.connect(server));
    tabs.start();
    if (!server.api().create(hourly())) return false;
    const bool seen = world.run_until([&tabs] { return tabs.get({"default", "hourly"}) != nullptr; });
    world.run(tabs.stop());
    return seen;
}

}  // namespace

int main() {
    if (!over_a_socket() || !simulated()) return 1;
    std::puts("kcontrol::testing works");
    return 0;
}
