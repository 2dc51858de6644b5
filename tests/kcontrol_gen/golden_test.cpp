// The whole header of one small CRD, byte by byte, so that a change of the output is seen in review.
#include "support.hpp"
#include "support/folders.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <kcontrol_gen/program.hpp>
#include <sstream>

using namespace kcontrol_gen;

namespace {

const std::string folder = kcontrol::test::tests_file("kcontrol_gen/golden/");

std::string read_text(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("the golden header; `kcontrol-gen --out widget.hpp --namespace acme widget.yaml` renews it") {
    std::ostringstream out;
    std::ostringstream err;
    REQUIRE(run({"--out", "-", "--namespace", "acme", folder + "widget.yaml"}, out, err) == 0);
    CHECK(out.str() == read_text(folder + "widget.hpp"));
    CHECK(err.str() ==
          "kcontrol-gen: Widget v1: spec.extra: kept as raw JSON (x-kubernetes-preserve-unknown-fields)\n");
}

TEST_CASE("the same input gives the same bytes, whatever its order and wherever it is") {
    const auto place = std::filesystem::temp_directory_path() / "kcontrol_gen_golden_test";
    std::filesystem::create_directories(place / "b");
    auto other = kcontrol_test::widget_crd("size: {type: string}");
    other.replace(other.find("kind: Widget,"), 13, "kind: Gadget,");
    std::ofstream(place / "1.yaml") << read_text(folder + "widget.yaml") << "---\n" << other;
    std::ofstream(place / "b" / "1.yaml") << other << "---\n" << read_text(folder + "widget.yaml");
    std::ostringstream first;
    std::ostringstream second;
    std::ostringstream err;
    CHECK(run({"--out", "-", "--namespace", "acme", (place / "1.yaml").string()}, first, err) == 0);
    CHECK(run({"--out", "-", "--namespace", "acme", (place / "b").string()}, second, err) == 0);
    CHECK(first.str() == second.str());
    CHECK(first.str().size() > 1000);

    const auto file = (place / "made" / "out.hpp").string();
    CHECK(run({"--out", file, "--namespace", "acme", (place / "b").string()}, second, err) == 0);
    CHECK(read_text(file) == first.str());
    CHECK(run({"--out", (place / "b").string(), "--namespace", "acme", (place / "b").string()}, second, err) == 1);
    std::filesystem::remove_all(place);
}
