// What a pod requests, as PodRequests of k8s.io/component-helpers/resource computes it, version 0.36, with the feature
// gates that are on by default.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/scheduling/impl/amount_reader.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

namespace kcontrol::inline v0_1::scheduling::detail {

/// The sum over containers, and the same for scores.
struct request_sum {
    resource_amounts amounts;
    resource_amounts scored;  // cpu and memory only

    bool add(const request_sum& other) {
        const bool fits = amounts.add(other.amounts);
        return scored.add(other.scored) && fits;
    }
    void raise_to(const request_sum& other) {
        amounts.raise_to(other.amounts);
        scored.raise_to(other.scored);
    }
};

class pod_requests {
public:
    explicit pod_requests(const api::core::v1::pod& pod) : pod_(pod), infeasible_(is_resize_infeasible()) {
        const auto pod_level = of_pod_level();
        const auto overhead = reader_.read(pod.spec.overhead, {"spec.overhead"});
        // With requests of the pod as a whole only what nothing requests has a default for scores.
        default_cpu_ = !is_pod_level_set_ || !(pod_level.has_cpu || overhead.has_cpu || any_container_has("cpu"));
        default_memory_ =
            !is_pod_level_set_ || !(pod_level.has_memory || overhead.has_memory || any_container_has("memory"));
        bool fits = add_containers();
        if (is_pod_level_set_) replace(pod_level);
        fits &= sum_.add(sum_of(overhead));
        if (!fits) reader_.refuse_sum("the requests of its containers add up to more than 2^63-1");
        sum_.amounts.pods = 1;
    }

    const request_sum& sum() const noexcept { return sum_; }
    const std::string& wrong() const noexcept { return reader_.wrong(); }

private:
    using container = api::core::v1::container;

    bool is_resize_infeasible() const {
        for (const auto& condition : pod_.status.conditions) {
            if (condition.type == "PodResizePending") return condition.reason == "Infeasible";
        }
        return false;
    }

    static bool is_pod_level(std::string_view resource) {
        return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
    }

    listed_amounts of_pod_level() {
        listed_amounts out;
        listed_amounts actuated;
        listed_amounts allocated;
        const bool has_status = pod_.status.resources.present();
        if (has_status) {
            actuated = reader_.read(pod_.status.resources->requests, {"status.resources.requests"});
            allocated = reader_.read(pod_.status.allocated_resources, {"status.allocatedResources"});
        }
        for (const auto& [resource, text] : pod_.spec.resources->requests) {
            if (!is_pod_level(resource)) continue;
            is_pod_level_set_ = true;
            const std::int64_t wanted = reader_.amount(resource, text, {"spec.resources.requests"});
            std::int64_t amount = infeasible_ && has_status ? 0 : wanted;
            if (has_status) {
                amount =
                    std::max({amount, actuated.amounts.amount_of(resource), allocated.amounts.amount_of(resource)});
            }
            out.set(resource, amount);
        }
        return out;
    }

    void replace(const listed_amounts& pod_level) {
        for (const auto& [resource, text] : pod_.spec.resources->requests) {
            if (!is_pod_level(resource)) continue;
            const std::int64_t amount = pod_level.amounts.amount_of(resource);
            set_amount(sum_.amounts, resource, amount);
            if (resource == "cpu") sum_.scored.cpu_milli = amount;
            if (resource == "memory") sum_.scored.memory = amount;
        }
    }

    bool any_container_has(std::string_view resource) const {
        const auto has = [&](const container& one) { return one.resources.requests.contains(resource); };
        return std::any_of(pod_.spec.containers.begin(), pod_.spec.containers.end(), has) ||
               std::any_of(pod_.spec.init_containers.begin(), pod_.spec.init_containers.end(), has);
    }

    request_sum sum_of(const listed_amounts& listed) const {
        request_sum out{listed.amounts, {}};
        out.amounts.pods = 0;
        out.scored.cpu_milli = listed.amounts.cpu_milli;
        out.scored.memory = listed.amounts.memory;
        return out;
    }

    const api::core::v1::container_status* status_of(const container& of) const {
        // As in a map that is filled with the containers first: the init containers' status counts.
        for (const auto* all : {&pod_.status.init_container_statuses, &pod_.status.container_statuses}) {
            for (auto one = all->end(); one != all->begin();) {
                if ((--one)->name == of.name) return one;
            }
        }
        return nullptr;
    }

    // What a running container has may differ from what its spec says while it is resized.
    request_sum of_container(const container& of, const amounts_path& path, bool runs_on) {
        const auto* const status = runs_on ? status_of(of) : nullptr;
        listed_amounts listed = reader_.read(of.resources.requests, path);
        if (status != nullptr && status->resources.present()) {
            if (infeasible_) listed = {};
            listed.raise_to(reader_.read(status->resources->requests, {"status.containerStatuses.resources.requests"}));
            listed.raise_to(reader_.read(status->allocated_resources, {"status.containerStatuses.allocatedResources"}));
        }
        request_sum out = sum_of(listed);
        if (default_cpu_ && !listed.has_cpu) out.scored.cpu_milli = 100;
        if (default_memory_ && !listed.has_memory) out.scored.memory = std::int64_t{200} * 1024 * 1024;
        return out;
    }

    bool add_containers() {
        bool fits = true;
        std::size_t index = 0;
        for (const auto& one : pod_.spec.containers) {
            fits &= sum_.add(of_container(one, {"spec.containers", index++, ".resources.requests"}, true));
        }
        // An init container needs its own and what the sidecars before it have.
        request_sum sidecars;
        request_sum most;
        index = 0;
        for (const auto& one : pod_.spec.init_containers) {
            const bool is_sidecar = one.restart_policy == "Always";
            auto own = of_container(one, {"spec.initContainers", index++, ".resources.requests"}, is_sidecar);
            if (is_sidecar) {
                fits &= sum_.add(own);
                fits &= sidecars.add(own);
                most.raise_to(sidecars);
            } else {
                fits &= own.add(sidecars);
                most.raise_to(own);
            }
        }
        sum_.raise_to(most);
        return fits;
    }

    const api::core::v1::pod& pod_;
    amount_reader reader_{std::numeric_limits<std::int64_t>::max()};
    request_sum sum_;
    bool infeasible_;
    bool is_pod_level_set_ = false;
    bool default_cpu_ = true;
    bool default_memory_ = true;
};

}  // namespace kcontrol::scheduling::detail
