// An event about an object, as core/v1 has it: of it what is shown.
// Source: https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
#pragma once

#include <kcontrol/model/field.hpp>
#include <kcontrol/model/object_meta.hpp>
#include <kcontrol/model/resource.hpp>

#include "pods/why.hpp"

#include <cstdint>
#include <string>

namespace training_monitor {

struct event_subject {
    std::string kind;
    std::string name;
    std::string uid;

    static constexpr auto kcontrol_fields() {
        using self = event_subject;
        return kcontrol::fields(kcontrol::field("kind", &self::kind), kcontrol::field("name", &self::name),
                                kcontrol::field("uid", &self::uid));
    }
};

struct event_series {
    std::int64_t count = 0;
    std::string last_observed_time;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("count", &event_series::count),
                                kcontrol::field("lastObservedTime", &event_series::last_observed_time));
    }
};

struct event_record {
    using kcontrol_projection = void;
    static constexpr kcontrol::resource_name kcontrol_resource{"", "v1", "Event", "events"};

    kcontrol::object_meta metadata;
    event_subject involved_object;
    std::string type;
    std::string reason;
    std::string message;
    std::int64_t count = 0;
    std::string last_timestamp;
    std::string event_time;
    event_series series;

    static constexpr auto kcontrol_fields() {
        using self = event_record;
        return kcontrol::fields(
            kcontrol::field("involvedObject", &self::involved_object), kcontrol::field("type", &self::type),
            kcontrol::field("reason", &self::reason), kcontrol::field("message", &self::message),
            kcontrol::field("count", &self::count), kcontrol::field("lastTimestamp", &self::last_timestamp),
            kcontrol::field("eventTime", &self::event_time), kcontrol::field("series", &self::series));
    }
};

/// The message is cut to 1 KiB.
object_event observe(const event_record& event);

/// The newest `most` of them, the newest first.
void keep_newest(std::vector<object_event>& events, std::size_t most);

}  // namespace training_monitor
