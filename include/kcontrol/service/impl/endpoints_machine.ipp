#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/service/detail/endpoints_machine.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::service::detail {

KCONTROL_DECL std::vector<endpoint> read_slice(const endpoint_slice& slice, std::uint16_t port) {
    std::vector<endpoint> out;
    if (slice.address_type == "FQDN") return out;
    out.reserve(slice.endpoints.size());
    for (const auto& from : slice.endpoints) {
        if (from.addresses.empty()) continue;
        endpoint one;
        one.address = from.addresses.begin()->str();
        one.port = port;
        one.ready = from.conditions.ready.value_or(true);
        one.serving = from.conditions.serving.value_or(one.ready);
        one.terminating = from.conditions.terminating.value_or(false);
        one.zone = from.zone.str();
        one.node = from.node_name.str();
        if (from.target_ref.kind == "Pod") one.pod = from.target_ref.name.str();
        out.push_back(std::move(one));
    }
    return out;
}

KCONTROL_DECL std::vector<endpoint> read_pod(const followed_pod& pod, std::uint16_t port) {
    if (pod.status.phase == "Succeeded" || pod.status.phase == "Failed") return {};
    endpoint one;
    one.port = port;
    one.terminating = pod.metadata.deletion_timestamp.present();
    one.node = pod.spec.node_name.str();
    one.pod = pod.metadata.name.str();
    if (const text* const zone = pod.metadata.labels.get("topology.kubernetes.io/zone")) one.zone = zone->str();
    for (const auto& condition : pod.status.conditions) {
        if (condition.type == "Ready") one.serving = condition.status == "True";
    }
    one.ready = one.serving && !one.terminating;
    std::vector<endpoint> out;
    for (const auto& address : pod.status.pod_ips) {
        if (address.ip.empty()) continue;
        one.address = address.ip.str();
        out.push_back(one);
    }
    if (out.empty() && !pod.status.pod_ip.empty()) {
        one.address = pod.status.pod_ip.str();
        out.push_back(std::move(one));
    }
    return out;
}

KCONTROL_DECL endpoints_machine::endpoints_machine(endpoints_target target, port_choice port)
    : target_(std::move(target)),
      port_(std::move(port)),
      set_(target_.is_service() ? conflict_rule::newest : conflict_rule::running) {}

KCONTROL_DECL void endpoints_machine::note(const std::string& name, source now) {
    source& of = sources_[name];
    if (of.matches) --matching_;
    if (now.matches) ++matching_;
    of = std::move(now);
}

KCONTROL_DECL void endpoints_machine::read(const std::string& name, source& from) {
    const endpoint_slice& slice = *from.slice;
    const bool orphan = is_orphan(slice);
    const auto port = orphan ? std::nullopt : slice_port(slice, service_.get(), port_);
    if (from.matches) --matching_;
    from.matches = port.has_value();
    if (from.matches) ++matching_;
    from.ports = port || orphan ? std::string() : describe_ports(slice.ports);
    set_.put(name, slice.metadata.resource_version.view(), port ? read_slice(slice, *port) : std::vector<endpoint>());
}

KCONTROL_DECL void endpoints_machine::put(std::shared_ptr<const endpoint_slice> slice) {
    const std::string name = slice->metadata.name.str();
    source& of = sources_[name];
    of.slice = std::move(slice);
    read(name, of);
}

KCONTROL_DECL void endpoints_machine::put(const followed_pod& pod) {
    const std::string name = pod.metadata.name.str();
    const auto port = pod_port(pod, port_);
    source now;
    now.matches = port.has_value();
    if (!port) now.ports = describe_ports(pod);
    note(name, std::move(now));
    set_.put(name, pod.metadata.resource_version.view(), port ? read_pod(pod, *port) : std::vector<endpoint>());
}

KCONTROL_DECL void endpoints_machine::remove(const std::string& name) {
    const auto found = sources_.find(name);
    if (found == sources_.end()) return;
    if (found->second.matches) --matching_;
    sources_.erase(found);
    set_.remove(name);
}

KCONTROL_DECL void endpoints_machine::load(std::vector<endpoint> saved) { set_.put({}, {}, std::move(saved)); }

template <class Names>
void endpoints_machine::keep_only(const Names& names) {
    set_.remove({});  // of load()
    for (auto at = sources_.begin(); at != sources_.end();) {
        const std::string name = (at++)->first;
        if (names.find(name) == names.end()) remove(name);
    }
}

KCONTROL_DECL void endpoints_machine::replace(const std::vector<std::shared_ptr<const endpoint_slice>>& all) {
    std::set<std::string> names;
    for (const auto& one : all) names.insert(one->metadata.name.str());
    keep_only(names);
    for (const auto& one : all) put(one);
}

KCONTROL_DECL void endpoints_machine::replace(const std::vector<std::shared_ptr<const followed_pod>>& all) {
    std::set<std::string> names;
    for (const auto& one : all) names.insert(one->metadata.name.str());
    keep_only(names);
    for (const auto& one : all) put(*one);
}

// A Service that a restored etcd brings back is not dead any more.
KCONTROL_DECL void endpoints_machine::put_service(std::shared_ptr<const followed_service> service) {
    constexpr std::size_t most = 16;
    if (service_ && (!service || service->metadata.uid != service_->metadata.uid)) {
        if (dead_.size() == most) dead_.erase(dead_.begin());
        dead_.push_back(service_->metadata.uid.str());
    }
    if (service) std::erase(dead_, service->metadata.uid.str());
    service_ = std::move(service);
    service_known_ = true;
    for (auto& [name, of] : sources_) {
        if (of.slice) read(name, of);
    }
}

KCONTROL_DECL bool endpoints_machine::is_orphan(const endpoint_slice& slice) const {
    if (dead_.empty()) return false;
    for (const auto& owner : slice.metadata.owner_references) {
        if (owner.kind == "Service" && std::find(dead_.begin(), dead_.end(), owner.uid.view()) != dead_.end()) {
            return true;
        }
    }
    return false;
}

// Each port once, in the order in which they are found: slices of both address families, and of a rollout, have the
// same.
KCONTROL_DECL std::string endpoints_machine::known_ports() const {
    if (service_ && !service_->spec.ports.empty()) return describe_ports(service_->spec.ports);
    std::set<std::string> found;
    std::string out;
    constexpr std::string_view comma = ", ";
    for (const auto& [name, of] : sources_) {
        for (std::size_t from = 0; from < of.ports.size();) {
            const std::size_t to = std::min(of.ports.find(comma, from), of.ports.size());
            const std::string one = of.ports.substr(from, to - from);
            if (found.insert(one).second) out += (out.empty() ? "" : ", ") + one;
            from = to + comma.size();
        }
        if (found.size() >= 8) break;  // a message, not a list of all pods
    }
    return out;
}

KCONTROL_DECL std::optional<error> endpoints_machine::service_problem() const {
    if (!target_.is_service() || !service_known_) return std::nullopt;
    const std::string name = to_string(target_);
    if (!service_) {
        return error(api_errc::not_found, name + ": there is no such Service; it is followed as soon as it is created");
    }
    if (service_->spec.type == "ExternalName") {
        return error(errc::invalid_argument, name + ": it is of type ExternalName and has no endpoints; connect to \"" +
                                                 escape_control(service_->spec.external_name.view()) + "\"");
    }
    if (service_->spec.selector.empty() && sources_.empty()) {
        return error(api_errc::not_found, name +
                                              ": it has no selector, and there is no EndpointSlice with its label "
                                              "kubernetes.io/service-name; create one, or give it a selector");
    }
    return std::nullopt;
}

KCONTROL_DECL std::optional<error> endpoints_machine::problem() const {
    if (auto wrong = service_problem()) return wrong;
    if (matching_ != 0 || service_port(service_.get(), port_) != nullptr) return std::nullopt;
    const std::string ports = known_ports();
    const std::string name = to_string(target_);
    if (!port_.is_first() && !ports.empty()) {
        return error(errc::invalid_argument,
                     name + ": there is no port \"" + port_.text() + "\"; choose one of " + ports);
    }
    if (!target_.is_service() && !port_.number() && !sources_.empty()) {
        return error(errc::invalid_argument, name + ": the pods declare no " +
                                                 (port_.is_first() ? "port" : "port \"" + port_.text() + "\"") +
                                                 "; choose one by its number");
    }
    return std::nullopt;
}

}  // namespace kcontrol::service::detail
