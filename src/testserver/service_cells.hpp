// The columns of services and what leads to them.
#pragma once

#include "testserver/cell_parts.hpp"

namespace kcontrol::inline v0_1::testing::detail {

inline std::vector<std::string> texts_in(const json::value& object, cell_path path) {
    std::vector<std::string> out;
    for (const auto& one : list_in(object, path)) {
        if (one.is_string()) out.emplace_back(one.get_string());
    }
    return out;
}

// Addresses of a load balancer, sorted.
inline std::vector<std::string> balanced_addresses(const json::value& object) {
    std::set<std::string> found;
    for (const auto& one : list_in(object, {"status", "loadBalancer", "ingress"})) {
        const std::string address = text_in(one, {"ip"}, json::get_string(one, {"hostname"}));
        if (!address.empty()) found.insert(address);
    }
    return {found.begin(), found.end()};
}

inline std::string external_address(const json::value& service) {
    const std::string type = text_in(service, {"spec", "type"}, "ClusterIP");
    const auto given = texts_in(service, {"spec", "externalIPs"});
    if (type == "ExternalName") return text_in(service, {"spec", "externalName"});
    if (type != "LoadBalancer") return given.empty() ? "<none>" : joined(given);
    auto all = balanced_addresses(service);
    all.insert(all.end(), given.begin(), given.end());
    return all.empty() ? "<pending>" : joined(all);
}

inline json::array service_cells(const json::value& o, wall_time now) {
    std::vector<std::string> ports;
    for (const auto& port : list_in(o, {"spec", "ports"})) {
        std::string one = std::to_string(number_in(port, {"port"}));
        const std::int64_t at_node = number_in(port, {"nodePort"});
        if (at_node > 0) one += ":" + std::to_string(at_node);
        ports.push_back(one + "/" + text_in(port, {"protocol"}, "TCP"));
    }
    const auto addresses = texts_in(o, {"spec", "clusterIPs"});
    return {name_in(o),
            text_in(o, {"spec", "type"}, "ClusterIP"),
            addresses.empty() ? "<none>" : addresses.front(),
            external_address(o),
            ports.empty() ? "<none>" : joined(ports),
            age_of(o, now),
            shown_labels(value_in(o, {"spec", "selector"}))};
}

inline json::array ingress_cells(const json::value& o, wall_time now) {
    std::vector<std::string> hosts;
    const json::array& rules = list_in(o, {"spec", "rules"});
    for (const auto& rule : rules) {
        if (hosts.size() == 3) break;
        const std::string host = text_in(rule, {"host"});
        if (!host.empty()) hosts.push_back(host);
    }
    std::string shown = hosts.empty() ? "*" : joined(hosts);
    if (hosts.size() == 3 && rules.size() > 3) shown += " + " + std::to_string(rules.size() - 3) + " more...";
    return {name_in(o),
            text_in(o, {"spec", "ingressClassName"}, "<none>"),
            shown,
            joined(balanced_addresses(o)),
            list_in(o, {"spec", "tls"}).empty() ? "80" : "80, 443",
            age_of(o, now)};
}

inline json::array endpoints_cells(const json::value& o, wall_time now) {
    const json::array& subsets = list_in(o, {"subsets"});
    std::vector<std::string> all;
    for (const auto& subset : subsets) {
        const json::array& ports = list_in(subset, {"ports"});
        for (const auto& address : list_in(subset, {"addresses"})) {
            if (ports.empty()) all.push_back(text_in(address, {"ip"}));
        }
        for (const auto& port : ports) {
            for (const auto& address : list_in(subset, {"addresses"})) {
                const std::string ip = text_in(address, {"ip"});
                const bool six = ip.find(':') != std::string::npos;
                all.push_back((six ? "[" + ip + "]" : ip) + ":" + std::to_string(number_in(port, {"port"})));
            }
        }
    }
    return {name_in(o), subsets.empty() ? "<none>" : first_of(all, 3), age_of(o, now)};
}

inline json::array endpoint_slice_cells(const json::value& o, wall_time now) {
    std::vector<std::string> ports, addresses;
    for (const auto& port : list_in(o, {"ports"})) {
        const json::value& number = value_in(port, {"port"});
        ports.push_back(number.is_int64() ? std::to_string(number.get_int64()) : text_in(port, {"name"}, "*"));
    }
    for (const auto& endpoint : list_in(o, {"endpoints"})) {
        for (auto& address : texts_in(endpoint, {"addresses"})) addresses.push_back(std::move(address));
    }
    const auto shown = [](const std::vector<std::string>& all) { return all.empty() ? "<unset>" : first_of(all, 3); };
    return {name_in(o), text_in(o, {"addressType"}), shown(ports), shown(addresses), age_of(o, now)};
}

inline json::array network_policy_cells(const json::value& o, wall_time now) {
    return {name_in(o), shown_selector(value_in(o, {"spec", "podSelector"})), age_of(o, now)};
}

}  // namespace kcontrol::testing::detail
