#include "pods/pod_resources.hpp"

#include "service/pod_answers.hpp"

#include <doctest/doctest.h>

using namespace gpu_labeler;
using kcontrol::service::decode_pod_resources_list;
using kcontrol::test::pods_message;

TEST_CASE("pod resources: who has which device of NVIDIA's") {
    const auto pods = decode_pod_resources_list(pods_message({
        {"team-a", "train-0", {{"main", "nvidia.com/gpu", {"GPU-1", "GPU-2"}}, {"side", "cpu", {"3"}}}},
        {"team-b",
         "infer",
         {{"main", "nvidia.com/mig-1g.5gb", {"MIG-1"}}, {"two", "nvidia.com/gpu.shared", {"GPU-3::7"}}}},
        {"kube-system", "proxy", {}},
        {"x", "other", {{"main", "amd.com/gpu", {"GPU-9"}}}},
    }));
    REQUIRE(pods);
    CHECK(users_of(*pods) == std::vector<device_user>{{"team-a", "train-0", "main", "GPU-1"},
                                                      {"team-a", "train-0", "main", "GPU-2"},
                                                      {"team-b", "infer", "main", "MIG-1"},
                                                      {"team-b", "infer", "two", "GPU-3"}});
}

TEST_CASE("pod resources: nobody has anything") { CHECK(users_of({}).empty()); }

TEST_CASE("pod resources: users come to their GPU or slice, sorted, each once, and go again") {
    node_sample node;
    node.gpus.resize(3);
    node.gpus[0].uuid = "GPU-0";
    node.gpus[1].uuid = "GPU-1";
    node.gpus[1].migs.resize(2);
    node.gpus[1].migs[0].uuid = "MIG-0";
    node.gpus[1].migs[1].uuid = "MIG-1";
    attribute_users(node, {{"b", "p", "c", "GPU-0"},
                           {"a", "p", "c", "GPU-0"},
                           {"a", "p", "c", "GPU-0"},
                           {"a", "q", "c", "MIG-1"},
                           {"a", "r", "c", "GPU-7"},
                           {"a", "s", "c", ""}});
    CHECK(node.gpus[0].users == std::vector<gpu_user>{{"a", "p", "c", ""}, {"b", "p", "c", ""}});
    CHECK(node.gpus[1].users == std::vector<gpu_user>{{"a", "q", "c", "MIG-1"}});
    CHECK(node.gpus[2].users.empty());  // lost, and its name not known
    attribute_users(node, {});
    CHECK(node.gpus[0].users.empty());
}
