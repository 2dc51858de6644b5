// Admission webhooks as their configurations say them: which request each is asked about, and in which order. Pure.
#pragma once

#include <kcontrol/apiserver/cel.hpp>
#include <kcontrol/apiserver/failure.hpp>
#include <kcontrol/apiserver/resource_type.hpp>
#include <kcontrol/apiserver/role_rules.hpp>
#include <kcontrol/apiserver/webhook_client.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/runtime/time.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// What admission knows of a request besides its objects.
class admission_attributes {
public:
    group_resource resource;
    std::string version;
    std::string subresource;
    std::string kind_group, kind_version, kind;  ///< of the object: a Scale is not of its resource's kind
    bool namespaced = false;
    std::string namespace_;
    std::string name;
    std::string operation;  ///< "CREATE", "UPDATE", "DELETE"
    bool dry_run = false;
    requester user;
    json::value options;  ///< CreateOptions and their like
};

/// One rule: a line of `rules`.
class admission_rule {
public:
    std::vector<std::string> operations, groups, versions, resources;
    std::string scope;

    /// Whether it is about the request, were the request one for that version.
    KCONTROL_DECL bool matches(const admission_attributes& request, std::string_view version) const;
};

/// One webhook of a configuration, with the defaults of what it does not say.
class admission_hook {
public:
    enum class effects { none, none_on_dry_run, some };

    std::string name;
    bool mutating = false;
    webhook_client client;
    std::vector<admission_rule> rules;
    json::value namespace_selector, object_selector;
    bool ignores_failures = false;
    bool matches_equivalent = true;
    bool reinvoked = false;
    effects side_effects = effects::some;
    duration timeout = std::chrono::seconds(10);
    std::string review_version;  ///< "v1" or "v1beta1"; empty: none that is known
    std::vector<std::pair<std::string, cel_expression>> conditions;

    /// The version in which it gets to see the request's object, which is the request's or, by matchPolicy Equivalent,
    /// the first of the kind's that a rule is about; nothing if no rule is.
    KCONTROL_DECL std::optional<std::string> version_for(const admission_attributes& request,
                                                         const std::vector<std::string>& versions) const;
};

/// The webhooks of a MutatingWebhookConfiguration or ValidatingWebhookConfiguration, in order.
KCONTROL_DECL std::vector<admission_hook> read_admission_hooks(const json::value& configuration);

/// What is wrong with a configuration, in Kubernetes' words; conditions in CEL that this server can't evaluate are.
KCONTROL_DECL std::vector<field_problem> validate_webhook_configuration(const json::value& configuration);

/// Whether it is one of the two kinds.
KCONTROL_DECL bool is_webhook_configuration(const group_resource& id);

/// Whether a metav1.LabelSelector selects these labels; null selects everything.
KCONTROL_DECL bool selects_labels(const json::value& selector, const std::map<std::string, std::string>& labels);

/// metadata.labels of an object.
KCONTROL_DECL std::map<std::string, std::string> labels_of(const json::value& object);

}  // namespace kcontrol::testing

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/apiserver/impl/admission_hooks.ipp>
#endif
