// What an API server has to know of a program's webhooks: the program's list of them, made into
// MutatingWebhookConfiguration, ValidatingWebhookConfiguration and the conversion of a CustomResourceDefinition. Pure.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/documents/value.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Which requests a webhook is asked about; "*" stands for all of a list.
class webhook_rule {
public:
    webhook_rule() = default;
    /// "CREATE", "UPDATE", "DELETE", "CONNECT", repeatable.
    webhook_rule& operation(std::string name) { return operations_.push_back(std::move(name)), *this; }
    /// "" is the core group; repeatable.
    webhook_rule& api_group(std::string group) { return groups_.push_back(std::move(group)), *this; }
    /// "v1", repeatable.
    webhook_rule& api_version(std::string version) { return versions_.push_back(std::move(version)), *this; }
    /// "pods", "pods/status", "pods/*", "*/scale", "*" (no subresource) or "*/*"; repeatable.
    webhook_rule& resource(std::string plural) { return resources_.push_back(std::move(plural)), *this; }
    /// "Namespaced", "Cluster" or "*", which is the default.
    webhook_rule& scope(std::string which) { return scope_ = std::move(which), *this; }

    /// Those of operation(), in their order.
    const std::vector<std::string>& operations() const noexcept { return operations_; }
    /// Those of api_group(), in their order.
    const std::vector<std::string>& api_groups() const noexcept { return groups_; }
    /// Those of api_version(), in their order.
    const std::vector<std::string>& api_versions() const noexcept { return versions_; }
    /// Those of resource(), in their order.
    const std::vector<std::string>& resources() const noexcept { return resources_; }
    const std::string& scope() const noexcept { return scope_; }

private:
    std::vector<std::string> operations_;
    std::vector<std::string> groups_;
    std::vector<std::string> versions_;
    std::vector<std::string> resources_;
    std::string scope_ = "*";
};

/// One webhook of a program: what it is asked about, under which path, and what follows if it can't be asked.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class webhook_registration {
public:
    /// Whose configuration it is in: MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
    /// CustomResourceDefinition.
    enum class kind { mutating, validating, conversion };

    /// `name`: of a mutating or validating webhook a DNS name of at least three parts ("vpod.example.com"); of a
    /// conversion the definition's ("widgets.example.com"). `path`: where the program's server answers ("/convert").
    webhook_registration(kind what, std::string name, std::string path)
        : what_(what), name_(std::move(name)), path_(std::move(path)) {}

    /// One more; a request that fits one of them is asked about.
    webhook_registration& rule(webhook_rule one) { return rules_.push_back(std::move(one)), *this; }
    /// In place of all rules that it has.
    webhook_registration& only_rule(webhook_rule one) { return rules_.clear(), rule(std::move(one)); }
    /// In place of the one before; see the constructor.
    webhook_registration& name(std::string n) { return name_ = std::move(n), *this; }
    /// Whether a request goes on without a webhook that can't be asked (Ignore), or fails (Fail, the default).
    webhook_registration& ignore_failures(bool yes) { return ignore_failures_ = yes, *this; }
    /// "None" (the default) or "NoneOnDryRun".
    webhook_registration& side_effects(std::string which) { return side_effects_ = std::move(which), *this; }
    /// 1 to 30 s; 10 s unless said otherwise.
    webhook_registration& timeout(std::chrono::seconds t) { return timeout_ = t, *this; }
    /// "Equivalent" (the default) or "Exact".
    webhook_registration& match_policy(std::string which) { return match_policy_ = std::move(which), *this; }
    /// Of a mutating webhook: asked once more if a later one changed the object.
    webhook_registration& reinvoke_if_needed(bool yes) { return reinvoke_ = yes, *this; }
    /// metav1.LabelSelectors; null (the default) selects all.
    webhook_registration& namespace_selector(json::value selector) {
        return namespace_selector_ = std::move(selector), *this;
    }
    /// The same of the object's own labels, be it as it was or as it becomes.
    webhook_registration& object_selector(json::value selector) {
        return object_selector_ = std::move(selector), *this;
    }
    /// A condition in CEL, repeatable; all must hold.
    webhook_registration& match_condition(std::string condition_name, std::string expression) {
        return conditions_.emplace_back(std::move(condition_name), std::move(expression)), *this;
    }
    /// Versions of AdmissionReview or ConversionReview that the program reads, the preferred one first; {"v1"}.
    webhook_registration& review_versions(std::vector<std::string> versions) {
        return review_versions_ = std::move(versions), *this;
    }

    kind what() const noexcept { return what_; }  ///< which of the three it is
    const std::string& name() const noexcept { return name_; }
    const std::string& path() const noexcept { return path_; }  ///< where the program's server answers it
    const std::vector<webhook_rule>& rules() const noexcept { return rules_; }  ///< empty of a conversion
    bool ignores_failures() const noexcept { return ignore_failures_; }  ///< `failurePolicy`: Ignore if so, else Fail
    const std::string& side_effects() const noexcept { return side_effects_; }
    std::chrono::seconds timeout() const noexcept { return timeout_; }
    const std::string& match_policy() const noexcept { return match_policy_; }
    /// `reinvocationPolicy`: IfNeeded if so, else Never.
    bool reinvokes_if_needed() const noexcept { return reinvoke_; }
    const json::value& namespace_selector() const noexcept { return namespace_selector_; }
    const json::value& object_selector() const noexcept { return object_selector_; }
    /// The name and the CEL expression of each.
    const std::vector<std::pair<std::string, std::string>>& match_conditions() const noexcept { return conditions_; }
    const std::vector<std::string>& review_versions() const noexcept { return review_versions_; }

private:
    kind what_;
    std::string name_;
    std::string path_;
    std::vector<webhook_rule> rules_;
    bool ignore_failures_ = false;
    bool reinvoke_ = false;
    std::string side_effects_ = "None";
    std::chrono::seconds timeout_{10};
    std::string match_policy_ = "Equivalent";
    json::value namespace_selector_;
    json::value object_selector_;
    std::vector<std::pair<std::string, std::string>> conditions_;
    std::vector<std::string> review_versions_{"v1"};
};

/// How an API server reaches a program's webhooks.
class webhook_address {
public:
    /// The Service in front of the program's replicas.
    static webhook_address service(std::string ns, std::string name, std::uint16_t port = 443) {
        webhook_address out;
        out.namespace_ = std::move(ns);
        out.service_ = std::move(name);
        out.port_ = port;
        return out;
    }
    /// "https://host:9443", without a path: for a program outside of the cluster.
    static webhook_address url(std::string base) {
        webhook_address out;
        out.url_ = std::move(base);
        return out;
    }

    const std::string& service_namespace() const noexcept { return namespace_; }  ///< empty where there is a base_url()
    const std::string& service_name() const noexcept { return service_; }         ///< empty where there is a base_url()
    std::uint16_t service_port() const noexcept { return port_; }                 ///< default 443
    const std::string& base_url() const noexcept { return url_; }  ///< of url(); empty where it is a Service

private:
    std::string namespace_;
    std::string service_;
    std::string url_;
    std::uint16_t port_ = 443;
};

/// The objects that make a program's webhooks known: a MutatingWebhookConfiguration and a
/// ValidatingWebhookConfiguration of that name (whichever has webhooks), and for each conversion what its
/// CustomResourceDefinition says of it, as an object to apply. `ca_bundle`: PEM, or empty to leave it to whoever keeps
/// it. Errors: invalid_argument, naming the webhook: a name that is no DNS name of three parts or is there twice, a
/// path without its slash, no rule, a timeout beyond 1 to 30 s; a URL that is not https.
KCONTROL_DECL result<std::vector<json::value>> webhook_configurations(const std::string& name,
                                                                      const std::vector<webhook_registration>& webhooks,
                                                                      const webhook_address& address,
                                                                      const std::string& ca_bundle = {});

/// The same as YAML documents: what a program prints for `--print-webhooks`, to be put into manifests.
KCONTROL_DECL result<std::string> print_webhooks(const std::string& name,
                                                 const std::vector<webhook_registration>& webhooks,
                                                 const webhook_address& address, const std::string& ca_bundle = {});

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/webhook/impl/webhook_configuration.ipp>
#endif
