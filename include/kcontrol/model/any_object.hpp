// any_object: an immutable, shared object of any kind, for the code that does not care which.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/model/object_meta.hpp>

#include <memory>
#include <utility>

namespace kcontrol::inline v0_1 {

struct type_descriptor;

namespace detail {

// Defined in describe.hpp, which whoever asks for an object's type includes.
template <class T>
const void* type_tag() noexcept;

}  // namespace detail

/// A shared pointer to an immutable object that knows its C++ type. Copying it copies a pointer. The type-erased parts
/// (reflector, store, informer) work on these; typed faces convert at their border.
///
/// A type counts as the same if its table (describe<T>()) is the same object: two shared libraries that each keep a
/// type to themselves (-fvisibility=hidden) have two types of it.
///
/// Thread-safety: distinct objects safe; the object is immutable.
class any_object {
public:
    any_object() = default;

    /// T has a member `metadata` of type object_meta. A null pointer makes the empty one.
    template <class T>
    explicit any_object(std::shared_ptr<const T> object)
        : meta_(object != nullptr ? &object->metadata : nullptr),
          type_(detail::type_tag<T>()),
          object_(std::move(object)) {}

    /// `meta` is part of the object, or lives as long.
    template <class T>
    any_object(std::shared_ptr<const T> object, const object_meta& meta)
        : meta_(&meta), type_(detail::type_tag<T>()), object_(std::move(object)) {}

    /// The same where the type is known to a table only; `meta` is part of the object.
    any_object(std::shared_ptr<const void> object, const object_meta& meta, const type_descriptor& type)
        : meta_(&meta), type_(&type), object_(std::move(object)) {}

    explicit operator bool() const noexcept { return object_ != nullptr; }
    const object_meta& meta() const noexcept { return *meta_; }  ///< metadata of the object; there must be one
    namespaced_name key() const { return key_of(*meta_); }  ///< namespace and name of the object; there must be one

    /// Whether it was made from a T. False of an empty one.
    template <class T>
    bool is() const noexcept {
        return object_ != nullptr && type_ == detail::type_tag<T>();
    }
    /// Whether that table describes it. False of an empty one.
    bool is(const type_descriptor& type) const noexcept { return object_ != nullptr && type_ == &type; }

    /// The object as what it is; null if it is empty or not a T.
    template <class T>
    std::shared_ptr<const T> as() const& noexcept {
        return is<T>() ? std::static_pointer_cast<const T>(object_) : nullptr;
    }
    /// The same, handed over: this is empty afterwards, unless it is not a T.
    template <class T>
    std::shared_ptr<const T> as() && noexcept {
        return is<T>() ? std::static_pointer_cast<const T>(std::move(object_)) : nullptr;
    }

    /// The object as a T. Throws kcontrol::exception if it is empty or of another type.
    template <class T>
    const T& get() const {
        if (!is<T>()) refuse_type();
        return *static_cast<const T*>(object_.get());
    }

    /// Where the object is; is() says what.
    const void* address() const noexcept { return object_.get(); }

    /// The object as it is shared, whatever it is; null if this is empty.
    const std::shared_ptr<const void>& shared() const noexcept { return object_; }

    /// Whether both are one and the same object, or both are empty; contents are not compared.
    friend bool operator==(const any_object& a, const any_object& b) noexcept { return a.object_ == b.object_; }

private:
    [[noreturn]] KCONTROL_DECL void refuse_type() const;

    const object_meta* meta_ = nullptr;
    const void* type_ = nullptr;
    std::shared_ptr<const void> object_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/model/impl/any_object.ipp>
#endif
