// Members of a gang that is tried.
#pragma once

#include <kcontrol/scheduling/pod_info.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::scheduling::detail {

// Whether plugins that look at anything but names give both pods the same answer.
inline bool asks_the_same(const pod_info& a, const pod_info& b) {
    const auto& x = a.pod();
    const auto& y = b.pod();
    return x.metadata.namespace_ == y.metadata.namespace_ && x.metadata.labels == y.metadata.labels &&
           x.metadata.annotations == y.metadata.annotations && x.spec == y.spec &&
           x.status.nominated_node_name == y.status.nominated_node_name;
}

// The version of the pod that the API server will have once it is bound.
inline std::shared_ptr<const pod_info> with_annotations(const std::shared_ptr<const pod_info>& pod,
                                                        const std::map<std::string, std::string>& annotations) {
    if (annotations.empty()) return pod;
    auto made = std::make_shared<api::core::v1::pod>(pod->pod());
    for (const auto& [key, value] : annotations) made->metadata.annotations.insert_or_assign(key, text(value));
    return std::make_shared<const pod_info>(std::move(made));
}

}  // namespace kcontrol::scheduling::detail
