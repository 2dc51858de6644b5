#include <kcontrol/base/base64.hpp>
#include <kcontrol/webhook/webhook_configuration.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace kcontrol;

namespace {

webhook_registration hook_for_pods(webhook_registration::kind what, const std::string& name) {
    webhook_registration out(what, name, "/validate--v1-pod");
    out.rule(webhook_rule().operation("CREATE").operation("UPDATE").api_group("").api_version("v1").resource("pods"));
    return out;
}

}  // namespace

TEST_CASE("a program's webhooks become the objects that make them known") {
    std::vector<webhook_registration> hooks;
    hooks.push_back(hook_for_pods(webhook_registration::kind::validating, "vpod.example.com"));
    hooks.back().ignore_failures(true).timeout(std::chrono::seconds(3)).match_condition("bound", "has(object.spec)");
    hooks.push_back(hook_for_pods(webhook_registration::kind::mutating, "mpod.example.com"));
    hooks.back().reinvoke_if_needed(true).namespace_selector({{"matchLabels", {{"tenant", "yes"}}}});
    hooks.emplace_back(webhook_registration::kind::conversion, "widgets.example.com", "/convert");

    const auto all =
        webhook_configurations("platform", hooks, webhook_address::service("system", "hooks", 8443), "PEM").value();
    REQUIRE(all.size() == 3);
    const json::value& mutating = all[0];
    CHECK(json::get_string(mutating, {"kind"}) == "MutatingWebhookConfiguration");
    CHECK(json::get_string(mutating, {"metadata", "name"}) == "platform");
    const json::value& mpod = mutating.at("webhooks").at(0);
    CHECK(mpod.at("reinvocationPolicy") == "IfNeeded");
    CHECK(mpod.at("failurePolicy") == "Fail");
    CHECK(mpod.at("clientConfig") ==
          json::value{
              {"service", {{"namespace", "system"}, {"name", "hooks"}, {"port", 8443}, {"path", "/validate--v1-pod"}}},
              {"caBundle", encode_base64("PEM")}});
    CHECK(mpod.at("namespaceSelector").at("matchLabels").at("tenant") == "yes");

    const json::value& vpod = all[1].at("webhooks").at(0);
    CHECK(json::get_string(all[1], {"kind"}) == "ValidatingWebhookConfiguration");
    CHECK(vpod.at("failurePolicy") == "Ignore");
    CHECK(vpod.at("timeoutSeconds") == 3);
    CHECK(vpod.at("rules").at(0).at("operations") == json::value{"CREATE", "UPDATE"});
    CHECK(vpod.at("matchConditions").at(0).at("expression") == "has(object.spec)");
    CHECK_FALSE(vpod.as_object().contains("reinvocationPolicy"));

    const json::value& conversion = all[2].at("spec").at("conversion");
    CHECK(json::get_string(all[2], {"metadata", "name"}) == "widgets.example.com");
    CHECK(conversion.at("strategy") == "Webhook");
    CHECK(conversion.at("webhook").at("clientConfig").at("service").at("path") == "/convert");
    CHECK(conversion.at("webhook").at("conversionReviewVersions") == json::array{"v1"});
}

TEST_CASE("a program outside of the cluster is called by its address, and prints YAML") {
    const std::vector<webhook_registration> hooks{
        hook_for_pods(webhook_registration::kind::validating, "vpod.example.com")};
    const auto text = print_webhooks("platform", hooks, webhook_address::url("https://10.0.0.1:9443")).value();
    CHECK(text.find("url: https://10.0.0.1:9443/validate--v1-pod") != std::string::npos);
    CHECK(text.find("kind: ValidatingWebhookConfiguration") != std::string::npos);
    CHECK(text.find("caBundle") == std::string::npos);
    CHECK(text.find("MutatingWebhookConfiguration") == std::string::npos);
}

TEST_CASE("what an API server would refuse is refused before, by the webhook's name") {
    const auto reason = [](const webhook_registration& hook) {
        const auto made = webhook_configurations("x", {hook}, webhook_address::service("a", "b"));
        return made ? std::string() : made.error().what();
    };
    using what = webhook_registration::kind;
    CHECK(reason(hook_for_pods(what::validating, "vpod.example.com")).empty());
    CHECK(reason(hook_for_pods(what::validating, "short.com")).find("three parts") != std::string::npos);
    CHECK(reason(hook_for_pods(what::validating, "Big.example.com")).find("\"Big.example.com\"") != std::string::npos);
    CHECK(reason(webhook_registration(what::mutating, "a.b.c", "/p")).find("no rule") != std::string::npos);
    CHECK(reason(webhook_registration(what::conversion, "a.b.c", "p")).find("slash") != std::string::npos);
    auto slow = hook_for_pods(what::validating, "vpod.example.com");
    slow.timeout(std::chrono::seconds(31));
    CHECK(reason(slow).find("1 to 30 s") != std::string::npos);
    const auto one = hook_for_pods(what::validating, "vpod.example.com");
    CHECK_FALSE(webhook_configurations("x", {one, one}, webhook_address::service("a", "b")));
    CHECK_FALSE(webhook_configurations("x", {one}, webhook_address::url("http://plain")));
}
