// list: the sequence of the model. Eight bytes; the part of std::vector's interface that objects need.
#pragma once

#include <kcontrol/values/generated_parts.hpp>

#include <cassert>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Elements in order. It may be absent: an absent list is empty and is left out when it is written, an empty list that
/// is present is written as `[]`. They compare equal. At most 2³² - 1 elements.
///
/// References to elements and iterators are valid until the list is changed.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
template <class T>
class list {
public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using const_reference = const T&;
    using iterator = T*;
    using const_iterator = const T*;

    list() noexcept = default;
    /// Present, even without elements.
    list(std::initializer_list<T> from) : list() { assign(from); }  // list() first: then ~list() runs if a copy throws
    // Its own type is ruled out first: to ask whether that is a range needs a complete T, which a copy has not always.
    /// The same from another range whose elements convert to T.
    template <class Range>
    requires(!std::same_as<std::remove_cvref_t<Range>, list> && std::ranges::input_range<Range> &&
             std::convertible_to<std::ranges::range_reference_t<Range>, T>) list(const Range& from)
        : list() {
        assign(from);
    }  // NOLINT: meant to convert
    list(const list& from) {
        if constexpr (detail::has_generated_fields<T>) {
            word_ = detail::clone_list(from.word_, detail::generated_type<T>::value);
        } else {
            list made;
            if (from.present()) made.assign(from);
            std::swap(word_, made.word_);
        }
    }
    list(list&& from) noexcept : word_(std::exchange(from.word_, 0)) {}
    ~list() {
        if constexpr (detail::has_generated_fields<T>) {
            detail::free_list(word_, detail::generated_type<T>::value);
        } else {
            reset();
        }
    }

    list& operator=(const list& from) {
        list copy(from);
        std::swap(word_, copy.word_);
        return *this;
    }
    list& operator=(list&& from) noexcept {
        list taken(std::move(from));
        std::swap(word_, taken.word_);
        return *this;
    }
    /// Replaces all; present afterwards.
    list& operator=(std::initializer_list<T> from) {
        *this = list(from);
        return *this;
    }

    /// Whether there is a list, if only an empty one.
    bool present() const noexcept { return word_ != 0; }
    bool empty() const noexcept { return size() == 0; }
    std::size_t size() const noexcept { return has_elements() ? header()->size : 0; }
    /// How many elements there is memory for.
    std::size_t capacity() const noexcept { return has_elements() ? header()->capacity : 0; }

    /// The elements, which are in one piece; may be null if there are none.
    T* data() noexcept { return has_elements() ? elements() : nullptr; }
    const T* data() const noexcept { return has_elements() ? elements() : nullptr; }  ///< the same, only read
    iterator begin() noexcept { return data(); }
    iterator end() noexcept { return data() + size(); }
    const_iterator begin() const noexcept { return data(); }
    const_iterator end() const noexcept { return data() + size(); }
    const_iterator cbegin() const noexcept { return begin(); }  ///< as begin() of a const one
    const_iterator cend() const noexcept { return end(); }      ///< as end() of a const one

    /// Precondition: index < size(), checked by assert.
    T& operator[](std::size_t index) noexcept { return assert(index < size()), elements()[index]; }
    /// The same of one that is only read.
    const T& operator[](std::size_t index) const noexcept { return assert(index < size()), elements()[index]; }
    T& front() noexcept { return (*this)[0]; }                      ///< the first one; there must be one
    const T& front() const noexcept { return (*this)[0]; }          ///< the same, only read
    T& back() noexcept { return (*this)[size() - 1]; }              ///< the last one; there must be one
    const T& back() const noexcept { return (*this)[size() - 1]; }  ///< the same, only read

    /// Adds an element at the end, made from these, which may refer to others of the list.
    template <class... Arguments>
    T& emplace_back(Arguments&&... arguments) {
        T made(std::forward<Arguments>(arguments)...);  // before growing: an argument may be an element
        const std::size_t count = size();
        if (count == capacity()) grow(count + 1);
        T* place = ::new (static_cast<void*>(elements() + count)) T(std::move(made));
        header()->size = static_cast<std::uint32_t>(count + 1);
        return *place;
    }
    void push_back(T value) { emplace_back(std::move(value)); }  ///< adds it at the end; present afterwards

    /// Puts it before that place, and gives where it is. What follows moves.
    iterator insert(const_iterator before, T value) {
        const auto at = before - cbegin();
        emplace_back(std::move(value));
        for (auto last = end() - 1; last != begin() + at; --last) std::swap(last[-1], *last);
        return begin() + at;
    }
    /// Takes out [first, last), and gives the place behind it. What follows moves.
    iterator erase(const_iterator first, const_iterator last) {
        const auto at = first - cbegin();
        const auto count = last - first;
        if (count == 0) return begin() + at;  // or all behind it would be moved onto themselves
        for (auto from = begin() + at + count; from != end(); ++from) *(from - count) = std::move(*from);
        for (auto left = count; left > 0; --left) pop_back();
        return begin() + at;
    }
    iterator erase(const_iterator at) { return erase(at, at + 1); }  ///< the same for one element
    /// Takes the last one out; there must be one.
    void pop_back() noexcept {
        back().~T();
        --header()->size;
    }

    /// Elements that are added are default-constructed.
    void resize(std::size_t count) {
        if (!present()) word_ = detail::handle_inline;
        while (size() > count) pop_back();
        reserve(count);
        while (size() < count) emplace_back();
    }
    /// Memory for so many elements in all; never less than before. An absent list is present then, unless it is for 0.
    void reserve(std::size_t count) {
        if (count > capacity()) reallocate(count);
    }

    /// Makes it empty, but present.
    void clear() noexcept {
        reset();
        word_ = detail::handle_inline;
    }
    /// Makes it absent.
    void reset() noexcept {
        if constexpr (detail::has_generated_fields<T>) {
            if (detail::handle_owns(word_)) detail::free_list(word_, detail::generated_type<T>::value);
        } else if (detail::handle_owns(word_)) {
            std::destroy(begin(), end());
            detail::handle_free(word_);
        }
        word_ = 0;
    }

    /// Replaces all by copies of those in `from`, which is no part of this list; present afterwards.
    template <class Range>
    void assign(const Range& from) {
        clear();
        if constexpr (requires { from.size(); }) reserve(from.size());
        for (const auto& element : from) emplace_back(element);
    }

    // A member, here and in all that thousands of types may be made from: each friend would be one more function that
    // the compiler looks at for every other.
    bool operator==(const list& other) const {
        if (word_ == other.word_) return true;
        if (size() != other.size()) return false;
        for (std::size_t i = 0; i < size(); ++i) {
            if (!((*this)[i] == other[i])) return false;
        }
        return true;
    }

private:
    static_assert(alignof(detail::list_header) >= 4);

    bool has_elements() const noexcept { return detail::handle_is_pointer(word_); }
    detail::list_header* header() const noexcept {
        return static_cast<detail::list_header*>(detail::handle_pointer(word_));
    }
    T* elements() const noexcept {
        static_assert(alignof(T) <= detail::list_offset, "kcontrol::list holds no over-aligned types");
        return reinterpret_cast<T*>(detail::list_elements(word_));
    }
    void grow(std::size_t needed) {
        const std::size_t more = capacity() + capacity() / 2 + 1;
        reallocate(needed > more ? needed : more);
    }
    void reallocate(std::size_t count) {
        void* memory = detail::handle_allocate(detail::list_offset + count * sizeof(T));
        auto* head = ::new (memory) detail::list_header{0, static_cast<std::uint32_t>(count)};
        list grown;  // frees what it has so far if a T that can only be copied throws
        grown.word_ = detail::owned_handle(memory);
        for (T& element : *this) {
            ::new (static_cast<void*>(grown.elements() + head->size)) T(std::move(element));
            ++head->size;
        }
        std::swap(word_, grown.word_);
    }

    detail::handle_word word_ = 0;
};

}  // namespace kcontrol
