// What is written from the types: the manifest of the CustomResourceDefinition. KCONTROL_WRITE_GENERATED=1 writes it
// anew.
#include <kcontrol/schema/crd.hpp>

#include "api/inference_scaler.hpp"
#include "support/folders.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace inference_autoscaler;

TEST_CASE("the manifest of the CustomResourceDefinition is that of the types") {
    const auto crd = crd_of<inference_scaler>();
    REQUIRE_MESSAGE(crd.has_value(), (crd ? std::string() : crd.error().what()));
    const std::string file =
        kcontrol::test::source_file("examples/apps/inference_autoscaler/deploy/base/inferencescalers.yaml");
    const std::string wanted = crd->to_json() + "\n";
    if (std::getenv("KCONTROL_WRITE_GENERATED") != nullptr) std::ofstream(file) << wanted;  // seam: ok, asked for
    std::stringstream found;
    found << std::ifstream(file).rdbuf();
    const bool same = found.str() == wanted;
    CHECK_MESSAGE(same, "it is not what the program says; KCONTROL_WRITE_GENERATED=1 writes it anew");
}
