// A value of CEL, and how JSON is read as one by the schema beside it.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/values/quantity.hpp>

#include "testserver/cel_network.hpp"
#include "testserver/cel_semver.hpp"
#include "testserver/cel_time.hpp"
#include "testserver/cel_url.hpp"

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kcontrol::inline v0_1::testing {

class cel_value;
using cel_result = result<cel_value>;

namespace detail {

inline error cel_error(std::string what) { return error(errc::invalid_argument, std::move(what)); }
inline error cel_no_overload() { return cel_error("no such overload"); }

/// What a schema says of a value. Without a schema, values are what their JSON is.
class cel_shape {
public:
    const json::value* schema = nullptr;  ///< a structural schema, which outlives the value; null: none
    bool is_resource = false;             ///< the root of an object: it has apiVersion, kind and metadata

    cel_shape member(std::string_view name) const;  ///< of an object; without a schema where it is not declared
    cel_shape item() const;                         ///< of a list
    bool hides(std::string_view member) const;      ///< not declared, so that rules can't see it
};

class cel_bytes {
public:
    std::string octets;
    auto operator<=>(const cel_bytes&) const = default;
};

/// A type as a value: what type() returns, and what `int` stands for.
class cel_type {
public:
    std::string name;
    bool operator==(const cel_type&) const = default;
};

/// One of the formats of `format.named()`.
class cel_format {
public:
    std::string name;
    bool operator==(const cel_format&) const = default;
};

class cel_optional {
public:
    std::shared_ptr<const cel_value> value;  ///< null: optional.none()
};

/// A list: of values, or of a JSON array that outlives it. Copies share the values.
class cel_list {
public:
    explicit cel_list(std::vector<cel_value> items);
    cel_list(const json::array& all, cel_shape of_list);

    std::size_t size() const noexcept;
    cel_result at(std::size_t index) const;  ///< errors: invalid data of its schema
    result<std::vector<cel_value>> items() const;

    bool is_set() const;                             ///< x-kubernetes-list-type: set; order does not matter to ==
    std::vector<std::string_view> map_keys() const;  ///< of x-kubernetes-list-type: map, else empty
    std::string_view item_kind() const;              ///< format or type of the items by their schema; empty: not known

private:
    std::shared_ptr<const std::vector<cel_value>> items_;
    const json::array* json_ = nullptr;
    cel_shape shape_;  // of the list
};

/// A map, or an object with fields: of values, or of a JSON object that outlives it.
class cel_map {
public:
    using entries = std::vector<std::pair<cel_value, cel_value>>;

    explicit cel_map(entries all);
    cel_map(const json::object& all, cel_shape of_object);

    std::size_t size() const noexcept;
    std::vector<cel_value> keys() const;
    std::optional<cel_result> find(const cel_value& key) const;
    std::optional<cel_result> find(std::string_view key) const;

private:
    std::shared_ptr<const entries> entries_;
    const json::object* json_ = nullptr;
    cel_shape shape_;
};

}  // namespace detail

/// Thread-safety: distinct objects safe; shared objects safe for const access.
/// Object lifetime: what was made from JSON refers to it, and to its schema.
class cel_value {
public:
    using storage = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string,
                                 detail::cel_bytes, detail::cel_timestamp, detail::cel_duration, detail::cel_list,
                                 detail::cel_map, detail::cel_type, detail::cel_optional, quantity, detail::cel_ip,
                                 detail::cel_cidr, detail::cel_url, detail::cel_format, detail::cel_semver>;

    cel_value() : held_(nullptr) {}
    template <class T>
    requires(!std::is_same_v<std::remove_cvref_t<T>, cel_value> && std::is_constructible_v<storage, T&&>)
        cel_value(T&& v)
        : held_(std::forward<T>(v)) {}

    /// Errors: invalid_argument, where the JSON is not what the schema says.
    static cel_result of(const json::value& v, detail::cel_shape shape);

    template <class T>
    const T* get() const noexcept {
        return std::get_if<T>(&held_);
    }
    const storage& held() const noexcept { return held_; }

    std::string_view type_name() const;  ///< "int", "google.protobuf.Timestamp"
    bool is_number() const noexcept;     ///< int, uint or double

    /// As `==`: values of different types differ, numbers are compared by their amounts.
    /// Errors: those of parts that are not what their schema says.
    static result<bool> equal(const cel_value& a, const cel_value& b);
    /// Empty: they have no order.
    static std::optional<std::partial_ordering> compare(const cel_value& a, const cel_value& b);

    /// What JSON has for it; times, addresses and their like are texts.
    json::value to_json() const;

private:
    storage held_;
};

}  // namespace kcontrol::testing
