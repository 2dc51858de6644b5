#pragma once

#include <kcontrol/base/base64.hpp>
#include <kcontrol/documents/yaml.hpp>
#include <kcontrol/webhook/webhook_configuration.hpp>

#include <algorithm>
#include <set>

namespace kcontrol::inline v0_1 {
namespace detail {

// A webhook's name is a DNS name of at least three parts, so that nobody else takes it by chance.
inline bool is_webhook_name(const std::string& name) {
    if (name.empty() || name.size() > 253) return false;
    std::size_t parts = 1;
    char before = '.';
    for (const char c : name) {
        const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!alphanumeric && c != '-' && c != '.') return false;
        if ((before == '.' && !alphanumeric) || (before == '-' && c == '.')) return false;
        if (c == '.') ++parts;
        before = c;
    }
    return before != '.' && before != '-' && parts >= 3;
}

inline result<void> check_webhook(const webhook_registration& hook) {
    const auto refuse = [&hook](const std::string& why) {
        return error(errc::invalid_argument, "webhook \"" + hook.name() + "\": " + why);
    };
    if (hook.path().empty() || hook.path().front() != '/') {
        return refuse("its path \"" + hook.path() + "\" has to begin with a slash");
    }
    if (hook.review_versions().empty()) return refuse("it reads no version of reviews; say review_versions({\"v1\"})");
    if (hook.what() == webhook_registration::kind::conversion) return {};
    if (!is_webhook_name(hook.name())) {
        return refuse("its name has to be a DNS name of at least three parts, such as \"vpod.example.com\"");
    }
    if (hook.rules().empty()) return refuse("it has no rule, so nobody would ever ask it");
    for (const auto& rule : hook.rules()) {
        for (const auto* list : {&rule.operations(), &rule.api_groups(), &rule.api_versions(), &rule.resources()}) {
            if (list->empty()) return refuse("a rule names operations, API groups, API versions and resources");
        }
    }
    if (hook.timeout() < std::chrono::seconds(1) || hook.timeout() > std::chrono::seconds(30)) {
        return refuse("its timeout of " + std::to_string(hook.timeout().count()) + " s is not within 1 to 30 s");
    }
    return {};
}

inline json::array texts_of(const std::vector<std::string>& all) {
    json::array out;
    for (const auto& one : all) out.push_back(json::value(one));
    return out;
}

inline json::object client_config_of(const webhook_registration& hook, const webhook_address& address,
                                     const std::string& ca_bundle) {
    json::object out;
    if (!address.base_url().empty()) {
        out["url"] = address.base_url() + hook.path();
    } else {
        json::object& service = out["service"].emplace_object();
        service["namespace"] = address.service_namespace();
        service["name"] = address.service_name();
        service["port"] = address.service_port();
        service["path"] = hook.path();
    }
    if (!ca_bundle.empty()) out["caBundle"] = encode_base64(ca_bundle);
    return out;
}

inline json::object admission_webhook_of(const webhook_registration& hook, const webhook_address& address,
                                         const std::string& ca_bundle) {
    json::object out;
    out["name"] = hook.name();
    out["clientConfig"] = client_config_of(hook, address, ca_bundle);
    json::array& rules = out["rules"].emplace_array();
    for (const auto& rule : hook.rules()) {
        json::object one;
        one["operations"] = texts_of(rule.operations());
        one["apiGroups"] = texts_of(rule.api_groups());
        one["apiVersions"] = texts_of(rule.api_versions());
        one["resources"] = texts_of(rule.resources());
        one["scope"] = rule.scope();
        rules.push_back(std::move(one));
    }
    out["failurePolicy"] = hook.ignores_failures() ? "Ignore" : "Fail";
    out["sideEffects"] = hook.side_effects();
    out["timeoutSeconds"] = hook.timeout().count();
    out["matchPolicy"] = hook.match_policy();
    out["admissionReviewVersions"] = texts_of(hook.review_versions());
    if (!hook.namespace_selector().is_null()) out["namespaceSelector"] = hook.namespace_selector();
    if (!hook.object_selector().is_null()) out["objectSelector"] = hook.object_selector();
    if (hook.what() == webhook_registration::kind::mutating) {
        out["reinvocationPolicy"] = hook.reinvokes_if_needed() ? "IfNeeded" : "Never";
    }
    for (const auto& [name, expression] : hook.match_conditions()) {
        json::value& list = out["matchConditions"];
        if (!list.is_array()) list = json::array();
        json::object one;
        one["name"] = name;
        one["expression"] = expression;
        list.get_array().push_back(std::move(one));
    }
    return out;
}

inline json::object conversion_of(const webhook_registration& hook, const webhook_address& address,
                                  const std::string& ca_bundle) {
    json::object out;
    out["apiVersion"] = "apiextensions.k8s.io/v1";
    out["kind"] = "CustomResourceDefinition";
    out["metadata"].emplace_object()["name"] = hook.name();
    json::object& conversion = out["spec"].emplace_object()["conversion"].emplace_object();
    conversion["strategy"] = "Webhook";
    json::object& webhook = conversion["webhook"].emplace_object();
    webhook["clientConfig"] = client_config_of(hook, address, ca_bundle);
    webhook["conversionReviewVersions"] = texts_of(hook.review_versions());
    return out;
}

inline json::object empty_configuration(const char* kind, const std::string& name) {
    json::object out;
    out["apiVersion"] = "admissionregistration.k8s.io/v1";
    out["kind"] = kind;
    out["metadata"].emplace_object()["name"] = name;
    out["webhooks"] = json::array();
    return out;
}

}  // namespace detail

KCONTROL_DECL result<std::vector<json::value>> webhook_configurations(const std::string& name,
                                                                      const std::vector<webhook_registration>& webhooks,
                                                                      const webhook_address& address,
                                                                      const std::string& ca_bundle) {
    if (!address.base_url().empty() && address.base_url().rfind("https://", 0) != 0) {
        return error(errc::invalid_argument,
                     "the webhooks' address \"" + address.base_url() + "\" has to begin with https://");
    }
    json::object mutating = detail::empty_configuration("MutatingWebhookConfiguration", name);
    json::object validating = detail::empty_configuration("ValidatingWebhookConfiguration", name);
    std::vector<json::value> out;
    std::set<std::pair<webhook_registration::kind, std::string>> seen;
    for (const auto& hook : webhooks) {
        if (auto checked = detail::check_webhook(hook); !checked) return checked.error();
        if (!seen.emplace(hook.what(), hook.name()).second) {
            return error(errc::invalid_argument, "webhook \"" + hook.name() + "\": another one has this name");
        }
        if (hook.what() == webhook_registration::kind::conversion) {
            out.emplace_back(detail::conversion_of(hook, address, ca_bundle));
            continue;
        }
        json::object& into = hook.what() == webhook_registration::kind::mutating ? mutating : validating;
        into["webhooks"].as_array().push_back(detail::admission_webhook_of(hook, address, ca_bundle));
    }
    if (!validating["webhooks"].as_array().empty()) out.insert(out.begin(), json::value(std::move(validating)));
    if (!mutating["webhooks"].as_array().empty()) out.insert(out.begin(), json::value(std::move(mutating)));
    return out;
}

KCONTROL_DECL result<std::string> print_webhooks(const std::string& name,
                                                 const std::vector<webhook_registration>& webhooks,
                                                 const webhook_address& address, const std::string& ca_bundle) {
    const auto all = webhook_configurations(name, webhooks, address, ca_bundle);
    if (!all) return all.error();
    std::string out;
    for (const auto& one : *all) out += (out.empty() ? "" : "---\n") + json::to_yaml(one);
    return out;
}

}  // namespace kcontrol
