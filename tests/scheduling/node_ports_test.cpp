// NodePorts.
#include <kcontrol/scheduling/node_ports.hpp>

#include "scheduling/plugin_world.hpp"

#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

std::string with_ports(const std::string& ports) { return R"({"containers":[{"name":"c","ports":[)" + ports + "]}]}"; }

}  // namespace

TEST_CASE("NodePorts: a port that another pod takes on the same address") {
    const std::string no = "a -node(s) didn't have free ports for the requested pod ports";
    struct row {
        std::string taken, wanted, expected;
    };
    const std::vector<row> rows = {
        {R"({"hostPort":80})", "", "all skip"},
        {R"({"hostPort":80})", R"({"containerPort":80})", "all skip"},
        {R"({"hostPort":80})", R"({"hostPort":80})", no},
        {R"({"hostPort":80})", R"({"hostPort":81})", "a ok"},
        {R"({"hostPort":80})", R"({"hostPort":81},{"hostPort":80})", no},
        {R"({"hostPort":80})", R"({"hostPort":80,"protocol":"UDP"})", "a ok"},
        {R"({"hostPort":80})", R"({"hostPort":80,"hostIP":"10.0.0.1"})", no},
        {R"({"hostPort":80,"hostIP":"10.0.0.1"})", R"({"hostPort":80})", no},
        {R"({"hostPort":80,"hostIP":"10.0.0.1"})", R"({"hostPort":80,"hostIP":"10.0.0.2"})", "a ok"},
        {R"({"hostPort":80,"hostIP":"10.0.0.1"})", R"({"hostPort":80,"hostIP":"10.0.0.1"})", no},
        {R"({"hostPort":80,"hostIP":"10.0.0.1"})", R"({"hostPort":80,"hostIP":"0.0.0.0"})", no},
    };
    for (const auto& each : rows) {
        const auto& taken = each.taken;
        const auto& wanted = each.wanted;
        const auto& expected = each.expected;
        CAPTURE(taken);
        CAPTURE(wanted);
        plugin_world world;
        world.node("a").pod("a", "other", "{}", with_ports(taken));
        CHECK(filtered(scheduling::node_ports(), world, pod_of("p", with_ports(wanted))) == expected);
    }
}
