#include "notices/cluster_vigils.hpp"

#include "notices/rules.hpp"

#include <algorithm>
#include <utility>

namespace training_monitor::notices {
namespace {

constexpr std::string_view live = "Live", unreachable = "Unreachable", failed = "Failed";

// Empty of one that can be seen, at least in part.
std::string_view trouble_of(const cluster_view& cluster) {
    if (cluster.state == "unreachable") return unreachable;
    return cluster.state == "failed" ? failed : std::string_view();
}

void add(std::vector<recipient>& to, const std::vector<std::size_t>& more, std::size_t rule) {
    for (const auto each : more) {
        const auto known = [&](const recipient& r) { return r.receiver == each; };
        if (std::none_of(to.begin(), to.end(), known)) to.push_back({each, rule});
    }
}

}  // namespace

std::optional<cluster_news> cluster_vigils::set(const cluster_view& cluster, kcontrol::time_point now) {
    const auto known = troubles_.find(cluster.name);
    if (const auto state = trouble_of(cluster); !state.empty()) {
        trouble& t = known == troubles_.end() ? troubles_[cluster.name] : known->second;
        if (known == troubles_.end()) {
            t.since = now;
            t.told.resize(rules_.size());
        }
        t.state = state;
        t.reason = cluster.reason;
        return std::nullopt;
    }
    // One that connects is on its way, and nobody knows where to.
    if (known == troubles_.end() || cluster.state == "connecting") return std::nullopt;
    const trouble over = std::move(known->second);
    troubles_.erase(known);
    cluster_news out{cluster.name, over.state, live, over.reason, now - over.since, {}};
    for (std::size_t i = 0; i < rules_.size(); ++i) {
        if (over.told[i]) add(out.receivers, rules_[i].receivers, i);
    }
    if (out.receivers.empty()) return std::nullopt;
    return out;
}

bool cluster_vigils::is_due(const trouble& of, const std::string& cluster, std::size_t rule) const {
    if (of.told[rule]) return false;
    const auto& names = rules_[rule].clusters;
    return names.empty() || std::any_of(names.begin(), names.end(),
                                        [&](const std::string& name) { return fits_pattern(name, cluster); });
}

std::optional<kcontrol::time_point> cluster_vigils::next() const {
    std::optional<kcontrol::time_point> out;
    for (const auto& [cluster, t] : troubles_) {
        for (std::size_t i = 0; i < rules_.size(); ++i) {
            if (!is_due(t, cluster, i)) continue;
            const auto due = t.since + rules_[i].lasting;
            out = std::min(out.value_or(due), due);
        }
    }
    return out;
}

std::vector<cluster_news> cluster_vigils::take(kcontrol::time_point now) {
    std::vector<cluster_news> out;
    for (auto& [cluster, t] : troubles_) {
        cluster_news news{cluster, live, t.state, t.reason, now - t.since, {}};
        for (std::size_t i = 0; i < rules_.size(); ++i) {
            if (!is_due(t, cluster, i) || t.since + rules_[i].lasting > now) continue;
            t.told[i] = true;
            add(news.receivers, rules_[i].receivers, i);
        }
        if (!news.receivers.empty()) out.push_back(std::move(news));
    }
    return out;
}

}  // namespace training_monitor::notices
