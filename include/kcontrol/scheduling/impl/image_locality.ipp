#pragma once

#include <kcontrol/scheduling/image_locality.hpp>
#include <kcontrol/scheduling/node_scores.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

inline constexpr std::int64_t mebibyte = 1024 * 1024;
inline constexpr std::int64_t least_image_sum = 23 * mebibyte;     // what counts as nothing
inline constexpr std::int64_t most_of_an_image = 1000 * mebibyte;  // what counts as all

}  // namespace detail

KCONTROL_DECL status image_locality::pre_score(state& of_pod, const pod_info& pod, const snapshot& nodes,
                                               std::span<const node_info* const>) const {
    of_pod.images_.clear();
    const auto total = static_cast<double>(nodes.nodes().size());
    for (const auto& image : pod.images()) {
        const std::size_t having = nodes.nodes_with_image(image);
        if (having > 0) of_pod.images_.push_back({image, static_cast<double>(having) / total});
    }
    if (of_pod.images_.empty()) return status::skip();  // all nodes are alike
    const auto& spec = pod.pod().spec;
    const auto image_volumes = std::count_if(spec.volumes.begin(), spec.volumes.end(),
                                             [](const auto& volume) { return volume.image.present(); });
    const auto containers = static_cast<std::int64_t>(spec.containers.size() + spec.init_containers.size());
    of_pod.most_ = detail::most_of_an_image * (containers + image_volumes);
    return status();
}

KCONTROL_DECL std::int64_t image_locality::score(const state& of_pod, const pod_info&, const node_info& node) const {
    std::int64_t sum = 0;
    for (const auto& image : of_pod.images_) {
        const auto size = node.image_size(image.name);
        // A size beyond what counts is as good as that; it must not overflow the sum.
        if (size) sum += std::min(of_pod.most_, static_cast<std::int64_t>(static_cast<double>(*size) * image.spread));
    }
    sum = std::clamp(sum, detail::least_image_sum, of_pod.most_);
    return percentage(sum - detail::least_image_sum, of_pod.most_ - detail::least_image_sum);
}

}  // namespace kcontrol::scheduling
