#include <kcontrol/testing/event_checker.hpp>

#include <cstdlib>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

bool grows(const std::string& from, const std::string& to) {
    return std::strtoull(to.c_str(), nullptr, 10) > std::strtoull(from.c_str(), nullptr, 10);
}

}  // namespace
}  // namespace detail

void event_checker::take(const any_event& event) {
    if (event.resync) return;
    ++events_;
    const auto& meta = event.object().meta();
    const auto& version = meta.resource_version;
    const auto known = live_.find(meta.uid);
    if (dead_.contains(meta.uid)) blame(event, "an event after the deletion");
    switch (event.type) {
    case event_type::added:
        if (known != live_.end()) blame(event, "added twice");
        live_[meta.uid] = version;
        history_[meta.uid].push_back(version);
        break;
    case event_type::updated:
        if (known == live_.end()) {
            blame(event, "updated before it was added");
        } else {
            if (event.old_object.meta().resource_version != known->second)
                blame(event, "updated from a state not seen");
            const bool any_order = unordered_.erase(meta.uid) > 0;
            if (!any_order && !detail::grows(known->second, version)) blame(event, "updated to an older version");
        }
        live_[meta.uid] = version;
        history_[meta.uid].push_back(version);
        break;
    case event_type::deleted:
        if (known == live_.end()) blame(event, "deleted before it was added");
        live_.erase(meta.uid);
        dead_.insert(meta.uid);
        history_[meta.uid].push_back("-" + version + (event.final_state_unknown ? "?" : ""));
        break;
    case event_type::generic: blame(event, "a generic event, which no informer tells"); break;
    }
}

void event_checker::expect_other_history() {
    dead_.clear();
    for (const auto& [uid, version] : live_) unordered_.insert(uid);
}

void event_checker::blame(const any_event& event, const std::string& what) {
    const auto& meta = event.object().meta();
    violations_.push_back(name_ + ": " + to_string(key_of(meta)) + " (uid " + meta.uid + ", version " +
                          meta.resource_version + "): " + what);
}

}  // namespace kcontrol::testing
