// What is written from the types and the table: the manifest of the CustomResourceDefinition and the drawing of the
// phases. KCONTROL_WRITE_GENERATED=1 writes both anew.
#include <kcontrol/schema/crd.hpp>

#include "job/phases.hpp"
#include "job/training_job.hpp"
#include "support/folders.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace training_operator;

namespace {

void compare(const std::string& path, const std::string& wanted) {
    const std::string file = kcontrol::test::source_file(path);
    if (std::getenv("KCONTROL_WRITE_GENERATED") != nullptr) std::ofstream(file) << wanted;  // seam: ok, asked for
    std::stringstream found;
    found << std::ifstream(file).rdbuf();
    // Not CHECK(a == b), which would print both.
    const bool same = found.str() == wanted;
    CHECK_MESSAGE(same, path << " is not what the program says; KCONTROL_WRITE_GENERATED=1 writes it anew");
}

// Mermaid, which GitHub and most readers of Markdown draw.
std::string drawing() {
    std::string out =
        "# The phases of a TrainingJob\n\nDrawn from the table in `examples/apps/training_operator/job/phases.hpp`; a "
        "test "
        "compares.\n\n```mermaid\nstateDiagram-v2\n";
    out += "    [*] --> " + std::string(phases.initial()) + "\n";
    for (const auto& from : phases.phases()) {
        for (const auto to : from.steps()) out += "    " + std::string(from.name()) + " --> " + std::string(to) + "\n";
        if (from.is_terminal()) out += "    " + std::string(from.name()) + " --> [*]\n";
    }
    out += "```\n\n| phase | leads to | conditions |\n|---|---|---|\n";
    for (const auto& each : phases.phases()) {
        std::string steps, conditions;
        for (const auto to : each.steps()) steps += (steps.empty() ? "" : ", ") + std::string(to);
        for (const auto& c : each.conditions()) {
            conditions += (conditions.empty() ? "" : ", ") + std::string(c.type) + "=" + std::string(c.status);
        }
        out += "| " + std::string(each.name()) + " | " + steps + " | " + conditions + " |\n";
    }
    return out;
}

}  // namespace

TEST_CASE("the drawing of the phases is that of the table") {
    static_assert(kcontrol::assert_phases<phases>());
    compare("docs/training_operator/phases.md", drawing());
}

TEST_CASE("the manifest of the CustomResourceDefinition is that of the types") {
    const auto crd = kcontrol::crd_of<training_job>();
    REQUIRE_MESSAGE(crd.has_value(), (crd ? std::string() : crd.error().what()));
    compare("examples/apps/training_operator/deploy/base/trainingjobs.yaml", crd->to_json() + "\n");
}
