// cel::value: a value of CEL, made in a program or read from JSON.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/cel/network.hpp>
#include <kcontrol/cel/semver.hpp>
#include <kcontrol/cel/time.hpp>
#include <kcontrol/cel/url.hpp>
#include <kcontrol/cel/value_schema.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/values/quantity.hpp>

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kcontrol::inline v0_1::cel {

class value;
using value_result = result<value>;

class bytes_value {
public:
    std::string octets;
    auto operator<=>(const bytes_value&) const = default;
};

/// A type as a value: what type() returns, and what `int` stands for.
class type_value {
public:
    std::string name;
    bool operator==(const type_value&) const = default;
};

/// One of the formats of `format.named()`.
class format_value {
public:
    std::string name;
    bool operator==(const format_value&) const = default;
};

class optional_value {
public:
    std::shared_ptr<const value> held;  ///< null: optional.none()
};

/// A list: of values, or of a JSON array that outlives it. Copies share the values.
class list_value {
public:
    KCONTROL_DECL explicit list_value(std::vector<value> items);
    KCONTROL_DECL list_value(const json::array& all, value_schema of_list);

    KCONTROL_DECL std::size_t size() const noexcept;
    KCONTROL_DECL value_result at(std::size_t index) const;  ///< errors: invalid data of its schema
    KCONTROL_DECL result<std::vector<value>> items() const;

    KCONTROL_DECL bool is_set() const;  ///< x-kubernetes-list-type: set; order does not matter to ==
    KCONTROL_DECL std::vector<std::string_view> map_keys() const;  ///< of x-kubernetes-list-type: map, else empty
    KCONTROL_DECL std::string_view item_kind()
        const;  ///< format or type of the items by their schema; empty: not known

private:
    std::shared_ptr<const std::vector<value>> items_;
    const json::array* json_ = nullptr;
    value_schema shape_;  // of the list
};

/// A map, or an object with fields: of values, or of a JSON object that outlives it.
class map_value {
public:
    using entries = std::vector<std::pair<value, value>>;

    KCONTROL_DECL explicit map_value(entries all);
    KCONTROL_DECL explicit map_value(std::initializer_list<std::pair<value, value>> all);  ///< `map_value({{"a", 1}})`
    /// A map that has `otherwise` for each key that is not in it; `in` does not find such a key.
    KCONTROL_DECL static map_value with_default(entries all, value otherwise);
    KCONTROL_DECL map_value(const json::object& all, value_schema of_object);

    KCONTROL_DECL std::size_t size() const noexcept;
    KCONTROL_DECL std::vector<value> keys() const;
    KCONTROL_DECL std::optional<value_result> find(const value& key) const;
    KCONTROL_DECL bool contains(const value& key) const;
    KCONTROL_DECL std::optional<value_result> find(std::string_view key) const;

private:
    std::shared_ptr<const entries> entries_;
    std::shared_ptr<const value> otherwise_;
    const json::object* json_ = nullptr;
    value_schema shape_;
};

/// A value of any type that CEL has, and of Kubernetes' types: quantity, semantic version, address, network, URL. It is
/// made implicitly from any of `storage`, from texts, and from whole numbers. Lists and maps share what they hold.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class value {
public:
    using storage = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, bytes_value,
                                 timestamp_value, duration_value, list_value, map_value, type_value, optional_value,
                                 quantity, ip_value, cidr_value, url_value, format_value, semver_value>;

    value() : held_(nullptr) {}
    template <class T>
    requires(!std::is_same_v<std::remove_cvref_t<T>, value> && std::is_constructible_v<storage, T&&>) value(T&& v)
        : held_(std::forward<T>(v)) {}

    value(std::string_view text) : held_(std::string(text)) {}

    /// What JSON says, copied.
    KCONTROL_DECL static value copy_of(const json::value& from);
    /// What JSON says, by a schema. It refers to the JSON and to the schema, which must outlive it.
    /// Errors: invalid_argument, where the JSON is not what the schema says.
    KCONTROL_DECL static value_result of(const json::value& v, value_schema shape);

    template <class T>
    const T* get() const noexcept {
        return std::get_if<T>(&held_);
    }
    const storage& held() const noexcept { return held_; }

    KCONTROL_DECL std::string_view type_name() const;  ///< "int", "google.protobuf.Timestamp"
    KCONTROL_DECL bool is_number() const noexcept;     ///< int, uint or double

    /// As `==`: values of different types differ, numbers are compared by their amounts.
    /// Errors: those of parts that are not what their schema says.
    KCONTROL_DECL static result<bool> equal(const value& a, const value& b);
    /// Empty: they have no order.
    KCONTROL_DECL static std::optional<std::partial_ordering> compare(const value& a, const value& b);

    /// What JSON has for it; times, addresses and their like are texts.
    KCONTROL_DECL json::value to_json() const;

private:
    storage held_;
};

/// A number as CEL's string() writes it, and Go's %v.
KCONTROL_DECL std::string to_text(double number);

}  // namespace kcontrol::cel

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cel/impl/value.ipp>
#endif
