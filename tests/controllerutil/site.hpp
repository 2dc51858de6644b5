// The kinds of these tests: one with a status, dependents of it, and one without a namespace.
#pragma once

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/model/condition.hpp>
#include <kcontrol/schema/crd_options.hpp>

#include <optional>
#include <string>
#include <utility>

namespace kcontrol::test {

struct site_spec {
    std::optional<std::int32_t> replicas;
    text image;
    static constexpr auto kcontrol_fields() {
        return fields(field("replicas", &site_spec::replicas), field("image", &site_spec::image));
    }
    friend bool operator==(const site_spec&, const site_spec&) = default;
};

struct site_status {
    text phase;
    std::optional<std::int32_t> ready_replicas;
    list<status_condition> conditions;
    static constexpr auto kcontrol_fields() {
        return fields(field("phase", &site_status::phase), field("readyReplicas", &site_status::ready_replicas),
                      field("conditions", &site_status::conditions));
    }
    friend bool operator==(const site_status&, const site_status&) = default;
};

struct site {
    static constexpr resource_name kcontrol_resource{"test.kcontrol.dev", "v1", "Site", "sites"};
    object_meta metadata;
    site_spec spec;
    site_status status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &site::spec), field("status", &site::status));
    }
    static constexpr auto kcontrol_crd() { return crd().status(); }
    friend bool operator==(const site&, const site&) = default;
};

/// A dependent.
struct part {
    static constexpr resource_name kcontrol_resource{"test.kcontrol.dev", "v1", "Part", "parts"};
    object_meta metadata;
    site_spec spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &part::spec)); }
};
struct zone {
    static constexpr resource_name kcontrol_resource{"test.kcontrol.dev", "v1", "Zone", "zones",
                                                     resource_scope::cluster};
    object_meta metadata;
    site_spec spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &zone::spec)); }
};

template <class T>
T named(std::string name, std::string ns = "default") {
    T out;
    out.metadata.name = std::move(name);
    out.metadata.namespace_ = std::move(ns);
    return out;
}

}  // namespace kcontrol::test
