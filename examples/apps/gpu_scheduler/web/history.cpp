#include "web/history.hpp"

#include <kcontrol/json/members.hpp>

#include <chrono>
#include <cmath>

namespace gpu_scheduler {

std::size_t history::place_of(const std::string& tenant) {
    const auto [found, is_new] = places_.try_emplace(tenant, tenants_.size());
    if (is_new) tenants_.push_back(tenant);
    return found->second;
}

void history::take(kcontrol::wall_time now, board& known) {
    point made;
    made.minute = std::chrono::floor<std::chrono::minutes>(now.time_since_epoch()).count();
    double unusable = 0;
    for (const auto& on : known.nodes()) {
        if (on == nullptr || on->ledger.devices().gpus.empty()) continue;
        made.capacity += on->capacity();
        unusable += known.unusable(*on);
        for (const auto& each : on->holdings) {
            const auto place = place_of(each.tenant);
            if (made.of_tenants.size() <= place) made.of_tenants.resize(place + 1);
            made.of_tenants[place] += each.amount;
            made.allocated += each.amount;
        }
    }
    made.unusable = std::llround(unusable);
    made.pending = static_cast<std::int64_t>(known.waiting());
    if (!points_.empty() && points_.back().minute == made.minute) points_.pop_back();
    points_.push_back(std::move(made));
    while (points_.front().minute <= points_.back().minute - minutes_kept) points_.pop_front();
}

std::string history::json(std::optional<kcontrol::wall_time> since) const {
    const auto gpus = [](std::int64_t milli) { return static_cast<double>(milli) / whole_gpu; };
    kcontrol::json::writer out;
    out.begin_object();
    kcontrol::json::write_values(out, "tenants", tenants_);
    kcontrol::json::begin_array(out, "points");
    for (const auto& each : points_) {
        const std::chrono::minutes at(each.minute);
        if (since && at < since->time_since_epoch()) continue;
        out.begin_array();
        out.value(each.minute * 60);
        for (const auto amount : {each.capacity, each.allocated, each.unusable}) out.value(gpus(amount));
        out.value(each.pending);
        out.begin_array();
        for (const auto amount : each.of_tenants) out.value(gpus(amount));
        out.end_array();
        out.end_array();
    }
    out.end_array();
    out.end_object();
    return out.take();
}

}  // namespace gpu_scheduler
