#include "pods/pod_resources.hpp"

#include "pods/answers.hpp"

#include <doctest/doctest.h>

using namespace gpu_labeler;
using gpu_labeler::test::pods_message;

TEST_CASE("pod resources: who has which device of NVIDIA's") {
    const auto users = decode_pod_resources(pods_message({
        {"team-a", "train-0", {{"main", "nvidia.com/gpu", {"GPU-1", "GPU-2"}}, {"side", "cpu", {"3"}}}},
        {"team-b",
         "infer",
         {{"main", "nvidia.com/mig-1g.5gb", {"MIG-1"}}, {"two", "nvidia.com/gpu.shared", {"GPU-3::7"}}}},
        {"kube-system", "proxy", {}},
        {"x", "other", {{"main", "amd.com/gpu", {"GPU-9"}}}},
    }));
    REQUIRE(users);
    CHECK(*users == std::vector<device_user>{{"team-a", "train-0", "main", "GPU-1"},
                                             {"team-a", "train-0", "main", "GPU-2"},
                                             {"team-b", "infer", "main", "MIG-1"},
                                             {"team-b", "infer", "two", "GPU-3"}});
}

TEST_CASE("pod resources: nobody has anything") {
    const auto users = decode_pod_resources("");
    REQUIRE(users);
    CHECK(users->empty());
}

TEST_CASE("pod resources: a message cut short is an error, or one of fewer pods; never more") {
    const auto message = pods_message(
        {{"a", "p0", {{"main", "nvidia.com/gpu", {"GPU-1"}}}}, {"b", "p1", {{"main", "nvidia.com/gpu", {"GPU-2"}}}}});
    int errors = 0;
    for (std::size_t size = 0; size < message.size(); ++size) {
        const auto users = decode_pod_resources(std::string_view(message).substr(0, size));
        if (users) {
            CHECK(users->size() < 2);
            continue;
        }
        ++errors;
        CHECK(users.error() == kcontrol::errc::decode_failed);
        CHECK(users.error().message().find("kubelet") != std::string::npos);
    }
    CHECK(errors > 40);
}

TEST_CASE("pod resources: hostile messages") {
    const std::string table[] = {
        std::string(100, '\xff'),                                             // a tag without end
        std::string("\x0a\xff\xff\xff\xff\x0f", 6),                           // a pod of 4 GB
        std::string("\x0b", 1),                                               // a group
        std::string("\x00\x01", 2),                                           // field 0
        std::string("\x0a\x04\x1a\x7f\x0a\x01", 6),                           // a container longer than its pod
        std::string("\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12),  // a length of more than 64 bits
    };
    for (const auto& message : table) {
        CAPTURE(message.size());
        CHECK_FALSE(decode_pod_resources(message));
    }
    // A field of another type than it should be is not ours.
    CHECK(decode_pod_resources(std::string("\x08\x05", 2)));
}

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
