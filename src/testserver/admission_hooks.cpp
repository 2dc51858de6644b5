#include "testserver/admission_hooks.hpp"

#include <kcontrol/cel/environment.hpp>

#include "testserver/failure_parts.hpp"
#include "testserver/selector_match.hpp"
#include "testserver/webhook_client.hpp"
#include "testserver/write_rules.hpp"

#include <algorithm>
#include <set>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

bool lists(const std::vector<std::string>& all, std::string_view one) {
    return std::any_of(all.begin(), all.end(), [one](const std::string& has) { return has == "*" || has == one; });
}

// "pods/status": the parts of a rule's resource.
bool matches_resource(std::string_view rule, const admission_attributes& request) {
    const std::size_t slash = rule.find('/');
    const std::string_view resource = rule.substr(0, slash);
    const std::string_view below = slash == std::string_view::npos ? std::string_view() : rule.substr(slash + 1);
    return (resource == "*" || resource == request.resource.resource) && (below == "*" || below == request.subresource);
}

const json::array& member_list(const json::value& from, std::string_view name) {
    static const json::array none;
    const json::value* found = json::find(from, {name});
    return found != nullptr && found->is_array() ? found->get_array() : none;
}

// The variables of a condition. An authorizer is not among them.
cel::environment condition_environment() {
    cel::environment out;
    for (const char* name : {"object", "oldObject", "request"}) out.declare(name, cel::type());
    return out;
}

admission_rule read_admission_rule(const json::value& from) {
    admission_rule out;
    out.operations = strings_of(json::find(from, {"operations"}));
    out.groups = strings_of(json::find(from, {"apiGroups"}));
    out.versions = strings_of(json::find(from, {"apiVersions"}));
    out.resources = strings_of(json::find(from, {"resources"}));
    out.scope = json::get_string(from, {"scope"});
    return out;
}

admission_hook read_admission_hook(const json::value& from, bool mutating) {
    admission_hook out;
    out.name = json::get_string(from, {"name"});
    out.mutating = mutating;
    if (const json::value* client = json::find(from, {"clientConfig"})) out.client = read_webhook_client(*client);
    for (const auto& rule : member_list(from, "rules")) out.rules.push_back(read_admission_rule(rule));
    if (const json::value* found = json::find(from, {"namespaceSelector"})) out.namespace_selector = *found;
    if (const json::value* found = json::find(from, {"objectSelector"})) out.object_selector = *found;
    out.ignores_failures = json::get_string(from, {"failurePolicy"}) == "Ignore";
    out.matches_equivalent = json::get_string(from, {"matchPolicy"}) != "Exact";
    out.reinvoked = json::get_string(from, {"reinvocationPolicy"}) == "IfNeeded";
    const std::string_view effects = json::get_string(from, {"sideEffects"});
    if (effects == "None") out.side_effects = admission_hook::effects::none;
    if (effects == "NoneOnDryRun") out.side_effects = admission_hook::effects::none_on_dry_run;
    const json::value* seconds = json::find(from, {"timeoutSeconds"});
    if (seconds != nullptr && seconds->is_int64()) out.timeout = std::chrono::seconds(seconds->get_int64());
    for (const auto& version : strings_of(json::find(from, {"admissionReviewVersions"}))) {
        if (version != "v1" && version != "v1beta1") continue;
        out.review_version = version;
        break;
    }
    for (const auto& condition : member_list(from, "matchConditions")) {
        const std::string_view text = json::get_string(condition, {"expression"});
        out.conditions.emplace_back(text, cel::program::parse(text));
    }
    return out;
}

/// Looks at one webhook of a configuration.
class webhook_checker {
public:
    webhook_checker(std::vector<field_problem>& problems, bool mutating, std::string path)
        : problems_(problems), mutating_(mutating), path_(std::move(path)) {}

    void check(const json::value& hook, std::set<std::string>& names) {
        check_name(std::string(json::get_string(hook, {"name"})), names);
        check_client(hook);
        std::size_t index = 0;
        for (const auto& rule : member_list(hook, "rules")) check_rule(rule, "rules[" + std::to_string(index++) + "]");
        check_versions(hook);
        check_choice(hook, "failurePolicy", {"Fail", "Ignore"}, false);
        check_choice(hook, "matchPolicy", {"Equivalent", "Exact"}, false);
        check_choice(hook, "sideEffects", {"None", "NoneOnDryRun"}, true);
        if (mutating_) check_choice(hook, "reinvocationPolicy", {"IfNeeded", "Never"}, false);
        const json::value* seconds = json::find(hook, {"timeoutSeconds"});
        if (seconds != nullptr && seconds->is_int64() && (seconds->get_int64() < 1 || seconds->get_int64() > 30)) {
            add("timeoutSeconds", "FieldValueInvalid",
                "Invalid value: " + json::serialize(*seconds) + ": the timeout value must be between 1 and 30 seconds");
        }
        index = 0;
        for (const auto& one : member_list(hook, "matchConditions")) check_condition(one, index++);
    }

private:
    void add(const std::string& field, std::string_view cause, std::string text) {
        problems_.emplace_back(path_ + "." + field, cause, std::move(text));
    }

    void check_name(const std::string& name, std::set<std::string>& names) {
        const std::string shown = "Invalid value: " + in_quotes(name) + ": ";
        if (name.empty()) return add("name", "FieldValueRequired", "Required value");
        if (!is_object_name(name)) {
            add("name", "FieldValueInvalid", shown + std::string(name_problem));
        } else if (std::count(name.begin(), name.end(), '.') < 2) {
            add("name", "FieldValueInvalid",
                shown + "should be a domain with at least three segments separated by dots");
        }
        if (!names.insert(name).second) add("name", "FieldValueDuplicate", "Duplicate value: " + in_quotes(name));
    }

    void check_client(const json::value& hook) {
        const bool has_url = !json::get_string(hook, {"clientConfig", "url"}).empty();
        const bool has_service = json::find(hook, {"clientConfig", "service"}) != nullptr;
        if (has_url == has_service) {
            add("clientConfig", "FieldValueRequired", "Required value: exactly one of url or service is required");
        }
        const std::string url(json::get_string(hook, {"clientConfig", "url"}));
        if (has_url && url.rfind("https://", 0) != 0) {
            add("clientConfig.url", "FieldValueInvalid",
                "Invalid value: " + in_quotes(url.substr(0, url.find(':'))) +
                    ": 'https' is the only allowed URL scheme; desired format: https://host[/path]");
        }
        if (!has_service) return;
        for (const std::string_view name : {"name", "namespace"}) {
            if (!json::get_string(hook, {"clientConfig", "service", name}).empty()) continue;
            add("clientConfig.service." + std::string(name), "FieldValueRequired",
                "Required value: service " + std::string(name) + " is required");
        }
    }

    void check_rule(const json::value& rule, const std::string& place) {
        for (const std::string name : {"operations", "apiGroups", "apiVersions", "resources"}) {
            const auto all = strings_of(json::find(rule, {name}));
            if (all.empty()) add(place + "." + name, "FieldValueRequired", "Required value");
            const bool wild = std::find(all.begin(), all.end(), "*") != all.end();
            if (!wild || all.size() == 1 || name == "resources") continue;
            std::string shown;
            for (const auto& one : all) shown += (shown.empty() ? "" : ",") + in_quotes(one);
            add(place + "." + name, "FieldValueInvalid",
                "Invalid value: [" + shown + "]: if '*' is present, must not specify other " +
                    (name == "operations"  ? "operations"
                     : name == "apiGroups" ? "API groups"
                                           : "API versions"));
        }
        std::size_t index = 0;
        for (const auto& operation : strings_of(json::find(rule, {"operations"}))) {
            static const std::set<std::string> known{"*", "CONNECT", "CREATE", "DELETE", "UPDATE"};
            const std::string field = place + ".operations[" + std::to_string(index++) + "]";
            if (known.contains(operation)) continue;
            add(field, "FieldValueNotSupported",
                "Unsupported value: " + in_quotes(operation) +
                    R"(: supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE")");
        }
    }

    void check_versions(const json::value& hook) {
        const auto versions = strings_of(json::find(hook, {"admissionReviewVersions"}));
        if (versions.empty()) {
            return add("admissionReviewVersions", "FieldValueRequired",
                       "Required value: must specify one of v1, v1beta1");
        }
        const bool known = std::any_of(versions.begin(), versions.end(),
                                       [](const auto& one) { return one == "v1" || one == "v1beta1"; });
        if (known) return;
        std::string shown;
        for (const auto& one : versions) shown += (shown.empty() ? "" : ",") + in_quotes(one);
        add("admissionReviewVersions", "FieldValueInvalid",
            "Invalid value: [" + shown + "]: must include at least one of v1, v1beta1");
    }

    void check_choice(const json::value& hook, const std::string& name, std::vector<std::string> choices,
                      bool required) {
        const std::string said(json::get_string(hook, {name}));
        if (said.empty()) {
            if (required) {
                add(name, "FieldValueRequired",
                    "Required value: must specify one of " + choices[0] + ", " + choices[1]);
            }
            return;
        }
        if (std::find(choices.begin(), choices.end(), said) != choices.end()) return;
        add(name, "FieldValueNotSupported",
            "Unsupported value: " + in_quotes(said) + ": supported values: " + in_quotes(choices[0]) + ", " +
                in_quotes(choices[1]));
    }

    void check_condition(const json::value& condition, std::size_t index) {
        const std::string place = "matchConditions[" + std::to_string(index) + "]";
        const std::string text(json::get_string(condition, {"expression"}));
        if (json::get_string(condition, {"name"}).empty()) {
            add(place + ".name", "FieldValueRequired", "Required value");
        }
        if (text.empty()) return add(place + ".expression", "FieldValueRequired", "Required value");
        const std::string shown = "Invalid value: " + json::serialize(json::value(text)) + ": ";
        const auto compiled = conditions_.compile(text, cel::type::boolean());
        if (!compiled) add(place + ".expression", "FieldValueInvalid", shown + compiled.error().message());
    }

    const cel::environment conditions_ = condition_environment();
    std::vector<field_problem>& problems_;
    bool mutating_;
    std::string path_;
};

}  // namespace
}  // namespace detail

bool admission_rule::matches(const admission_attributes& request, std::string_view version) const {
    if (!detail::lists(operations, request.operation) || !detail::lists(groups, request.resource.group) ||
        !detail::lists(versions, version)) {
        return false;
    }
    if (scope == "Cluster" && request.namespaced) return false;
    if (scope == "Namespaced" && !request.namespaced) return false;
    return std::any_of(resources.begin(), resources.end(),
                       [&request](const std::string& one) { return detail::matches_resource(one, request); });
}

std::optional<std::string> admission_hook::version_for(const admission_attributes& request,
                                                       const std::vector<std::string>& versions) const {
    const auto matches = [&](const std::string& version) {
        return std::any_of(rules.begin(), rules.end(),
                           [&](const admission_rule& rule) { return rule.matches(request, version); });
    };
    if (matches(request.version)) return request.version;
    if (!matches_equivalent) return std::nullopt;
    const auto found = std::find_if(versions.begin(), versions.end(), matches);
    return found == versions.end() ? std::nullopt : std::optional<std::string>(*found);
}

std::vector<admission_hook> read_admission_hooks(const json::value& configuration) {
    const bool mutating = json::get_string(configuration, {"kind"}) == "MutatingWebhookConfiguration";
    std::vector<admission_hook> out;
    for (const auto& one : detail::member_list(configuration, "webhooks")) {
        out.push_back(detail::read_admission_hook(one, mutating));
    }
    return out;
}

std::vector<field_problem> validate_webhook_configuration(const json::value& configuration) {
    const bool mutating = json::get_string(configuration, {"kind"}) == "MutatingWebhookConfiguration";
    std::vector<field_problem> out;
    std::set<std::string> names;
    std::size_t index = 0;
    for (const auto& one : detail::member_list(configuration, "webhooks")) {
        detail::webhook_checker(out, mutating, "webhooks[" + std::to_string(index++) + "]").check(one, names);
    }
    return out;
}

bool is_webhook_configuration(const group_resource& id) {
    return id.group == "admissionregistration.k8s.io" &&
           (id.resource == "mutatingwebhookconfigurations" || id.resource == "validatingwebhookconfigurations");
}

bool selects_labels(const json::value& selector, const std::map<std::string, std::string>& labels) {
    return selector.is_null() || detail::selector_selects(&selector, labels);
}

std::map<std::string, std::string> labels_of(const json::value& object) {
    return detail::texts_by_name(json::find(object, {"metadata", "labels"}));
}

}  // namespace kcontrol::testing
