// A controller's own view of a pod: fourteen fields.
#pragma once

#include <kcontrol/model/resource.hpp>

#include <cstdint>
#include <optional>

namespace kcontrol_bench {

using kcontrol::field;
using kcontrol::fields;

struct seen_container {
    kcontrol::text name;
    kcontrol::text image;
    static constexpr auto kcontrol_fields() {
        return fields(field("name", &seen_container::name), field("image", &seen_container::image));
    }
};

struct seen_container_status {
    kcontrol::text name;
    std::optional<bool> ready;
    std::optional<std::int32_t> restart_count;
    static constexpr auto kcontrol_fields() {
        using self = seen_container_status;
        return fields(field("name", &self::name), field("ready", &self::ready),
                      field("restartCount", &self::restart_count));
    }
};

struct seen_spec {
    kcontrol::text node_name;
    kcontrol::list<seen_container> containers;
    static constexpr auto kcontrol_fields() {
        return fields(field("nodeName", &seen_spec::node_name), field("containers", &seen_spec::containers));
    }
};

struct seen_status {
    kcontrol::text phase;
    kcontrol::text pod_ip;
    kcontrol::list<seen_container_status> container_statuses;
    static constexpr auto kcontrol_fields() {
        return fields(field("phase", &seen_status::phase), field("podIP", &seen_status::pod_ip),
                      field("containerStatuses", &seen_status::container_statuses));
    }
};

struct seen_pod {
    using kcontrol_projection = void;
    static constexpr kcontrol::resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    kcontrol::object_meta metadata;
    seen_spec spec;
    seen_status status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &seen_pod::spec), field("status", &seen_pod::status));
    }
};

}  // namespace kcontrol_bench
