// ResourceClaims, classes and slices of a simulated API server: it has the truth, and shows it late and in order.
#pragma once

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/scheduling/claim_catalog.hpp>

#include "claim_objects.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gpu_scheduler::test {

class claim_server {
public:
    using catalog = kcontrol::scheduling::claim_catalog;
    using claim_object = std::shared_ptr<const catalog::claim>;
    using pod_map = std::map<std::string, std::shared_ptr<const kcontrol::api::core::v1::pod>>;

    template <class T>
    static std::shared_ptr<const T> typed(const value& from) {
        return std::make_shared<const T>(kcontrol::from_json<T>(kcontrol::json::serialize(from)).value());
    }
    /// A version of a claim, or its deletion.
    struct event {
        claim_object before, after;
    };

    std::map<std::string, claim_object> claims;   ///< by name
    std::shared_ptr<const catalog::slice> slice;  ///< or null
    std::deque<event> events;

    void put(catalog::claim made) {
        made.metadata.resource_version = std::to_string(++versions_);
        auto object = std::make_shared<const catalog::claim>(std::move(made));
        auto& known = claims[object->metadata.name.str()];
        events.push_back({known, object});
        known = std::move(object);
    }
    void erase(const std::string& name) {
        events.push_back({claims.at(name), nullptr});
        claims.erase(name);
    }
    void create(const std::string& ns, const std::string& name, const std::string& of_class, int count) {
        auto made = *typed<catalog::claim>(claim_json(ns, name, of_class, count));
        made.metadata.uid = "claim-" + std::to_string(++versions_);
        put(std::move(made));
    }

    /// All that a scheduler that starts lists.
    void fill(catalog& to) const {
        for (const char* type : {"gpu", "mig"}) to.set(typed<catalog::device_class>(class_json(type)));
        if (slice != nullptr) to.set(slice);
        for (const auto& [name, claim] : claims) to.set(claim);
    }

    /// A pod is about to be bound: remembers what was decided for its claims.
    void decided(const kcontrol::api::core::v1::pod& pod, const catalog& by) {
        auto& to = decided_[pod.metadata.uid.str()];
        to.clear();
        for (const auto& each : pod.spec.resource_claims) {
            const auto claim = by.find_claim(pod.metadata.namespace_, each.resource_claim_name);
            const auto given = by.allocation_of(claim);
            REQUIRE(given != nullptr);
            to.push_back({claim->metadata.name.str(), claim->metadata.uid.str(), *given, !claim->status.allocation});
        }
    }
    /// What a scheduler writes before the binding. False: a claim is another one meanwhile.
    bool write(const kcontrol::api::core::v1::pod& pod) {
        const auto found = decided_.extract(pod.metadata.uid.str());
        if (found.empty()) return true;
        for (const auto& each : found.mapped()) {
            const auto claim = claims.find(each.name);
            if (claim == claims.end() || claim->second->metadata.uid != each.uid) return false;
            auto made = *claim->second;
            if (made.status.allocation ? made.status.allocation->devices != each.given.devices : !each.is_new) {
                return false;
            }
            made.status.allocation.edit() = each.given;
            const auto& users = made.status.reserved_for;
            if (std::ranges::none_of(users, [&](const auto& user) { return user.uid == pod.metadata.uid; })) {
                auto& user = made.status.reserved_for.emplace_back();
                user.resource = "pods";
                user.name = pod.metadata.name;
                user.uid = pod.metadata.uid;
            }
            put(std::move(made));
        }
        return true;
    }
    /// Takes reservations away, and allocations that nobody has then.
    template <class Stays>
    void release(const Stays& stays) {
        for (auto& [name, claim] : std::map(claims)) {
            auto made = *claim;
            made.status.reserved_for = {};
            for (const auto& user : claim->status.reserved_for) {
                if (stays(user.uid.str())) made.status.reserved_for.push_back(user);
            }
            if (made.status.reserved_for.size() == claim->status.reserved_for.size()) continue;
            if (made.status.reserved_for.empty()) made.status.allocation.reset();
            put(std::move(made));
        }
    }
    void take_back(const std::string& uid) {
        release([&](const std::string& user) { return user != uid; });
    }
    /// What kube-controller-manager does for pods that are no more, or have ended; claims that nobody names go.
    void control(const pod_map& pods) {
        std::set<std::string> uids, named;
        for (const auto& [name, pod] : pods) {
            if (pod->status.phase == "Succeeded" || pod->status.phase == "Failed") continue;
            uids.insert(pod->metadata.uid.str());
            for (const auto& each : pod->spec.resource_claims) named.insert(each.resource_claim_name.str());
        }
        release([&](const std::string& user) { return uids.contains(user); });
        for (const auto& [name, claim] : std::map(claims)) {
            if (!named.contains(name) && claim->status.reserved_for.empty()) erase(name);
        }
    }
    /// An answer: what the scheduler reads of the claims of a pod.
    void show(const kcontrol::api::core::v1::pod& pod, catalog& to) const {
        for (const auto& each : pod.spec.resource_claims) {
            const auto claim = claims.find(each.resource_claim_name.str());
            if (claim != claims.end()) to.set_answer(claim->second);
        }
    }

private:
    struct decision {
        std::string name, uid;
        kcontrol::api::resource::v1::allocation_result given;
        bool is_new = false;
    };
    std::map<std::string, std::vector<decision>> decided_;  // by the uid of the pod
    std::uint64_t versions_ = 0;
};

}  // namespace gpu_scheduler::test
