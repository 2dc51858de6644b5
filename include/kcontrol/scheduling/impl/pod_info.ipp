#pragma once

#include <kcontrol/scheduling/impl/pod_requests.hpp>
#include <kcontrol/scheduling/impl/terms_parser.hpp>
#include <kcontrol/scheduling/pod_info.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

inline void add_host_ports(const api::core::v1::container& of, std::vector<host_port>& to) {
    for (const auto& port : of.ports) {
        if (port.host_port.value_or(0) <= 0) continue;
        to.push_back({*port.host_port, port.protocol.empty() ? text("TCP") : port.protocol,
                      port.host_ip.empty() ? text("0.0.0.0") : port.host_ip});
    }
}

// As nodes report it: with a tag, which is "latest" if the pod gives none. A digest has a colon, too.
inline interned_name image_name(std::string_view image) {
    const auto colon = image.rfind(':');
    const auto slash = image.rfind('/');
    const bool has_tag = colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
    return has_tag ? interned_name(image) : interned_name(std::string(image) + ":latest");
}

inline std::string pod_title(const object_meta& meta) { return "pod " + meta.namespace_.str() + "/" + meta.name.str(); }

}  // namespace detail

KCONTROL_DECL pod_info::pod_info(std::shared_ptr<const api::core::v1::pod> pod) : pod_(std::move(pod)) {
    const auto& spec = pod_->spec;
    detail::pod_requests requests(*pod_);
    requests_ = requests.requests();
    scored_cpu_milli_ = requests.scored_cpu_milli();
    scored_memory_ = requests.scored_memory();
    if (!requests.wrong().empty()) {
        invalid_ = std::make_unique<const error>(errc::invalid_argument,
                                                 detail::pod_title(pod_->metadata) + ": " + requests.wrong());
    }
    for (const auto& one : spec.init_containers) {
        images_.push_back(detail::image_name(one.image));
        if (one.restart_policy == "Always") detail::add_host_ports(one, host_ports_);
    }
    for (const auto& one : spec.containers) {
        images_.push_back(detail::image_name(one.image));
        detail::add_host_ports(one, host_ports_);
    }
    for (const auto& one : spec.volumes) {
        if (one.image.present()) images_.push_back(detail::image_name(one.image->reference));
    }
    std::sort(host_ports_.begin(), host_ports_.end());
    if (!detail::terms_parser::has_terms(spec)) return;
    detail::terms_parser parser(*pod_);
    terms_ = std::make_unique<const pod_terms>(parser.take());
    has_pod_affinity_ = !terms_->affinity.empty() || !terms_->anti_affinity.empty() ||
                        !terms_->preferred_affinity.empty() || !terms_->preferred_anti_affinity.empty();
    if (parser.wrong() && invalid_ == nullptr) {
        invalid_ = std::make_unique<const error>(parser.wrong()->with_context(detail::pod_title(pod_->metadata)));
    }
}

KCONTROL_DECL const pod_terms& pod_info::no_terms() noexcept {
    static const pod_terms none;
    return none;
}

}  // namespace kcontrol::scheduling
