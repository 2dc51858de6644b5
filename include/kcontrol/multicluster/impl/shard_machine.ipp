#pragma once

#include <kcontrol/multicluster/detail/shard_machine.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL void shard_machine::want(const std::set<std::string>& clusters) {
    for (auto& [name, e] : clusters_) e.wanted = clusters.count(name) != 0;
    for (const std::string& name : clusters) clusters_[name].wanted = true;
}

KCONTROL_DECL void shard_machine::begin_term(time_point now) {
    member_ = true;
    ++term_;
    begin_ = now + set_.settle;
}

KCONTROL_DECL void shard_machine::observed(const shard_lease& seen, time_point now) {
    const std::string lease = seen.metadata.name.str();
    if (!is_claim(seen)) {
        const std::string holder = seen.spec.holder_identity.str();
        if (holder == set_.identity || lease == peer_lease_name(set_.group, set_.identity)) return;
        const auto [at, added] = peers_.try_emplace(lease);
        peer& one = at->second;
        if (added || one.lease.spec != seen.spec) one.observed_at = now;
        one.lease = seen;
        one.doubt = false;
        return;
    }
    const std::string cluster = cluster_of(seen);
    if (claim_name(set_.group, cluster) != lease) return;
    entry& e = clusters_[cluster];
    if (e.at == phase::free) return know(e, seen);
    if (seen.spec.holder_identity != set_.identity) e.doubt = true;
}

KCONTROL_DECL void shard_machine::vanished(const shard_lease& last) {
    if (!is_claim(last)) {
        peers_.erase(last.metadata.name.str());
        return;
    }
    const auto found = clusters_.find(cluster_of(last));
    if (found == clusters_.end()) return;
    if (found->second.at == phase::free) return know(found->second, std::nullopt);
    found->second.doubt = true;
}

// A version that is told twice was seen when it was told first.
KCONTROL_DECL void shard_machine::know(entry& e, std::optional<shard_lease> claim) {
    const bool same = claim && e.claim && claim->metadata.uid == e.claim->metadata.uid &&
                      claim->metadata.resource_version == e.claim->metadata.resource_version;
    if (!same) e.seen = count_;
    if (!same) e.look_at.reset();
    e.claim = std::move(claim);
}

KCONTROL_DECL time_point shard_machine::expiry(const peer& one) const {
    const std::int32_t said = one.lease.spec.lease_duration_seconds.value_or(0);
    return one.observed_at + std::max<duration>(set_.lease, std::chrono::seconds(said));
}

KCONTROL_DECL void shard_machine::share(time_point now) {
    std::vector<shard_peer> alive;
    if (member_) alive.emplace_back(set_.identity, set_.weight);
    for (const auto& [name, one] : peers_) {
        const std::string holder = one.lease.spec.holder_identity.str();
        if (holder.empty() || name != peer_lease_name(set_.group, holder)) continue;
        if (now >= expiry(one)) continue;
        wake(expiry(one));
        alive.emplace_back(holder, weight_of(one.lease));
    }
    std::sort(alive.begin(), alive.end(), [](const auto& a, const auto& b) { return a.identity < b.identity; });
    if (alive == alive_) return;
    alive_ = std::move(alive);
    ++shared_;
}

// Whoever has been silent for the time that its Lease says has shut its fence before.
KCONTROL_DECL void shard_machine::expel_silent(time_point now, std::vector<shard_action>& out) {
    for (auto& [name, one] : peers_) {
        if (one.asking) continue;
        if (one.doubt) inquire(name, now, out);
        const time_point at = std::max(expiry(one), one.wait_until);
        if (now < at) {
            wake(at);
            continue;
        }
        one.asking = true;
        one.inquiry = ++count_;
        out.emplace_back(shard_verb::expel, name, one.lease);
    }
}

KCONTROL_DECL std::vector<shard_action> shard_machine::next(time_point now, wall_time wall) {
    std::vector<shard_action> out;
    until_ = time_point::max();
    share(now);
    if (member_ && synced_) expel_silent(now, out);
    if (member_ && now < begin_) wake(begin_);
    for (auto at = clusters_.begin(); at != clusters_.end();) {
        entry& e = at->second;
        if (e.shared != shared_) {
            const shard_peer* owner = rendezvous(alive_, at->first);
            e.mine = owner != nullptr && owner->identity == set_.identity;
            e.shared = shared_;
        }
        step(at->first, e, now, wall, out);
        const bool forgotten = e.at == phase::free && !e.wanted && !e.asking && !e.claim;
        at = forgotten ? clusters_.erase(at) : std::next(at);
    }
    forget_gone();
    return out;
}

KCONTROL_DECL void shard_machine::step(const std::string& cluster, entry& e, time_point now, wall_time wall,
                                       std::vector<shard_action>& out) {
    const bool keep = member_ && !draining_ && e.wanted && e.mine && !e.lost;
    if (e.at == phase::held && !keep) {
        if (e.told) {
            e.at = phase::leaving;
            out.emplace_back(shard_verb::disengage, cluster);
        } else {
            e.at = phase::resting;
            e.wait_until = now;
        }
    }
    if (e.at == phase::held && !e.told) {
        e.told = true;
        out.emplace_back(shard_verb::engage, cluster);
    }
    if (e.at == phase::resting && (e.lost || !member_)) {
        e.at = phase::free;
        e.doubt = true;
        e.wait_until = now;
    }
    if (e.at == phase::leaving || e.asking) return;
    if (now < e.wait_until) return wake(e.wait_until);
    if (e.at == phase::free) return step_free(cluster, e, now, wall, out);
    if (e.doubt) return ask(shard_verb::look, cluster, e, named(cluster), out);
    if (e.at == phase::resting) ask(shard_verb::release, cluster, e, *e.claim, out);
}

KCONTROL_DECL void shard_machine::step_free(const std::string& cluster, entry& e, time_point now, wall_time wall,
                                            std::vector<shard_action>& out) {
    if (!member_ || !synced_) return;
    const bool take = !draining_ && e.wanted && e.mine && now >= begin_;
    if (!take && !is_mine(e)) return;
    if (e.doubt) return ask(shard_verb::look, cluster, e, named(cluster), out);
    if (!take) {
        // What a write brought about that was given up; or it is on its way to be somebody else's.
        if (draining_ || !e.wanted || !e.mine) ask(shard_verb::release, cluster, e, *e.claim, out);
        return;
    }
    if (e.claim && !is_mine(e)) {
        const std::string holder = e.claim->spec.holder_identity.str();
        const std::string lease = peer_lease_name(set_.group, holder);
        const auto gone = gone_.find(lease);
        const bool over = holder.empty() || (gone != gone_.end() && e.seen < gone->second);
        if (!over) {
            if (peers_.count(lease) == 0) return inquire(lease, now, out);
            if (!e.look_at) e.look_at = now + set_.lease;
            if (now < *e.look_at) return wake(*e.look_at);
            return ask(shard_verb::look, cluster, e, named(cluster), out);
        }
    }
    ask(shard_verb::take, cluster, e, wanted(cluster, e, wall), out);
}

KCONTROL_DECL void shard_machine::ask(shard_verb verb, const std::string& cluster, entry& e, shard_lease object,
                                      std::vector<shard_action>& out) {
    if (asking_ >= set_.most_requests) return;  // an answer makes room
    ++asking_;
    e.asking = true;
    e.asked_in = term_;
    out.emplace_back(verb, cluster, std::move(object));
}

// It is not among those that are told of, or is another than was told: be it that it is gone, be it that the watch is
// behind.
KCONTROL_DECL void shard_machine::inquire(const std::string& lease, time_point now, std::vector<shard_action>& out) {
    inquiry& one = inquiries_[lease];
    if (one.asking) return;
    if (now < one.wait_until) return wake(one.wait_until);
    one.asking = true;
    one.number = ++count_;
    shard_lease which;
    which.metadata.name = text(lease);
    which.metadata.namespace_ = text(set_.namespace_);
    out.emplace_back(shard_verb::confirm, lease, std::move(which));
}

KCONTROL_DECL shard_lease shard_machine::named(const std::string& cluster) const {
    shard_lease out;
    out.metadata.name = text(claim_name(set_.group, cluster));
    out.metadata.namespace_ = text(set_.namespace_);
    return out;
}

KCONTROL_DECL shard_lease shard_machine::wanted(const std::string& cluster, const entry& e, wall_time wall) const {
    shard_lease out = e.claim ? *e.claim : named(cluster);
    for (const auto& [key, value] : shard_labels(set_.group, "cluster")) out.metadata.labels[key] = text(value);
    out.metadata.annotations[shard_cluster_annotation] = text(cluster);
    auto& spec = out.spec;
    spec.lease_transitions = e.claim ? spec.lease_transitions.value_or(0) + 1 : 0;
    spec.holder_identity = text(set_.identity);
    spec.lease_duration_seconds =
        static_cast<std::int32_t>(std::chrono::duration_cast<std::chrono::seconds>(set_.lease).count());
    spec.acquire_time = spec.renew_time = micro_time(wall);
    return out;
}

// As client-go spreads its candidates.
KCONTROL_DECL duration shard_machine::pause(double unit) const {
    return duration(static_cast<duration::rep>(static_cast<double>(set_.retry.count()) * (1 + 1.2 * unit)));
}

KCONTROL_DECL shard_machine::entry* shard_machine::answered(const std::string& cluster) {
    --asking_;
    entry& e = clusters_.at(cluster);  // kept while an answer is due
    e.asking = false;
    return &e;
}

KCONTROL_DECL void shard_machine::disengaged(const std::string& cluster, time_point now) {
    const auto found = clusters_.find(cluster);
    if (found == clusters_.end() || found->second.at != phase::leaving) return;
    found->second.at = phase::resting;
    found->second.told = false;
    found->second.wait_until = now + set_.settle;
}

KCONTROL_DECL void shard_machine::took(const std::string& cluster, const result<shard_lease>& answer, time_point now,
                                       double unit) {
    entry& e = *answered(cluster);
    if (answer) {
        know(e, *answer);
        e.wait_until = now;
        e.lost = false;
        // What a term began, another one does not go on with.
        e.doubt = !member_ || e.asked_in != term_;
        if (!e.doubt) e.at = phase::held;
        return;
    }
    e.doubt = true;
    const error& why = answer.error();
    const bool other = why == condition::conflict || why == condition::not_found || why == api_errc::already_exists;
    e.wait_until = other ? now : now + pause(unit);
}

KCONTROL_DECL void shard_machine::looked(const std::string& cluster, const result<shard_lease>& answer, time_point now,
                                         double unit) {
    entry& e = *answered(cluster);
    const bool absent = !answer && answer.error() == condition::not_found;
    if (!answer && !absent) {
        e.wait_until = now + pause(unit);
        return;
    }
    e.wait_until = e.at == phase::resting ? e.wait_until : now;
    e.doubt = false;
    e.look_at.reset();
    know(e, absent ? std::optional<shard_lease>() : std::optional<shard_lease>(*answer));
    if (e.at != phase::free && !is_mine(e)) e.lost = true;
}

KCONTROL_DECL void shard_machine::released(const std::string& cluster, const result<void>& answer, time_point now,
                                           double unit) {
    entry& e = *answered(cluster);
    if (answer || answer.error() == condition::not_found) {
        e.at = phase::free;
        e.wait_until = now;
        return know(e, std::nullopt);
    }
    e.doubt = true;
    e.wait_until = answer.error() == condition::conflict ? now : now + pause(unit);
}

KCONTROL_DECL void shard_machine::expelled(const std::string& lease, const result<void>& answer, time_point now,
                                           double unit) {
    const auto found = peers_.find(lease);
    const bool absent = answer || answer.error() == condition::not_found;
    // Where the watch was faster an inquiry will say so.
    if (found == peers_.end() || !found->second.asking) return;
    found->second.asking = false;
    if (absent) {
        gone_[lease] = found->second.inquiry;
        peers_.erase(found);
    } else if (answer.error() == condition::conflict) {
        found->second.observed_at = now;  // it lives, and the watch is behind
        found->second.doubt = true;
    } else {
        found->second.wait_until = now + pause(unit);
    }
}

KCONTROL_DECL void shard_machine::confirmed(const std::string& lease, const result<shard_lease>& answer, time_point now,
                                            double unit) {
    inquiry& one = inquiries_[lease];
    const bool absent = !answer && answer.error() == condition::not_found;
    if (answer) observed(*answer, now);
    if (absent) peers_.erase(lease);
    if (absent || (answer && answer->spec.holder_identity.empty())) {
        gone_[lease] = one.number;
        inquiries_.erase(lease);
        return;
    }
    one.asking = false;
    one.wait_until = now + pause(unit);
}

// Who is named by no claim may be forgotten.
KCONTROL_DECL void shard_machine::forget_gone() {
    if (gone_.size() < 64) return;
    std::set<std::string> named_still;
    for (const auto& [name, e] : clusters_) {
        if (e.claim) named_still.insert(peer_lease_name(set_.group, e.claim->spec.holder_identity.str()));
    }
    for (auto at = gone_.begin(); at != gone_.end();) {
        at = named_still.count(at->first) == 0 ? gone_.erase(at) : std::next(at);
    }
}

KCONTROL_DECL bool shard_machine::idle() const {
    return std::all_of(clusters_.begin(), clusters_.end(),
                       [](const auto& each) { return each.second.at == phase::free && !each.second.asking; });
}

KCONTROL_DECL void shard_machine::count(sharding_stats& to) const {
    to.member = member_;
    to.peers = alive_.size();
    to.clusters = to.waiting = 0;
    for (const auto& [name, e] : clusters_) {
        const bool has = e.at == phase::held && e.told;
        if (has) ++to.clusters;
        if (!has && member_ && e.wanted && e.mine) ++to.waiting;
    }
}

KCONTROL_DECL sharding_status shard_machine::status() const {
    sharding_status out;
    out.member = member_;
    for (const shard_peer& one : alive_) out.peers.emplace_back(one.identity, one.weight);
    for (const auto& [name, e] : clusters_) {
        if (e.at == phase::held && e.told) {
            out.clusters.push_back(name);
        } else if (member_ && e.wanted && e.mine) {
            out.waiting.push_back(name);
        }
    }
    return out;
}

}  // namespace kcontrol::detail
