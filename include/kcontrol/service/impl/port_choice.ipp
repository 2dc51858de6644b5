#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/model/names.hpp>
#include <kcontrol/service/detail/port_choice.hpp>

#include <charconv>

namespace kcontrol::inline v0_1::service::detail {

// Kubernetes' default where the server says none.
template <class Port>
bool is_tcp(const Port& port) {
    return port.protocol.empty() || port.protocol == "TCP";
}

inline std::optional<std::uint16_t> usable_port(std::optional<std::int32_t> number) {
    if (!number || *number < 1 || *number > 65535) return std::nullopt;
    return static_cast<std::uint16_t>(*number);
}

// The one for which `is` holds; of several, as 53 of TCP and UDP, that of TCP.
template <class Ports, class Is>
auto find_port(const Ports& ports, Is is) -> decltype(&*ports.begin()) {
    decltype(&*ports.begin()) found = nullptr;
    for (const auto& one : ports) {
        if (is(one) && (found == nullptr || (is_tcp(one) && !is_tcp(*found)))) found = &one;
    }
    return found;
}

template <class Port>
void describe_port(std::string& to, const Port& port) {
    const std::string number = port.port ? std::to_string(*port.port) : std::string("any number");
    if (!to.empty()) to += ", ";
    to += port.name.empty() ? number : escape_control(port.name.view()) + " (" + number + ")";
}

// Containers that serve: those of the pod, and before them what Kubernetes calls sidecars.
template <class Visit>
void for_each_port(const followed_pod& pod, Visit visit) {
    for (const auto& one : pod.spec.containers) {
        for (const auto& port : one.ports) visit(port);
    }
    for (const auto& one : pod.spec.init_containers) {
        if (one.restart_policy != "Always") continue;
        for (const auto& port : one.ports) visit(port);
    }
}

KCONTROL_DECL result<port_choice> port_choice::parse(std::string_view text) {
    port_choice out;
    if (text.empty()) return out;
    if (text.find_first_not_of("0123456789") != std::string_view::npos) {
        const auto wrong = check_dns1123_label(text);
        if (wrong.empty()) return out.name_ = text, out;
        return error(errc::invalid_argument, "port \"" + escape_control(text) + "\": " + join_problems(wrong) +
                                                 "; give the name of a port, or a number from 1 to 65535");
    }
    std::uint16_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc() || number == 0) {
        return error(errc::invalid_argument, "port " + std::string(text) + ": a number from 1 to 65535 is needed");
    }
    out.number_ = number;
    return out;
}

KCONTROL_DECL const named_port* service_port(const followed_service* in, const port_choice& choice) {
    if (in == nullptr || in->spec.ports.empty()) return nullptr;
    if (choice.is_first()) return &*in->spec.ports.begin();
    if (choice.number()) {
        return find_port(in->spec.ports, [&](const named_port& p) { return usable_port(p.port) == choice.number(); });
    }
    return find_port(in->spec.ports, [&](const named_port& p) { return p.name == choice.name(); });
}

KCONTROL_DECL std::optional<std::uint16_t> slice_port(const endpoint_slice& slice, const followed_service* service,
                                                      const port_choice& choice) {
    // Without a port of the slice's own, the number that was named is as good as any.
    const auto unrestricted = [&]() -> std::optional<std::uint16_t> {
        if (choice.number()) return *choice.number();
        return choice.is_first() ? std::optional<std::uint16_t>(0) : std::nullopt;
    };
    if (slice.ports.empty()) return unrestricted();
    const named_port* found = nullptr;
    if (const named_port* const of_service = service_port(service, choice)) {
        found = find_port(slice.ports, [&](const named_port& p) { return p.name == of_service->name; });
    } else if (choice.is_first()) {
        found = &*slice.ports.begin();
    } else if (choice.number()) {
        found = find_port(slice.ports, [&](const named_port& p) { return usable_port(p.port) == choice.number(); });
    } else {
        found = find_port(slice.ports, [&](const named_port& p) { return p.name == choice.name(); });
    }
    if (found == nullptr) return std::nullopt;
    return found->port ? usable_port(found->port) : unrestricted();
}

KCONTROL_DECL std::optional<std::uint16_t> pod_port(const followed_pod& pod, const port_choice& choice) {
    if (choice.number()) return choice.number();
    std::optional<std::uint16_t> found;
    for_each_port(pod, [&](const container_port& port) {
        if (!found && (choice.is_first() || port.name == choice.name())) found = usable_port(port.port);
    });
    return found;
}

KCONTROL_DECL std::string describe_ports(const list<named_port>& ports) {
    std::string out;
    for (const auto& port : ports) describe_port(out, port);
    return out;
}

KCONTROL_DECL std::string describe_ports(const followed_pod& pod) {
    std::string out;
    for_each_port(pod, [&](const container_port& port) { describe_port(out, port); });
    return out;
}

}  // namespace kcontrol::service::detail
