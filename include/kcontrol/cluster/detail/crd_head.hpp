// What is kept of CustomResourceDefinitions where only their names and changes count.
#pragma once

#include <kcontrol/codec/metadata_object.hpp>

#include <memory>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// Name, uid and version. Annotations often hold the whole definition again, as `kubectl apply` leaves it there.
inline any_object crd_head(const any_object& whole) {
    if (!whole) return {};
    auto kept = std::make_shared<metadata_object>();
    kept->metadata.name = whole.meta().name;
    kept->metadata.uid = whole.meta().uid;
    kept->metadata.resource_version = whole.meta().resource_version;
    return any_object(std::shared_ptr<const metadata_object>(std::move(kept)));
}
inline result<any_object> crd_head(result<any_object> whole) {
    if (!whole) return whole;
    return crd_head(*whole);
}

inline const resource_info& crd_metadata() {
    static const resource_info info =
        metadata_resource(group_version_kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition"),
                          "customresourcedefinitions", resource_scope::cluster);
    return info;
}

/// The kind whose objects are crd_head.
inline const resource_info& crd_heads() {
    static const resource_info info = [] {
        const resource_info& all = crd_metadata();
        resource_info made(
            all.gvk, all.plural, all.scope,
            [](const resource_info&, json::node from, share_pool* pool) {
                return crd_head(crd_metadata().decode(from, pool));
            },
            all.encoder(),
            [](const resource_info&, std::string_view text, share_pool* pool) {
                return crd_head(crd_metadata().decode_parsed(text, pool));
            },
            [](const resource_info&, json::cursor& from, share_pool* pool) {
                return crd_head(crd_metadata().decode(from, pool));
            });
        made.metadata_only = true;
        return made;
    }();
    return info;
}

}  // namespace kcontrol::detail
