#include "promote/route.hpp"

namespace training_operator {
namespace {

std::optional<std::int32_t> number_at(const json::value& from, std::string_view name) {
    const auto* found = json::find(from, {name});
    if (found == nullptr || !found->is_int64()) return std::nullopt;
    return static_cast<std::int32_t>(found->get_int64());
}

json::value backends_of(const http_route_target& which, const dynamic_object& route) {
    const auto rules = route.content.get({"spec", "rules"});
    const auto at = static_cast<std::size_t>(which.rule);
    if (!rules.is_array() || at >= rules.get_array().size()) return {};
    const auto* found = json::find(rules.get_array()[at], {"backendRefs"});
    return found != nullptr && found->is_array() ? *found : json::value();
}

// Its place among the backends; their number: nowhere.
std::size_t place_of(const text& name, const json::array& backends) {
    std::size_t at = 0;
    while (at < backends.size() && json::get_string(backends[at], {"name"}) != name.view()) ++at;
    return at;
}

}  // namespace

const resource_info& route_kind(const promote_spec& which) {
    static const auto http = dynamic_resource({"gateway.networking.k8s.io", "v1", "HTTPRoute"}, "httproutes");
    static const auto kserve =
        dynamic_resource({"serving.kserve.io", "v1beta1", "InferenceService"}, "inferenceservices");
    return which.http_route ? http : kserve;
}

text route_name(const promote_spec& which) {
    return which.http_route ? which.http_route->name : which.inference_service->name;
}

const char* patch_type(const promote_spec& which) {
    return which.http_route ? "application/json-patch+json" : "application/merge-patch+json";
}

result<weights> weights_of(const promote_spec& which, const dynamic_object& route) {
    weights out;
    if (!which.http_route) {
        out.canary = number_at(route.content.get({"spec", "predictor"}), "canaryTrafficPercent");
        return out;
    }
    const auto backends = backends_of(*which.http_route, route);
    for (auto [name, weight] :
         {std::pair(&which.http_route->stable, &out.stable), {&which.http_route->canary, &out.canary}}) {
        const auto at = backends.is_array() ? place_of(*name, backends.get_array()) : 0;
        if (!backends.is_array() || at == backends.get_array().size()) {
            return error(errc::invalid_argument, "rule " + std::to_string(which.http_route->rule) + " of HTTPRoute " +
                                                     which.http_route->name + " has no backend " + name->str());
        }
        *weight = number_at(backends.get_array()[at], "weight").value_or(1);  // as the Gateway API has it
    }
    return out;
}

std::string weights_patch(const promote_spec& which, const dynamic_object& route, const weights& to) {
    const auto plain = [](const auto& weight) { return weight ? json::value(*weight) : json::value(nullptr); };
    if (!which.http_route) {
        return json::serialize({{"spec", {{"predictor", {{"canaryTrafficPercent", plain(to.canary)}}}}}});
    }
    const auto backends = backends_of(*which.http_route, route);
    const std::string before = "/spec/rules/" + std::to_string(which.http_route->rule) + "/backendRefs/";
    json::array out;
    for (const auto& [name, weight] :
         {std::pair(which.http_route->stable, to.stable), {which.http_route->canary, to.canary}}) {
        const std::string at = before + std::to_string(place_of(name, backends.get_array()));
        out.push_back({{"op", "test"}, {"path", at + "/name"}, {"value", name.view()}});
        out.push_back({{"op", "add"}, {"path", at + "/weight"}, {"value", plain(weight)}});
    }
    return json::serialize(out);
}

}  // namespace training_operator
