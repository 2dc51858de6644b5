// What readers of a store see: its content at one moment, which no write changes.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/cache/cache_query.hpp>
#include <kcontrol/config.hpp>
#include <kcontrol/model/any_object.hpp>

#include <cstddef>
#include <iterator>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

class found_objects;
namespace detail {
struct store_core;
}  // namespace detail

/// The content of a store at one moment. Taking one costs two atomic additions, however large the store is, and waits
/// for nobody; the store's writer does not wait for it either. As long as it is held it keeps the objects that it
/// shows, also those that were replaced or deleted since.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
/// Object lifetime: may outlive the store.
class store_snapshot {
public:
    /// Of nothing.
    store_snapshot() noexcept = default;
    KCONTROL_DECL store_snapshot(const store_snapshot&) noexcept;
    store_snapshot(store_snapshot&& other) noexcept
        : core_(std::move(other.core_)), version_(std::exchange(other.version_, nullptr)) {}
    /// Shows what the other shows, and keeps no more what it showed itself.
    store_snapshot& operator=(store_snapshot other) noexcept {
        std::swap(core_, other.core_);
        std::swap(version_, other.version_);
        return *this;
    }
    ~store_snapshot() {
        if (version_ != nullptr) release();
    }

    /// The object, or null. It lives as long as a snapshot that shows it.
    const any_object* find(const namespaced_name& key) const { return find(key.namespace_, key.name); }
    /// The same; `ns` is empty for a cluster-scoped kind.
    KCONTROL_DECL const any_object* find(std::string_view ns, std::string_view name) const;
    KCONTROL_DECL std::size_t size() const noexcept;
    bool empty() const noexcept { return size() == 0; }

    /// What the query wants, sorted by key. Uses an index of a label that the selector asks for, if there is one, or
    /// the order of keys for a namespace, whichever leaves less to look at; else it looks at everything.
    KCONTROL_DECL found_objects select(const cache_query& query = {}) const;

    /// What that index has under a key, sorted by key. Errors: invalid_argument if there was no index of that name; the
    /// message has the names of those that there were.
    KCONTROL_DECL result<found_objects> by_index(std::string_view index, std::string_view key) const;

    /// Calls f(const any_object&) with everything, in the order of keys; `ns` empty: of all namespaces. Allocates
    /// nothing.
    template <class F>
    void for_each(F&& f, std::string_view ns = {}) const {
        visit(
            ns, [](void* to, const any_object& object) { (*static_cast<std::remove_reference_t<F>*>(to))(object); },
            const_cast<void*>(static_cast<const void*>(std::addressof(f))));
    }

private:
    friend class store;
    store_snapshot(std::shared_ptr<detail::store_core> core, void* version) noexcept
        : core_(std::move(core)), version_(version) {}
    KCONTROL_DECL void release() noexcept;
    KCONTROL_DECL void visit(std::string_view ns, void (*f)(void*, const any_object&), void* to) const;

    std::shared_ptr<detail::store_core> core_;
    void* version_ = nullptr;  // pinned
};

/// Objects that a read found, and the snapshot that keeps them: a range in which nothing was copied.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class found_objects {
public:
    /// Points into the found_objects, which outlive it.
    class iterator {
    public:
        using iterator_category = std::random_access_iterator_tag;
        using value_type = any_object;
        using difference_type = std::ptrdiff_t;
        using pointer = const any_object*;
        using reference = const any_object&;

        iterator() = default;
        explicit iterator(const any_object* const* at) : at_(at) {}  ///< at a place in the array of a found_objects
        reference operator*() const { return **at_; }
        pointer operator->() const { return *at_; }
        reference operator[](difference_type n) const { return *at_[n]; }  ///< the object `n` places on
        iterator& operator++() { return ++at_, *this; }
        iterator operator++(int) { return iterator(at_++); }
        iterator& operator--() { return --at_, *this; }       ///< goes back by one
        iterator operator--(int) { return iterator(at_--); }  ///< goes back by one; gives the place before
        iterator& operator+=(difference_type n) { return at_ += n, *this; }  ///< goes on by `n`; below zero: back
        iterator& operator-=(difference_type n) { return at_ -= n, *this; }  ///< goes back by `n`
        friend iterator operator+(iterator a, difference_type n) { return a += n; }  ///< `n` places on
        friend iterator operator+(difference_type n, iterator a) { return a += n; }  ///< `n` places on
        friend iterator operator-(iterator a, difference_type n) { return a -= n; }  ///< `n` places back
        /// Places from `b` on to `a`.
        friend difference_type operator-(iterator a, iterator b) { return a.at_ - b.at_; }
        friend auto operator<=>(const iterator&, const iterator&) = default;

    private:
        const any_object* const* at_ = nullptr;
    };
    using const_iterator = iterator;
    using value_type = any_object;

    found_objects() = default;
    /// `found` are objects that `of` shows, and so keeps.
    found_objects(store_snapshot of, std::vector<const any_object*> found)
        : of_(std::move(of)), found_(std::move(found)) {}

    iterator begin() const noexcept { return iterator(found_.data()); }
    iterator end() const noexcept { return iterator(found_.data() + found_.size()); }
    std::size_t size() const noexcept { return found_.size(); }
    bool empty() const noexcept { return found_.empty(); }
    const any_object& operator[](std::size_t i) const noexcept { return *found_[i]; }  ///< `i` is below size()
    /// The moment that they are of.
    const store_snapshot& snapshot() const noexcept { return of_; }

private:
    store_snapshot of_;
    std::vector<const any_object*> found_;
};

/// The same with the type known.
template <class T>
class found_list {
public:
    /// Points into the found_list, which outlives it; an object of another type than T throws when it is looked at.
    class iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = const T*;
        using reference = const T&;

        iterator() = default;
        explicit iterator(found_objects::iterator at) : at_(at) {}  ///< at the same object
        reference operator*() const { return at_->template get<T>(); }
        pointer operator->() const { return &**this; }
        iterator& operator++() { return ++at_, *this; }
        iterator operator++(int) { return iterator(at_++); }
        friend bool operator==(const iterator&, const iterator&) = default;

    private:
        found_objects::iterator at_;
    };
    using const_iterator = iterator;
    using value_type = T;

    found_list() = default;
    /// All are to be of type T; one that is not throws when it is looked at.
    explicit found_list(found_objects all) : all_(std::move(all)) {}

    iterator begin() const noexcept { return iterator(all_.begin()); }
    iterator end() const noexcept { return iterator(all_.end()); }
    std::size_t size() const noexcept { return all_.size(); }
    bool empty() const noexcept { return all_.empty(); }
    const T& operator[](std::size_t i) const { return all_[i].template get<T>(); }  ///< `i` is below size()
    /// An object to be kept by itself; the list keeps them all.
    std::shared_ptr<const T> share(std::size_t i) const { return all_[i].template as<T>(); }
    const found_objects& objects() const noexcept { return all_; }  ///< the same without the type

private:
    found_objects all_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cache/impl/snapshot.ipp>
#endif
