// A Pod-like kind for the tests: about 40 fields over six structs.
#pragma once

#include <kcontrol/model/resource.hpp>

namespace kcontrol_test {

struct env_var {
    std::string name;
    std::string value;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("name", &env_var::name), kcontrol::field("value", &env_var::value));
    }
};

struct container_port {
    std::string name;
    std::int32_t container_port = 0;
    std::optional<std::int32_t> host_port;
    std::string protocol;

    static constexpr auto kcontrol_fields() {
        using self = kcontrol_test::container_port;
        return kcontrol::fields(
            kcontrol::field("name", &self::name), kcontrol::field("containerPort", &self::container_port),
            kcontrol::field("hostPort", &self::host_port), kcontrol::field("protocol", &self::protocol));
    }
};

struct container {
    std::string name;
    std::string image;
    std::vector<std::string> command;
    std::vector<std::string> args;
    std::vector<env_var> env;
    std::vector<container_port> ports;
    std::map<std::string, std::string> limits;
    std::string image_pull_policy;
    std::optional<bool> tty;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(
            kcontrol::field("name", &container::name), kcontrol::field("image", &container::image),
            kcontrol::field("command", &container::command), kcontrol::field("args", &container::args),
            kcontrol::field("env", &container::env), kcontrol::field("ports", &container::ports),
            kcontrol::field("limits", &container::limits),
            kcontrol::field("imagePullPolicy", &container::image_pull_policy), kcontrol::field("tty", &container::tty));
    }
};

struct pod_spec {
    std::vector<container> containers;
    std::vector<container> init_containers;
    std::string node_name;
    std::map<std::string, std::string> node_selector;
    std::string restart_policy;
    std::string service_account_name;
    std::optional<std::int64_t> active_deadline_seconds;
    std::optional<std::int64_t> termination_grace_period_seconds;
    std::optional<std::int32_t> priority;
    bool host_network = false;
    std::string scheduler_name;
    std::string hostname;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(
            kcontrol::field("containers", &pod_spec::containers),
            kcontrol::field("initContainers", &pod_spec::init_containers),
            kcontrol::field("nodeName", &pod_spec::node_name),
            kcontrol::field("nodeSelector", &pod_spec::node_selector),
            kcontrol::field("restartPolicy", &pod_spec::restart_policy),
            kcontrol::field("serviceAccountName", &pod_spec::service_account_name),
            kcontrol::field("activeDeadlineSeconds", &pod_spec::active_deadline_seconds),
            kcontrol::field("terminationGracePeriodSeconds", &pod_spec::termination_grace_period_seconds),
            kcontrol::field("priority", &pod_spec::priority), kcontrol::field("hostNetwork", &pod_spec::host_network),
            kcontrol::field("schedulerName", &pod_spec::scheduler_name),
            kcontrol::field("hostname", &pod_spec::hostname));
    }
};

struct container_status {
    std::string name;
    bool ready = false;
    std::int32_t restart_count = 0;
    std::string image_id;
    std::optional<bool> started;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("name", &container_status::name),
                                kcontrol::field("ready", &container_status::ready),
                                kcontrol::field("restartCount", &container_status::restart_count),
                                kcontrol::field("imageID", &container_status::image_id),
                                kcontrol::field("started", &container_status::started));
    }
};

struct pod_status {
    std::string phase;
    std::string message;
    std::string reason;
    std::string pod_ip;
    std::string host_ip;
    std::string start_time;
    std::vector<container_status> container_statuses;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(
            kcontrol::field("phase", &pod_status::phase), kcontrol::field("message", &pod_status::message),
            kcontrol::field("reason", &pod_status::reason), kcontrol::field("podIP", &pod_status::pod_ip),
            kcontrol::field("hostIP", &pod_status::host_ip), kcontrol::field("startTime", &pod_status::start_time),
            kcontrol::field("containerStatuses", &pod_status::container_statuses));
    }
};

struct pod {
    static constexpr kcontrol::resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    kcontrol::object_meta metadata;
    pod_spec spec;
    pod_status status;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("spec", &pod::spec), kcontrol::field("status", &pod::status));
    }
};

}  // namespace kcontrol_test
