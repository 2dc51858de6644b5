// A count of GPUs as resource lists hold it: a Kubernetes quantity, which JSON writes as a number or as text.
#pragma once

#include <kcontrol/json/reader.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/model/field.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace training_monitor {

/// A quantity of something that can't be divided. One that is no number counts as 0: a job with a broken template is
/// shown nevertheless.
struct gpu_quantity {
    std::int64_t count = 0;

    friend bool operator==(const gpu_quantity&, const gpu_quantity&) = default;
};

/// The whole number that a quantity ("8", "1k", "2Ki", "500m", "1e1") comes to, rounded up; 0 for what is none, or is
/// negative. Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
std::int64_t quantity_ceil(std::string_view text);

}  // namespace training_monitor

template <>
struct kcontrol::custom_codec<training_monitor::gpu_quantity> {
    static result<void> decode(json::node from, training_monitor::gpu_quantity& out);
    static void encode(const training_monitor::gpu_quantity& quantity, json::writer& to);
    static bool empty(const training_monitor::gpu_quantity&) { return false; }
};
