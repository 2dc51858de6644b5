#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/model/names.hpp>
#include <kcontrol/service/leader_follower.hpp>

namespace kcontrol::inline v0_1::service {

KCONTROL_DECL result<namespaced_name> parse_leader_url(std::string_view url) {
    const auto wrong = [&](const std::string& why) {
        return error(errc::invalid_argument,
                     "leader \"" + escape_control(url) + "\": " + why + "; the form is k8s://NAMESPACE/LEASE");
    };
    constexpr std::string_view scheme = "k8s://";
    if (!url.starts_with(scheme)) return wrong("it does not begin with k8s://");
    const std::string_view path = url.substr(scheme.size());
    const auto slash = path.find('/');
    if (slash == std::string_view::npos) return wrong("it has no Lease");
    namespaced_name out(std::string(path.substr(0, slash)), std::string(path.substr(slash + 1)));
    if (out.namespace_.empty()) return wrong("it has no namespace");
    if (out.name.empty()) return wrong("it has no Lease");
    if (const auto bad = check_dns1123_label(out.namespace_); !bad.empty()) {
        return wrong("the namespace: " + join_problems(bad));
    }
    if (const auto bad = check_dns1123_subdomain(out.name); !bad.empty())
        return wrong("the Lease: " + join_problems(bad));
    return out;
}

}  // namespace kcontrol::service
