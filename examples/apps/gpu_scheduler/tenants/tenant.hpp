// Tenant of scheduling.kcontrol.dev: who shares the GPUs of a cluster. Its CustomResourceDefinition follows from these
// types.
#pragma once

#include <kcontrol/api/meta/v1.hpp>
#include <kcontrol/model/condition.hpp>
#include <kcontrol/schema/crd_options.hpp>

#include <cstdint>
#include <optional>

namespace gpu_scheduler {

using kcontrol::field;
using kcontrol::fields;
using kcontrol::list;
using kcontrol::rules;
using kcontrol::text;

/// What a tenant has of a product.
struct tenant_quota {
    text product;  ///< as nvidia.com/gpu.product has it; "*": of all products together
    std::int64_t gpus = 0;
    std::optional<std::int64_t> limit;

    static constexpr auto kcontrol_fields() {
        using self = tenant_quota;
        return fields(
            field("product", &self::product, rules().required().min_length(1).max_length(63)),
            field("gpus", &self::gpus, rules().required().minimum(0).maximum(1e6).describe("Guaranteed.")),
            field("limit", &self::limit, rules().minimum(0).maximum(1e6).describe("At most; none: no limit.")));
    }
    static constexpr auto kcontrol_rules() {
        return rules().keyed_by("product").validation("!has(self.limit) || self.limit >= self.gpus",
                                                      "limit is at least gpus");
    }
    friend bool operator==(const tenant_quota&, const tenant_quota&) = default;
};

struct tenant_spec {
    text parent;
    list<text> namespaces;
    kcontrol::boxed<kcontrol::api::meta::v1::label_selector> namespace_selector;
    list<tenant_quota> quotas;
    std::int64_t weight = 1;
    bool preemptible = true;
    std::int64_t min_runtime_seconds = 0;

    static constexpr auto kcontrol_fields() {
        using self = tenant_spec;
        return fields(field("parent", &self::parent,
                            rules().max_length(63).describe("The tenant above; none: on the highest level.")),
                      field("namespaces", &self::namespaces, rules().max_items(1000).list_type_atomic()),
                      field("namespaceSelector", &self::namespace_selector,
                            rules().describe("Namespaces by their labels, besides those that are named.")),
                      field("quotas", &self::quotas, rules().max_items(64).list_type_map("product")),
                      field("weight", &self::weight,
                            rules().default_json("1").minimum(0).maximum(1e6).describe(
                                "Of what is left when all quotas are served.")),
                      field("preemptible", &self::preemptible, rules().default_json("true")),
                      field("minRuntimeSeconds", &self::min_runtime_seconds,
                            rules().minimum(0).describe("For so long no other tenant takes a pod's place.")));
    }
    friend bool operator==(const tenant_spec&, const tenant_spec&) = default;
};

/// Amounts are quantities of GPUs: "6", "250m".
struct tenant_quota_status {
    text product, allocated, requested, fair_share, borrowed;

    static constexpr auto kcontrol_fields() {
        using self = tenant_quota_status;
        return fields(field("product", &self::product, rules().required()), field("allocated", &self::allocated),
                      field("requested", &self::requested), field("fairShare", &self::fair_share),
                      field("borrowed", &self::borrowed));
    }
    static constexpr auto kcontrol_rules() { return rules().keyed_by("product"); }
    friend bool operator==(const tenant_quota_status&, const tenant_quota_status&) = default;
};

struct tenant_status {
    list<tenant_quota_status> quotas;
    std::int64_t pending = 0;
    list<kcontrol::status_condition> conditions;

    static constexpr auto kcontrol_fields() {
        using self = tenant_status;
        return fields(field("quotas", &self::quotas, rules().list_type_map("product")),
                      field("pending", &self::pending, rules().describe("Pods that wait.")),
                      field("conditions", &self::conditions));
    }
    friend bool operator==(const tenant_status&, const tenant_status&) = default;
};

struct tenant {
    static constexpr kcontrol::resource_name kcontrol_resource{"scheduling.kcontrol.dev", "v1alpha1", "Tenant",
                                                               "tenants", kcontrol::resource_scope::cluster};
    kcontrol::object_meta metadata;
    tenant_spec spec;
    tenant_status status;

    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &tenant::spec, rules().required()), field("status", &tenant::status));
    }
    static constexpr auto kcontrol_crd() {
        return kcontrol::crd()
            .status()
            .column({"Parent", kcontrol::path(&tenant::spec, &tenant_spec::parent)})
            .column({"Weight", kcontrol::path(&tenant::spec, &tenant_spec::weight)})
            .column({"Pending", kcontrol::path(&tenant::status, &tenant_status::pending)})
            .column({"Ready", "string", ".status.conditions[?(@.type==\"Ready\")].status"})
            .column({"Age", "date", ".metadata.creationTimestamp"});
    }
    friend bool operator==(const tenant&, const tenant&) = default;
};

}  // namespace gpu_scheduler
