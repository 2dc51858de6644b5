// The writes that an informer's copy may not show yet: a plain state machine of what the copy reports of itself.
#pragma once

#include <kcontrol/cache/detail/unseen_writes.hpp>
#include <kcontrol/cache/store.hpp>
#include <kcontrol/cache/version_waits.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Decides when a wait for a write is over, and which objects came and went before the copy had them.
///
/// Thread-safety: shared objects unsafe. Object lifetime: the copy outlives it.
class write_tracker {
public:
    using ticket = version_waits::ticket;

    explicit write_tracker(const store& copy) noexcept : copy_(copy) {}

    /// A wait for a version of an object begins; the watch has filled the copy up to version `filled`.
    ticket wait_for(const namespaced_name& key, std::string version, std::string_view filled) {
        const ticket made = waits_.add(key, std::move(version));
        if (const any_object present = copy_.get(key)) waits_.observed(key, present.meta().resource_version);
        waits_.passed(filled);
        return made;
    }
    bool is_over(ticket t) const { return waits_.is_over(t); }
    void cancel(ticket t) { waits_.cancel(t); }  ///< ends a wait
    /// Whether waits have ended since the last call.
    bool take_ended() noexcept { return std::exchange(ended_, false); }

    /// This program knows that the server has that object, which the copy lacks. Returns what handlers get of it now:
    /// its addition and deletion if a list has passed over it.
    store_change expect(any_object written, std::string_view filled) {
        std::vector<any_object> missed;
        if (unobserved_.add(written, filled)) missed.push_back(std::move(written));
        return came_and_went(std::move(missed));
    }

    // Reports of the copy.

    /// An event of the object is here; the copy does not have it yet.
    void arrived(const object_meta& object) {
        if (!unobserved_.empty()) unobserved_.observed(key_of(object));
    }
    /// The copy has the object in that version, or, if it was deleted in that version, does not have it any more.
    void applied(const object_meta& object, bool deleted) {
        if (waits_.size() == 0) return;
        const auto key = key_of(object);
        const auto& version = object.resource_version;
        ended_ |= deleted ? waits_.deleted(key, version) : waits_.observed(key, version);
    }
    /// The watch has filled the copy up to that version; empty: nothing is known of that.
    void filled(std::string_view version) {
        unobserved_.passed(version);
        ended_ |= waits_.passed(version);
    }
    /// The copy, which was at version `before`, has a list of `version`; `by_content`: of another history. Returns what
    /// handlers get of the objects that came and went.
    store_change listed(std::string_view before, std::string_view version, bool by_content) {
        const auto has = [this](const namespaced_name& key) { return static_cast<bool>(copy_.get(key)); };
        const auto version_of = [this](const namespaced_name& key) {
            const any_object present = copy_.get(key);
            return present ? present.meta().resource_version.str() : std::string();
        };
        ended_ |= by_content ? waits_.history_reset() : waits_.listed(version_of);
        return came_and_went(by_content ? unobserved_.history_reset(has) : unobserved_.listed(before, version, has));
    }

private:
    // What a watch would have sent of them.
    static store_change came_and_went(std::vector<any_object> missed) {
        store_change change;
        for (any_object& one : missed) {
            change.events.emplace_back(event_type::added, any_object(), one);
            change.events.emplace_back(event_type::deleted, std::move(one), any_object());
            change.events.back().final_state_unknown = true;
        }
        return change;
    }

    const store& copy_;
    version_waits waits_;
    unseen_writes unobserved_;
    bool ended_ = false;
};

}  // namespace kcontrol::detail
