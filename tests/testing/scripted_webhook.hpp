// A webhook of a simulated world that says what a test wants, and keeps what it was asked.
#pragma once

#include <kcontrol/base/base64.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/http/handler.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing {

class scripted_webhook {
public:
    using verdict = std::function<json::object(const json::value& request)>;

    /// Listens as the service NAME of the namespace "default".
    scripted_webhook(sim_world& world, const std::string& name, verdict says)
        : host_(name + ".default.svc"), says_(std::move(says)) {
        world.network().listen(host_, world.get_executor(), [this](http::server_request request, http::responder& out) {
            return answer(std::move(request), out);
        });
    }

    const std::string& host() const noexcept { return host_; }
    /// The requests of all reviews, in order.
    std::vector<json::value> asked;
    std::vector<std::string> targets;
    /// Instead of a review, if it says a status.
    http::response instead{0};
    /// "AdmissionReview" in this version, unless it is to be wrong.
    std::string api_version = "admission.k8s.io/v1";
    std::string uid;  ///< instead of the one that was asked with

private:
    awaitable<void> answer(http::server_request request, http::responder& out) {
        const json::value review = json::parse(request.body).value();
        targets.push_back(request.target);
        asked.push_back(review.at("request"));
        http::response reply = instead;
        if (reply.status == 0) {
            json::object response = says_(asked.back());
            response["uid"] = uid.empty() ? std::string(json::get_string(asked.back(), {"uid"})) : uid;
            json::object whole;
            const bool converts = json::get_string(review, {"kind"}) == "ConversionReview";
            whole["apiVersion"] = converts ? std::string(json::get_string(review, {"apiVersion"})) : api_version;
            whole["kind"] = json::get_string(review, {"kind"});
            whole["response"] = std::move(response);
            reply = http::response(200, "application/json", json::serialize(json::value(std::move(whole))));
        }
        (void)co_await out.send(std::move(reply));
    }

    std::string host_;
    verdict says_;
};

inline json::object allow() { return {{"allowed", true}}; }

inline json::object deny(const std::string& message, int code = 403) {
    return {{"allowed", false}, {"status", {{"message", message}, {"code", code}}}};
}

inline json::object patched(const json::value& patch) {
    return {{"allowed", true}, {"patchType", "JSONPatch"}, {"patch", encode_base64(json::serialize(patch))}};
}

/// A webhook of a configuration, for the creation and change of ConfigMaps.
inline json::object hook_of(const std::string& name, const std::string& service, json::object more = {}) {
    json::object out{{"name", name + ".example.com"},
                     {"clientConfig", {{"service", {{"namespace", "default"}, {"name", service}, {"path", "/ask"}}}}},
                     {"rules", json::array{{{"operations", {"CREATE", "UPDATE"}},
                                            {"apiGroups", {""}},
                                            {"apiVersions", {"v1"}},
                                            {"resources", {"configmaps"}}}}},
                     {"sideEffects", "None"},
                     {"admissionReviewVersions", {"v1"}}};
    for (auto& member : more) out[member.key()] = std::move(member.value());
    return out;
}

inline json::value configuration(const std::string& kind, const std::string& name, json::array hooks) {
    return {{"apiVersion", "admissionregistration.k8s.io/v1"},
            {"kind", kind + "WebhookConfiguration"},
            {"metadata", {{"name", name}}},
            {"webhooks", std::move(hooks)}};
}

}  // namespace kcontrol::testing
