#include "node/marks_json.hpp"

#include <doctest/doctest.h>

using namespace gpu_labeler;

namespace {

node_marks of_node(const std::string& text) { return marks_of_node(kcontrol::json::parse(text).value()); }

std::string entry(const std::string& manager, const std::string& operation, const std::string& fields,
                  const std::string& more = {}) {
    return R"({"manager":")" + manager + R"(","operation":")" + operation + R"(","apiVersion":"v1",)" + more +
           R"("fieldsType":"FieldsV1","fieldsV1":)" + fields + "}";
}

std::string node(const std::string& entries) {
    return R"({"metadata":{"name":"n","labels":{"nvidia.com/gpu.count":"8","nvidia.com/gpu.product":"A","x":"y"},)"
           R"("annotations":{"kcontrol.dev/gpu-topology":"{}"},"managedFields":[)" +
           entries + "]}}";
}

const std::string two_labels = R"({"f:metadata":{"f:annotations":{".":{},"f:kcontrol.dev/gpu-topology":{}},)"
                               R"("f:labels":{".":{},"f:nvidia.com/gpu.count":{},"f:nvidia.com/gpu.gone":{}}}})";

}  // namespace

TEST_CASE("marks: ours are what we applied and nobody took over") {
    const node_marks ours{{{"nvidia.com/gpu.count", "8"}}, {{"kcontrol.dev/gpu-topology", "{}"}}};
    CHECK(of_node(node(entry("kcontrol-gpu-labeler", "Apply", two_labels))) == ours);
    CHECK(of_node(node(entry("kubelet", "Update", R"({"f:status":{}})") + "," +
                       entry("kcontrol-gpu-labeler", "Apply", two_labels))) == ours);
}

TEST_CASE("marks: others' are not") {
    CHECK(of_node(node("")).empty());
    CHECK(of_node(node(entry("nfd-master", "Apply", two_labels))).empty());
    CHECK(of_node(node(entry("kcontrol-gpu-labeler", "Update", two_labels))).empty());
    CHECK(of_node(node(entry("kcontrol-gpu-labeler", "Apply", two_labels, R"("subresource":"status",)"))).empty());
    CHECK(of_node(node(entry("kcontrol-gpu-labeler", "Apply", R"({"f:metadata":{"f:labels":{}}})"))).empty());
    CHECK(of_node(R"({"metadata":{}})").empty());
    CHECK(of_node("{}").empty());
    CHECK(of_node("[]").empty());
    CHECK(of_node(R"({"metadata":{"labels":[],"managedFields":{}}})").empty());
    CHECK(of_node(R"({"metadata":{"labels":{"a":1},"managedFields":[7,{"manager":"kcontrol-gpu-labeler",)"
                  R"("operation":"Apply","fieldsV1":{"f:metadata":{"f:labels":{"f:a":{}}}}}]}})")
              .empty());
}

TEST_CASE("marks: what is applied") {
    CHECK(node_text({{{"b", "2"}, {"a", "\"1\""}}, {{"c", "{}"}}}) ==
          R"({"metadata":{"labels":{"a":"\"1\"","b":"2"},"annotations":{"c":"{}"}}})");
    CHECK(node_text({}) == R"({"metadata":{}})");
    CHECK(node_feature_text("n", {{{"a", "1"}}, {{"left", "out"}}}) ==
          R"({"metadata":{"labels":{"nfd.node.kubernetes.io/node-name":"n"}},"spec":{"features":)"
          R"({"attributes":{},"flags":{},"instances":{}},"labels":{"a":"1"}}})");
}

TEST_CASE("marks: those of a NodeFeature are in its spec") {
    const auto object = kcontrol::json::parse(
        R"({"metadata":{"labels":{"nfd.node.kubernetes.io/node-name":"n"},"managedFields":[)" +
        entry(
            "kcontrol-gpu-labeler", "Apply",
            R"({"f:metadata":{"f:labels":{"f:nfd.node.kubernetes.io/node-name":{}}},"f:spec":{"f:labels":{"f:a":{}}}})") +
        R"(]},"spec":{"labels":{"a":"1","b":"2"}}})");
    CHECK(marks_of_node_feature(*object) == node_marks{{{"a", "1"}}, {}});
}
