// What a pod requests, as PodRequests of k8s.io/component-helpers/resource computes it, version 0.36, with the feature
// gates that are on by default.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/scheduling/impl/amount_reader.hpp>

#include <cstdint>
#include <limits>
#include <string_view>

namespace kcontrol::inline v0_1::scheduling::detail {

/// The sum over containers, and the same for scores.
struct request_sum {
    listed_amounts amounts;
    listed_amounts scored;  // cpu and memory only

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
        bool fits = add_containers();
        if (is_pod_level_set_) replace(pod_level);
        fits &= sum_.add(sum_of(reader_.read(pod.spec.overhead, {"spec.overhead"})));
        if (!fits) reader_.refuse_sum("the requests of its containers add up to more than 2^63-1");
        if (!is_pod_level_set_) return;
        // With requests of the pod as a whole only what nothing requests has a default for scores.
        if (sum_.amounts.has_cpu) sum_.scored.cpu = sum_.amounts.cpu;
        if (sum_.amounts.has_memory) sum_.scored.memory = sum_.amounts.memory;
    }

    resource_amounts requests() const {
        resource_amounts out = sum_.amounts.rounded();
        out.pods = 1;
        return out;
    }
    std::int64_t scored_cpu_milli() const noexcept { return sum_.scored.cpu.whole; }
    std::int64_t scored_memory() const noexcept { return sum_.scored.memory.whole; }
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
        listed_amounts of_status;
        const bool has_status = pod_.status.resources.present();
        if (has_status) {
            of_status = reader_.read(pod_.status.resources->requests, {"status.resources.requests"});
            of_status.raise_to(reader_.read(pod_.status.allocated_resources, {"status.allocatedResources"}));
        }
        for (const auto& [resource, text] : pod_.spec.resources->requests) {
            if (!is_pod_level(resource)) continue;
            is_pod_level_set_ = true;
            listed_amounts one;
            const auto wanted = reader_.amount(resource, text, {"spec.resources.requests"});
            if (!infeasible_ || !has_status) one.set(resource, wanted);
            one.raise_to(of_status);
            out.set(resource, amount_of(one, resource));
        }
        return out;
    }

    static exact_amount amount_of(const listed_amounts& in, std::string_view resource) {
        if (resource == "cpu") return in.cpu;
        if (resource == "memory") return in.memory;
        return {in.others.amount_of(resource), 0};
    }

    void replace(const listed_amounts& pod_level) {
        for (const auto& [resource, text] : pod_.spec.resources->requests) {
            if (!is_pod_level(resource)) continue;
            sum_.amounts.set(resource, amount_of(pod_level, resource));
        }
    }

    static request_sum sum_of(const listed_amounts& listed) {
        request_sum out{listed, {}};
        out.amounts.others.pods = 0;
        out.scored.cpu = listed.cpu;
        out.scored.memory = listed.memory;
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
        if (!listed.has_cpu) out.scored.cpu = {100, 0};
        if (!listed.has_memory) out.scored.memory = {std::int64_t{200} * 1024 * 1024, 0};
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
};

}  // namespace kcontrol::scheduling::detail
