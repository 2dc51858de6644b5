// The policies as a file says them.
#pragma once

#include "policy/pod.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace policy_webhook {

/// What becomes of a pod that a rule is against.
enum class rule_mode : std::uint8_t { enforce, warn, off };

inline constexpr std::array<std::string_view, 7> rule_names{"gpu-requests", "gpu-count", "gpu-fits",  "gpu-quota",
                                                            "images",       "tenant",    "privileged"};

struct gpu_rules {
    std::string resource = "nvidia.com/gpu";
    std::int64_t multiple_of = 1;  ///< of the GPUs that a pod asks for
    static constexpr auto kcontrol_fields() {
        return fields(field("resource", &gpu_rules::resource), field("multipleOf", &gpu_rules::multiple_of));
    }
};
struct image_rules {
    std::vector<std::string> registries;  ///< beginnings, up to a "/"; empty: all
    bool require_digest = false;
    static constexpr auto kcontrol_fields() {
        return fields(field("registries", &image_rules::registries),
                      field("requireDigest", &image_rules::require_digest));
    }
};
struct tenant_rules {
    std::string label;                ///< that every pod has; empty: none
    std::vector<std::string> values;  ///< empty: any
    static constexpr auto kcontrol_fields() {
        return fields(field("label", &tenant_rules::label), field("values", &tenant_rules::values));
    }
};
struct quota_rules {
    std::optional<std::int64_t> each;  ///< GPUs of a namespace that is not named; none: any number
    std::map<std::string, std::int64_t> namespaces;
    static constexpr auto kcontrol_fields() {
        return fields(field("default", &quota_rules::each), field("namespaces", &quota_rules::namespaces));
    }
};
/// For pods that ask for GPUs.
struct default_rules {
    list<toleration> tolerations;
    std::string runtime_class_name;
    static constexpr auto kcontrol_fields() {
        return fields(field("tolerations", &default_rules::tolerations),
                      field("runtimeClassName", &default_rules::runtime_class_name));
    }
};

struct rules {
    std::string mode = "enforce";              ///< of rules that `modes` does not name
    std::map<std::string, std::string> modes;  ///< by the rule's name
    std::vector<std::string> exempt_namespaces{"kube-system"};
    gpu_rules gpus;
    image_rules images;
    tenant_rules tenant;
    quota_rules quota;
    default_rules defaults;
    static constexpr auto kcontrol_fields() {
        return fields(field("mode", &rules::mode), field("modes", &rules::modes),
                      field("exemptNamespaces", &rules::exempt_namespaces), field("gpus", &rules::gpus),
                      field("images", &rules::images), field("tenant", &rules::tenant), field("quota", &rules::quota),
                      field("defaults", &rules::defaults));
    }

    rule_mode mode_of(std::string_view rule) const;
    bool exempts(std::string_view ns) const;
    /// Nothing: as many as they like.
    std::optional<std::int64_t> quota_of(const std::string& ns) const;
};

/// From YAML. Errors: decode_failed and invalid_argument, naming the member: one that no rule has, a mode that is none.
kcontrol::result<rules> parse_rules(std::string_view yaml);

}  // namespace policy_webhook
