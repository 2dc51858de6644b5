// The objects of a streamed list as they come, until the bookmark that ends them.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/watch/listed_objects.hpp>

#include <cstddef>
#include <optional>
#include <unordered_map>

namespace kcontrol::inline v0_1::detail {

/// What is there already comes as additions, each object once. What changes before the server's cache is as new as the
/// list has to be comes as changes and deletions, which is rare: only then is it looked up where an object is.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class initial_objects {
public:
    KCONTROL_DECL void added(any_object object);
    KCONTROL_DECL void modified(any_object object);
    /// An object was added or modified, and can't be decoded.
    KCONTROL_DECL void invalid(invalid_object object);
    KCONTROL_DECL void deleted(const namespaced_name& key);

    /// All of them; nothing is left.
    KCONTROL_DECL listed_objects take();

private:
    KCONTROL_DECL any_object* find(const namespaced_name& key);

    listed_objects all_;
    std::optional<std::unordered_map<namespaced_name, std::size_t>> places_;
    bool holes_ = false;  // objects that were deleted are empty
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/watch/impl/initial_objects.ipp>
#endif
