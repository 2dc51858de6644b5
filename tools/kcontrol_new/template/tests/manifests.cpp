// Writes deploy/crd.yaml, which is made of the kind, and deploy/role.yaml, which is made of what the controller asks
// for in a simulated cluster. With --check it compares: a test that fails when they are no longer what the program
// needs. usage: manifests [--check] FOLDER
#include <kcontrol/documents/yaml.hpp>
#include <kcontrol/testing/fault.hpp>
#include <kcontrol/testing/rbac_rules.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "hello_world.hpp"

#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace kcontrol;

namespace {

// A right that is not exercised here is not in the role: let it do all that it can.
std::string rules() {
    testing::sim_world world;
    world.register_resource(testing::resource_type_of(resource_of<hello_world>()));
    auto& cluster = world.add_server("cluster");
    // The first patch meets a conflict: the object is read again then, which takes a right as well.
    cluster.api().set_faults([first = true](const http::server_request& asked) mutable {
        const bool conflicts =
            asked.method == "PATCH" && asked.target.find("/helloworlds/") != std::string::npos && first;
        if (conflicts) first = false;
        return conflicts ? testing::fault().status(409, "Conflict", "the object has been modified") : testing::fault();
    });
    manager m(world.env(), world.get_executor(), world.connect(cluster));
    add_controllers(m).value();
    m.start();
    cluster.api()
        .create({{"apiVersion", "group.example.com/v1"},
                 {"kind", "HelloWorld"},
                 {"metadata", {{"name", "hello"}}},
                 {"spec", {{"message", "Hello"}}}})
        .value();
    world.run_for(std::chrono::minutes(1));
    cluster.api().remove({"group.example.com", "helloworlds"}, {"default", "hello"}).value();
    world.run_for(std::chrono::minutes(1));
    world.run(m.stop());
    return testing::rbac_rules(cluster.api().request_log());
}

// `--leader-elect`, and an Event that is repeated, want these besides.
constexpr const char* always = R"(- apiGroups:
  - coordination.k8s.io
  resources:
  - leases
  verbs:
  - create
  - get
  - list
  - update
  - watch
- apiGroups:
  - events.k8s.io
  resources:
  - events
  verbs:
  - patch
)";

std::string role() {
    return "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: hello-world\nrules:\n" +
           rules() + always;
}

std::string definition() { return json::to_yaml(json::parse(crd_of<hello_world>().value().to_json()).value()); }

std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    const bool check = words.size() == 2 && words[0] == "--check";
    if (!check && words.size() != 1) {
        std::cerr << "usage: manifests [--check] FOLDER\n";
        return 2;
    }
    bool same = true;
    const auto put = [&](const std::string& name, const std::string& text) {
        const auto path = words.back() + "/" + name;
        if (!check) {
            std::ofstream(path) << text;
        } else if (read(path) != text) {
            std::cerr
                << path
                << " is not what the program needs; write it anew: cmake --build build --target write_manifests\n";
            same = false;
        }
    };
    put("crd.yaml", definition());
    put("role.yaml", role());
    return same ? 0 : 1;
}
