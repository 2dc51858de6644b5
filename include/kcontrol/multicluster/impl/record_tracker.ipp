#pragma once

#include <kcontrol/multicluster/detail/printable_name.hpp>
#include <kcontrol/multicluster/detail/record_tracker.hpp>

#include <utility>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL void record_tracker::put(entry& e, const cluster_record& record, result<auth::cluster_config> config) {
    e.revision = record.revision;
    if (config) {
        e.good = std::move(*config);
        e.wrong.reset();
        e.told.clear();
    } else {
        e.wrong = config.error();
    }
}

KCONTROL_DECL std::vector<record_tracker::complaint> record_tracker::take(const std::vector<cluster_record>& records,
                                                                          const reader& read, bool again) {
    std::vector<complaint> out;
    std::set<std::string> here, passed_over;
    const auto pass_over = [&](const std::string& name, std::string why) {
        // As a name can't hold it, a NUL keeps the two apart.
        std::string mark = name + '\0' + why;
        if (!passed_over_.contains(mark)) out.emplace_back(name, std::move(why));
        passed_over.insert(std::move(mark));
    };
    for (const auto& record : records) {
        const std::string name = printable_name(record.name);
        if (name.empty()) {
            pass_over(name, "a record without a name is no cluster");
            continue;
        }
        if (!here.insert(name).second) {
            pass_over(name, "there is another record of this name, which counts");
            continue;
        }
        entry& e = entries_[name];
        e.labels = record.labels;
        const bool known = e.good && !e.wrong && !record.revision.empty() && e.revision == record.revision;
        if (record.fault) {
            put(e, record, *record.fault);
        } else if (!known || again) {
            put(e, record, read(record));
        }
        if (e.wrong && e.told != e.wrong->what()) {
            e.told = e.wrong->what();
            out.emplace_back(name, e.told);
        }
    }
    std::erase_if(entries_, [&](const auto& one) { return !here.contains(one.first); });
    passed_over_ = std::move(passed_over);
    return out;
}

KCONTROL_DECL std::vector<desired_cluster> record_tracker::present() const {
    std::vector<desired_cluster> out;
    for (const auto& [name, e] : entries_) {
        auto& one = e.good ? out.emplace_back(name, *e.good) : out.emplace_back(name, *e.wrong);
        if (e.good && e.wrong) one.warning = e.wrong->what() + "; the configuration before it stays in use";
        one.labels = e.labels;
    }
    return out;
}

}  // namespace kcontrol::detail
