#include "history/acknowledgements.hpp"

#include <algorithm>
#include <utility>

namespace training_monitor {

acknowledgements::key acknowledgements::key_of(const job_id& j) {
    return {std::string(j.cluster), std::string(j.name_space), std::string(j.kind), std::string(j.name),
            std::string(j.uid)};
}

const acknowledgement* acknowledgements::find(const job_record& job, const need& of, kcontrol::wall_time now) const {
    if (all_.empty()) return nullptr;
    const auto at = all_.find(key_of(job.id()));
    if (at == all_.end()) return nullptr;
    const auto& one = at->second;
    const bool holds = one.concern == to_string(of.what) && one.at >= of.since && now < one.at + kept_for;
    return holds ? &one : nullptr;
}

void acknowledgements::put(acknowledgement one) {
    const auto at = all_.insert_or_assign(key_of(one), std::move(one)).first;
    if (changed_) changed_(at->second, false);
    make_room();
}

bool acknowledgements::remove(const job_id& job) {
    const auto at = all_.find(key_of(job));
    if (at == all_.end()) return false;
    erase(at);
    return true;
}

void acknowledgements::restore(std::vector<acknowledgement> all, kcontrol::wall_time now) {
    for (auto& one : all) {
        const key k = key_of(one);
        const bool old = now >= one.at + kept_for;
        const auto at = all_.insert_or_assign(k, std::move(one)).first;
        if (old) erase(at);
    }
    make_room();
}

void acknowledgements::erase(std::map<key, acknowledgement>::iterator at) {
    const acknowledgement gone = std::move(at->second);
    all_.erase(at);
    if (changed_) changed_(gone, true);
}

void acknowledgements::make_room() {
    while (all_.size() > most_) {
        erase(std::min_element(all_.begin(), all_.end(),
                               [](const auto& a, const auto& b) { return a.second.at < b.second.at; }));
    }
}

}  // namespace training_monitor
