// What pods request and nodes have: sums, names of resources, and amounts that are wrong.
#include <kcontrol/scheduling/resource_amounts.hpp>

#include "go_truth/go_table.hpp"
#include "scheduling/objects.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using scheduling::interned_name;
using scheduling::node_info;
using scheduling::resource_amounts;

namespace {

constexpr auto greatest = std::numeric_limits<std::int64_t>::max();

resource_amounts with_gpus(std::int64_t count) {
    resource_amounts out;
    out.set_extended(interned_name("nvidia.com/gpu"), count);
    return out;
}

std::string invalid_of(const std::string& requests) {
    const auto pod = pod_of("web", requesting(requests));
    return pod->invalid() == nullptr ? std::string() : pod->invalid()->message();
}

}  // namespace

TEST_CASE("interned_name: equal names are one") {
    const interned_name a("nvidia.com/gpu");
    interned_name b(std::string("nvidia.com/") + "gpu");
    CHECK(a == b);
    CHECK(a.address() == b.address());
    CHECK(a.view() == "nvidia.com/gpu");
    CHECK(interned_name("a") < interned_name("b"));
    CHECK(interned_name("") == interned_name());
    CHECK(interned_name().view().empty());
    b = interned_name("other");
    CHECK(a != b);
    interned_name moved(std::move(b));
    CHECK(moved == "other");
}

TEST_CASE("interned_name: freed and found by several threads") {
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> threads;  // seam: ok, names are promised to any thread
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&] {
            for (int i = 0; i < 2000; ++i) {
                const std::string text = "shared by threads " + std::to_string(i % 3);
                const interned_name name(text);
                const interned_name copy = name;
                if (copy != interned_name(text) || copy.view() != text) ++wrong;
            }
        });
    }
    threads.clear();
    CHECK(wrong == 0);
}

TEST_CASE("resource_amounts: which names are counted") {
    for (const char* name : {"nvidia.com/gpu", "hugepages-2Mi", "attachable-volumes-csi-a", "kubernetes.io/x",
                             "x.kubernetes.io/y", "example.com/a.b_c"}) {
        CAPTURE(name);
        CHECK(resource_amounts::is_extended(name));
    }
    for (const char* name :
         {"storage", "gpu", "requests.nvidia.com/gpu", "/gpu", "nvidia.com/", "a/b/c", "Upper.com/gpu", ""}) {
        CAPTURE(name);
        CHECK_FALSE(resource_amounts::is_extended(name));
    }
}

TEST_CASE("resource_amounts: sums, and none of them negative or lost unseen") {
    resource_amounts sum;
    sum.cpu_milli = 100;
    CHECK(sum.add(with_gpus(3)));
    CHECK(sum.add(with_gpus(4)));
    CHECK(sum.amount_of("nvidia.com/gpu") == 7);
    CHECK(sum.amount_of("cpu") == 100);
    CHECK(sum.amount_of("no such") == 0);
    sum.subtract(with_gpus(7));
    CHECK(sum.extended().empty());

    resource_amounts large;
    large.memory = greatest;
    CHECK(sum.add(large));
    CHECK_FALSE(sum.add(large));
    CHECK(sum.memory == greatest);
    CHECK_FALSE([&] {
        resource_amounts gpus = with_gpus(greatest);
        return gpus.add(with_gpus(1));
    }());

    resource_amounts most = with_gpus(2);
    most.pods = 5;
    resource_amounts other = with_gpus(9);
    other.cpu_milli = 1;
    most.raise_to(other);
    CHECK(most.amount_of("nvidia.com/gpu") == 9);
    CHECK(most.cpu_milli == 1);
    CHECK(most.pods == 5);
}

TEST_CASE("pod_info: requests as kube-scheduler computes them") {
    for (const auto& row : go_table("pod_requests")) {
        const auto text = json::serialize(row[0]);
        CAPTURE(text);
        const scheduling::pod_info pod(object_of<core::pod>(text));
        REQUIRE(pod.invalid() == nullptr);
        std::map<std::string, std::int64_t> wanted;
        for (const auto& [resource, amount] : row[1].as_object()) {
            const std::string name(resource);
            const bool counts =
                name == "cpu" || name == "memory" || name == "ephemeral-storage" || resource_amounts::is_extended(name);
            if (counts && amount.to_number<std::int64_t>() != 0) wanted[name] = amount.to_number<std::int64_t>();
        }
        std::map<std::string, std::int64_t> found;
        for (const char* name : {"cpu", "memory", "ephemeral-storage"}) {
            if (const auto amount = pod.requests().amount_of(name); amount != 0) found[name] = amount;
        }
        for (const auto& one : pod.requests().extended()) found[std::string(one.resource.view())] = one.amount;
        CHECK(found == wanted);
        CHECK(pod.requests().pods == 1);
        CHECK(pod.scored_cpu_milli() == row[2].to_number<std::int64_t>());
        CHECK(pod.scored_memory() == row[3].to_number<std::int64_t>());
    }
}

TEST_CASE("pod_info: an amount that is wrong is refused with object, field and value") {
    CHECK(invalid_of(R"({"cpu":"1","memory":"9223372036854775807","nvidia.com/gpu":"8"})").empty());
    CHECK(invalid_of(R"({"memory":"-1Gi"})") ==
          R"(pod default/web: spec.containers[0].resources.requests[memory]: "-1Gi" is negative)");
    CHECK(
        invalid_of(R"({"nvidia.com/gpu":"9223372036854775808"})") ==
        R"(pod default/web: spec.containers[0].resources.requests[nvidia.com/gpu]: "9223372036854775808" is greater than 2^63-1)");
    CHECK(
        invalid_of(R"({"cpu":"9223372036854775808m"})") ==
        R"(pod default/web: spec.containers[0].resources.requests[cpu]: "9223372036854775808m" is greater than 2^63-1 thousandths)");
    CHECK(invalid_of(R"({"cpu":"9223372036854775807m"})").empty());
    CHECK(invalid_of(R"({"cpu":"one"})") ==
          R"(pod default/web: spec.containers[0].resources.requests[cpu]: "one" is no quantity)");
    const auto sum = pod_of("web", R"({"containers":[{"name":"a","resources":{"requests":{"memory":"8Ei"}}},
        {"name":"b","resources":{"requests":{"memory":"4611686018427387904"}}},
        {"name":"c","resources":{"requests":{"memory":"4611686018427387904"}}}]})");
    REQUIRE(sum->invalid() != nullptr);  // 8Ei is 2^63
    const auto both = pod_of("web", R"({"containers":[
        {"name":"b","resources":{"requests":{"memory":"4611686018427387904"}}},
        {"name":"c","resources":{"requests":{"memory":"4611686018427387904"}}}]})");
    REQUIRE(both->invalid() != nullptr);
    CHECK(both->invalid()->message() == "pod default/web: the requests of its containers add up to more than 2^63-1");
    CHECK(both->requests().memory == greatest);
}

TEST_CASE("node_info: an amount that is wrong is 0, and named") {
    const node_info node(
        node_of("n1", R"({"cpu":"4","memory":"-1","nvidia.com/gpu":"x","pods":"110","example.com/a":"1e19"})"));
    CHECK(node.allocatable().cpu_milli == 4000);
    CHECK(node.allocatable().pods == 110);
    CHECK(node.allocatable().memory == 0);
    CHECK(node.allocatable().extended().empty());
    REQUIRE(node.invalid() != nullptr);
    CHECK(node.invalid()->message() == R"(node n1: status.allocatable[example.com/a]: "1e19" is greater than 2^63-1)");
    CHECK(node_info(node_of("n1", R"({"cpu":"4"})")).invalid() == nullptr);
}

TEST_CASE("node_info: sums are exact again when what was too large is taken out") {
    node_info node(node_of("n1", R"({"cpu":"4"})"));
    const auto small = pod_of("small", requesting(R"({"memory":"1Gi","cpu":"1"})"));
    const auto large = pod_of("large", requesting(R"({"memory":"9223372036854775807"})"));
    node.add(*small);
    const auto before = node.requested();
    node.add(*large);
    CHECK(node.requested().memory == greatest);
    CHECK(node.requested().pods == 2);
    CHECK(node.remove(*large));
    CHECK(node.requested() == before);
    CHECK(node.scored_memory() == small->scored_memory());
    CHECK_FALSE(node.remove(*large));
    CHECK(node.remove(*small));
    CHECK(node.requested() == resource_amounts());
}
