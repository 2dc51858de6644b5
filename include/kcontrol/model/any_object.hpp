// any_object: an immutable, shared object of any kind, for the code that does not care which.
#pragma once

#include <kcontrol/model/object_key.hpp>
#include <kcontrol/model/object_meta.hpp>

#include <memory>
#include <utility>

namespace kcontrol {

/// A shared pointer to an immutable object whose type is known elsewhere (by the resource_info it was decoded
/// with). Copying it copies a pointer. The type-erased parts (reflector, store, informer) work on these; typed
/// faces convert at their border.
///
/// Thread-safety: distinct objects safe; the object is immutable.
class any_object {
public:
    any_object() = default;

    /// T has a member `metadata` of type object_meta.
    template <class T>
    explicit any_object(std::shared_ptr<const T> object) : meta_(&object->metadata), object_(std::move(object)) {}

    /// The same where the type is known to a table only; `meta` is part of the object.
    any_object(std::shared_ptr<const void> object, const object_meta& meta)
        : meta_(&meta), object_(std::move(object)) {}

    explicit operator bool() const noexcept { return object_ != nullptr; }
    const object_meta& meta() const noexcept { return *meta_; }
    namespaced_name key() const { return key_of(*meta_); }

    /// The object as what it is. Precondition: it was made from a T.
    template <class T>
    std::shared_ptr<const T> as() const noexcept {
        return std::static_pointer_cast<const T>(object_);
    }

    friend bool operator==(const any_object& a, const any_object& b) noexcept { return a.object_ == b.object_; }

private:
    const object_meta* meta_ = nullptr;
    std::shared_ptr<const void> object_;
};

}  // namespace kcontrol
