// The decision behind a readyz check of informers: who is in the way, and since when.
#pragma once

#include <kcontrol/cluster/informer_report.hpp>
#include <kcontrol/manager/readiness.hpp>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Looks at informers now and then, and remembers since when each is not live.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class readiness_rule {
public:
    readiness_rule(readiness when, duration grace) : when_(when), grace_(grace) {}

    /// These are all informers now, in the same order each time but for new ones.
    void observe(const std::vector<informer_report>& all, time_point now) {
        std::map<std::string, time_point> next;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].status.state == informer_state::live) continue;
            const std::string key = key_of(all, i);
            const auto before = since_.find(key);
            next.emplace(key, before == since_.end() ? now : before->second);
        }
        since_ = std::move(next);
    }

    /// Why it is not ready, one line for each informer in the way; call observe() first.
    std::vector<std::string> objections(const std::vector<informer_report>& all, time_point now) const {
        std::vector<std::string> out;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (!all[i].status.synced) {
                out.push_back(all[i].describe());
                continue;
            }
            if (when_ == readiness::synced_once) continue;
            const auto found = since_.find(key_of(all, i));
            if (found == since_.end() || now - found->second <= grace_) continue;
            const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - found->second);
            out.push_back(all[i].describe() + ", not live for " + std::to_string(seconds.count()) + " s");
        }
        return out;
    }

private:
    // Of several informers of one kind and scope the first is the first again.
    static std::string key_of(const std::vector<informer_report>& all, std::size_t at) {
        const std::string name = all[at].name();
        std::size_t same = 0;
        for (std::size_t i = 0; i < at; ++i) same += all[i].name() == name ? 1U : 0U;
        return name + "#" + std::to_string(same);
    }

    readiness when_;
    duration grace_;
    std::map<std::string, time_point> since_;  // of those that are not live
};

}  // namespace kcontrol::detail
