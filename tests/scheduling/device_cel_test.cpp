// Selectors of devices: the expressions that Kubernetes' and drivers' pages show, what fails, and what is kept.
#include <kcontrol/scheduling/device_cel.hpp>

#include "scheduling/objects.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace kcontrol::scheduling;
namespace dra = kcontrol::api::resource::v1;

namespace {

// A GPU with attributes of all types, one of them and one capacity of another domain.
const dra::device& gpu() {
    static const auto slice =
        object_of<dra::resource_slice>(R"({"metadata":{"name":"s"},"spec":{"driver":"gpu.nvidia.com",
        "pool":{"name":"n","generation":1,"resourceSliceCount":1},"nodeName":"n","devices":[{"name":"gpu-0",
        "allowMultipleAllocations":true,
        "attributes":{"type":{"string":"gpu"},"productName":{"string":"NVIDIA A100-SXM4-40GB"},
            "architecture":{"string":"Ampere"},"index":{"int":3},"healthy":{"bool":true},
            "driverVersion":{"version":"550.54.15"},"cudaComputeCapability":{"version":"8.0.0"},
            "models":{"strings":["a","b"]},"numas":{"ints":[0,1]},"firmwares":{"versions":["1.2.0","2.0.0-rc.1"]},
            "ext.example.com/family":{"string":"F"}},
        "capacity":{"memory":{"value":"40Gi"},"multiprocessors":{"value":"98"},
            "ext.example.com/slots":{"value":"1500m"}}}]}})");
    return slice->spec.devices[0];
}

std::string outcome(std::string_view expression, const dra::device& of = gpu()) {
    const auto selector = compile_device_selector(expression);
    if (!selector) return "refused: " + selector.error().message();
    const auto held = device_matches(*selector, "gpu.nvidia.com", of);
    return held ? (*held ? "true" : "false") : "fails: " + held.error().message();
}

const dra::device& device_of(const std::string& attributes) {
    static std::vector<std::shared_ptr<const dra::resource_slice>> kept;
    kept.push_back(object_of<dra::resource_slice>(
        R"({"metadata":{"name":"s"},"spec":{"driver":"d","pool":{"name":"n","generation":1,"resourceSliceCount":1},
            "devices":[{"name":"x",)" +
        attributes + "}]}}"));
    return kept.back()->spec.devices[0];
}

}  // namespace

TEST_CASE("selectors as Kubernetes' pages and drivers write them") {
    for (const auto& row : std::initializer_list<std::pair<const char*, const char*>>{
             {R"(device.driver == "gpu.nvidia.com")", "true"},
             {R"(device.driver == 'other.example.com')", "false"},
             {R"(device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].type == "gpu")", "true"},
             {R"(device.attributes["gpu.nvidia.com"].type == "mig")", "false"},
             {R"(device.attributes["gpu.nvidia.com"].productName.lowerAscii().matches("^.*a100.*$"))", "true"},
             {R"(device.attributes['gpu.nvidia.com'].productName == 'NVIDIA A100-SXM4-40GB')", "true"},
             {R"(device.attributes["gpu.nvidia.com"].index < 4)", "true"},
             {R"(device.attributes["gpu.nvidia.com"].healthy)", "true"},
             {R"(device.attributes["ext.example.com"].family == "F")", "true"},
             {R"(device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("10Gi")) >= 0)", "true"},
             {R"(device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("80Gi")) >= 0)", "false"},
             {R"(device.capacity["gpu.nvidia.com"].memory == quantity("40Gi"))", "true"},
             {R"(device.capacity["gpu.nvidia.com"].multiprocessors.isGreaterThan(quantity("64")))", "true"},
             {R"(device.capacity["ext.example.com"].slots.isLessThan(quantity("2")))", "true"},
             {R"(device.attributes["gpu.nvidia.com"].driverVersion.isGreaterThan(semver("535.0.0")))", "true"},
             {R"(device.attributes["gpu.nvidia.com"].cudaComputeCapability.compareTo(semver("8.6.0")) >= 0)", "false"},
             {R"(device.attributes["gpu.nvidia.com"].driverVersion.major() == 550)", "true"},
             {R"(cel.bind(dra, device.attributes["gpu.nvidia.com"], dra.healthy && dra.index == 3))", "true"},
             {R"(device.allowMultipleAllocations == true)", "true"},
             {R"(device.attributes["gpu.nvidia.com"].models.includes("b"))", "true"},
             {R"(device.attributes["gpu.nvidia.com"].type.includes("gpu"))", "true"},
             {R"(2 in device.attributes["gpu.nvidia.com"].numas)", "false"},
             {R"(device.attributes["gpu.nvidia.com"].firmwares.exists(v, v.isLessThan(semver("1.3.0"))))", "true"},
             // What is not there.
             {R"(has(device.attributes["gpu.nvidia.com"].tier) && device.attributes["gpu.nvidia.com"].tier == "x")",
              "false"},
             {R"("tier" in device.attributes["gpu.nvidia.com"])", "false"},
             {R"("other.example.com" in device.attributes)", "false"},
             {R"(has(device.attributes["other.example.com"].x))", "false"},
             {R"(device.attributes["other.example.com"].size() == 0)", "true"},
             {R"(device.attributes["gpu.nvidia.com"].?tier.orValue("none") == "none")", "true"},
         }) {
        CAPTURE(row.first);
        CHECK(outcome(row.first) == row.second);
    }
    CHECK(outcome("device.allowMultipleAllocations", device_of(R"("attributes":{})")) == "false");
}

TEST_CASE("a selector that can't be read is refused, with its place") {
    CHECK(outcome("device.drivr == 'x'") == "refused: 1:8: undefined field 'drivr'");
    CHECK(outcome("node.name == 'x'") == "refused: 1:1: undeclared reference to 'node' (in container '')");
    CHECK(outcome("device.driver") == "refused: 1:1: must evaluate to bool or the unknown type, not string");
    CHECK(outcome("device.driver ==") == "refused: 1:17: kcontrol's CEL does not know the end of the expression");
    CHECK(outcome(R"(device.capacity["a"].b > 1)") ==
          "refused: 1:24: found no matching overload for '_>_' applied to '(kubernetes.Quantity, int)'");
    CHECK(outcome(std::string(10'241, ' ')) ==
          "refused: an expression of 10241 octets: a device selector may have 10240");
    CHECK(outcome(std::string(10'236, ' ') + "true") == "true");
}

TEST_CASE("a selector that fails says why") {
    CHECK(outcome(R"(device.attributes["gpu.nvidia.com"].tier == "x")") == "fails: no such key: tier");
    CHECK(outcome(R"(device.attributes["other.example.com"].x)") == "fails: no such key: x");
    CHECK(outcome(R"(device.attributes["gpu.nvidia.com"].index < "a")") == "fails: no such overload: _<_(int, string)");
    CHECK(outcome(R"(device.attributes["gpu.nvidia.com"].type)") == "fails: must evaluate to bool, not string");
    CHECK(outcome("lists.range(1000).all(x, lists.range(1000).all(y, true))") == "fails: actual cost limit exceeded");
    CHECK(outcome("true", device_of(R"("attributes":{"v":{"version":"1.x"}})")) ==
          "fails: attribute v: parse semantic version: No Major.Minor.Patch elements found");
    CHECK(outcome("true", device_of(R"("attributes":{"v":{}})")) == "fails: attribute v: unsupported attribute value");
    CHECK(outcome("true", device_of(R"("capacity":{"m":{"value":"x"}})")).starts_with("fails: capacity m: "));
}

TEST_CASE("the function of an allocator keeps what it has compiled") {
    device_inventory::known_device known;
    known.id = {"gpu.nvidia.com", "n", "gpu-0"};
    known.object = &gpu();
    const auto selects = device_selects(2);
    const auto again = selects;  // a copy shares what is kept
    for (int round = 0; round < 3; ++round) {
        for (const char* expression : {"device.driver == 'gpu.nvidia.com'", "device.driver != ''", "1 < 2"}) {
            CHECK(selects(known, expression).value());
        }
        CHECK_FALSE(again(known, "false").value());
        CHECK(selects(known, "device.x").error().message() == "1:8: undefined field 'x'");
    }
}
