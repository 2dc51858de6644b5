// A kind with every rule, for the tests of schemas, validation and CRDs, here and against a real API server.
#pragma once

#include <kcontrol/model/condition.hpp>
#include <kcontrol/schema/crd.hpp>

namespace kcontrol_test {

using kcontrol::field;
using kcontrol::fields;
using kcontrol::rules;

struct widget_port {
    std::string name;
    std::int32_t port = 0;
    std::string protocol;

    static constexpr auto kcontrol_fields() {
        return fields(
            field("name", &widget_port::name, rules().required().min_length(1).max_length(15)),
            field("port", &widget_port::port, rules().required().minimum(1).maximum(65535)),
            field("protocol", &widget_port::protocol, rules().enum_values("TCP", "UDP").default_string("TCP")));
    }
    static constexpr auto kcontrol_rules() { return rules().describe("A port."); }
};

struct widget_limits {
    std::optional<std::int64_t> low;
    std::optional<std::int64_t> high;

    static constexpr auto kcontrol_fields() {
        return fields(field("low", &widget_limits::low), field("high", &widget_limits::high));
    }
    static constexpr auto kcontrol_rules() {
        return rules().min_properties(1).validation(
            kcontrol::cel_rule("!has(self.low) || !has(self.high) || self.low <= self.high", "low is above high")
                .reason("FieldValueInvalid"));
    }
};

struct widget_template {
    kcontrol::object_meta metadata;
    std::string image;

    static constexpr auto kcontrol_fields() {
        return fields(field("metadata", &widget_template::metadata),
                      field("image", &widget_template::image, rules().required()));
    }
};

struct widget_spec {
    std::optional<std::int32_t> replicas;
    std::string color;
    std::string name;
    std::optional<double> ratio;
    std::optional<std::int64_t> even;
    std::optional<bool> paused;
    kcontrol::text uuid;
    kcontrol::timestamp not_before;
    std::optional<std::string> note;
    std::vector<std::string> tags;
    std::vector<widget_port> ports;
    std::map<std::string, std::string> labels;
    std::map<std::string, std::vector<std::int32_t>> weights;
    kcontrol::boxed<widget_limits> limits;
    kcontrol::quantity_text memory;
    kcontrol::boxed<kcontrol::int_or_string> max_surge;
    kcontrol::raw_json extra;
    kcontrol::raw_json child;
    kcontrol::boxed<widget_template> pod;
    std::string immutable;
    std::optional<std::int32_t> level;

    static constexpr auto kcontrol_fields() {
        using self = widget_spec;
        return fields(
            field("replicas", &self::replicas, rules().minimum(0).maximum(10).default_json("1").describe("How many.")),
            field("color", &self::color, rules().required().enum_values("red", "green", "blue")),
            field("name", &self::name,
                  rules().pattern("^[a-z]([-a-z0-9]*[a-z0-9])?$").min_length(2).max_length(8).title("Name")),
            field("ratio", &self::ratio, rules().exclusive_minimum(0).exclusive_maximum(1)),
            field("even", &self::even, rules().multiple_of(2)), field("paused", &self::paused),
            field("uuid", &self::uuid, rules().format("uuid")), field("notBefore", &self::not_before),
            field("note", &self::note, rules().nullable().max_length(3)),
            field("tags", &self::tags,
                  rules().list_type_set().min_items(1).max_items(3).items(rules().pattern("^.{1,4}$"))),
            field("ports", &self::ports, rules().list_type_map("name", "protocol").max_items(4)),
            field("labels", &self::labels, rules().min_properties(1).max_properties(2).items(rules().max_length(5))),
            field("weights", &self::weights,
                  rules().items(rules().max_items(2).list_type_atomic().items(rules().maximum(9)))),
            field("limits", &self::limits, rules().map_type_atomic().describe("Bounds.")),
            field("memory", &self::memory), field("maxSurge", &self::max_surge), field("extra", &self::extra),
            field("child", &self::child, rules().embedded_resource()), field("pod", &self::pod),
            field("immutable", &self::immutable, rules().validation("self == oldSelf", "is immutable").max_length(9)),
            field("level", &self::level, rules().enum_values("1", "2", "3")));
    }
};

struct widget_status {
    std::optional<std::int32_t> replicas;
    std::string selector;
    kcontrol::list<kcontrol::status_condition> conditions;

    static constexpr auto kcontrol_fields() {
        return fields(field("replicas", &widget_status::replicas), field("selector", &widget_status::selector),
                      field("conditions", &widget_status::conditions));
    }
};

struct widget {
    static constexpr kcontrol::resource_name kcontrol_resource{"schema.example.com", "v1", "Widget", "widgets"};
    kcontrol::object_meta metadata;
    widget_spec spec;
    kcontrol::boxed<widget_status> status;

    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &widget::spec, rules().required()), field("status", &widget::status));
    }
    static constexpr auto kcontrol_rules() { return rules().describe("A widget."); }
    static constexpr auto kcontrol_crd() {
        using kcontrol::path;
        return kcontrol::crd()
            .short_names("wd", "wdg")
            .categories("all", "toys")
            .status()
            .scale(path(&widget::spec, &widget_spec::replicas), path(&widget::status, &widget_status::replicas),
                   path(&widget::status, &widget_status::selector))
            .column({"Replicas", path(&widget::spec, &widget_spec::replicas)})
            .column(kcontrol::printer_column("Color", path(&widget::spec, &widget_spec::color)).describe("Its colour."))
            .column(kcontrol::printer_column("Ready", "string", R"(.status.conditions[?(@.type=="Ready")].status)")
                        .priority(1))
            .column({"Age", path(&widget::metadata, &kcontrol::object_meta::creation_timestamp)})
            .selectable_field(path(&widget::spec, &widget_spec::color));
    }
};

/// An older version of the same kind: some fields, no rules.
struct widget_v1beta1 {
    static constexpr kcontrol::resource_name kcontrol_resource{"schema.example.com", "v1beta1", "Widget", "widgets"};
    struct spec_type {
        std::string color;
        std::optional<std::int32_t> replicas;
        static constexpr auto kcontrol_fields() {
            return fields(field("color", &spec_type::color), field("replicas", &spec_type::replicas));
        }
    };
    kcontrol::object_meta metadata;
    spec_type spec;

    static constexpr auto kcontrol_fields() { return fields(field("spec", &widget_v1beta1::spec)); }
    static constexpr auto kcontrol_crd() { return kcontrol::crd().deprecated("use v1"); }
};

}  // namespace kcontrol_test
