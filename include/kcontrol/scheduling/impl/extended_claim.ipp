#pragma once

#include <kcontrol/scheduling/extended_claim.hpp>
#include <kcontrol/values/quantity.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

inline constexpr std::string_view extended_claim_annotation = "resource.kubernetes.io/extended-resource-claim";

// A resource of the containers of a pod, in the order of init containers, then the others.
class extended_requests {
public:
    struct request {
        std::string name;
        std::int64_t count = 0;
    };
    using mapping = api::core::v1::container_extended_resource_request;

    extended_requests(const api::core::v1::pod& pod, const std::string& resource) : resource_(resource) {
        for (const auto& each : pod.spec.init_containers) add(each, each.restart_policy != "Always");
        for (const auto& each : pod.spec.containers) add(each, false);
        for (const auto& each : containers_) {
            if (each.ends || each.count == 0) continue;
            requests_.push_back({each.name, each.count});
            map(each, each.name);
        }
        add_ending();
    }

    const std::vector<request>& requests() const noexcept { return requests_; }
    const std::vector<mapping>& mappings() const noexcept { return mappings_; }

private:
    struct user {
        const api::core::v1::container* of = nullptr;
        std::string name;  // of its request
        std::int64_t count = 0;
        bool ends = false;  // before the containers after it start
    };

    void add(const api::core::v1::container& of, bool ends) {
        std::set<std::string_view> names;
        for (const auto& [name, amount] : of.resources.requests) names.insert(name);
        const auto found = of.resources.requests.get(resource_);
        user made{&of, "container-" + std::to_string(containers_.size()) + "-request-", 0, ends};
        if (found != nullptr) {
            made.name += std::to_string(std::distance(names.begin(), names.find(resource_)));
            const auto read = quantity::parse(std::string_view(*found));
            made.count = read ? std::max<std::int64_t>(0, read->as_int64().value_or(0)) : 0;
        }
        containers_.push_back(std::move(made));
    }
    void map(const user& container, const std::string& by) {
        mapping made;
        made.container_name = container.of->name;
        made.request_name = by;
        made.resource_name = resource_;
        mappings_.push_back(std::move(made));
    }
    // Containers that end run one after the other: the largest need beyond the devices of later ones serves them all.
    void add_ending() {
        request most;
        std::vector<std::pair<const user*, bool>> needs_more;
        std::map<const user*, std::vector<std::string>> uses;
        for (std::size_t i = 0; i < containers_.size(); ++i) {
            const auto& each = containers_[i];
            if (!each.ends || each.count == 0) continue;
            auto left = each.count;
            for (std::size_t j = i; j < containers_.size() && left > 0; ++j) {
                if (containers_[j].ends || containers_[j].count == 0) continue;
                uses[&each].push_back(containers_[j].name);
                left -= containers_[j].count;
            }
            if (left > most.count) most = {each.name, left};
            needs_more.emplace_back(&each, left > 0);
        }
        for (const auto& [each, more] : needs_more) {
            for (const auto& name : uses[each]) map(*each, name);
            if (more) map(*each, most.name);
        }
        if (most.count > 0) requests_.push_back(std::move(most));
    }

    const std::string& resource_;
    std::vector<user> containers_;
    std::vector<request> requests_;
    std::vector<mapping> mappings_;
};

}  // namespace detail

KCONTROL_DECL std::shared_ptr<const extended_claim> extended_claim::of(const api::core::v1::pod& pod,
                                                                       const class_function& class_of) {
    std::set<std::string> resources;
    for (const auto* all : {&pod.spec.init_containers, &pod.spec.containers}) {
        for (const auto& container : *all) {
            for (const auto& [name, amount] : container.resources.requests) {
                if (name.view().find('/') != std::string_view::npos) resources.insert(name.str());
            }
        }
    }
    auto out = std::make_shared<extended_claim>();
    std::vector<api::resource::v1::device_request> requests;
    for (const auto& resource : resources) {
        const auto of_class = class_of(resource);
        if (of_class == nullptr) continue;
        const detail::extended_requests all(pod, resource);
        for (const auto& each : all.mappings()) out->mappings.push_back(each);
        for (const auto& each : all.requests()) {
            auto& made = requests.emplace_back();
            made.name = each.name;
            auto& exactly = made.exactly.edit();
            exactly.device_class_name = of_class->metadata.name;
            exactly.allocation_mode = "ExactCount";
            exactly.count = each.count;
        }
    }
    if (requests.empty()) return nullptr;
    std::ranges::sort(requests, {}, [](const auto& each) { return each.name.view(); });
    auto claim = std::make_shared<api::resource::v1::resource_claim>();
    auto& meta = claim->metadata;
    meta.name = "<extended-resources of " + pod.metadata.name.str() + ">";
    meta.generate_name = pod.metadata.name.str() + "-extended-resources-";
    meta.namespace_ = pod.metadata.namespace_;
    meta.uid = "extended-resources of " + pod.metadata.uid.str();
    meta.annotations[std::string(detail::extended_claim_annotation)] = "true";
    auto& owner = meta.owner_references.emplace_back();
    owner.api_version = "v1";
    owner.kind = "Pod";
    owner.name = pod.metadata.name;
    owner.uid = pod.metadata.uid;
    owner.controller = true;
    for (auto& each : requests) claim->spec.devices.requests.push_back(std::move(each));
    out->object = std::move(claim);
    return out;
}

KCONTROL_DECL std::string_view extended_claim::pod_of(const api::resource::v1::resource_claim& claim) {
    const auto* said = claim.metadata.annotations.get(detail::extended_claim_annotation);
    if (said == nullptr || *said != "true") return {};
    for (const auto& each : claim.metadata.owner_references) {
        if (each.kind == "Pod" && each.controller.value_or(false)) return each.uid;
    }
    return {};
}

}  // namespace kcontrol::scheduling
