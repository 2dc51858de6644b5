#include "allocate/allocate.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace gpu_scheduler {
namespace {

constexpr int most_tries = 10'000;  // of the search, per node and pod

// A share or a slice that a container wants.
struct wish {
    std::size_t place;  // among all devices of the pod
    const container_request* container;
    std::string_view profile;  // empty: a share
};

std::int64_t share_memory(const container_request& wanted, const gpu& of) {
    return wanted.memory_percent > 0 ? of.memory_mib * wanted.memory_percent / 100 : wanted.memory_mib;
}

// The search for one pod on one node. Whole GPUs are chosen together; then shares, those with the most memory first;
// then slices, the largest first. Where one doesn't fit, the ones before it try their next best GPU.
class search {
public:
    search(node_ledger& node, const gpu_request& pod, const cpu_amounts& cpu, placer& by, slice_turns* turns)
        : ledger_(node), cpu_(cpu), placer_(by), turns_(turns) {
        std::size_t place = 0;
        for (const auto& each : pod.containers) {
            for (int i = 0; i < each.gpus; ++i, ++place) {
                if (each.is_share) {
                    wishes_.push_back({place, &each, {}});
                } else {
                    wholes_.push_back(place);
                }
            }
            for (const auto& profile : each.slices) wishes_.push_back({place++, &each, profile});
        }
        out_.devices.resize(place);
        std::ranges::stable_sort(wishes_, std::ranges::greater(), [this](const wish& w) { return size_of(w); });
    }

    ~search() {
        for (const auto& each : added_) ledger_.remove(each);
    }
    search(const search&) = delete;
    search& operator=(const search&) = delete;

    std::optional<allocation> run() {
        if (!wholes_.empty() && !take_wholes()) return {};
        if (!take(0)) return {};
        return std::move(out_);
    }

private:
    // Shares before slices; by memory, or by slots and place in the table.
    std::int64_t size_of(const wish& w) const {
        if (w.profile.empty()) {
            const auto& gpus = ledger_.devices().gpus;
            return (std::int64_t{1} << 50U) + (gpus.empty() ? 0 : share_memory(*w.container, gpus.front()));
        }
        for (std::size_t i = 0; i < ledger_.devices().gpus.size(); ++i) {
            const auto& profiles = ledger_.profiles(i);
            const auto found = std::ranges::find(profiles, w.profile, &mig_profile::name);
            if (found != profiles.end()) return profiles.end() - found;
        }
        return 0;
    }

    bool take_wholes() {
        room free = room_of(ledger_, cpu_.free_milli);
        for (std::size_t i = 0; i < free.gpus.size(); ++i) {
            if (!ledger_.is_free(i)) free.gpus[i] = 0;
        }
        const auto untouched = std::ranges::count(free.gpus, whole_gpu);
        if (untouched - ledger_.unknown() < static_cast<std::ptrdiff_t>(wholes_.size())) return false;
        const demand what{cpu_.pod_milli, static_cast<int>(wholes_.size()), whole_gpu};
        const auto& devices = ledger_.devices();
        const auto best = placer_.best_on(free, what, devices.product, devices.links ? &*devices.links : nullptr);
        if (!best) return false;
        count(*best);
        for (std::size_t i = 0; i < wholes_.size(); ++i) {
            auto& hold = out_.devices[wholes_[i]];
            hold.uuid = devices.gpus[best->gpus[i]].uuid;
            if (!wishes_.empty() && !add(hold)) return false;
        }
        return true;
    }

    bool add(const device_hold& hold) {
        added_.push_back(hold);
        return ledger_.add(hold).has_value();
    }

    bool take(std::size_t next) {
        if (next == wishes_.size()) return true;
        const auto& wanted = wishes_[next];
        std::vector<std::size_t> failed;
        for (;;) {
            if (++tries_ > most_tries) return false;
            device_hold hold;
            const auto best = wanted.profile.empty() ? best_share(*wanted.container, failed, hold)
                                                     : best_slice(wanted.profile, failed, hold);
            if (!best) return false;
            const auto before = std::pair(out_.cost, out_.tie);
            count(*best);
            out_.devices[wanted.place] = hold;
            if (next + 1 == wishes_.size()) return true;
            if (!add(hold)) return false;
            if (take(next + 1)) return true;
            ledger_.remove(hold);
            added_.pop_back();
            out_.devices[wanted.place] = {};
            std::tie(out_.cost, out_.tie) = before;
            failed.push_back(best->gpus.front());
        }
    }

    // GPUs on which the same was tried in vain need no second try.
    bool is_in_vain(const std::vector<std::size_t>& failed, std::size_t gpu) const {
        return std::ranges::any_of(failed, [&](std::size_t other) {
            const auto& a = ledger_.devices().gpus[gpu];
            const auto& b = ledger_.devices().gpus[other];
            return gpu == other || (ledger_.use(gpu) == ledger_.use(other) && a.memory_mib == b.memory_mib &&
                                    a.cores == b.cores && a.most_shares == b.most_shares);
        });
    }

    std::optional<choice> best_share(const container_request& wanted, const std::vector<std::size_t>& failed,
                                     device_hold& hold) {
        const auto& gpus = ledger_.devices().gpus;
        room free = room_of(ledger_, cpu_.free_milli);
        demand what{cpu_.pod_milli, 1, 1};
        for (std::size_t i = 0; i < gpus.size(); ++i) {
            hold = {gpus[i].uuid, share_memory(wanted, gpus[i]), wanted.cores, {}, 0};
            if (hold.memory_mib == 0 || is_in_vain(failed, i) || is_taken(hold, &wanted) || !ledger_.check(hold)) {
                free.gpus[i] = 0;
                continue;
            }
            const auto milli = (hold.memory_mib * whole_gpu + gpus[i].memory_mib - 1) / gpus[i].memory_mib;
            what.milli = std::max(what.milli, static_cast<int>(milli));
        }
        for (auto& each : free.gpus) each = each == 0 ? 0 : std::max(each, what.milli);
        auto best = placer_.best_on(free, what, ledger_.devices().product);
        if (!best) return {};
        const auto& chosen = gpus[best->gpus.front()];
        hold = {chosen.uuid, share_memory(wanted, chosen), wanted.cores, {}, 0};
        return best;
    }
    // The shares of one container are of different GPUs.
    bool is_taken(const device_hold& hold, const container_request* by) const {
        return std::ranges::any_of(wishes_, [&](const wish& w) {
            return w.container == by && w.profile.empty() && out_.devices[w.place].uuid == hold.uuid;
        });
    }

    std::optional<choice> best_slice(std::string_view name, const std::vector<std::size_t>& failed, device_hold& hold) {
        std::vector<choice> able;
        std::vector<weighted_name> names;
        std::vector<unsigned> starts;
        for (std::size_t i = 0; i < ledger_.devices().gpus.size(); ++i) {
            const auto& profiles = ledger_.profiles(i);
            const auto* profile = find_profile(profiles, name);
            if (profile == nullptr || is_in_vain(failed, i)) continue;
            const auto start = best_start(profiles, *profile, ledger_.use(i).slots);
            const auto& uuid = ledger_.devices().gpus[i].uuid;
            if (!start || !ledger_.check({uuid, 0, 0, std::string(name), *start})) continue;
            const auto left = profiles.front().slots -
                              static_cast<unsigned>(std::popcount(ledger_.use(i).slots | profile->at(*start)));
            able.push_back({left * whole_gpu / profiles.front().slots, 0, {i}});
            names.push_back({uuid, static_cast<int>(most_slices(*profile, 0))});
            starts.push_back(*start);
        }
        if (able.empty()) return {};
        const auto best = turns_ != nullptr ? turns_->next(names)
                                            : static_cast<std::size_t>(std::ranges::min_element(able) - able.begin());
        hold = {std::string(names[best].name), 0, 0, std::string(name), starts[best]};
        return able[best];
    }

    void count(const choice& chosen) {
        out_.cost += chosen.cost;
        out_.tie += chosen.tie;
    }

    node_ledger& ledger_;  // with what the pod has got so far
    std::vector<device_hold> added_;
    const cpu_amounts& cpu_;
    placer& placer_;
    slice_turns* turns_;
    std::vector<std::size_t> wholes_;  // their places among all devices of the pod
    std::vector<wish> wishes_;
    allocation out_;
    int tries_ = 0;
};

}  // namespace

room room_of(const node_ledger& node, std::int64_t free_cpu_milli) {
    room out{free_cpu_milli, {}};
    const auto& gpus = node.devices().gpus;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        const auto& use = node.use(i);
        std::int64_t free = 0;
        if (!node.profiles(i).empty()) {
            const auto slots = node.profiles(i).front().slots;
            free = (slots - static_cast<unsigned>(std::popcount(use.slots))) * whole_gpu / slots;
        } else if (use.is_free() && !gpus[i].is_divided) {
            free = whole_gpu;
        } else if (use.wholes == 0 && gpus[i].memory_mib > 0 && !gpus[i].is_divided) {
            free = std::max<std::int64_t>(0, gpus[i].memory_mib - use.memory_mib) * whole_gpu / gpus[i].memory_mib;
        }
        out.gpus.push_back(gpus[i].is_healthy ? static_cast<int>(free) : 0);
    }
    return out;
}

std::optional<allocation> allocate(node_ledger& node, const gpu_request& pod, const cpu_amounts& cpu, placer& by,
                                   slice_turns* turns) {
    return search(node, pod, cpu, by, turns).run();
}

}  // namespace gpu_scheduler
