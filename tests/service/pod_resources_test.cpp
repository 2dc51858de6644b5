#include <kcontrol/service/node_pods.hpp>
#include <kcontrol/service/pod_resources.hpp>

#include "service/pod_answers.hpp"
#include "service/stage.hpp"

#include <doctest/doctest.h>

using namespace kcontrol::service;
using namespace kcontrol::test;

namespace {

container_devices devices(const std::string& resource, std::vector<std::string> ids) {
    container_devices out;
    out.resource = resource;
    out.ids = std::move(ids);
    return out;
}

}  // namespace

TEST_CASE("pod resources: who has what, in the kubelet's order") {
    const auto pods = decode_pod_resources_list(pods_message({
        {"team-a", "train-0", {{"main", "nvidia.com/gpu", {"GPU-1", "GPU-2"}}, {"side", "amd.com/gpu", {"3"}}}},
        {"kube-system", "proxy", {}},
    }));
    REQUIRE(pods);
    REQUIRE(pods->size() == 2);
    CHECK((*pods)[0].namespace_ == "team-a");
    CHECK((*pods)[0].name == "train-0");
    REQUIRE((*pods)[0].containers.size() == 2);
    CHECK((*pods)[0].containers[0].devices ==
          std::vector<container_devices>{devices("nvidia.com/gpu", {"GPU-1", "GPU-2"})});
    CHECK((*pods)[0].containers[1].name == "side");
    CHECK((*pods)[1].containers.empty());
    CHECK(decode_pod_resources_list("")->empty());
}

TEST_CASE("pod resources: CPUs, packed or one by one") {
    const std::string packed("\x01\xac\x02\x03", 4);
    const auto container = pod_message().bytes(1, "c").bytes(3, packed).number(3, 9).text();
    const auto pod = pod_message().bytes(1, pod_message().bytes(3, container).text()).text();
    const auto read = decode_pod_resources(pod);
    REQUIRE(read);
    CHECK(read->containers.at(0).cpus == std::vector<std::int64_t>{1, 300, 3, 9});
    const auto cut = pod_message().bytes(3, std::string("\x01\xac", 2)).text();
    CHECK_FALSE(decode_pod_resources(pod_message().bytes(1, pod_message().bytes(3, cut).text()).text()));
}

TEST_CASE("pod resources: a message cut short is an error, or one of fewer pods; never more") {
    const auto message = pods_message(
        {{"a", "p0", {{"main", "nvidia.com/gpu", {"GPU-1"}}}}, {"b", "p1", {{"main", "nvidia.com/gpu", {"GPU-2"}}}}});
    int errors = 0;
    for (std::size_t size = 0; size < message.size(); ++size) {
        const auto users = decode_pod_resources_list(std::string_view(message).substr(0, size));
        if (users) {
            CHECK(users->size() < 2);
            continue;
        }
        ++errors;
        CHECK(users.error() == kcontrol::errc::decode_failed);
        CHECK(users.error().message().find("kubelet") != std::string::npos);
    }
    CHECK(errors > 40);
}

TEST_CASE("pod resources: hostile messages") {
    const std::string table[] = {
        std::string(100, '\xff'),                                             // a tag without end
        std::string("\x0a\xff\xff\xff\xff\x0f", 6),                           // a pod of 4 GB
        std::string("\x0b", 1),                                               // a group
        std::string("\x00\x01", 2),                                           // field 0
        std::string("\x0a\x04\x1a\x7f\x0a\x01", 6),                           // a container longer than its pod
        std::string("\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12),  // a length of more than 64 bits
    };
    for (const auto& message : table) {
        CAPTURE(message.size());
        CHECK_FALSE(decode_pod_resources_list(message));
    }
    // A field of another type than it should be is not ours.
    CHECK(decode_pod_resources_list(std::string("\x08\x05", 2)));
}

TEST_CASE("node pods: those of the own node") {
    service_stage s;
    const auto pod = [&](const char* name, const char* node) {
        (void)s.api
            .create({{"apiVersion", "v1"},
                     {"kind", "Pod"},
                     {"metadata", {{"name", name}}},
                     {"spec",
                      {{"nodeName", node}, {"containers", kcontrol::json::array{{{"name", "c"}, {"image", "i"}}}}}}})
            .value();
    };
    pod("a", "n1");
    pod("b", "n2");
    node_pods pods(s.world.env(), s.world.get_executor(), s.cl, "n1", s.log);
    CHECK(pods.node() == "n1");
    pods.start();
    REQUIRE(s.world.run(pods.wait_synced({})));
    REQUIRE(pods.list().size() == 1);
    CHECK(pods.list()[0]->metadata.name == "a");
    CHECK(pods.list()[0]->spec.containers.begin()->name == "c");
    pod("c", "n1");
    CHECK(s.world.run_until([&] { return pods.list().size() == 2; }, 5s));
    s.world.run(pods.stop());
}

TEST_CASE("node pods: the name of the own node") {
    service_stage s;
    CHECK(own_node_name(s.world.env()).error() == kcontrol::errc::invalid_config);
    s.world.env().set_variable("NODE_NAME", "n 1");
    CHECK(own_node_name(s.world.env()).error() == kcontrol::errc::invalid_config);
    s.world.env().set_variable("NODE_NAME", "n1.example.com");
    CHECK(own_node_name(s.world.env()).value() == "n1.example.com");
}
