// The kinds of the lossless-write test: views that declare a few fields of what the server stores, at every depth.
#pragma once

#include <kcontrol/model/resource.hpp>

#include <cstdint>
#include <optional>

namespace kcontrol_test {

using kcontrol::boxed;
using kcontrol::dict;
using kcontrol::field;
using kcontrol::fields;
using kcontrol::list;
using kcontrol::object_meta;
using kcontrol::resource_name;
using kcontrol::text;

struct container_view {
    text name;
    text image;
    static constexpr auto kcontrol_fields() {
        return fields(field("name", &container_view::name), field("image", &container_view::image));
    }
};

struct pod_spec_view {
    list<container_view> containers;
    static constexpr auto kcontrol_fields() { return fields(field("containers", &pod_spec_view::containers)); }
};

struct pod_view {
    using kcontrol_projection = void;
    static constexpr resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    object_meta metadata;
    pod_spec_view spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &pod_view::spec)); }
};

struct template_view {
    pod_spec_view spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &template_view::spec)); }
};

struct deployment_spec_view {
    std::optional<std::int32_t> replicas;
    template_view template_;
    static constexpr auto kcontrol_fields() {
        return fields(field("replicas", &deployment_spec_view::replicas),
                      field("template", &deployment_spec_view::template_));
    }
};

struct deployment_view {
    using kcontrol_projection = void;
    static constexpr resource_name kcontrol_resource{"apps", "v1", "Deployment", "deployments"};
    object_meta metadata;
    deployment_spec_view spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &deployment_view::spec)); }
};

/// A map of which each value is known, and a kind of which nothing but the metadata is.
struct config_map_view {
    using kcontrol_projection = void;
    static constexpr resource_name kcontrol_resource{"", "v1", "ConfigMap", "configmaps"};
    object_meta metadata;
    dict<text> data;
    static constexpr auto kcontrol_fields() { return fields(field("data", &config_map_view::data)); }
};

struct role_view {
    using kcontrol_projection = void;
    static constexpr resource_name kcontrol_resource{"rbac.authorization.k8s.io", "v1", "Role", "roles"};
    object_meta metadata;
    static constexpr auto kcontrol_fields() { return fields(); }
};

// A custom resource. The server keeps whatever is sent, so that every object in it has members that nobody declares.
struct thing_inner {
    text note;
    list<text> tags;
    std::optional<std::int64_t> count;
    static constexpr auto kcontrol_fields() {
        return fields(field("note", &thing_inner::note, kcontrol::rules().required()),
                      field("tags", &thing_inner::tags), field("count", &thing_inner::count));
    }
    static constexpr auto kcontrol_rules() { return kcontrol::rules().keyed_by("note"); }
};

struct thing_part {
    text name;
    std::optional<std::int32_t> weight;
    boxed<thing_inner> inner;
    list<thing_inner> steps;  ///< without a name: told apart by their notes
    static constexpr auto kcontrol_fields() {
        return fields(field("name", &thing_part::name), field("weight", &thing_part::weight),
                      field("inner", &thing_part::inner), field("steps", &thing_part::steps));
    }
};

struct thing_spec {
    std::optional<std::int64_t> size;
    list<thing_part> parts;
    dict<thing_part> table;
    static constexpr auto kcontrol_fields() {
        return fields(field("size", &thing_spec::size), field("parts", &thing_spec::parts),
                      field("table", &thing_spec::table));
    }
};

struct thing {
    static constexpr resource_name kcontrol_resource{"lossless.example.com", "v1", "Thing", "things"};
    object_meta metadata;
    thing_spec spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &thing::spec)); }
};

struct thing_part_view {
    text name;
    std::optional<std::int32_t> weight;
    static constexpr auto kcontrol_fields() {
        return fields(field("name", &thing_part_view::name), field("weight", &thing_part_view::weight));
    }
};

struct thing_spec_view {
    list<thing_part_view> parts;
    static constexpr auto kcontrol_fields() { return fields(field("parts", &thing_spec_view::parts)); }
};

struct thing_view {
    using kcontrol_projection = void;
    static constexpr resource_name kcontrol_resource{"lossless.example.com", "v1", "Thing", "things"};
    object_meta metadata;
    thing_spec_view spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &thing_view::spec)); }
};

}  // namespace kcontrol_test
