// ImageLocality.
#include <kcontrol/scheduling/image_locality.hpp>

#include "scheduling/plugin_world.hpp"

#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

std::string images(const std::vector<std::pair<std::string, int>>& each) {
    std::string out;
    for (const auto& [name, mebibytes] : each) {
        out += std::string(out.empty() ? "" : ",") + R"({"names":[")" + name + R"(","other@sha256:1"],"sizeBytes":)" +
               std::to_string(std::int64_t{mebibytes} * 1024 * 1024) + "}";
    }
    return R"({"images":[)" + out + "]}";
}

std::string running(const std::vector<std::string>& each, const std::string& more = {}) {
    std::string out;
    for (const auto& image : each)
        out += std::string(out.empty() ? "" : ",") + R"({"name":"c","image":")" + image + R"("})";
    return R"({"containers":[)" + out + "]" + more + "}";
}

}  // namespace

TEST_CASE("ImageLocality: scores by the size of the images, and how many nodes have them") {
    plugin_world world;
    world.node("a", {}, "{}", images({{"web:1", 500}, {"tool:latest", 2000}}))
        .node("b", {}, "{}", images({{"web:1", 500}, {"small:1", 23}}))
        .node("c", {}, "{}", images({{"registry:5000/db:latest", 3000}}))
        .node("d");
    const std::vector<std::pair<std::string, std::string>> rows = {
        {running({"nothing:1"}), "skip"},
        // Half of the nodes have it: 250 of 1000 MiB, of each 23 less.
        {running({"web:1"}), "a 23, b 23, c 0, d 0"},
        {running({"web:2"}), "skip"},
        {running({"small:1"}), "a 0, b 0, c 0, d 0"},
        // A quarter of 2000 MiB; no tag is the tag latest.
        {running({"tool"}), "a 48, b 0, c 0, d 0"},
        {running({"registry:5000/db"}), "a 0, b 0, c 74, d 0"},
        // 750 of 2000 MiB.
        {running({"web:1", "tool"}), "a 36, b 11, c 0, d 0"},
        {running({"web:1"}, R"(,"initContainers":[{"name":"i","image":"tool"}])"), "a 36, b 11, c 0, d 0"},
        // An image volume counts as a container does.
        {running({"web:1"}, R"(,"volumes":[{"name":"i","image":{"reference":"tool"}}])"), "a 36, b 11, c 0, d 0"},
        {running({"web:1"}, R"(,"volumes":[{"name":"i","image":{"reference":"none"}},{"name":"e","emptyDir":{}}])"),
         "a 11, b 11, c 0, d 0"},
    };
    for (const auto& each : rows) {
        const auto& spec = each.first;
        const auto& expected = each.second;
        CAPTURE(spec);
        CHECK(scored(scheduling::image_locality(), world, pod_of("p", spec)) == expected);
    }
}

TEST_CASE("ImageLocality: no more than the best score") {
    plugin_world world;
    world.node("a", {}, "{}", images({{"huge:1", 900'000'000}}));
    CHECK(scored(scheduling::image_locality(), world, pod_of("p", running({"huge:1", "huge:1"}))) == "a 100");
}
