// Admission webhooks as their configurations say them: which request each is asked about, and in which order. Pure.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/cel/program.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/testing/failure.hpp>
#include <kcontrol/testing/resource_type.hpp>

#include "testserver/role_rules.hpp"
#include "testserver/webhook_client.hpp"

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
    group_resource resource;  ///< group and plural, without the subresource
    std::string version;      ///< of the API, in which the request comes: "v1"
    std::string subresource;  ///< "scale"; empty: the object itself
    std::string kind_group,   ///< of the object: "autoscaling" of a Scale
        kind_version,         ///< of the object, as the request has it
        kind;                 ///< of the object: a Scale is not of its resource's kind
    bool namespaced = false;  ///< of the resource: what the scope of a rule is about
    std::string namespace_;   ///< empty at the cluster scope; a Namespace is in itself
    std::string name;         ///< empty as long as a new object's name is not generated
    std::string operation;    ///< "CREATE", "UPDATE", "DELETE"
    bool dry_run = false;     ///< nothing is stored in the end
    requester user;           ///< who asks, after impersonation
    json::value options;      ///< CreateOptions and their like
};

/// One rule: a line of `rules`.
class admission_rule {
public:
    std::vector<std::string> operations,  ///< "CREATE", "UPDATE", "DELETE"; "*": all
        groups,                           ///< apiGroups; empty text: core, "*": all
        versions,                         ///< apiVersions; "*": all
        resources;                        ///< "pods", "pods/status", "*/scale"; "*": all, without subresources
    std::string scope;                    ///< "Cluster" or "Namespaced"; anything else: both

    /// Whether it is about the request, were the request one for that version.
    bool matches(const admission_attributes& request, std::string_view version) const;
};

/// One webhook of a configuration, with the defaults of what it does not say.
class admission_hook {
public:
    /// What a call changes elsewhere (sideEffects): nothing, nothing on a dry run, or something.
    enum class effects { none, none_on_dry_run, some };

    std::string name;                   ///< a domain name, by which refusals and errors call it
    bool mutating = false;              ///< its answer may bring a patch; asked before those that only validate
    webhook_client client;              ///< clientConfig: where it is asked
    std::vector<admission_rule> rules;  ///< it is asked where one of them matches; none: never
    json::value namespace_selector,     ///< of the namespace's labels; null: any; passes what is in no namespace
        object_selector;                ///< of the object's labels, new or old; null: any
    bool ignores_failures = false;      ///< failurePolicy Ignore: if it can't be asked, the write goes on
    bool matches_equivalent = true;     ///< matchPolicy Equivalent: rules about other versions count
    bool reinvoked = false;             ///< reinvocationPolicy IfNeeded: asked again if a later one changes the object
    effects side_effects = effects::some;         ///< `some`: a dry run that it is to be asked about is refused
    duration timeout = std::chrono::seconds(10);  ///< timeoutSeconds, for the whole call
    std::string review_version;                   ///< "v1" or "v1beta1"; empty: none that is known
    /// matchConditions, each as text and parsed; it is asked only if all are true. One that can't be parsed, which a
    /// test may write by its own hand, fails like one that can't be evaluated.
    std::vector<std::pair<std::string, result<cel::program>>> conditions;

    /// The version in which it gets to see the request's object, which is the request's or, by matchPolicy Equivalent,
    /// the first of the kind's that a rule is about; nothing if no rule is.
    std::optional<std::string> version_for(const admission_attributes& request,
                                           const std::vector<std::string>& versions) const;
};

/// The webhooks of a MutatingWebhookConfiguration or ValidatingWebhookConfiguration, in order.
std::vector<admission_hook> read_admission_hooks(const json::value& configuration);

/// What is wrong with a configuration, in Kubernetes' words; conditions in CEL that this server can't evaluate are.
std::vector<field_problem> validate_webhook_configuration(const json::value& configuration);

/// Whether it is one of the two kinds.
bool is_webhook_configuration(const group_resource& id);

/// Whether a metav1.LabelSelector selects these labels; null selects everything.
bool selects_labels(const json::value& selector, const std::map<std::string, std::string>& labels);

/// metadata.labels of an object.
std::map<std::string, std::string> labels_of(const json::value& object);

}  // namespace kcontrol::testing
