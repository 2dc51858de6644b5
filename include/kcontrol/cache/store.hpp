// The store of an informer: objects by key, as a plain state machine that says what each step changed.
#pragma once

#include <kcontrol/cache/event.hpp>
#include <kcontrol/config.hpp>
#include <kcontrol/model/any_object.hpp>

#include <map>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol {

/// Objects of one kind by namespace and name. Every write returns the events it amounts to, so that the caller
/// delivers exactly what changed.
///
/// Thread-safety: the const members may be called from any thread at any time and return shared immutable objects; the
/// others belong to one strand.
class store {
public:
    KCONTROL_DECL any_object get(const namespaced_name& key) const;
    /// Sorted by key; `ns` empty: all namespaces.
    KCONTROL_DECL std::vector<any_object> list(std::string_view ns = {}) const;
    KCONTROL_DECL std::size_t size() const;

    /// An object was added or modified. The same uid and resource version again is no event; another uid under the same
    /// key is `deleted` (final state unknown) and `added`.
    KCONTROL_DECL std::vector<any_event> apply(any_object object);

    /// An object was deleted; `last` is its last state. Unknown keys are no event.
    KCONTROL_DECL std::vector<any_event> remove(any_object last);

    /// The whole content is now `objects`: first deletions (final state unknown), then additions and updates in key
    /// order; what did not change is no event. `initial` marks the additions.
    KCONTROL_DECL std::vector<any_event> replace(std::vector<any_object> objects, bool initial);

private:
    mutable std::shared_mutex mutex_;
    std::map<namespaced_name, any_object> objects_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cache/impl/store.ipp>
#endif
