// nullable: an optional part of an object whose schema allows null beside absence. Eight bytes.
#pragma once

#include <kcontrol/values/boxed.hpp>

#include <cstddef>

namespace kcontrol::inline v0_1 {

/// A boxed<T> that can also be null: `nullable: true` in a structural schema makes null a value that the API server
/// stores, and that differs from absence ("no limit" against "the default limit"). Where a schema does not
/// say so, the server takes null for absent, and so do all other types of the model.
///
///     spec.limit = nullptr;    // written as null
///     spec.limit.reset();      // left out
///     spec.limit = 5;
///
/// Reading through one that is null gives the empty value, as for an absent one.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
template <class T>
class nullable : public boxed<T> {
public:
    using boxed<T>::boxed;
    nullable() noexcept = default;
    /// Null: written as such, where an absent one is left out.
    nullable(std::nullptr_t) noexcept { this->set_null(); }  // NOLINT: meant to convert

    bool is_null() const noexcept { return this->word() == detail::handle_inline; }  ///< neither absent nor present()
};

}  // namespace kcontrol
