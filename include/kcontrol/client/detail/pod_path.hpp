// Where the streams of a pod are.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/client/detail/resource_path.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/model/object_key.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::detail {

inline result<std::string> pod_path(const client& c, namespaced_name pod, std::string_view subresource) {
    static const resource_info pods = metadata_resource({"", "v1", "Pod"}, "pods");
    const auto key = c.placed(pods, std::move(pod));
    if (!key) return key.error();
    return object_path(pods, *key, subresource);
}

}  // namespace kcontrol::detail
