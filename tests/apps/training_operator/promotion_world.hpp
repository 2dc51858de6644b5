// The operator's world with routes that divide traffic.
#pragma once

#include "operator_world.hpp"

namespace training_operator::tests {

inline json::object route_spec() {
    const auto backend = [](const char* name, int weight) { return json::object{{"name", name}, {"weight", weight}}; };
    const json::object other{{"name", "else"}, {"port", 80}};
    const json::array none{other}, both{other, backend("bert-stable", 95), backend("bert-canary", 5)};
    return {{"rules", {{{"backendRefs", none}}, {{"backendRefs", both}}}}};
}

class promotion_world : public operator_world {
public:
    promotion_world() {
        world.register_resource(testing::resource_type("gateway.networking.k8s.io", "v1", "HTTPRoute", "httproutes"));
        world.register_resource(
            testing::resource_type("serving.kserve.io", "v1beta1", "InferenceService", "inferenceservices"));
    }
    void add_route(const json::object& spec = route_spec()) {
        (void)server.api()
            .create({{"apiVersion", "gateway.networking.k8s.io/v1"},
                     {"kind", "HTTPRoute"},
                     {"metadata", {{"name", "bert"}}},
                     {"spec", spec}})
            .value();
    }
    static json::object promote() {
        return {{"promote",
                 {{"httpRoute", {{"name", "bert"}, {"rule", 1}, {"stable", "bert-stable"}, {"canary", "bert-canary"}}},
                  {"steps", {10, 50, 100}},
                  {"holdSeconds", 60}}}};
    }
    /// "else 80 bert-stable 95 bert-canary 5" of the second rule.
    std::string route() {
        const auto found = server.api().get({"gateway.networking.k8s.io", "httproutes"}, {"default", "bert"});
        if (!found) return "none";
        std::string out;
        for (const auto& each : found->at("spec").at("rules").at(1).at("backendRefs").as_array()) {
            const auto* weight = json::find(each, {"weight"});
            out += (out.empty() ? "" : " ") + std::string(json::get_string(each, {"name"})) +
                   (weight == nullptr ? "" : " " + json::serialize(*weight));
        }
        return out;
    }
    void abort() {
        (void)server.api()
            .patch(jobs_id, {"default", "bert"}, {{"metadata", {{"annotations", {{abort_annotation, "true"}}}}}})
            .value();
        settle();
    }
};

}  // namespace training_operator::tests
