// Generated kinds: copied, edited, compared and patched as values, wherever their memory is.
#include <kcontrol/api/apps/v1.hpp>
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/patch_between.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;
using api::core::v1::container;
using api::core::v1::pod;

namespace {

const std::string web =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-7d4b9c6f5-x2x8z","namespace":"shop","resourceVersion":"7",)"
    R"("labels":{"app.kubernetes.io/name":"web","tier":"front"}},"spec":{"affinity":{"nodeAffinity":{)"
    R"("requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[)"
    R"({"key":"kubernetes.io/arch","operator":"In","values":["amd64","arm64"]}]}]}}},"containers":[{)"
    R"("env":[{"name":"POD_NAMESPACE","valueFrom":{"fieldRef":{"fieldPath":"metadata.namespace"}}}],)"
    R"("image":"registry.example.com/shop/web:1.2.3","livenessProbe":{"httpGet":{"path":"/healthz","port":"http-port"}},)"
    R"("name":"web","ports":[{"containerPort":8080,"name":"http-port"}],"resources":{"limits":{"cpu":"500m",)"
    R"("memory":"1073741824"}}}],"nodeName":"node-17.example.com","volumes":[{"emptyDir":{"sizeLimit":"500Mi"},)"
    R"("name":"scratch-space"}]},"status":{"phase":"Running","startTime":"2026-01-02T03:04:05Z"}})";

std::shared_ptr<const pod> from_server(share_pool* pool = nullptr) {
    json::document document;
    const auto object = resource_of<pod>().decode(document.parse(web).value(), pool);
    REQUIRE_MESSAGE(object.has_value(), object.error().what());
    return object->as<pod>();
}

}  // namespace

TEST_CASE("api: a pod reads like ordinary C++") {
    const auto object = from_server();
    CHECK(object->spec.node_name == "node-17.example.com");
    CHECK(object->status.start_time.str() == "2026-01-02T03:04:05Z");
    for (const auto& c : object->spec.containers) {
        CHECK(c.resources.limits.at("cpu") == "500m");
        CHECK(c.liveness_probe->http_get->port.as_string() == "http-port");
        CHECK(c.readiness_probe->http_get->path == "");
        CHECK_FALSE(c.security_context->privileged.value_or(false));
    }
    CHECK(to_json(*object) == web);
}

TEST_CASE("api: a copy outlives its object and its pool") {
    pod copy;
    {
        share_pool pool;
        from_server(&pool);
        from_server(&pool);
        const auto object = from_server(&pool);
        copy = *object;
        CHECK(copy == *object);
    }
    CHECK(to_json(copy) == web);
    pod second = copy;
    copy = pod();
    CHECK(to_json(second) == web);
    const pod third = std::move(second);
    CHECK(to_json(third) == web);
}

TEST_CASE("api: edits reach one copy only") {
    const auto object = from_server();
    pod edited = *object;
    edited.spec.containers[0].image = "registry.example.com/shop/web:1.2.4";
    edited.spec.containers[0].resources.limits["memory"] = "2Gi";
    edited.spec.containers[0].liveness_probe.edit().http_get.edit().path = "/ready/and/healthy";
    edited.spec.affinity.edit().node_affinity.reset();
    edited.spec.volumes.erase(edited.spec.volumes.begin());
    container sidecar;
    sidecar.name = "a-sidecar-with-a-long-name";
    sidecar.env.push_back({"A_VARIABLE_OF_LENGTH", "a value that is not inside", {}});
    edited.spec.containers.push_back(sidecar);
    edited.spec.containers.push_back(edited.spec.containers[0]);
    CHECK(to_json(*object) == web);
    CHECK(edited != *object);
    CHECK(edited.spec.containers[2] == edited.spec.containers[0]);
    CHECK(edited.spec.containers[1].env[0].value == "a value that is not inside");
    const auto again = from_json<pod>(to_json(edited));
    REQUIRE(again.has_value());
    CHECK(equal(*again, edited));
}

TEST_CASE("api: an edit becomes a patch of the difference") {
    const auto object = from_server();
    pod edited = *object;
    edited.metadata.labels["tier"] = "back";
    const auto patch = patch_between(*object, edited);
    REQUIRE(patch.has_value());
    CHECK(patch->text == R"({"metadata":{"labels":{"tier":"back"},"resourceVersion":"7"}})");
    CHECK(patch_between(*object, pod(*object)).value().empty());
}

TEST_CASE("api: kinds say what they are called") {
    CHECK(resource_of<pod>().plural == "pods");
    const auto& deployments = resource_of<api::apps::v1::deployment>();
    CHECK(deployments.gvk.api_version() == "apps/v1");
    CHECK(deployments.namespaced());
    CHECK_FALSE(resource_of<api::core::v1::node>().namespaced());
}
