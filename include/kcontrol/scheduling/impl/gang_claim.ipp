#pragma once

#include <kcontrol/scheduling/gang_claim.hpp>
#include <kcontrol/values/api_duration.hpp>

#include <charconv>
#include <string_view>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

inline std::string_view gang_entry(const dict<text>& of, std::string_view key) {
    const auto* const found = of.get(key);
    return found == nullptr ? std::string_view() : found->view();
}

inline std::string gang_annotation_wrong(const object_meta& pod, std::string_view which, std::string_view value,
                                         std::string_view why) {
    std::string out = "pod " + pod.namespace_.str() + "/" + pod.name.str() + ": metadata.annotations[";
    return out.append(which).append("]: \"").append(value).append("\" ").append(why);
}

inline void read_annotated_terms(const object_meta& pod, gang_claim& to) {
    constexpr std::string_view size_key = "scheduling.kcontrol.dev/gang-size";
    constexpr std::string_view timeout_key = "scheduling.kcontrol.dev/gang-timeout";
    auto& terms = to.terms.emplace();
    const auto size = gang_entry(pod.annotations, size_key);
    const auto read = std::from_chars(size.data(), size.data() + size.size(), terms.minimum);
    if (read.ec != std::errc() || read.ptr != size.data() + size.size() || terms.minimum < 1) {
        terms.minimum = 1;
        to.wrong = gang_annotation_wrong(pod, size_key, size, "is not a number of pods, from 1 on");
    }
    const auto timeout = gang_entry(pod.annotations, timeout_key);
    if (timeout.empty()) return;
    const auto length = parse_duration(timeout);
    if (length && *length > duration::zero()) {
        terms.timeout = *length;
    } else if (to.wrong.empty()) {
        to.wrong = gang_annotation_wrong(pod, timeout_key, timeout, "is not a positive duration, such as \"5m\"");
    }
}

}  // namespace detail

KCONTROL_DECL std::optional<gang_claim> gang_claim_of(const api::core::v1::pod& pod) {
    const auto& meta = pod.metadata;
    const auto claim = [&](gang_source source, std::string_view name) {
        return gang_claim{{meta.namespace_, std::string(name), source}, std::nullopt, {}};
    };
    if (const auto name = detail::gang_entry(meta.labels, "scheduling.kcontrol.dev/gang"); !name.empty()) {
        auto out = claim(gang_source::annotations, name);
        detail::read_annotated_terms(meta, out);
        return out;
    }
    if (const auto& name = pod.spec.scheduling_group->pod_group_name; !name.empty()) {
        return claim(gang_source::pod_group, name);
    }
    if (const auto name = detail::gang_entry(meta.labels, "scheduling.x-k8s.io/pod-group"); !name.empty()) {
        return claim(gang_source::x_pod_group, name);
    }
    if (const auto name = detail::gang_entry(meta.annotations, "scheduling.k8s.io/group-name"); !name.empty()) {
        return claim(gang_source::volcano_group, name);
    }
    return std::nullopt;
}

}  // namespace kcontrol::scheduling
