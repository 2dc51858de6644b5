#pragma once

#include <kcontrol/scheduling/interned_name.hpp>

#include <memory>
#include <mutex>
#include <unordered_map>

namespace kcontrol::inline v0_1::scheduling {

// Never destroyed: names in static objects outlive it otherwise.
struct interned_name::table {
    static table& of_process() {
        static table* const one = new table;  // NOLINT: reachable for ever
        return *one;
    }

    std::mutex mutex;
    std::unordered_map<std::string_view, std::unique_ptr<entry>> entries;  // keys are the entries' own names
};

KCONTROL_DECL interned_name::interned_name(std::string_view name) {
    if (name.empty()) return;
    table& all = table::of_process();
    const std::lock_guard lock(all.mutex);
    const auto found = all.entries.find(name);
    if (found != all.entries.end()) {
        entry_ = found->second.get();
        entry_->uses.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    auto made = std::unique_ptr<entry>(new entry{std::string(name), 1});
    const std::string_view key = made->name;
    entry_ = all.entries.emplace(key, std::move(made)).first->second.get();
}

KCONTROL_DECL void interned_name::release() noexcept {
    std::size_t uses = entry_->uses.load(std::memory_order_relaxed);
    while (uses > 1) {
        if (entry_->uses.compare_exchange_weak(uses, uses - 1, std::memory_order_release, std::memory_order_relaxed)) {
            return;
        }
    }
    // The last use ends under the lock, so that nobody finds an entry that is being freed.
    table& all = table::of_process();
    const std::lock_guard lock(all.mutex);
    if (entry_->uses.fetch_sub(1, std::memory_order_acq_rel) == 1) all.entries.erase(entry_->name);
}

}  // namespace kcontrol::scheduling
