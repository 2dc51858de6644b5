// Where the streams of a pod are.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/client/detail/resource_path.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/model/object_key.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

inline result<std::string> pod_path(const namespaced_name& pod, std::string_view subresource) {
    static const resource_info pods = metadata_resource({"", "v1", "Pod"}, "pods");
    return object_path(pods, pod, subresource);
}

}  // namespace kcontrol::detail
