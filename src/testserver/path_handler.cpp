#include "testserver/path_handler.hpp"

#include "testserver/discovery.hpp"
#include "testserver/kubernetes_version.hpp"
#include "testserver/openapi.hpp"
#include "testserver/responses.hpp"

namespace kcontrol::inline v0_1::testing::detail {
namespace {

json::object version_info() {
    json::object out;
    out["major"] = "1";
    out["minor"] = kubernetes_minor;
    out["emulationMajor"] = "1";
    out["emulationMinor"] = kubernetes_minor;
    out["minCompatibilityMajor"] = "1";
    out["minCompatibilityMinor"] = kubernetes_previous_minor;
    out["gitVersion"] = kubernetes_version();
    for (const char* name : {"gitCommit", "gitTreeState"}) out[name] = "";
    out["buildDate"] = "1970-01-01T00:00:00Z";
    for (const char* name : {"goVersion", "compiler", "platform"}) out[name] = "";
    return out;
}

}  // namespace

http::response path_handler::answer(const http::server_request& request, const request_info& info) const {
    if (request.method != "GET" && request.method != "HEAD") return status_response(failure::method_not_allowed());
    const std::string_view accept = request.headers.get("Accept");
    if (const auto document = discovery_document(store_, info.path, accept)) {
        const bool together = json::get_string(*document, {"kind"}) == "APIGroupDiscoveryList";
        return {200,
                together ? "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" : json_media_type,
                json::serialize(*document)};
    }
    if (const auto given = openapi_.find(info.path); given != openapi_.end()) {
        return {200, json_media_type, given->second};
    }
    if (const auto document = openapi_document(store_, info.path)) {
        return {200, json_media_type, json::serialize(*document)};
    }
    if (auto answer = answer_openapi_v2(store_, info.path, accept)) return std::move(*answer);
    if (info.path == "/version") {
        return {200, json_media_type, json::serialize(json::value(version_info()))};
    }
    if (info.path == "/healthz" || info.path == "/livez") return {200, "text/plain; charset=utf-8", "ok"};
    if (info.path == "/readyz") {
        return {ready_ ? 200 : 500, "text/plain; charset=utf-8", ready_ ? "ok" : "[-]test failed: not ready\n"};
    }
    return page_not_found();
}

}  // namespace kcontrol::testing::detail
