#include "handle_table.hpp"

#include <string>
#include <utility>

namespace kcontrol::inline v0_1::service_c {

handle_table& handle_table::of_process() noexcept {
    static handle_table* const table = new handle_table;
    return *table;
}

kc_handle handle_table::reserve() noexcept {
    // Multiplying by an odd number permutes the 64-bit numbers: none comes twice, 0 comes never, and small numbers and
    // pointers, which a program may pass by mistake, are hardly ever handles.
    const std::lock_guard lock(mutex_);
    return ++given_ * 0x9E37'79B9'7F4A'7C15U;
}

void handle_table::put(kc_handle handle, std::shared_ptr<entry> what) {
    const std::lock_guard lock(mutex_);
    entries_.emplace(handle, slot{++put_, std::move(what)});
}

outcome<std::shared_ptr<entry>> handle_table::look_up(kc_handle handle) const {
    if (handle == 0) return failure{KC_EHANDLE, "the handle is 0, which stands for none"};
    const std::shared_lock lock(mutex_);
    const auto at = entries_.find(handle);
    if (at != entries_.end()) return at->second.what;
    return failure{KC_EHANDLE, "handle " + std::to_string(handle) + " was freed, or never given"};
}

std::shared_ptr<entry> handle_table::take(kc_handle handle) noexcept {
    const std::lock_guard lock(mutex_);
    const auto at = entries_.find(handle);
    if (at == entries_.end()) return nullptr;
    auto taken = std::move(at->second.what);
    entries_.erase(at);
    return taken;
}

std::shared_ptr<entry> handle_table::take_part_of(kc_handle owner) noexcept {
    const std::lock_guard lock(mutex_);
    auto newest = entries_.end();
    for (auto at = entries_.begin(); at != entries_.end(); ++at) {
        if (at->second.what->owner() != owner) continue;
        if (newest == entries_.end() || at->second.number > newest->second.number) newest = at;
    }
    if (newest == entries_.end()) return nullptr;
    auto taken = std::move(newest->second.what);
    entries_.erase(newest);
    return taken;
}

std::vector<std::shared_ptr<entry>> handle_table::all() const {
    const std::shared_lock lock(mutex_);
    std::vector<std::shared_ptr<entry>> out;
    out.reserve(entries_.size());
    for (const auto& row : entries_) out.push_back(row.second.what);
    return out;
}

failure handle_table::wrong_kind(kc_handle handle, const entry& is, const char* wanted) {
    return failure{KC_EHANDLE, "handle " + std::to_string(handle) + " is " + is.name() + ", not " + wanted};
}

}  // namespace kcontrol::service_c
