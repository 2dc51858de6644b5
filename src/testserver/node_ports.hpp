// The ports of the nodes, which all Services share.
#pragma once

#include <kcontrol/testing/failure.hpp>

#include "testserver/resource_table.hpp"
#include "testserver/write_rules.hpp"

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

inline const json::array& service_ports(const json::object& service) {
    static const json::array none;
    const json::value* spec = service.if_contains("spec");
    const json::value* ports = spec == nullptr ? nullptr : json::find(*spec, {"ports"});
    return ports != nullptr && ports->is_array() ? ports->get_array() : none;
}

// Whether the Service has this port on every node.
inline bool has_node_port(const json::object& service, const json::value& number, std::string_view protocol) {
    for (const auto& port : service_ports(service)) {
        const json::value* there = json::find(port, {"nodePort"});
        const std::string_view of = json::get_string(port, {"protocol"});
        if (there != nullptr && *there == number && (of.empty() ? "TCP" : of) == protocol) return true;
    }
    return false;
}

// Services share the ports of the nodes: what a client asks for may be another Service's.
inline outcome<void> check_node_ports(const resource_table& services, const write_target& target,
                                      const json::object& body, const json::object* before) {
    std::size_t index = 0;
    for (const auto& port : service_ports(body)) {
        const std::string field = "spec.ports[" + std::to_string(index++) + "].nodePort";
        const json::value* number = json::find(port, {"nodePort"});
        if (number == nullptr || !number->is_int64() || number->get_int64() == 0) continue;
        const std::string_view given = json::get_string(port, {"protocol"});
        const std::string_view protocol = given.empty() ? "TCP" : given;
        if (before != nullptr && has_node_port(*before, *number, protocol)) continue;
        const std::string shown = json::serialize(*number);
        for (const auto& [key, other] : services.objects()) {
            if (key.namespace_ == target.namespace_ && key.name == target.name) continue;
            if (other->bare_text().find("\"nodePort\":" + shown) == std::string::npos) continue;
            if (!has_node_port(other->content(), *number, protocol)) continue;
            return failure::invalid(kind_of(services.type()), member(body.at("metadata").as_object(), "name"), field,
                                    "FieldValueInvalid",
                                    "Invalid value: " + shown + ": provided port is already allocated");
        }
    }
    return {};
}

inline bool takes_node_ports(const resource_type& type, const write_target& target, const json::object& body) {
    if (!type.group.empty() || type.plural != "services" || !target.subresource.empty()) return false;
    const json::value* spec = body.if_contains("spec");
    const std::string_view kind = spec == nullptr ? std::string_view() : json::get_string(*spec, {"type"});
    return kind == "NodePort" || kind == "LoadBalancer";
}

}  // namespace kcontrol::testing::detail
