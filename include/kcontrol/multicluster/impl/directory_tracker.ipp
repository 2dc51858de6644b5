#pragma once

#include <kcontrol/multicluster/directory_tracker.hpp>

#include <iterator>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL std::vector<desired_cluster> directory_tracker::observe(time_point now, std::vector<finding> found) {
    const auto become = [now](entry& e, condition_of_file is) {
        if (e.is == is) return;
        e.is = is;
        e.since = now;
    };
    std::map<std::string, result<auth::cluster_config>> present(std::make_move_iterator(found.begin()),
                                                                std::make_move_iterator(found.end()));
    for (const auto& [name, config] : present) entries_.try_emplace(name);

    next_scan_.reset();
    std::vector<desired_cluster> out;
    for (auto i = entries_.begin(); i != entries_.end();) {
        auto& [name, e] = *i;
        const auto file = present.find(name);
        if (file == present.end()) {
            become(e, condition_of_file::missing);
        } else if (file->second) {
            become(e, condition_of_file::good);
            e.good = *file->second;
        } else {
            become(e, condition_of_file::broken);
            e.broken = file->second.error();
        }
        const bool bridged = in_grace(e, now);
        if (e.is == condition_of_file::missing && !bridged) {
            i = entries_.erase(i);
            continue;
        }
        if (e.good) {
            out.emplace_back(name, *e.good);
            if (e.is == condition_of_file::broken && !bridged) {
                out.back().warning = e.broken->what() + "; the configuration before it stays in use";
            }
        } else if (e.is == condition_of_file::broken && !bridged) {
            out.emplace_back(name, *e.broken);
        }
        ++i;
    }
    return out;
}

KCONTROL_DECL bool directory_tracker::in_grace(const entry& e, time_point now) {
    if (e.is == condition_of_file::good) return false;
    const time_point end = e.since + (e.is == condition_of_file::missing ? missing_grace : broken_grace);
    if (now >= end) return false;
    if (!next_scan_ || end < *next_scan_) next_scan_ = end;
    return true;
}

}  // namespace kcontrol
