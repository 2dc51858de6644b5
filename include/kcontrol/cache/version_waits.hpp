// Who waits until a copy of objects has caught up with a write, and whose wait is over, as a plain state machine.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/model/object_key.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// Waits for versions of objects of one kind. A wait for a version that is a decimal number ends when the copy has
/// passed it: by the object's own version, or because the watch is that far, which it also is when the object was
/// deleted or is not selected any more. Other versions can't be ordered: their wait ends when the object has exactly
/// that version, when it is deleted, or when a list does not have it. Versions of another history say nothing of this
/// one: if one begins, all waits end, for the copy is then what that server has.
///
/// Thread-safety: shared objects unsafe.
class version_waits {
public:
    using ticket = std::uint64_t;  ///< stands for one wait; none is given twice

    /// A wait begins. Report next what the copy has: observed() and passed().
    KCONTROL_DECL ticket add(namespaced_name key, std::string version);
    /// Whether it is over. A canceled one is.
    bool is_over(ticket t) const { return !waits_.contains(t); }
    void cancel(ticket t) { waits_.erase(t); }  ///< ends a wait
    std::size_t size() const noexcept { return waits_.size(); }

    // Events of the copy. Each returns whether a wait ended.

    /// The copy has the object in that version.
    KCONTROL_DECL bool observed(const namespaced_name& key, std::string_view version);
    /// The object was deleted; `version` is that of the deletion.
    KCONTROL_DECL bool deleted(const namespaced_name& key, std::string_view version);
    /// All changes up to that version are in the copy. Empty: nothing is known of that.
    KCONTROL_DECL bool passed(std::string_view version);
    /// A list is in the copy; `version_of` says which version an object has there, "" if there is none.
    KCONTROL_DECL bool listed(const std::function<std::string(const namespaced_name&)>& version_of);
    /// The copy is of another history.
    KCONTROL_DECL bool history_reset();

private:
    struct entry {
        namespaced_name key;
        std::string version;
        bool ordered = false;
    };
    template <class Ends>
    bool end_if(Ends&& ends);

    std::map<ticket, entry> waits_;
    ticket next_ = 1;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cache/impl/version_waits.ipp>
#endif
