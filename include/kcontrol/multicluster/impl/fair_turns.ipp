#pragma once

#include <kcontrol/multicluster/detail/fair_turns.hpp>

#include <algorithm>
#include <tuple>

namespace kcontrol::inline v0_1::detail {

// Who has been away has saved nothing up.
KCONTROL_DECL fair_turns::ticket fair_turns::ask(const std::string& cluster, std::uint32_t weight, time_point now) {
    member& one = members_[cluster];
    one.weight = std::max<std::uint32_t>(weight, 1);
    if (one.running == 0 && one.waiting.empty()) one.served = std::max(one.served, served_);
    const ticket mine = ++last_;
    one.waiting.emplace(mine, now);
    tickets_.emplace(mine, cluster);
    return mine;
}

KCONTROL_DECL fair_turns::members::iterator fair_turns::next(time_point now) {
    auto best = members_.end();
    const auto key = [&](const member& m) {
        const auto& [first, since] = *m.waiting.begin();
        const bool aged = now - since >= aging_;
        const double share = static_cast<double>(m.running) / m.weight;
        return std::make_tuple(!aged, aged ? 0.0 : share, aged ? 0.0 : m.served, first);
    };
    for (auto at = members_.begin(); at != members_.end(); ++at) {
        if (at->second.waiting.empty()) continue;
        if (best == members_.end() || key(at->second) < key(best->second)) best = at;
    }
    return best;
}

KCONTROL_DECL std::vector<fair_turns::ticket> fair_turns::grant(time_point now) {
    std::vector<ticket> out;
    while (running_ < total_) {
        const auto at = next(now);
        if (at == members_.end()) break;
        member& one = at->second;
        out.push_back(one.waiting.begin()->first);
        one.waiting.erase(one.waiting.begin());
        ++one.running;
        ++running_;
        served_ = std::max(served_, one.served);
        one.served += 1.0 / one.weight;
    }
    // What a cluster has had counts only against those who wait at the same time.
    std::erase_if(members_, [&](const auto& each) {
        const member& m = each.second;
        return m.running == 0 && m.waiting.empty() && (running_ == 0 || m.served <= served_);
    });
    return out;
}

KCONTROL_DECL void fair_turns::end(ticket which) {
    const auto found = tickets_.find(which);
    if (found == tickets_.end()) return;
    const auto of = members_.find(found->second);
    tickets_.erase(found);
    if (of->second.waiting.erase(which) == 0) {
        --of->second.running;
        --running_;
    }
}

KCONTROL_DECL std::size_t fair_turns::waiting() const {
    std::size_t out = 0;
    for (const auto& [name, one] : members_) out += one.waiting.size();
    return out;
}

KCONTROL_DECL std::vector<fair_turns::load> fair_turns::loads(std::size_t most) const {
    std::vector<load> out;
    for (const auto& [name, one] : members_) {
        if (out.size() == most) break;
        if (one.running == 0 && one.waiting.empty()) continue;
        out.push_back({name, static_cast<std::size_t>(one.running), one.waiting.size()});
    }
    return out;
}

}  // namespace kcontrol::detail
