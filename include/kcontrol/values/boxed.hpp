// boxed: an optional part of an object. Eight bytes; reading through an absent one gives the empty value.
#pragma once

#include <kcontrol/values/generated_parts.hpp>

#include <cstdlib>
#include <new>
#include <utility>

namespace kcontrol::inline v0_1 {

/// An optional T that lies elsewhere. Reading never fails: `pod->spec.security_context->run_as_user` of an absent
/// context is what an empty context has. Whether it is there is asked with present() or `if (box)`.
/// Reading can't create: `->` and `*` are const, and a change says `box.edit().member = …`.
///
/// T has an empty value as its default.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
template <class T>
class boxed {
public:
    using value_type = T;

    boxed() noexcept = default;
    /// Present, with a copy of the value.
    boxed(const T& value) { emplace(value); }  // NOLINT: meant to convert
    /// Present; the value is moved into it.
    boxed(T&& value) { emplace(std::move(value)); }  // NOLINT
    boxed(const boxed& from) {
        if constexpr (detail::has_generated_fields<T>) {
            word_ = detail::clone_part(from.word_, detail::generated_type<T>::value);
        } else if (from.present()) {
            emplace(*from);
        } else {
            word_ = from.word_;
        }
    }
    boxed(boxed&& from) noexcept : word_(std::exchange(from.word_, 0)) {}
    ~boxed() {
        if constexpr (detail::has_generated_fields<T>) {
            detail::free_part(word_, detail::generated_type<T>::value);
        } else {
            reset();
        }
    }

    boxed& operator=(const boxed& from) {
        boxed copy(from);
        std::swap(word_, copy.word_);
        return *this;
    }
    boxed& operator=(boxed&& from) noexcept {
        boxed taken(std::move(from));
        std::swap(word_, taken.word_);
        return *this;
    }

    /// Whether there is a part; false also of one that is null (nullable.hpp).
    bool present() const noexcept { return detail::handle_is_pointer(word_); }
    explicit operator bool() const noexcept { return present(); }

    const T& operator*() const noexcept { return present() ? *get() : nothing(); }  ///< the empty value if it is absent
    const T* operator->() const noexcept { return &**this; }                        ///< the same: never null

    /// The part, to change it; made first if it is absent.
    T& edit() { return present() ? *get() : emplace(); }

    /// Makes the part anew from these, which may refer to the old one. Throws std::bad_alloc, and what T's constructor
    /// throws; the old part stays then.
    template <class... Arguments>
    T& emplace(Arguments&&... arguments) {
        void* memory = detail::handle_allocate(sizeof(T));
        T* made = nullptr;
        try {
            made = ::new (memory) T(std::forward<Arguments>(arguments)...);
        } catch (...) {
            std::free(memory);
            throw;
        }
        reset();
        word_ = detail::owned_handle(memory);
        return *made;
    }

    /// Makes it absent.
    void reset() noexcept {
        if constexpr (detail::has_generated_fields<T>) {
            if (detail::handle_owns(word_)) detail::free_part(word_, detail::generated_type<T>::value);
        } else if (detail::handle_owns(word_)) {
            get()->~T();
            detail::handle_free(word_);
        }
        word_ = 0;
    }

    bool operator==(const boxed& other) const {
        return word_ == other.word_ || (present() && other.present() && **this == *other);
    }

protected:
    /// For nullable: the handle as it is; see handle.hpp.
    detail::handle_word word() const noexcept { return word_; }
    /// Makes it null, which is neither absent nor there; see nullable.hpp.
    void set_null() noexcept {
        reset();
        word_ = detail::handle_inline;
    }

private:
    T* get() const noexcept { return static_cast<T*>(detail::handle_pointer(word_)); }
    static const T& nothing() noexcept {
        static const T empty{};
        return empty;
    }

    detail::handle_word word_ = 0;
};

}  // namespace kcontrol
