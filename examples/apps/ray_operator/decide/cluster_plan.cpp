#include "decide/cluster_plan.hpp"

#include <kcontrol/controllerutil/finalizers.hpp>

#include "api/names.hpp"
#include "api/validation.hpp"
#include "pods/services.hpp"

#include <limits>
#include <map>

namespace ray_operator {
namespace {

// A replica: one pod, or one per host.
class unit {
public:
    bool counts(wall_time now) const {
        return std::ranges::any_of(pods, [now](const pod_fact* p) { return p->counts(now); });
    }
    bool is_ready() const {
        return std::ranges::all_of(pods, [](const pod_fact* p) { return p->ready; });
    }
    wall_time created() const {
        wall_time out{};
        for (const pod_fact* p : pods) out = std::max(out, p->created);
        return out;
    }
    std::vector<const pod_fact*> pods;
    replica_place place;
    bool broken = false;   // one of its pods has ended, is lost, is going or is gone
    bool removed = false;  // by this plan
};

class planner {
public:
    planner(const ray_cluster& c, const cluster_facts& seen, wall_time now) : c_(c), seen_(seen), now_(now) {
        std::string all;
        for (const pod_fact& p : seen.pods) all += p.uid + "/", names_.insert(p.name);
        for (const auto& group : c.spec.worker_group_specs) {
            for (const text& name : group.scale_strategy->workers_to_delete) names_.insert(name);
        }
        salt_ = c.metadata.uid.str() + "/" + std::to_string(c.metadata.generation.value_or(0)) + "/" + all;
        for (const pod_fact& p : seen.pods) look_again(p);
    }

    cluster_plan plan() {
        end_groups();
        if (is_being_deleted(c_.metadata)) return leave();
        const bool groups = queue_of(c_) != nullptr && has_several_hosts(c_);
        for (const auto& [needed, name] :
             {std::pair(groups, queue_finalizer), std::pair(is_fault_tolerant(c_), redis_finalizer)}) {
            if (needed && !has_finalizer(c_.metadata, name)) out_.hold = name;
        }
        const auto& conditions = c_.status.conditions;
        if (is_true(conditions, "RayClusterSuspending")) {
            for (const pod_fact& p : seen_.pods) remove(p, "the cluster is suspended", true);
            return std::move(out_);
        }
        if (is_true(conditions, "RayClusterSuspended") || c_.spec.suspend.value_or(false)) return std::move(out_);
        if (recreates()) return std::move(out_);
        plan_head();
        for (std::size_t i = 0; i < c_.spec.worker_group_specs.size(); ++i) plan_group(i);
        // Of groups that are not in the specification any more.
        for (const pod_fact& p : seen_.pods) {
            const auto& groups = c_.spec.worker_group_specs;
            const bool known = std::ranges::any_of(groups, [&](const auto& g) { return g.group_name == p.group; });
            if (!p.head && !known && !is_autoscaling(c_.spec)) remove(p, "its group is not in the specification");
        }
        tell_about_generation();
        return std::move(out_);
    }

private:
    void at(wall_time t) {
        if (t > now_ && (!out_.again || t < *out_.again)) out_.again = t;
    }
    void look_again(const pod_fact& p) {
        if (p.deletion) at(*p.deletion);
        if (p.lost_at) at(*p.lost_at);
        if (p.waits_since) at(*p.waits_since + hold_grace);
    }
    // Once: one that is going already is left alone, unless its node will never say that it is gone. One that is
    // lost goes at once, and with its object: no node that comes back shows it beside the one in its place.
    void remove(const pod_fact& p, const std::string& why, bool whole = false) {
        const bool late = p.is_lost(now_) && p.deletion && *p.deletion > now_;
        if ((p.deletion && !late) || !removed_.insert(p.name).second) return;
        out_.remove.push_back({p.name, p.uid, p.head, why, whole, p.is_lost(now_)});
    }
    static std::string why_unhealthy(const pod_fact& p) { return p.ended.empty() ? "its node is lost" : p.ended; }
    // It follows from what is there, so that whoever decides on the same makes the same pod.
    std::string new_name(const std::string& prefix, const std::string& what) {
        for (int n = 0;; ++n) {
            std::string name = prefix + name_suffix(salt_ + what + "/" + std::to_string(n));
            if (names_.insert(name).second) return name;
        }
    }
    void create(pod_creation what) {
        if (out_.create.size() >= most_creations) {
            out_.more = true;
            return;
        }
        out_.create.push_back(std::move(what));
    }

    // Kueue holds pods that were deleted before they had a node, for others that may take their places.
    void end_groups() {
        for (const pod_fact& p : seen_.pods) {
            if (p.deletion && !p.queue_group.empty() && (p.queued || p.is_lost(now_)))
                out_.end_groups.insert(p.queue_group);
        }
    }
    // Redis is emptied once no head writes to it any more; whether that works or not, the cluster goes then.
    cluster_plan leave() {
        bool stays = false;
        for (const pod_fact& p : seen_.pods) {
            remove(p, "the cluster is deleted", true);
            stays = stays || (p.head ? p.counts(now_) : !p.queue_group.empty());
        }
        if (stays) return std::move(out_);
        const bool cleans = has_finalizer(c_.metadata, redis_finalizer) && is_fault_tolerant(c_) && !check(c_);
        out_.clean_redis = cleans && !seen_.cleanup;
        out_.release = !cleans || (seen_.cleanup && seen_.cleanup->finished);
        return std::move(out_);
    }

    bool is_outdated(const pod_fact& p) const {
        if (p.digest.empty() || !p.counts(now_)) return false;
        const auto& head = c_.spec.head_group_spec;
        if (p.head) return p.digest != template_digest(head.template_, head.ray_start_params);
        for (const auto& g : c_.spec.worker_group_specs) {
            if (g.group_name == p.group) return p.digest != template_digest(g.template_, g.ray_start_params);
        }
        return false;
    }
    // All go first, and no new one is made beside an old one.
    bool recreates() {
        if (c_.spec.upgrade_strategy->type != "Recreate") return false;
        if (std::ranges::none_of(seen_.pods, [this](const pod_fact& p) { return is_outdated(p); })) return false;
        for (const pod_fact& p : seen_.pods) remove(p, "a template has changed", true);
        return true;
    }

    void plan_head() {
        bool counted = false;
        for (const pod_fact& p : seen_.pods) {
            if (!p.head) continue;
            counted = counted || p.counts(now_);
            if (!p.ended.empty() || p.is_lost(now_)) remove(p, why_unhealthy(p));
        }
        // Of a RayJob that had its cluster once: the job fails, and makes another one.
        if (counted || (is_of_job(c_) && is_true(c_.status.conditions, "RayClusterProvisioned"))) return;
        create({true, 0, new_name(pod_prefix(c_, {}, true), "head"), {}});
    }

    std::vector<unit> units_of(const worker_group_spec& group) {
        const auto hosts = static_cast<std::size_t>(hosts_of(group));
        std::vector<unit> out;
        std::map<std::string, std::size_t> by_name;
        for (const pod_fact& p : seen_.pods) {
            if (p.head || p.group != group.group_name.view()) continue;
            const std::string& replica = p.place.name;
            std::size_t where = out.size();
            if (hosts > 1 && !replica.empty()) where = by_name.emplace(replica, out.size()).first->second;
            // Pods of an operator that does not name replicas: so many of them are one.
            if (hosts > 1 && replica.empty() && !out.empty() && out.back().place.name.empty() &&
                out.back().pods.size() < hosts)
                where = out.size() - 1;
            if (where == out.size()) out.emplace_back();
            out[where].pods.push_back(&p);
            out[where].place = p.place;
        }
        for (unit& u : out) {
            bool started = false;
            for (const pod_fact* p : u.pods) {
                u.broken = u.broken || p->deletion || p->is_lost(now_) || !p->ended.empty();
                started = started || p->started;
            }
            if (u.pods.size() < hosts) u.broken = u.broken || started || u.place.name.empty();
        }
        return out;
    }
    void remove(unit& u, const std::string& why) {
        u.removed = true;
        for (const pod_fact* p : u.pods) remove(*p, why);
    }
    void remove_broken(unit& u) {
        std::string why = "another host of its replica is gone";
        for (const pod_fact* p : u.pods) {
            if (!p->ended.empty() || p->is_lost(now_)) why = why_unhealthy(*p);
        }
        remove(u, why);
    }

    void plan_group(std::size_t place) {
        const worker_group_spec& group = c_.spec.worker_group_specs[place];
        auto units = units_of(group);
        for (unit& u : units) {
            if (u.broken) remove_broken(u);
        }
        if (group.suspend.value_or(false)) {
            for (unit& u : units) remove(u, "its group is suspended");
            return;
        }
        for (const text& name : group.scale_strategy->workers_to_delete) {
            for (unit& u : units) {
                const auto is_named = [&](const pod_fact* p) { return p->name == name.view(); };
                if (!u.removed && std::ranges::any_of(u.pods, is_named)) remove(u, "workersToDelete names it");
            }
        }
        const std::int64_t wanted = wanted_replicas(group);
        std::vector<unit*> alive;
        std::int64_t counted = 0;
        std::set<std::int32_t> indices;
        for (unit& u : units) {
            if (!u.broken && !u.removed) alive.push_back(&u);
            if (!u.counts(now_)) continue;
            ++counted;
            indices.insert(u.place.index);
        }
        if (!is_autoscaling(c_.spec)) remove_surplus(std::move(alive), wanted);
        for (unit& u : units) {
            if (u.broken || u.removed || std::ssize(u.pods) >= hosts_of(group)) continue;
            if (counted > wanted) remove(u, "it is surplus, and never was whole");
            if (counted <= wanted) complete(group, place, u);
        }
        for (; counted < wanted && !out_.more; ++counted) create_replica(group, place, indices);
    }

    // Those that are not ready go first, then the youngest.
    void remove_surplus(std::vector<unit*> alive, std::int64_t wanted) {
        std::ranges::sort(alive, [](const unit* a, const unit* b) {
            if (a->is_ready() != b->is_ready()) return b->is_ready();
            if (a->created() != b->created()) return a->created() > b->created();
            return a->pods[0]->name < b->pods[0]->name;
        });
        const auto left = static_cast<std::int64_t>(alive.size());
        for (std::int64_t i = 0; i < left - wanted; ++i) remove(*alive[static_cast<std::size_t>(i)], "it is surplus");
    }
    // A replica whose creation was interrupted: none of its pods has run yet.
    void complete(const worker_group_spec& group, std::size_t place, const unit& u) {
        const auto hosts = static_cast<std::int32_t>(hosts_of(group));
        std::set<std::int32_t> there;
        for (const pod_fact* p : u.pods) there.insert(p->place.host);
        for (std::int32_t host = 0; host < hosts; ++host) {
            if (!there.contains(host)) create_host(group, place, {u.place.name, u.place.index, host});
        }
    }
    void create_replica(const worker_group_spec& group, std::size_t place, std::set<std::int32_t>& indices) {
        const std::int64_t hosts = hosts_of(group);
        // Whole, or not in this pass.
        if (!out_.create.empty() && out_.create.size() + static_cast<std::size_t>(hosts) > most_creations) {
            out_.more = true;
            return;
        }
        replica_place where;
        if (hosts > 1) {
            while (!indices.insert(where.index).second) ++where.index;
            where.name = new_name(group.group_name.str() + "-", "replica");
        }
        for (where.host = 0; where.host < hosts; ++where.host) create_host(group, place, where);
    }
    void create_host(const worker_group_spec& group, std::size_t place, const replica_place& where) {
        const std::string what =
            where.name.empty() ? group.group_name.str() : where.name + "/" + std::to_string(where.host);
        pod_creation made{false, place, new_name(pod_prefix(c_, group.group_name, false), what), where};
        if (where.name.empty()) return create(std::move(made));
        out_.create.push_back(std::move(made));
    }

    void tell_about_generation() {
        if (c_.status.observed_generation == c_.metadata.generation.value_or(0)) return;
        for (const auto& group : c_.spec.worker_group_specs) {
            const std::string name = "worker group " + group.group_name.str();
            if (group.max_replicas && group.replicas.value_or(0) > *group.max_replicas)
                out_.notes.push_back({true, "ReplicasLimited",
                                      name + ": replicas is " + std::to_string(*group.replicas) +
                                          " and limited by maxReplicas to " + std::to_string(*group.max_replicas)});
            for (const text& each : group.scale_strategy->workers_to_delete) {
                const bool other = std::ranges::any_of(seen_.pods, [&](const pod_fact& p) {
                    return p.name == each.view() && (p.head || p.group != group.group_name.view());
                });
                if (other || seen_.foreign.contains(each))
                    out_.notes.push_back(
                        {true, "WorkerToDeleteIgnored",
                         name + ": workersToDelete names " + each.str() + ", which is no worker of this group"});
            }
        }
        if (std::ranges::any_of(seen_.pods, [this](const pod_fact& p) { return is_outdated(p); }))
            out_.notes.push_back({true, "TemplateChangeIgnored",
                                  "pods that are there keep the template that they were made from; delete them, or set "
                                  "upgradeStrategy.type to Recreate"});
    }

    const ray_cluster& c_;
    const cluster_facts& seen_;
    wall_time now_;
    cluster_plan out_;
    std::string salt_;
    std::set<std::string> names_, removed_;  // taken; deleted by this plan
};

}  // namespace

std::int64_t hosts_of(const worker_group_spec& group) { return std::max(1, group.num_of_hosts.value_or(1)); }

std::int64_t wanted_replicas(const worker_group_spec& group) {
    if (group.suspend.value_or(false)) return 0;
    const std::int32_t least = group.min_replicas.value_or(0);
    const std::int32_t most = group.max_replicas.value_or(std::numeric_limits<std::int32_t>::max());
    return std::min(most, std::max(least, group.replicas.value_or(least)));
}

std::int64_t wanted_workers(const ray_cluster_spec& spec) {
    std::int64_t out = 0;
    for (const auto& group : spec.worker_group_specs) out += wanted_replicas(group) * hosts_of(group);
    return out;
}

std::int32_t gang_size(const ray_cluster_spec& spec) {
    std::int64_t out = 1;
    for (const auto& group : spec.worker_group_specs) {
        if (!group.suspend.value_or(false)) out += group.min_replicas.value_or(0) * hosts_of(group);
    }
    return static_cast<std::int32_t>(std::min<std::int64_t>(out, std::numeric_limits<std::int32_t>::max()));
}

std::string gang_name(const ray_cluster& c) {
    const auto* suspended = c.status.state_transition_times.get("suspended");
    return c.metadata.name + ("-" + name_suffix(c.metadata.uid + (suspended == nullptr ? "" : suspended->str())));
}

cluster_plan decide(const ray_cluster& cluster, const cluster_facts& seen, wall_time now) {
    return planner(cluster, seen, now).plan();
}

}  // namespace ray_operator
