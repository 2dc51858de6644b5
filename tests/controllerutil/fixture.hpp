// What these tests share: a simulated world with one server that serves the kinds of site.hpp.
#pragma once

#include <kcontrol/controllerutil/conditions.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "controllerutil/site.hpp"
#include "support/print.hpp"

#include <boost/asio/detached.hpp>

#include <string>

namespace kcontrol::test {

class world_fixture {
public:
    world_fixture() {
        world.register_resource(testing::resource_type_of(resource_of<site>()));
        world.register_resource(testing::resource_type_of(resource_of<part>()));
        world.register_resource(testing::resource_type_of(resource_of<zone>()));
    }

    site create_site(const std::string& name = "web") { return world.run(c.create(named<site>(name))).value(); }
    site stored(const std::string& name = "web") { return world.run(c.get<site>({"default", name})).value(); }
    /// Requests of that verb ("get", "patch"…) so far.
    std::size_t asked(std::string_view verb) { return server.api().request_log().count(verb); }
    /// Somebody else writes the status.
    void write_status_behind(json::value status, const std::string& name = "web") {
        const json::object patch{{"status", std::move(status)}};
        (void)server.api().patch({"test.kcontrol.dev", "sites"}, {"default", name}, patch, "status").value();
    }

    testing::sim_world world;
    testing::sim_server& server = world.add_server("cluster");
    client c = world.connect(server);
    std::stop_token stop;
};

}  // namespace kcontrol::test
