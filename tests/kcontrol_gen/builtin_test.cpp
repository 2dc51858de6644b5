// The built-in kinds: the tree holds what the generator writes, and objects survive.
#include <kcontrol/api/kinds.hpp>
#include <kcontrol/documents/patch.hpp>

#include "support.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <sstream>

using namespace kcontrol_gen;

namespace {

const std::string root = KCONTROL_TESTS_DIR "/../";

std::string read_text(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::string round_trip(const std::string& text) {
    kcontrol::json::document document;
    const auto node = document.parse(text);
    REQUIRE(node.has_value());
    for (const auto* info : kcontrol::api::builtin_kinds()) {
        if ((*node)["apiVersion"].as_string() != info->gvk.api_version()) continue;
        if ((*node)["kind"].as_string() != info->gvk.kind) continue;
        const auto object = info->decode(*node);
        return object ? info->encode(*object).value() : object.error().what();
    }
    return "no such kind";
}

}  // namespace

TEST_CASE("include/kcontrol/api and src/api_*.cpp are what scripts/generate-api.sh writes") {
    input in;
    REQUIRE(in.add_path(root + "tools/kcontrol_gen/data/kubernetes-1.36.json").has_value());
    const auto all = in.finish();
    REQUIRE(all.has_value());
    for (const auto& file : emit_builtin(*all, compact_dialect())) {
        CAPTURE(file.first);
        CHECK((read_text(root + file.first) == file.second));
    }
}

TEST_CASE("every kind once") {
    std::set<std::string> names;
    for (const auto* info : kcontrol::api::builtin_kinds())
        names.insert(info->gvk.api_version() + " " + info->gvk.kind);
    CHECK(names.size() == kcontrol::api::builtin_kinds().size());
    CHECK(names.size() == 71);
    CHECK(names.contains("v1 Pod"));
    CHECK(names.contains("resource.k8s.io/v1 ResourceSlice"));
}

TEST_CASE("objects of built-in kinds survive reading and writing") {
    for (
        const char* text : {
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"500m"}},"env":[{"name":"A","value":""}],"securityContext":{"runAsUser":0},"livenessProbe":{"httpGet":{"port":"http"}}}],"overhead":{},"securityContext":{}}})",
            R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l"},"spec":{"acquireTime":"2024-05-01T12:00:00.123456Z","leaseTransitions":0}})",
            R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"s"},"spec":{"selector":{},"template":{"spec":{"containers":[{"name":"c"}]}},"volumeClaimTemplates":[{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"d"},"spec":{"storageClassName":""}}]},"status":{"replicas":0}})",
            R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"c"},"spec":{"group":"g","names":{"kind":"K","plural":"ks"},"scope":"Namespaced","versions":[{"name":"v1","schema":{"openAPIV3Schema":{"not":{"not":{"type":"string"}},"properties":{"a":{"default":{"x":[1,null]},"type":"object"}}}},"served":true,"storage":true,"subresources":{"status":{}}}]},"status":{"acceptedNames":{"kind":"","plural":""}}})",
            R"({"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"n"},"spec":{"ingress":[{}],"podSelector":{"matchLabels":{"a":""}},"policyTypes":[]}})",
        }) {
        const auto before = kcontrol::json::parse(text);
        const auto after = kcontrol::json::parse(round_trip(text));
        REQUIRE(before.has_value());
        CAPTURE(round_trip(text));
        REQUIRE(after.has_value());
        CHECK(kcontrol::json::serialize(kcontrol::json::diff(*before, *after)) == "[]");
    }
}
