// Lists: continue tokens that are wrong, and the field selectors of each kind. Answers as of kube-apiserver 1.36.
#include <kcontrol/base/base64.hpp>

#include "testing/api_server_fixture.hpp"

using namespace kcontrol;

namespace {

const std::string maps = "/api/v1/namespaces/default/configmaps";

std::string token_of(std::string_view text) {
    std::string out = encode_base64(text);
    for (char& c : out) c = c == '+' ? '-' : c == '/' ? '_' : c;
    out.erase(out.find_last_not_of('=') + 1);
    return out;
}

std::string token_of(std::string_view version, std::string_view start) {
    return token_of(R"({"v":"meta.k8s.io/v1","rv":)" + std::string(version) + R"(,"start":")" + std::string(start) +
                    "\"}");
}

}  // namespace

TEST_CASE("continue tokens that are wrong say what is wrong with them") {
    test::api_server_fixture f;
    for (const char* name : {"a", "b", "c", "d"}) f.post(maps, R"({"metadata":{"name":")" + std::string(name) + "\"}}");
    const auto go_on = [&f](const std::string& token, const std::string& more = {}) {
        return f.names(maps + "?limit=2&continue=" + token + more);
    };
    const std::string invalid = "invalid continue token: continue key is not valid: ";
    CHECK(go_on("!!!!") == invalid + "illegal base64 data at input byte 0");
    CHECK(go_on("abcde") == invalid + "illegal base64 data at input byte 4");
    CHECK(go_on("aGVsbG8%3D") == invalid + "illegal base64 data at input byte 7");
    CHECK(go_on(token_of("hello")) == invalid + "invalid character 'h' looking for beginning of value");
    CHECK(go_on(token_of("[]")) ==
          invalid + "json: cannot unmarshal array into Go value of type storage.continueToken");
    CHECK(go_on(token_of("5")) ==
          invalid + "json: cannot unmarshal number into Go value of type storage.continueToken");
    CHECK(go_on(token_of(R"({"v":"meta.k8s.io/v2","rv":5,"start":"a"})")) ==
          invalid + "server does not recognize this encoded version meta.k8s.io/v2");
    CHECK(go_on(token_of(R"({"rv":5,"start":"a"})")) == invalid + "server does not recognize this encoded version ");
    CHECK(go_on(token_of("0", "a")) == invalid + "incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
    CHECK(go_on(token_of("\"5\"", "a")) ==
          invalid + "json: cannot unmarshal string into Go struct field continueToken.rv of type int64");
    CHECK(go_on(token_of("5", "")) == invalid + "encoded start key empty (version meta.k8s.io/v1)");
    CHECK(go_on(token_of("5", "../x")) == invalid + "../x");
    const std::string now = std::to_string(f.server.resource_version());
    CHECK(go_on(token_of("1" + now, "/b\\u0000")).starts_with("Timeout: Too large resource version: 1" + now));
    CHECK(go_on(token_of("-1", "/b\\u0000")) == "c d");
    CHECK(go_on(token_of(now, "/b\\u0000")) == "c d");
    CHECK(go_on(token_of(now, "b\\u0000")) == "c d");
    CHECK(go_on(token_of(now, "/a\\u0000"), "&resourceVersion=0") == "b c d");  // the cache answers whole
    CHECK(go_on(token_of(now, "/a\\u0000"), "&resourceVersion=5") ==
          "specifying resource version is not allowed when using continue");
    CHECK(f.names("/api/v1/configmaps?limit=2&continue=" + token_of(now, "/default/c\\u0000")) == "d");
    CHECK(f.said("DELETE", maps + "?continue=!!!!") == "400 " + invalid + "illegal base64 data at input byte 0");
    CHECK(f.names(maps) == "a b c d");
    f.server.compact(f.server.resource_version());
    f.post(maps, R"({"metadata":{"name":"e"}})");
    f.server.compact(f.server.resource_version());
    const auto expired = f.client.get(maps + "?limit=1&continue=" + token_of(now, "/b\\u0000"));
    CHECK(expired->head.status == 410);
    const std::string other(json::get_string(expired->json(), {"metadata", "continue"}));
    CHECK(f.names(maps + "?continue=" + other) == "c d e");
}

TEST_CASE("field selectors are those that the kind has on a real server") {
    test::api_server_fixture f;
    f.post("/api/v1/nodes", R"({"metadata":{"name":"open"}})");
    f.post("/api/v1/nodes", R"({"metadata":{"name":"closed"},"spec":{"unschedulable":true}})");
    f.post("/api/v1/namespaces/default/secrets", R"({"metadata":{"name":"plain"}})");
    f.post("/api/v1/namespaces/default/secrets",
           R"({"metadata":{"name":"auth"},"type":"kubernetes.io/basic-auth","stringData":{"username":"u"}})");
    f.post("/api/v1/namespaces/default/pods",
           R"({"metadata":{"name":"p"},"spec":{"nodeName":"open","containers":[{"name":"c","image":"i"}]}})");
    f.post(
        "/apis/batch/v1/namespaces/default/jobs",
        R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})");
    const std::string ns = "/api/v1/namespaces/default/";
    const auto found = [&f](const std::string& list, const std::string& selector) {
        return f.names(list + "?fieldSelector=" + selector);
    };
    CHECK(found("/api/v1/nodes", "spec.unschedulable%3Dfalse") == "open");
    CHECK(found("/api/v1/nodes", "spec.unschedulable%3Dtrue") == "closed");
    CHECK(found("/api/v1/nodes", "spec.unschedulable%3D") == "");
    CHECK(found("/api/v1/namespaces", "status.phase%3DActive") == "default kube-system");
    CHECK(found(ns + "secrets", "type%3DOpaque") == "plain");
    CHECK(found(ns + "secrets", "type!%3DOpaque") == "auth");
    CHECK(found(ns + "pods", "spec.hostNetwork%3Dfalse,spec.nodeName%3Dopen,status.phase%3DPending") == "p");
    CHECK(found(ns + "pods", "spec.host%3Dopen") == "p");
    CHECK(found(ns + "pods", "status.podIPs%3Dx") == "");
    CHECK(found("/apis/batch/v1/namespaces/default/jobs", "status.successful%3D0") == "j");
    CHECK(found("/api/v1/nodes", "metadata.namespace%3Dx") == "field label not supported: metadata.namespace");
    CHECK(found(ns + "pods", "spec.foo%3Dx") == "field label not supported: spec.foo");
    CHECK(found("/apis/batch/v1/jobs", "status.succeeded%3D1") ==
          R"(field label "status.succeeded" not supported for Job)");
    CHECK(found("/apis/apps/v1/replicasets", "status.replicas%3D1") ==
          R"("status.replicas" is not a known field selector: only "metadata.name", "metadata.namespace")");
    CHECK(found("/apis/certificates.k8s.io/v1/certificatesigningrequests", "spec.signerName%3Dx") == "");
    CHECK(found("/apis/resource.k8s.io/v1/resourceslices", "spec.pool%3Dx") ==
          "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.pool");
}
