#include "testserver/resource_table.hpp"

#include <algorithm>

namespace kcontrol::inline v0_1::testing {

object_ptr resource_table::get(const namespaced_name& key) const {
    const auto found = objects_.find(key);
    return found == objects_.end() ? nullptr : found->second;
}

resource_table::object_range resource_table::objects_in(std::string_view ns) const {
    if (ns.empty()) return {objects_.begin(), objects_.end()};
    const std::string first(ns);
    return {objects_.lower_bound({first, ""}), objects_.lower_bound({first + '\0', ""})};
}

object_ptr resource_table::get_at(const namespaced_name& key, std::uint64_t version) const {
    for (std::size_t i = first_after(version); i < history_.size(); ++i) {
        if (history_[i].key == key) return history_[i].previous;
    }
    return get(key);
}

std::size_t resource_table::first_after(std::uint64_t version) const {
    const auto first = std::upper_bound(history_.begin(), history_.end(), version,
                                        [](std::uint64_t v, const store_event& event) { return v < event.version; });
    return static_cast<std::size_t>(first - history_.begin());
}

void resource_table::visit_at(std::uint64_t version, const namespaced_name& after, const visitor& visit) const {
    // What later events changed, as it was before the first of them.
    std::map<namespaced_name, object_ptr> then;
    for (std::size_t i = first_after(version); i < history_.size(); ++i) {
        then.emplace(history_[i].key, history_[i].previous);
    }
    auto now_it = objects_.upper_bound(after);
    auto then_it = then.upper_bound(after);
    while (now_it != objects_.end() || then_it != then.end()) {
        const bool use_then = then_it != then.end() && (now_it == objects_.end() || then_it->first <= now_it->first);
        const auto& [key, object] = use_then ? *then_it : *now_it;
        if (object != nullptr && !visit(key, object)) return;
        if (use_then && now_it != objects_.end() && now_it->first == key) ++now_it;
        use_then ? static_cast<void>(++then_it) : static_cast<void>(++now_it);
    }
}

void resource_table::commit(store_event event) {
    if (event.what == change::deleted) {
        objects_.erase(event.key);
    } else {
        objects_[event.key] = event.object;
    }
    history_.push_back(std::move(event));
    shrink(window_);
}

void resource_table::compact(std::uint64_t version) {
    shrink(history_.size() - first_after(version));
    oldest_ = std::max(oldest_, version);
}

void resource_table::set_window(std::size_t window) {
    window_ = window;
    shrink(window_);
}

void resource_table::shrink(std::size_t size) {
    while (history_.size() > size) {
        compacted_version_ = oldest_ = history_.front().version;
        history_.pop_front();
    }
}

}  // namespace kcontrol::testing
