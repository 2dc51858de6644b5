// What nodes and pods say of GPUs: sources, requests and records, right and wrong.
#include <kcontrol/codec/codec.hpp>

#include "devices/node_sources.hpp"
#include "devices/record.hpp"
#include "devices/request.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace gpu_scheduler;
namespace core = kcontrol::api::core::v1;

namespace {

const std::string hami_json =
    R"([{"id":"GPU-b","index":1,"count":10,"devmem":32768,"devcore":100,"type":"NVIDIA-Tesla V100","numa":1,)"
    R"("mode":"hami-core","health":false},)"
    R"({"id":"GPU-a","index":0,"count":10,"devmem":32768,"devcore":100,"type":"NVIDIA-Tesla V100","numa":-1,)"
    R"("mode":"hami-core","health":true}])";

std::string topology_of(const std::string& gpus) {
    return R"({"gpus":[)" + gpus + R"(],"nvlinks":[[0,2],[2,0]],"pcie":[["X","SYS"],["SYS","X"]]})";
}
const std::string two_gpus = R"({"index":0,"uuid":"GPU-a","numa":0},{"index":1,"uuid":"GPU-b","mig":true})";

std::string message_of(const auto& answer) { return answer ? "" : answer.error().message(); }

core::node node_of(const std::string& metadata, const std::string& allocatable = "") {
    return kcontrol::from_json<core::node>(R"({"metadata":{"name":"n")" + metadata + R"(},"status":{"allocatable":{)" +
                                           allocatable + "}}}")
        .value();
}
core::pod pod_of(const std::string& containers, const std::string& more = "") {
    return kcontrol::from_json<core::pod>(R"({"spec":{"containers":[)" + containers + "]" + more + "}}").value();
}
std::string container(const std::string& limits, const std::string& more = "") {
    return R"({"name":"c","resources":{"limits":{)" + limits + "}}" + more + "}";
}
result<gpu_request> request_of(const std::string& limits) { return read_request(pod_of(container(limits))); }

}  // namespace

TEST_CASE("hami: both forms") {
    const auto json = read_hami(hami_json).value();
    REQUIRE(json.gpus.size() == 2);
    CHECK(json.source == device_source::hami);
    CHECK(json.product == "NVIDIA-Tesla V100");
    CHECK(json.gpus[0].uuid == "GPU-a");
    CHECK_FALSE(json.gpus[0].numa);
    CHECK(json.gpus[1].numa == 1U);
    CHECK(json.gpus[1].index == 1);
    CHECK_FALSE(json.gpus[1].is_healthy);
    CHECK(json.gpus[1].most_shares == 10);

    const auto commas =
        read_hami("GPU-a,10,32768,100,NVIDIA-Tesla V100,-1,true:GPU-b,10,32768,100,NVIDIA-Tesla V100,1,false:");
    CHECK(commas.value() == json);
    CHECK(read_hami("").value().gpus.empty());
    CHECK(read_hami(" [] ").value().gpus.empty());
}

TEST_CASE("hami: what is wrong") {
    const auto with = [](std::string from, std::string to) {
        auto text = hami_json;
        text.replace(text.find(from), from.size(), to);
        return message_of(read_hami(text));
    };
    CHECK(with("\"GPU-b\"", "7") == "[0].id: 7 is no text, or empty");
    CHECK(with("GPU-b", "GPU-a") == "id: \"GPU-a\" is there twice");
    CHECK(with("\"count\":10", "\"count\":-1") == "[0].count: -1 is no integer from 0 to 1000");
    CHECK(with("32768", "0").starts_with("[0].devmem: 0 is no integer from 1 to "));
    CHECK(with("\"devcore\":100", "\"devcore\":\"x\"") == "[0].devcore: \"x\" is no integer from 0 to 1000");
    CHECK(with("\"numa\":1", "\"numa\":-2") == "[0].numa: -2 is no integer from -1 to 1000");
    CHECK(with("\"health\":false", "\"health\":0") == "[0].health: 0 is neither true nor false");
    CHECK(with("\"index\":1", "\"index\":1.5").starts_with("[0].index: 1.5"));
    CHECK(message_of(read_hami("[1]")) == "[0] is no object");
    CHECK(message_of(read_hami("{}")) == "the value is no array");
    CHECK_FALSE(read_hami("[{"));
    CHECK(message_of(read_hami("GPU-a,10,1")) ==
          "[0]: \"GPU-a,10,1\" has 3 parts, not 7: uuid,count,mem,core,type,numa,health");
    CHECK(message_of(read_hami("GPU-a,10,x,100,T,0,true:")).starts_with("[0].mem: \"x\" is no integer from 1"));
    CHECK(message_of(read_hami("GPU-a,1,1,1,T,0,true:GPU-b,1,1,1,T,0,yes")) ==
          "[1].health: \"yes\" is neither true nor false");
    CHECK(message_of(read_hami(",1,1,1,T,0,true")) == "[0].uuid: it is empty");
}

TEST_CASE("topology: as gpu_labeler writes it") {
    const link_costs costs;
    const auto read = read_topology(topology_of(two_gpus), 40960, costs).value();
    REQUIRE(read.gpus.size() == 2);
    CHECK(read.source == device_source::topology);
    CHECK(read.gpus[0].numa == 0U);
    CHECK_FALSE(read.gpus[0].is_divided);
    CHECK(read.gpus[1].is_divided);
    CHECK(read.gpus[1].memory_mib == 40960);
    CHECK(read.links->cost(0, 1) == costs.between(2, "SYS"));

    const auto fault = [&](const std::string& text) { return message_of(read_topology(text, 1, costs)); };
    CHECK(fault("[]") == "the value is no object");
    CHECK(fault("{}") == "gpus: null is no list of at most 64");
    CHECK(fault(topology_of(R"({"index":0,"uuid":"a"},{"index":0,"uuid":"b"})")) ==
          "gpus[1].index: 0 is not above the one before it");
    CHECK(fault(topology_of(R"({"index":0,"uuid":"a"},{"index":1,"uuid":"a"})")) ==
          "gpus[1].uuid: \"a\" is there twice");
    CHECK(fault(topology_of(R"({"index":0,"uuid":"a","mig":1},{"index":1,"uuid":"b"})")) ==
          "gpus[0].mig: 1 is neither true nor false");
    CHECK(fault(topology_of(R"({"index":0,"uuid":"a"})")).ends_with("has not 1 rows of 1"));
    CHECK(fault(R"({"gpus":[{"index":0,"uuid":"a"}],"nvlinks":[[-1]],"pcie":[["X"]]})") ==
          "nvlinks: [[-1]] has an element that is no integer from 0 to 1000");
    CHECK(fault(R"({"gpus":[{"index":0,"uuid":"a"}],"nvlinks":[[0]],"pcie":[[1]]})") ==
          "pcie: [[1]] has an element that is no text");
}

TEST_CASE("devices: the first source decides") {
    const link_costs costs;
    const auto annotation = [](std::string_view key, std::string text) {
        for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
        return "\"" + std::string(key) + "\":\"" + text + "\"";
    };
    const std::string labels = R"("labels":{"nvidia.com/gpu.product":"NVIDIA-A100","nvidia.com/gpu.memory":"40960"})";
    const auto hami = annotation(hami_annotation, hami_json),
               topology = annotation(topology_annotation, topology_of(two_gpus));
    const auto read = [&](const std::string& annotations, const std::string& allocatable = R"("nvidia.com/gpu":"3")") {
        return read_devices(node_of("," + labels + R"(,"annotations":{)" + annotations + "}", allocatable), costs);
    };
    CHECK(read(topology + "," + hami).value().source == device_source::hami);
    CHECK(read(topology + "," + hami).value().product == "NVIDIA-A100");
    CHECK(read(topology).value().source == device_source::topology);
    CHECK(read(topology).value().gpus[0].memory_mib == 40960);
    const auto counted = read("").value();
    CHECK(counted.source == device_source::allocatable);
    REQUIRE(counted.gpus.size() == 3);
    CHECK(counted.gpus[2].uuid == "n/2");
    CHECK(read("", "").value().source == device_source::none);
    CHECK(read("", R"("nvidia.com/gpu":"0")").value().source == device_source::none);
    CHECK(message_of(read("", R"("nvidia.com/gpu":"-1")")) ==
          "status.allocatable[nvidia.com/gpu]: \"-1\" is no whole number from 0 to 64");
    CHECK(message_of(read(annotation(hami_annotation, "[7]"))) ==
          "annotation hami.io/node-nvidia-register: [0] is no object");
    CHECK(message_of(read(annotation(topology_annotation, "{}"))) ==
          "annotation kcontrol.dev/gpu-topology: gpus: null is no list of at most 64");
    const auto odd = node_of(R"(,"labels":{"nvidia.com/gpu.memory":"40 GB"},"annotations":{)" + topology + "}");
    CHECK(message_of(read_devices(odd, costs)) == "label nvidia.com/gpu.memory: \"40 GB\" is no number of MiB");
}

TEST_CASE("request: whole GPUs, shares, slices") {
    CHECK(request_of("\"cpu\":\"1\"").value().empty());
    CHECK(request_of("\"nvidia.com/gpu\":\"0\"").value().empty());
    container_request whole;
    whole.gpus = 2;
    CHECK(request_of("\"nvidia.com/gpu\":\"2\"").value().containers == std::vector{whole});
    container_request share;
    share.gpus = 1;
    share.is_share = true;
    share.memory_mib = 2000;
    share.cores = 30;
    CHECK(
        request_of(R"("nvidia.com/gpu":"1","nvidia.com/gpumem":"2k","nvidia.com/gpucores":"30")").value().containers ==
        std::vector{share});
    share.memory_mib = 0;
    share.memory_percent = 50;
    share.cores = 0;
    CHECK(request_of(R"("nvidia.com/gpu":"1","nvidia.com/gpumem-percentage":"50")").value().containers ==
          std::vector{share});
    share.memory_percent = 100;
    share.cores = 10;
    CHECK(request_of(R"("nvidia.com/gpu":"1","nvidia.com/gpucores":"10")").value().containers == std::vector{share});
    container_request slices;
    slices.slices = {"1g.10gb", "1g.10gb", "1g.10gb+me", "3g.40gb"};
    CHECK(request_of(R"("nvidia.com/mig-3g.40gb":"1","nvidia.com/mig-1g.10gb":"2","nvidia.com/mig-1g.10gb.me":"1")")
              .value()
              .containers == std::vector{slices});
}

TEST_CASE("request: several containers") {
    const auto two = container("\"nvidia.com/gpu\":\"1\"") + "," + container("\"nvidia.com/gpu\":\"2\"");
    const auto init = [&](const std::string& one) {
        return read_request(pod_of(two, R"(,"initContainers":[)" + one + "]"));
    };
    CHECK(read_request(pod_of(two)).value().containers.size() == 2);
    CHECK(init(container("\"nvidia.com/gpu\":\"3\"")).value().containers.size() == 2);
    CHECK(message_of(init(container("\"nvidia.com/gpu\":\"4\""))) ==
          "spec.initContainers[0].resources.limits[nvidia.com/gpu]: \"4\" is more than the 3 GPUs of the containers");
    CHECK(message_of(init(container("\"nvidia.com/mig-1g.5gb\":\"1\""))) ==
          "spec.initContainers[0].resources.limits: an init container that ends takes whole GPUs only");
    CHECK(init(container("\"nvidia.com/gpu\":\"4\"", R"(,"restartPolicy":"Always")")).value().containers.size() == 3);
}

TEST_CASE("request: what is wrong") {
    const std::string one = R"("nvidia.com/gpu":"1",)", at = "spec.containers[0].resources.limits[nvidia.com/";
    const auto fault = [](const std::string& limits) { return message_of(request_of(limits)); };
    CHECK(fault(one + R"("nvidia.com/gpumem-percentage":"0")") ==
          at + "gpumem-percentage]: \"0\" is no whole number from 1 to 100");
    CHECK(fault(one + R"("nvidia.com/gpumem-percentage":"101")") ==
          at + "gpumem-percentage]: \"101\" is no whole number from 1 to 100");
    CHECK(fault(one + R"("nvidia.com/gpumem":"0")").starts_with(at + "gpumem]: \"0\" is no whole number from 1 to "));
    CHECK(fault(one + R"("nvidia.com/gpucores":"101")") == at + "gpucores]: \"101\" is no whole number from 0 to 100");
    CHECK(fault(one + R"("nvidia.com/gpumem":"5","nvidia.com/gpumem-percentage":"50")") ==
          at + "gpumem-percentage]: \"50\" excludes nvidia.com/gpumem; one of the two is enough");
    CHECK(fault(R"("nvidia.com/gpumem":"5")") == at + "gpumem]: \"5\" is there without nvidia.com/gpu");
    CHECK(fault(R"("nvidia.com/gpucores":"5")") == at + "gpucores]: \"5\" is there without nvidia.com/gpu");
    CHECK(fault(R"("nvidia.com/gpu":"500m")") == at + "gpu]: \"500m\" is no whole number from 0 to 64");
    CHECK(fault(R"("nvidia.com/gpu":"x")") == at + "gpu]: \"x\" is no whole number from 0 to 64");
    CHECK(fault(R"("nvidia.com/mig-1g.5gb":"-1")") == at + "mig-1g.5gb]: \"-1\" is no whole number from 0 to 448");
}

TEST_CASE("record: written and read") {
    const std::vector<device_hold> devices = {
        {"GPU-a", 20480, 30, "", 0}, {"GPU-b", 0, 0, "1g.10gb", 6}, {"GPU-c", 0, 0, "", 0}};
    const std::string text =
        R"({"v":1,"devices":[{"uuid":"GPU-a","memoryMiB":20480,"cores":30},{"uuid":"GPU-b","mig":"1g.10gb","start":6},)"
        R"({"uuid":"GPU-c"}]})";
    CHECK(write_record(devices) == text);
    CHECK(read_record(text).value() == devices);
    CHECK(read_record(write_record({})).value().empty());
}

TEST_CASE("record: foreign or broken") {
    const auto fault = [](const std::string& device, const std::string& v = "1") {
        const auto message = message_of(read_record(R"({"v":)" + v + R"(,"devices":[)" + device + "]}"));
        const std::string front = "annotation scheduling.kcontrol.dev/allocation: ";
        CHECK(message.starts_with(front));
        return message.substr(front.size());
    };
    CHECK(fault("", "2") == "v: 2 is no integer from 1 to 1");
    CHECK(fault("{}") == "devices[0].uuid: null is no text, or empty");
    CHECK(fault("7") == "devices[0]: 7 is no object");
    CHECK(fault(R"({"uuid":"a"},{"uuid":"a","gpu":1})") == "devices[1].gpu: 1 is a field that is not known");
    CHECK(fault(R"({"uuid":"a","memoryMiB":-1})").starts_with("devices[0].memoryMiB: -1 is no integer from 1 to "));
    CHECK(fault(R"({"uuid":"a","memoryMiB":1,"cores":101})") == "devices[0].cores: 101 is no integer from 0 to 100");
    CHECK(fault(R"({"uuid":"a","cores":1})") == "devices[0].cores: 1 is there without memoryMiB");
    CHECK(fault(R"({"uuid":"a","start":1})") == "devices[0].start: 1 is there without mig");
    CHECK(fault(R"({"uuid":"a","mig":"1g.5gb"})") == "devices[0].start: null is no integer from 0 to 31");
    CHECK(fault(R"({"uuid":"a","mig":"1g.5gb","start":0,"cores":1})") ==
          "devices[0].mig: \"1g.5gb\" excludes memoryMiB and cores");
    CHECK(message_of(read_record("[]")).ends_with("allocation: [] is no object"));
    CHECK(message_of(read_record(R"({"v":1})")).ends_with("allocation: devices: null is no list of at most 1024"));
    CHECK_FALSE(read_record("GPU-a"));
    CHECK_FALSE(read_record(R"({"v":1,"v":1,"devices":[]})"));
}
