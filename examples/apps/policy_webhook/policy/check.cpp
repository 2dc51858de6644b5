#include "policy/check.hpp"

#include <kcontrol/values/quantity.hpp>

#include <algorithm>
#include <limits>

using namespace kcontrol;

namespace policy_webhook {
namespace {

std::int64_t amount(const dict<quantity_text>& of, const std::string& resource) {
    const auto found = of.find(resource);
    if (found == of.end()) return 0;
    const auto parsed = quantity::parse(found->second.text());
    return parsed ? std::max<std::int64_t>(parsed->value(), 0) : 0;
}

std::int64_t gpus_in(const container& of, const std::string& resource) {
    if (!of.wants) return 0;
    return std::max(amount(of.wants->limits, resource), amount(of.wants->requests, resource));
}

std::string shown(std::string_view text) { return '"' + std::string(text) + '"'; }

bool has_digest(std::string_view image) {
    constexpr std::string_view mark = "@sha256:";
    const auto at = image.find(mark);
    if (at == std::string_view::npos) return false;
    const auto digits = image.substr(at + mark.size());
    return digits.size() == 64 && digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_in(std::string_view image, std::string registry) {
    if (!registry.ends_with('/')) registry += '/';
    return image.starts_with(registry);
}

class checker {
public:
    checker(const pod& p, const rules& r) : pod_(p), rules_(r) {}

    void containers() {
        each(pod_.spec.containers, "spec.containers");
        each(pod_.spec.init_containers, "spec.initContainers");
        each(pod_.spec.ephemeral_containers, "spec.ephemeralContainers");
    }

    void gpus(const std::string& ns, const cluster_facts& facts) {
        const std::string& resource = rules_.gpus.resource;
        const std::int64_t wanted = gpus_of(pod_, resource);
        if (wanted == 0) return;
        const std::string number = std::to_string(wanted), path = "spec.containers";
        const std::string what = resource + " of all containers";
        if (wanted % rules_.gpus.multiple_of != 0) {
            add("gpu-count", path, number, what + " must be a multiple of " + std::to_string(rules_.gpus.multiple_of));
        }
        if (facts.largest_node > 0 && wanted > facts.largest_node) {
            add("gpu-fits", path, number, what + ": no node has more than " + std::to_string(facts.largest_node));
        }
        const auto quota = rules_.quota_of(ns);
        if (quota && sum_of_gpus(facts.used_in_namespace, wanted) > *quota) {
            add("gpu-quota", path, number,
                what + ": namespace " + ns + " uses " + std::to_string(facts.used_in_namespace) + " of " +
                    std::to_string(*quota));
        }
    }

    void tenant() {
        const std::string& label = rules_.tenant.label;
        if (label.empty()) return;
        const std::string path = "metadata.labels[" + label + "]";
        const auto found = pod_.metadata.labels.find(label);
        if (found == pod_.metadata.labels.end()) {
            return add(finding{"tenant", field_error(path, field_error_kind::required, {}, "it names the tenant")});
        }
        const auto& known = rules_.tenant.values;
        const std::string value(found->second);
        if (!known.empty() && std::find(known.begin(), known.end(), value) == known.end()) {
            add(finding{"tenant",
                        field_error(path, field_error_kind::not_supported, shown(value), "there is no such tenant")});
        }
    }

    std::vector<finding> take() { return std::move(found_); }

private:
    void each(const list<container>& all, const std::string& path) {
        for (std::size_t i = 0; i < all.size(); ++i) one(all[i], path + "[" + std::to_string(i) + "]");
    }

    void one(const container& of, const std::string& path) {
        if (of.context && of.context->privileged) {
            add(finding{"privileged", field_error(path + ".securityContext.privileged", field_error_kind::forbidden, {},
                                                  "pods are not privileged here")});
        }
        if (of.wants) gpu_requests(*of.wants, path + ".resources");
        const std::string image(of.image);
        const auto& registries = rules_.images.registries;
        const auto allowed = [&image](const std::string& registry) { return is_in(image, registry); };
        if (!registries.empty() && std::none_of(registries.begin(), registries.end(), allowed)) {
            add("images", path + ".image", shown(image), "it is of no registry that is allowed");
        }
        if (rules_.images.require_digest && !has_digest(image)) {
            add("images", path + ".image", shown(image), "it must be named by its digest, @sha256:…");
        }
    }

    void gpu_requests(const resources& of, const std::string& path) {
        const std::string& resource = rules_.gpus.resource;
        if (!of.limits.contains(resource) && !of.requests.contains(resource)) return;
        const std::int64_t limit = amount(of.limits, resource);
        if (of.requests.contains(resource) && amount(of.requests, resource) != limit) {
            add("gpu-requests", path + ".requests[" + resource + "]", std::to_string(amount(of.requests, resource)),
                "it must equal the limit, " + std::to_string(limit));
        }
    }

    void add(std::string_view rule, std::string path, std::string value, std::string why) {
        add(finding{rule, field_error(std::move(path), field_error_kind::invalid, std::move(value), std::move(why))});
    }
    void add(finding f) {
        if (rules_.mode_of(f.rule) != rule_mode::off) found_.push_back(std::move(f));
    }

    const pod& pod_;
    const rules& rules_;
    std::vector<finding> found_;
};

}  // namespace

std::int64_t sum_of_gpus(std::int64_t a, std::int64_t b) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    return a > most - b ? most : a + b;
}

std::int64_t gpus_of(const pod& of, const std::string& resource) {
    // Sidecars, which are init containers that go on running, take theirs beside all that begins after them (KEP-753).
    std::int64_t sidecars = 0, at_start = 0;
    for (const container& one : of.spec.init_containers) {
        const std::int64_t gpus = sum_of_gpus(sidecars, gpus_in(one, resource));
        at_start = std::max(at_start, gpus);
        if (one.restart_policy == "Always") sidecars = gpus;
    }
    std::int64_t together = sidecars;
    for (const container& one : of.spec.containers) together = sum_of_gpus(together, gpus_in(one, resource));
    return std::max(together, at_start);
}

std::vector<finding> check(const pod& of, const std::string& ns, const rules& by, const cluster_facts& facts) {
    if (by.exempts(ns)) return {};
    checker out(of, by);
    out.containers();
    out.gpus(ns, facts);
    out.tenant();
    return out.take();
}

std::vector<finding> new_findings(std::vector<finding> now, const std::vector<finding>& before) {
    std::erase_if(
        now, [&before](const finding& one) { return std::find(before.begin(), before.end(), one) != before.end(); });
    return now;
}

void add_defaults(pod& to, const rules& by) {
    if (gpus_of(to, by.gpus.resource) == 0) return;
    for (const toleration& wanted : by.defaults.tolerations) {
        const auto& has = to.spec.tolerations;
        if (std::find(has.begin(), has.end(), wanted) == has.end()) to.spec.tolerations.push_back(wanted);
    }
    if (to.spec.runtime_class_name.empty() && !by.defaults.runtime_class_name.empty()) {
        to.spec.runtime_class_name = by.defaults.runtime_class_name;
    }
}

}  // namespace policy_webhook
