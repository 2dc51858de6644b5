#pragma once

#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/service/detail/own_pod.hpp>

namespace kcontrol::inline v0_1::service::detail {

inline std::string first_line(environment& env, const char* path) {
    const auto text = env.read_file(path, 4096);
    return text ? text->substr(0, text->find_first_of("\r\n")) : std::string();
}

KCONTROL_DECL std::string host_name(environment& env) {
    std::string name = env.variable("HOSTNAME").value_or("");
    return name.empty() ? first_line(env, "/proc/sys/kernel/hostname") : name;
}

KCONTROL_DECL std::string own_namespace(environment& env) {
    return first_line(env, "/var/run/secrets/kubernetes.io/serviceaccount/namespace");
}

KCONTROL_DECL const resource_info& pod_metadata() {
    static const resource_info info = metadata_resource({"", "v1", "Pod"}, "pods");
    return info;
}

KCONTROL_DECL std::string role_rule(std::string_view group, std::string_view resource,
                                    std::initializer_list<std::string_view> verbs) {
    std::string out =
        "{apiGroups: [\"" + std::string(group) + "\"], resources: [\"" + std::string(resource) + "\"], verbs: [";
    for (const std::string_view verb : verbs) {
        if (out.back() == '"') out += ", ";
        out += "\"" + std::string(verb) + "\"";
    }
    return out + "]}";
}

}  // namespace kcontrol::service::detail
