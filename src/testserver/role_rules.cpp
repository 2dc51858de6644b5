#include "testserver/role_rules.hpp"

#include "testserver/cell_parts.hpp"

#include <algorithm>
#include <string_view>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

constexpr std::string_view rbac_group = "rbac.authorization.k8s.io";

// Whether a rule's list has that word, or "*".
bool rule_has(const json::value& rule, std::string_view list, std::string_view wanted) {
    for (const auto& one : list_in(rule, {list})) {
        if (one == json::value("*") || one == json::value(wanted)) return true;
    }
    return false;
}

bool rule_has_path(const json::value& rule, std::string_view path) {
    for (const auto& one : list_in(rule, {"nonResourceURLs"})) {
        if (!one.is_string()) continue;
        std::string_view pattern = one.get_string();
        if (pattern == path) return true;
        if (!pattern.ends_with('*')) continue;
        pattern.remove_suffix(1);
        if (path.starts_with(pattern)) return true;
    }
    return false;
}

bool rule_allows(const json::value& rule, const request_info& request) {
    if (!rule_has(rule, "verbs", request.verb)) return false;
    if (!request.is_resource) return rule_has_path(rule, request.path);
    if (!rule_has(rule, "apiGroups", request.group)) return false;
    const bool below = !request.subresource.empty();
    const std::string full = below ? request.resource + "/" + request.subresource : request.resource;
    const bool any_of_these = below && rule_has(rule, "resources", "*/" + request.subresource);
    if (!any_of_these && !rule_has(rule, "resources", full)) return false;
    const json::array& names = list_in(rule, {"resourceNames"});
    return names.empty() || std::find(names.begin(), names.end(), json::value(request.name)) != names.end();
}

// How a binding's subject is described if it is who asks; else nothing. `ns`: the binding's.
std::string subject_if(const json::value& subject, const requester& who, const std::string& ns) {
    const std::string name = text_in(subject, {"name"});
    const std::string_view kind = json::get_string(subject, {"kind"});
    if (kind == "ServiceAccount") {
        const std::string of = text_in(subject, {"namespace"}, ns);
        if (who.name != "system:serviceaccount:" + of + ":" + name) return {};
        return "ServiceAccount \"" + name + "/" + of + "\"";
    }
    const bool is_user = kind == "User" && name == who.name;
    const bool is_group = kind == "Group" && std::find(who.groups.begin(), who.groups.end(), name) != who.groups.end();
    return is_user || is_group ? std::string(kind) + " \"" + name + "\"" : std::string();
}

json::array own_rules(const json::value& role) { return list_in(role, {"rules"}); }

// What a controller fills into an aggregated ClusterRole.
json::array rules_of_role(const object_store& store, const json::value& reference, const std::string& ns) {
    const bool of_cluster = json::get_string(reference, {"kind"}) == "ClusterRole";
    const auto table = store.table({std::string(rbac_group), of_cluster ? "clusterroles" : "roles"});
    const object_ptr found =
        table == nullptr ? nullptr : table->get({of_cluster ? std::string() : ns, text_in(reference, {"name"})});
    if (found == nullptr) return {};
    const json::value role(found->content());
    json::array out = own_rules(role);
    for (const auto& selector : list_in(role, {"aggregationRule", "clusterRoleSelectors"})) {
        const json::value& labels = value_in(selector, {"matchLabels"});
        if (!labels.is_object()) continue;
        for (const auto& [key, object] : table->objects()) {
            const auto& has = object->labels();
            const bool fits = std::all_of(labels.get_object().begin(), labels.get_object().end(), [&](const auto& one) {
                const auto label = has.find(std::string(one.key()));
                return label != has.end() && one.value() == json::value(label->second);
            });
            if (!fits) continue;
            for (const auto& rule : own_rules(json::value(object->content()))) out.push_back(rule);
        }
    }
    return out;
}

// Calls visit(rule, why) for each rule that is about who asks, until it returns false.
template <class Visit>
void visit_rules(const object_store& store, const requester& who, const std::string& ns, const Visit& visit) {
    for (const bool of_cluster : {true, false}) {
        if (!of_cluster && ns.empty()) return;
        const auto table = store.table({std::string(rbac_group), of_cluster ? "clusterrolebindings" : "rolebindings"});
        if (table == nullptr) continue;
        for (const auto& [key, object] : table->objects_in(of_cluster ? std::string_view() : ns)) {
            const json::value binding(object->content());
            std::string subject;
            for (const auto& one : list_in(binding, {"subjects"})) {
                if (subject.empty()) subject = subject_if(one, who, key.namespace_);
            }
            if (subject.empty()) continue;
            const json::value& role = value_in(binding, {"roleRef"});
            const std::string shown = of_cluster ? key.name : key.name + "/" + key.namespace_;
            const std::string why = (of_cluster ? "ClusterRoleBinding \"" : "RoleBinding \"") + shown + "\" of " +
                                    text_in(role, {"kind"}) + " \"" + text_in(role, {"name"}) + "\" to " + subject;
            for (const auto& rule : rules_of_role(store, role, key.namespace_)) {
                if (!visit(rule, why)) return;
            }
        }
    }
}

json::array texts(std::initializer_list<std::string_view> all) {
    json::array out;
    for (const auto one : all) out.push_back(json::value(one));
    return out;
}

json::object resource_rule(json::array groups, json::array resources, json::array verbs) {
    json::object out;
    out["apiGroups"] = std::move(groups);
    out["resources"] = std::move(resources);
    out["verbs"] = std::move(verbs);
    return out;
}

json::object path_rule(json::array paths, json::array verbs) {
    json::object out;
    out["nonResourceURLs"] = std::move(paths);
    out["verbs"] = std::move(verbs);
    return out;
}

void add_first_role(object_store& store, const std::string& name, json::array rules, std::string_view group) {
    const auto make = [&store, &name](const char* plural, json::object body) {
        metadata_of(body)["name"] = name;
        const auto table = store.table({std::string(rbac_group), plural});
        if (table != nullptr) static_cast<void>(store.create(*table, write_target(), std::move(body)));
    };
    json::object role, binding, reference, subject;
    role["rules"] = std::move(rules);
    make("clusterroles", std::move(role));
    reference["apiGroup"] = rbac_group;
    reference["kind"] = "ClusterRole";
    reference["name"] = name;
    subject["apiGroup"] = rbac_group;
    subject["kind"] = "Group";
    subject["name"] = group;
    binding["roleRef"] = std::move(reference);
    binding["subjects"].emplace_array().push_back(std::move(subject));
    make("clusterrolebindings", std::move(binding));
}

}  // namespace
}  // namespace detail

role_verdict judge_by_roles(const object_store& store, const requester& who, const request_info& request) {
    role_verdict out;
    if (std::find(who.groups.begin(), who.groups.end(), "system:masters") != who.groups.end()) {
        out.allowed = true;
        return out;
    }
    const std::string ns = request.is_resource ? request.namespace_ : std::string();
    detail::visit_rules(store, who, ns, [&](const json::value& rule, const std::string& why) {
        if (!detail::rule_allows(rule, request)) return true;
        out.allowed = true;
        out.reason = "RBAC: allowed by " + why;
        return false;
    });
    return out;
}

json::object rules_of_requester(const object_store& store, const requester& who, const std::string& ns) {
    json::array resources, paths;
    detail::visit_rules(store, who, ns, [&](const json::value& rule, const std::string&) {
        json::object shown;
        const bool of_paths = !detail::list_in(rule, {"nonResourceURLs"}).empty();
        for (const std::string_view list : {"verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"}) {
            const json::array& found = detail::list_in(rule, {list});
            if (!found.empty()) shown[list] = found;
        }
        (of_paths ? paths : resources).push_back(std::move(shown));
        return true;
    });
    json::object status;
    status["resourceRules"] = std::move(resources);
    status["nonResourceRules"] = std::move(paths);
    status["incomplete"] = false;
    return status;
}

void add_first_roles(object_store& store) {
    using detail::texts;
    const auto all = [] { return texts({"*"}); };
    json::array everything, discovery, oneself;
    everything.push_back(detail::resource_rule(all(), all(), all()));
    everything.push_back(detail::path_rule(all(), all()));
    detail::add_first_role(store, "cluster-admin", std::move(everything), "system:masters");
    discovery.push_back(detail::path_rule(texts({"/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi",
                                                 "/openapi/*", "/readyz", "/version", "/version/"}),
                                          texts({"get"})));
    detail::add_first_role(store, "system:discovery", std::move(discovery), "system:authenticated");
    oneself.push_back(detail::resource_rule(texts({"authorization.k8s.io"}),
                                            texts({"selfsubjectaccessreviews", "selfsubjectrulesreviews"}),
                                            texts({"create"})));
    oneself.push_back(
        detail::resource_rule(texts({"authentication.k8s.io"}), texts({"selfsubjectreviews"}), texts({"create"})));
    detail::add_first_role(store, "system:basic-user", std::move(oneself), "system:authenticated");
}

}  // namespace kcontrol::testing
