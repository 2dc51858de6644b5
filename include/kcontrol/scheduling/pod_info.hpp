// pod_info: a pod, and what filters and scores need to know of it, computed once.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/base/error.hpp>
#include <kcontrol/scheduling/host_port.hpp>
#include <kcontrol/scheduling/pod_terms.hpp>
#include <kcontrol/scheduling/resource_amounts.hpp>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// A version of a pod. It never changes; another version of the pod has another pod_info.
///
/// Thread-safety: shared objects safe.
class pod_info {
public:
    /// Computes everything. A pod with parts that are wrong has a pod_info too; see invalid().
    KCONTROL_DECL explicit pod_info(std::shared_ptr<const api::core::v1::pod> pod);

    const api::core::v1::pod& pod() const noexcept { return *pod_; }                               ///< the object
    const std::shared_ptr<const api::core::v1::pod>& shared_pod() const noexcept { return pod_; }  ///< to keep it
    std::string_view namespace_() const noexcept { return pod_->metadata.namespace_; }  ///< metadata.namespace
    std::string_view name() const noexcept { return pod_->metadata.name; }              ///< metadata.name
    std::string_view uid() const noexcept { return pod_->metadata.uid; }                ///< metadata.uid
    std::int32_t priority() const noexcept { return pod_->spec.priority.value_or(0); }  ///< spec.priority

    /// What it requests, as kube-scheduler computes it; `pods` is 1. What is beyond 2^63-1 is 2^63-1, and what is no
    /// amount is 0.
    const resource_amounts& requests() const noexcept { return requests_; }
    /// The same for scores: a container that requests no cpu counts with 100m, and one that requests no memory with
    /// 200 MiB.
    std::int64_t scored_cpu_milli() const noexcept { return scored_cpu_milli_; }
    std::int64_t scored_memory() const noexcept { return scored_memory_; }  ///< in bytes

    /// The ports of the node that its containers take, sorted.
    const std::vector<host_port>& host_ports() const noexcept { return host_ports_; }
    /// The images of its containers and volumes in the form in which nodes report them, with a tag.
    const std::vector<interned_name>& images() const noexcept { return images_; }
    /// Affinity and spread constraints; a term that is wrong is not there.
    const pod_terms& terms() const noexcept { return terms_ == nullptr ? no_terms() : *terms_; }
    /// Whether it has terms of pod affinity or anti-affinity, required or preferred.
    bool has_pod_affinity() const noexcept { return has_pod_affinity_; }
    /// Whether it has required terms of pod anti-affinity.
    bool has_required_anti_affinity() const noexcept { return terms_ != nullptr && !terms_->anti_affinity.empty(); }

    /// What is wrong with it, or null: object, field and value. Such a pod is not scheduled. If it is on a node, it
    /// counts there.
    const error* invalid() const noexcept { return invalid_.get(); }

private:
    static KCONTROL_DECL const pod_terms& no_terms() noexcept;

    std::shared_ptr<const api::core::v1::pod> pod_;
    resource_amounts requests_;
    std::int64_t scored_cpu_milli_ = 0;
    std::int64_t scored_memory_ = 0;
    std::vector<host_port> host_ports_;
    std::vector<interned_name> images_;
    std::unique_ptr<const pod_terms> terms_;  // null: none
    std::unique_ptr<const error> invalid_;    // null: nothing
    bool has_pod_affinity_ = false;
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/pod_info.ipp>
#endif
