// The whole program before a simulated cluster, in virtual time: each of its calls fails once, in four ways, and it
// must come to the same end each time; and an object that is deleted goes once it has been cleaned up.
#include <kcontrol/testing/idempotence.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "hello_world.hpp"

#include <iostream>

using namespace kcontrol;

namespace {

const testing::group_resource kind("group.example.com", "helloworlds");
const namespaced_name key("default", "hello");

hello_world a_hello() {
    hello_world hello;
    hello.metadata.name = "hello";
    hello.metadata.namespace_ = "default";
    hello.spec.message = "Hello";
    return hello;
}

bool is_ready(testing::sim_server& cluster) {
    const auto found = cluster.api().get(kind, key);
    const auto typed = found ? from_json<hello_world>(json::serialize(*found)) : found.error();
    return typed && !typed->status.conditions.empty() && typed->status.conditions[0].status == "True";
}

// What is wrong, or nothing.
std::string deletion() {
    testing::sim_world world;
    world.register_resource(testing::resource_type_of(resource_of<hello_world>()));
    auto& cluster = world.add_server("cluster");
    manager m(world.env(), world.get_executor(), world.connect(cluster));
    add_controllers(m).value();
    m.start();
    cluster.api().create(json::parse(to_json(a_hello())).value()).value();
    std::string wrong;
    if (!world.run_until([&] { return is_ready(cluster); })) wrong = "it does not become ready";
    cluster.api().remove(kind, key).value();
    if (!world.run_until([&] { return !cluster.api().get(kind, key); })) wrong = "its finalizer is not removed";
    world.run(m.stop());
    return wrong;
}

}  // namespace

int main() {
    const auto report = testing::expect_idempotent(add_controllers, a_hello());
    const std::string wrong = deletion();
    std::cout << report.text() << "\ndeletion: " << (wrong.empty() ? "passed" : wrong) << "\n";
    return report && wrong.empty() ? 0 : 1;
}
