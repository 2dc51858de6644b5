// The rules of the policy webhook against pods, one by one.
#include "policy/check.hpp"

#include <kcontrol/codec/codec.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace {

using namespace policy_webhook;
using kcontrol::from_json;

constexpr const char* digest = "@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

rules all_rules() {
    return parse_rules(R"(
gpus: {multipleOf: 2}
images: {registries: [registry.example.com/ai], requireDigest: true}
tenant: {label: example.com/tenant, values: [vision, speech]}
quota: {default: 8, namespaces: {research: 16}}
defaults:
  runtimeClassName: nvidia
  tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]
)")
        .value();
}

std::string container_json(const std::string& more = {}) {
    return R"({"name":"c","image":"registry.example.com/ai/train)" + std::string(digest) + '"' + more + "}";
}
std::string gpus(int n) { return R"(,"resources":{"limits":{"nvidia.com/gpu":)" + std::to_string(n) + "}}"; }

pod pod_of(const std::string& spec, const std::string& labels = R"({"example.com/tenant":"vision"})") {
    return from_json<pod>(R"({"metadata":{"name":"p","labels":)" + labels + R"(},"spec":)" + spec + "}").value();
}

// Rules and paths, one a line.
std::string findings(const pod& of, const rules& by = all_rules(), cluster_facts facts = {8, 0},
                     const std::string& ns = "research") {
    std::string out;
    for (const auto& one : check(of, ns, by, facts)) out += std::string(one.rule) + " " + one.why.str() + "\n";
    return out;
}

TEST_CASE("a pod that keeps to the rules") {
    CHECK(findings(pod_of(R"({"containers":[)" + container_json(gpus(4)) + "]}")).empty());
    CHECK(findings(pod_of(R"({"containers":[)" + container_json() + "]}")).empty());
}

TEST_CASE("GPUs that a pod holds: sidecars beside its containers, and no sum is beyond the largest number") {
    const auto held = [](const std::string& init, const std::string& containers) {
        return gpus_of(pod_of(R"({"initContainers":[)" + init + R"(],"containers":[)" + containers + "]}"),
                       "nvidia.com/gpu");
    };
    const std::string sidecar = R"(,"restartPolicy":"Always")";
    CHECK(held("", container_json(gpus(4)) + "," + container_json(gpus(2))) == 6);
    CHECK(held(container_json(gpus(8)), container_json(gpus(4))) == 8);
    CHECK(held(container_json(gpus(8) + sidecar), container_json(gpus(4))) == 12);
    // What begins after a sidecar runs beside it, what began before does not.
    CHECK(held(container_json(gpus(2) + sidecar) + "," + container_json(gpus(8)), container_json(gpus(4))) == 10);
    CHECK(held(container_json(gpus(8)) + "," + container_json(gpus(2) + sidecar), container_json(gpus(4))) == 8);
    const std::string most = R"(,"resources":{"limits":{"nvidia.com/gpu":"9223372036854775807"}})";
    const auto all = pod_of(R"({"containers":[)" + container_json(most) + "," + container_json(most) + "]}");
    CHECK(gpus_of(all, "nvidia.com/gpu") == std::numeric_limits<std::int64_t>::max());
    CHECK(findings(all, all_rules(), {0, 16}).find("gpu-quota") != std::string::npos);
    const std::string less = R"(,"resources":{"limits":{"nvidia.com/gpu":"-4"}})";
    CHECK(held("", container_json(less) + "," + container_json(gpus(4))) == 4);
}

TEST_CASE("GPUs: as many requested as limited, a multiple, on one node, within the quota") {
    const std::string request = R"(,"resources":{"limits":{"nvidia.com/gpu":"4"},"requests":{"nvidia.com/gpu":"2"}})";
    CHECK(findings(pod_of(R"({"containers":[)" + container_json(request) + "]}")) ==
          "gpu-requests spec.containers[0].resources.requests[nvidia.com/gpu]: Invalid value: 2: it must equal the "
          "limit, 4\n");
    const auto three = pod_of(R"({"containers":[)" + container_json(gpus(2)) + "," + container_json(gpus(1)) + "]}");
    CHECK(findings(three) ==
          "gpu-count spec.containers: Invalid value: 3: nvidia.com/gpu of all containers must be a multiple of 2\n");
    const auto ten = pod_of(R"({"containers":[)" + container_json(gpus(10)) + "]}");
    CHECK(findings(ten) ==
          "gpu-fits spec.containers: Invalid value: 10: nvidia.com/gpu of all containers: no node has "
          "more than 8\n");
    CHECK(findings(ten, all_rules(), {0, 0}).empty());
    const auto four = pod_of(R"({"containers":[)" + container_json(gpus(4)) + "]}");
    CHECK(findings(four, all_rules(), {8, 12}).empty());
    CHECK(findings(four, all_rules(), {8, 13}) ==
          "gpu-quota spec.containers: Invalid value: 4: nvidia.com/gpu of all "
          "containers: namespace research uses 13 of 16\n");
    CHECK(findings(four, all_rules(), {8, 5}, "other").find("uses 5 of 8") != std::string::npos);
}

TEST_CASE("an init container counts if it asks for more than the others together") {
    const auto one = pod_of(R"({"initContainers":[)" + container_json(gpus(6)) + R"(],"containers":[)" +
                            container_json(gpus(2)) + "]}");
    CHECK(gpus_of(one, "nvidia.com/gpu") == 6);
}

TEST_CASE("images: by registry, whole names only, and by digest") {
    const auto image = [](const std::string& name) {
        return findings(pod_of(R"({"containers":[{"name":"c","image":")" + name + R"("}]})"));
    };
    CHECK(image("registry.example.com/ai/x" + std::string(digest)).empty());
    CHECK(image("registry.example.com/ai/x:v1") ==
          "images spec.containers[0].image: Invalid value: \"registry.example.com/ai/x:v1\": it must be named by its "
          "digest, @sha256:…\n");
    CHECK(image("registry.example.com/ai-evil/x" + std::string(digest)).find("it is of no registry") !=
          std::string::npos);
    CHECK(image("registry.example.com/ai/x@sha256:0123").find("by its digest") != std::string::npos);
}

TEST_CASE("privileged containers of every sort, and the tenant's label") {
    const std::string privileged = container_json(R"(,"securityContext":{"privileged":true})");
    for (const char* sort : {"containers", "initContainers", "ephemeralContainers"}) {
        CHECK(findings(pod_of(std::string("{\"") + sort + "\":[" + privileged + "]}")) ==
              std::string("privileged spec.") + sort +
                  "[0].securityContext.privileged: Forbidden: pods are not privileged here\n");
    }
    CHECK(findings(pod_of("{}", "{}")) ==
          "tenant metadata.labels[example.com/tenant]: Required value: it names the "
          "tenant\n");
    CHECK(findings(pod_of("{}", R"({"example.com/tenant":"x"})")) ==
          "tenant metadata.labels[example.com/tenant]: Unsupported value: \"x\": there is no such tenant\n");
}

TEST_CASE("rules that are off and namespaces that are exempt") {
    auto by = all_rules();
    by.modes["tenant"] = "off";
    CHECK(findings(pod_of("{}", "{}"), by).empty());
    CHECK(findings(pod_of("{}", "{}"), all_rules(), {}, "kube-system").empty());
}

TEST_CASE("an update is not refused for what was wrong before") {
    const auto before = pod_of(R"({"containers":[{"name":"c","image":"docker.io/x"}]})");
    const auto worse = pod_of(R"({"containers":[{"name":"c","image":"docker.io/y"}]})");
    const auto was = check(before, "a", all_rules(), {});
    CHECK(new_findings(check(before, "a", all_rules(), {}), was).empty());
    CHECK(new_findings(check(worse, "a", all_rules(), {}), was).size() == 2);
}

TEST_CASE("defaults go to pods that ask for GPUs, and once") {
    auto with = pod_of(R"({"containers":[)" + container_json(gpus(2)) +
                       R"(],"tolerations":[{"key":"own","operator":"Exists"}]})");
    add_defaults(with, all_rules());
    add_defaults(with, all_rules());
    REQUIRE(with.spec.tolerations.size() == 2);
    CHECK(with.spec.tolerations[1].key == "nvidia.com/gpu");
    CHECK(with.spec.runtime_class_name == "nvidia");
    auto without = pod_of(R"({"containers":[)" + container_json() + "]}");
    add_defaults(without, all_rules());
    CHECK(without.spec.tolerations.empty());
    CHECK(without.spec.runtime_class_name.empty());
    auto own = pod_of(R"({"runtimeClassName":"kata","containers":[)" + container_json(gpus(2)) + "]}");
    add_defaults(own, all_rules());
    CHECK(own.spec.runtime_class_name == "kata");
}

TEST_CASE("rules that are wrong are refused by name") {
    const auto refusal = [](const char* yaml) {
        const auto read = parse_rules(yaml);
        return read ? std::string("they were read") : read.error().message();
    };
    CHECK(refusal("mode: warn") == "they were read");
    CHECK(refusal("mode: maybe") == "mode: \"maybe\" is not enforce, warn or off");
    CHECK(refusal("modes: {image: warn}") == "modes: there is no rule \"image\"");
    CHECK(refusal("modes: {images: maybe}") == "modes.images: \"maybe\" is not enforce, warn or off");
    CHECK(refusal("gpus: {multipleOf: 0}") == "gpus.multipleOf: it must be at least 1");
    CHECK(refusal("images: {registry: [a]}").find("images.registry") != std::string::npos);
    CHECK(refusal("quota: {default: many}").find("quota.default") == 0);
    CHECK(refusal("a: 1\n---\nb: 1") == "expected one YAML document");
}

TEST_CASE("modes: by rule, else the common one") {
    const auto by = parse_rules("mode: warn\nmodes: {privileged: enforce}").value();
    CHECK(by.mode_of("privileged") == rule_mode::enforce);
    CHECK(by.mode_of("images") == rule_mode::warn);
}

}  // namespace
