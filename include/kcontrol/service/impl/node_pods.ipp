#pragma once

#include <kcontrol/model/names.hpp>
#include <kcontrol/service/node_pods.hpp>

namespace kcontrol::inline v0_1::service {

KCONTROL_DECL result<std::string> own_node_name(const environment& env) {
    std::string name = env.variable("NODE_NAME").value_or("");
    if (name.empty()) {
        return error(errc::invalid_config,
                     "variable NODE_NAME: it is not set; set it in the pod from fieldRef spec.nodeName");
    }
    const auto wrong = check_dns1123_subdomain(name);
    if (wrong.empty()) return name;
    return error(errc::invalid_config, "variable NODE_NAME: \"" + escape_control(name) + "\": " + join_problems(wrong));
}

KCONTROL_DECL std::string node_selector_of(const std::string& node) { return "spec.nodeName=" + node; }

KCONTROL_DECL node_pods::node_pods(environment& env, executor ex, client cl, std::string node, logger log)
    : informer(env, std::move(ex), std::move(cl),
               informer_options().field_selector(node_selector_of(node)).log(std::move(log))),
      node_(std::move(node)) {}

}  // namespace kcontrol::service
