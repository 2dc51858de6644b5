#pragma once

#include <kcontrol/controllerutil/owner.hpp>
#include <kcontrol/controllerutil/pod_groups.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/values/raw_json.hpp>

namespace kcontrol::inline v0_1 {
namespace detail {

// KEP-4671; of Kubernetes 1.37.
struct own_pod_group {
    static constexpr resource_name name{"scheduling.k8s.io", "v1beta1", "PodGroup", "podgroups"};
    static std::string spec(const std::string& members) {
        return R"({"schedulingPolicy":{"gang":{"minCount":)" + members + "}}}";
    }
    static void join(std::string_view group, api::core::v1::pod& to) {
        to.spec.scheduling_group.edit().pod_group_name = group;
    }
};
// Of Kubernetes 1.36.
struct alpha_pod_group : own_pod_group {
    static constexpr resource_name name{"scheduling.k8s.io", "v1alpha2", "PodGroup", "podgroups"};
};

// https://scheduler-plugins.sigs.k8s.io/docs/plugins/coscheduling/
struct plugin_pod_group {
    static constexpr resource_name name{"scheduling.x-k8s.io", "v1alpha1", "PodGroup", "podgroups"};
    static std::string spec(const std::string& members) { return R"({"minMember":)" + members + "}"; }
    static void join(std::string_view group, api::core::v1::pod& to) {
        to.metadata.labels["scheduling.x-k8s.io/pod-group"] = group;
    }
};

// https://volcano.sh/en/docs/podgroup/
struct volcano_pod_group {
    static constexpr resource_name name{"scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups"};
    static std::string spec(const std::string& members) { return plugin_pod_group::spec(members); }
    static void join(std::string_view group, api::core::v1::pod& to) {
        to.metadata.annotations["scheduling.k8s.io/group-name"] = group;
    }
};

template <class Api>
struct pod_group_of {
    static constexpr resource_name kcontrol_resource = Api::name;
    object_meta metadata;
    raw_json spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &pod_group_of::spec)); }
};

template <class Api>
any_object make_pod_group_of(object_meta metadata, std::int32_t members) {
    auto made = std::make_shared<pod_group_of<Api>>();
    made->metadata = std::move(metadata);
    made->spec = raw_json::parse(Api::spec(std::to_string(members))).value();
    return any_object(std::shared_ptr<const pod_group_of<Api>>(std::move(made)));
}

template <class Api>
const pod_group_kind& pod_group_kind_of() {
    static const pod_group_kind kind{&resource_of<pod_group_of<Api>>(), &make_pod_group_of<Api>, &Api::join};
    return kind;
}

inline const pod_group_kind* pod_group_in(const api_catalog& catalog, const pod_group_kind& kind) {
    return catalog.find(kind.info->gvk) != nullptr ? &kind : nullptr;
}

KCONTROL_DECL awaitable<result<void>> make_pod_group(client c, const pod_group_kind& kind,
                                                     const resource_info& owned_by, object_meta owner,
                                                     object_meta group, std::int32_t members, list_options earlier,
                                                     write_options how) {
    const std::string about = "PodGroup " + group.name.str();
    group.namespace_ = owner.namespace_;
    const auto owned = set_controller_reference(owned_by, owner, *kind.info, group);
    if (!owned) co_return owned.error().with_context(about);
    const namespaced_name key(group.namespace_, group.name);
    const any_object wanted = kind.make(std::move(group), members);
    const auto made = co_await c.create(*kind.info, wanted, how);
    if (!made && made.error() == api_errc::already_exists) co_return result<void>();
    if (!made) co_return made.error().with_context(about);
    std::vector<namespaced_name> kept{key};
    const auto gone = co_await prune_dependents(c, *kind.info, owner, std::move(kept), earlier);
    if (!gone) co_return gone.error().with_context(about);
    co_return result<void>();
}

}  // namespace detail

KCONTROL_DECL awaitable<result<const pod_group_kind*>> pod_groups::served(client c, std::string scheduler,
                                                                          std::stop_token stop) {
    using namespace detail;
    if (!server_) server_.emplace(c.live().traced({}));
    const auto all = co_await server_->catalog(std::move(stop));
    const pod_group_kind* found = nullptr;
    if (!all && all.error() == api_errc::forbidden) co_return found;
    if (!all) co_return all.error();
    const api_catalog& has = **all;
    if (scheduler == "volcano") co_return pod_group_in(has, pod_group_kind_of<volcano_pod_group>());
    found = pod_group_in(has, pod_group_kind_of<own_pod_group>());
    if (found == nullptr) found = pod_group_in(has, pod_group_kind_of<alpha_pod_group>());
    if (found == nullptr) found = pod_group_in(has, pod_group_kind_of<plugin_pod_group>());
    co_return found;
}

}  // namespace kcontrol
