// Indexes of what is cached: which keys an object has in one, and what keeps an index in being.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/model/any_object.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// The keys that an object has in an index. The same key twice counts once.
class index_keys {
public:
    /// Copies the key, which may be empty.
    void add(std::string_view key) {
        text_ += key;
        ends_.push_back(text_.size());
    }
    /// Leaves no key; an object without one is not in the index.
    void clear() noexcept {
        text_.clear();
        ends_.clear();
    }
    std::size_t size() const noexcept { return ends_.size(); }
    /// The `i`th key that was added, from 0; `i` is below size(); valid until the next add() or clear().
    std::string_view operator[](std::size_t i) const noexcept {
        const std::size_t first = i == 0 ? 0 : ends_[i - 1];
        return std::string_view(text_).substr(first, ends_[i] - first);
    }

private:
    std::string text_;
    std::vector<std::size_t> ends_;
};

/// Says under which keys an index has an object.
class index_rule {
public:
    using function = std::function<void(const any_object&, index_keys&)>;  ///< adds the keys of an object

    /// `f` adds an object's keys: it always adds the same for the same object, and does nothing else.
    explicit index_rule(function f) : function_(std::move(f)) {}

    /// An own function of a T, which returns a key (anything that converts to std::string_view), an optional one or a
    /// range of keys.
    template <class T, class F>
    static index_rule of(F f) {
        return index_rule([f = std::move(f)](const any_object& object, index_keys& to) {
            add_keys(std::invoke(f, object.template get<T>()), to);
        });
    }

    /// The label of which this is the index, if it is one: reads by label selector use it.
    const std::string& label() const noexcept { return label_; }
    /// Its keys are values of that label; index_by_label() says so itself.
    index_rule& label(std::string key) { return label_ = std::move(key), *this; }

    /// Adds the keys of an object; throws what the function throws.
    void operator()(const any_object& object, index_keys& to) const { function_(object, to); }
    explicit operator bool() const noexcept { return function_ != nullptr; }

private:
    template <class Keys>
    static void add_keys(const Keys& keys, index_keys& to) {
        if constexpr (std::convertible_to<const Keys&, std::string_view>) {
            to.add(keys);
        } else if constexpr (requires { keys.begin() != keys.end(); }) {
            for (const auto& key : keys) to.add(key);
        } else {
            static_assert(
                requires { to.add(*keys); },
                "kcontrol::index_rule: the function returns a key as text, a std::optional of it, or a range "
                "of them");
            if (keys) to.add(*keys);
        }
    }

    function function_;
    std::string label_;
};

/// By the value of a label; objects without it are not in the index.
KCONTROL_DECL index_rule index_by_label(std::string label);
/// By the uids of all owners.
KCONTROL_DECL index_rule index_by_owner();
/// By the uid of the owner that controls the object.
KCONTROL_DECL index_rule index_by_controller();
/// By namespace. Reads of one namespace need none, for objects are kept in the order of their keys.
KCONTROL_DECL index_rule index_by_namespace();

namespace detail {

template <class Value>
void add_field(const Value& value, index_keys& to) {
    if constexpr (std::convertible_to<const Value&, std::string_view>) {
        to.add(value);
    } else if constexpr (std::same_as<Value, bool>) {
        to.add(value ? "true" : "false");
    } else if constexpr (std::integral<Value>) {
        to.add(std::to_string(value));
    } else {
        static_assert(
            requires {
                *value;
                static_cast<bool>(value);
            },
            "kcontrol::index_by_field: the last member is text, a whole number or a bool");
        if (value) return add_field(*value, to);
        to.add({});
    }
}

// Whether a value has that member itself. std::is_invocable would say so of a std::optional, too, and read through an
// empty one.
template <class Value, class Member>
inline constexpr bool has_member_v = false;
template <class Value, class Member, class Class>
inline constexpr bool has_member_v<Value, Member Class::*> = std::is_base_of_v<Class, Value>;

template <class Value, class Member, class... More>
void follow_field(const Value& from, index_keys& to, Member member, More... more) {
    if constexpr (!has_member_v<Value, Member>) {
        static_assert(
            requires {
                *from;
                static_cast<bool>(from);
            },
            "kcontrol::index_by_field: each member is one of the struct before it");
        if (from) return follow_field(*from, to, member, more...);
        to.add({});
    } else if constexpr (sizeof...(More) == 0) {
        add_field(std::invoke(member, from), to);
    } else {
        follow_field(std::invoke(member, from), to, more...);
    }
}

struct index_hold;

}  // namespace detail

/// By a field: `index_by_field(&pod::spec, &pod_spec::node_name)`. Of an absent field the key is "", as field selectors
/// have it: by_index(by_node, "") are the pods that no node runs yet.
template <class T, class Member, class... More>
index_rule index_by_field(Member T::*member, More... more) {
    return index_rule([=](const any_object& object, index_keys& to) {
        detail::follow_field(object.template get<T>(), to, member, more...);
    });
}

/// Keeps an index: the last copy that is destroyed removes it.
///
/// Thread-safety: shared objects unsafe; destroy it on the informer's executor. Object lifetime: may outlive the
/// informer.
class [[nodiscard]] store_index {
public:
    store_index() = default;
    /// What store::add_index() makes; others copy that.
    explicit store_index(std::shared_ptr<const detail::index_hold> hold) : hold_(std::move(hold)) {}

    explicit operator bool() const noexcept { return hold_ != nullptr; }
    /// Empty if it keeps none.
    KCONTROL_DECL std::string_view name() const noexcept;
    void reset() { hold_.reset(); }  ///< keeps it no more; the index goes with the last copy

private:
    friend class store;
    std::shared_ptr<const detail::index_hold> hold_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cache/impl/index.ipp>
#endif
