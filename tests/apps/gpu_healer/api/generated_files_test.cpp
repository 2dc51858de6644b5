// What is written from the types: the manifests of the CustomResourceDefinitions. KCONTROL_WRITE_GENERATED=1 writes
// them anew.
#include <kcontrol/schema/crd.hpp>

#include "api/healing_policy.hpp"
#include "api/node_repair.hpp"
#include "support/folders.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace gpu_healer;

namespace {

template <class T>
void compare(const std::string& name) {
    const auto crd = crd_of<T>();
    REQUIRE_MESSAGE(crd.has_value(), (crd ? std::string() : crd.error().what()));
    const std::string file = kcontrol::test::source_file("examples/apps/gpu_healer/deploy/base/" + name + ".yaml");
    const std::string wanted = crd->to_json() + "\n";
    if (std::getenv("KCONTROL_WRITE_GENERATED") != nullptr) std::ofstream(file) << wanted;  // seam: ok, asked for
    std::stringstream found;
    found << std::ifstream(file).rdbuf();
    const bool same = found.str() == wanted;
    CHECK_MESSAGE(same, name << " is not what the program says; KCONTROL_WRITE_GENERATED=1 writes it anew");
}

}  // namespace

TEST_CASE("the manifests of the CustomResourceDefinitions are those of the types") {
    compare<healing_policy>("healingpolicies");
    compare<node_repair>("noderepairs");
}
