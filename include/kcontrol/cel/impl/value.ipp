#pragma once

#include <kcontrol/base/base64.hpp>
#include <kcontrol/cel/impl/evaluation_error.hpp>
#include <kcontrol/cel/value.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kcontrol::inline v0_1::cel {

KCONTROL_DECL list_value::list_value(std::vector<value> items)
    : items_(std::make_shared<const std::vector<value>>(std::move(items))) {}
KCONTROL_DECL list_value::list_value(const json::array& all, value_schema of_list) : json_(&all), shape_(of_list) {}

KCONTROL_DECL std::size_t list_value::size() const noexcept {
    return json_ != nullptr ? json_->size() : items_->size();
}

KCONTROL_DECL value_result list_value::at(std::size_t index) const {
    if (json_ != nullptr) return value::of((*json_)[index], shape_.item());
    return (*items_)[index];
}

KCONTROL_DECL result<std::vector<value>> list_value::items() const {
    if (json_ == nullptr) return *items_;
    std::vector<value> out;
    out.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) {
        auto one = at(i);
        if (!one) return one.error();
        out.push_back(std::move(*one));
    }
    return out;
}

KCONTROL_DECL bool list_value::is_set() const {
    return shape_.schema != nullptr && json::get_string(*shape_.schema, {"x-kubernetes-list-type"}) == "set";
}

KCONTROL_DECL std::vector<std::string_view> list_value::map_keys() const {
    std::vector<std::string_view> out;
    if (shape_.schema == nullptr || json::get_string(*shape_.schema, {"x-kubernetes-list-type"}) != "map") return out;
    const json::value* keys = json::find(*shape_.schema, {"x-kubernetes-list-map-keys"});
    if (keys == nullptr || !keys->is_array()) return out;
    for (const auto& key : keys->get_array()) {
        if (key.is_string()) out.emplace_back(key.get_string());
    }
    return out;
}

KCONTROL_DECL std::string_view list_value::item_kind() const {
    const value_schema item = shape_.item();
    if (item.schema == nullptr) return {};
    const std::string_view format = json::get_string(*item.schema, {"format"});
    return format == "duration" ? format : json::get_string(*item.schema, {"type"});
}

KCONTROL_DECL map_value::map_value(entries all) : entries_(std::make_shared<const entries>(std::move(all))) {}
KCONTROL_DECL map_value::map_value(std::initializer_list<std::pair<value, value>> all) : map_value(entries(all)) {}
KCONTROL_DECL map_value::map_value(const json::object& all, value_schema of_object) : json_(&all), shape_(of_object) {}

KCONTROL_DECL map_value map_value::with_default(entries all, value otherwise) {
    map_value out(std::move(all));
    out.otherwise_ = std::make_shared<const value>(std::move(otherwise));
    return out;
}

KCONTROL_DECL bool map_value::contains(const value& key) const {
    map_value plain = *this;
    plain.otherwise_ = nullptr;
    return plain.find(key).has_value();
}

KCONTROL_DECL std::size_t map_value::size() const noexcept {
    return json_ != nullptr ? keys().size() : entries_->size();
}

KCONTROL_DECL std::vector<value> map_value::keys() const {
    std::vector<value> out;
    if (json_ == nullptr) {
        for (const auto& [key, held] : *entries_) out.push_back(key);
        return out;
    }
    for (const auto& member : *json_) {
        if (!shape_.hides(member.key())) out.emplace_back(std::string(member.key()));
    }
    return out;
}

KCONTROL_DECL std::optional<value_result> map_value::find(std::string_view key) const {
    if (json_ == nullptr) return find(value(std::string(key)));
    const json::value* found = shape_.hides(key) ? nullptr : json_->if_contains(key);
    if (found == nullptr) return std::nullopt;
    return value::of(*found, shape_.member(key));
}

KCONTROL_DECL std::optional<value_result> map_value::find(const value& key) const {
    if (json_ != nullptr) {
        const auto* text = key.get<std::string>();
        return text != nullptr ? find(std::string_view(*text)) : std::nullopt;
    }
    for (const auto& [has, held] : *entries_) {
        const auto same = value::equal(has, key);
        if (same && *same) return value_result(held);
    }
    if (otherwise_) return value_result(*otherwise_);
    return std::nullopt;
}

namespace detail {

inline value_result text_of_format(const std::string& text, std::string_view format) {
    const auto broken = [&text](std::string_view what) {
        return evaluation_error("Invalid " + std::string(what) + " " + text + ": it can't be read");
    };
    if (format == "date-time" || format == "datetime") {
        if (const auto at = parse_timestamp(text)) return value(*at);
        return broken("date-time formatted string");
    }
    if (format == "date") {
        if (const auto at = parse_timestamp(text + "T00:00:00Z")) return value(*at);
        return broken("date formatted string");
    }
    if (format == "duration") {
        if (const auto span = parse_schema_duration(text)) return value(*span);
        return broken("duration");
    }
    if (format == "byte") {
        if (auto octets = decode_base64(text)) return value(bytes_value{std::move(*octets)});
        return broken("byte formatted string");
    }
    return value(text);
}

inline value_result plain_value(const json::value& v, value_schema shape) {
    if (v.is_null()) return value();
    if (v.is_bool()) return value(v.get_bool());
    if (v.is_int64()) return value(v.get_int64());
    if (v.is_uint64()) return value(static_cast<double>(v.get_uint64()));
    if (v.is_double()) return value(v.get_double());
    if (v.is_string()) return value(std::string(v.get_string()));
    if (v.is_array()) return value(list_value(v.get_array(), shape));
    return value(map_value(v.get_object(), shape));
}

}  // namespace detail

KCONTROL_DECL value_result value::of(const json::value& v, value_schema shape) {
    const std::string_view type =
        shape.schema == nullptr ? std::string_view() : json::get_string(*shape.schema, {"type"});
    if (type == "string" && v.is_string()) {
        return detail::text_of_format(std::string(v.get_string()), json::get_string(*shape.schema, {"format"}));
    }
    if (type == "number" && v.is_number()) return value(v.to_number<double>());
    return detail::plain_value(v, shape);
}

KCONTROL_DECL value value::copy_of(const json::value& from) {
    if (from.is_array()) {
        std::vector<value> items;
        for (const auto& one : from.get_array()) items.push_back(copy_of(one));
        return list_value(std::move(items));
    }
    if (!from.is_object()) return *of(from, {});
    map_value::entries members;
    for (const auto& one : from.get_object()) members.emplace_back(std::string(one.key()), copy_of(one.value()));
    return map_value(std::move(members));
}

KCONTROL_DECL std::string_view value::type_name() const {
    static constexpr std::string_view names[] = {"null_type",
                                                 "bool",
                                                 "int",
                                                 "uint",
                                                 "double",
                                                 "string",
                                                 "bytes",
                                                 "google.protobuf.Timestamp",
                                                 "google.protobuf.Duration",
                                                 "list",
                                                 "map",
                                                 "type",
                                                 "optional_type",
                                                 "kubernetes.Quantity",
                                                 "net.IP",
                                                 "net.CIDR",
                                                 "kubernetes.URL",
                                                 "kubernetes.NamedFormat",
                                                 "kubernetes.Semver"};
    static_assert(std::size(names) == std::variant_size_v<storage>);
    return names[held_.index()];
}

KCONTROL_DECL bool value::is_number() const noexcept { return held_.index() >= 2 && held_.index() <= 4; }

namespace detail {

// Numbers of all three types, by their exact amounts.
inline std::partial_ordering compare_numbers(const value& a, const value& b) {
    if (const auto* x = a.get<std::int64_t>()) {
        if (const auto* y = b.get<std::int64_t>()) return *x <=> *y;
        if (const auto* y = b.get<std::uint64_t>()) {
            return *x < 0 ? std::partial_ordering::less : static_cast<std::uint64_t>(*x) <=> *y;
        }
        const double y = *b.get<double>();
        if (std::isnan(y)) return std::partial_ordering::unordered;
        if (y >= 9223372036854775808.0) return std::partial_ordering::less;
        if (y < -9223372036854775808.0) return std::partial_ordering::greater;
        const auto whole = static_cast<std::int64_t>(y);
        if (*x != whole) return *x <=> whole;
        return 0.0 <=> (y - std::trunc(y));
    }
    if (const auto* x = a.get<std::uint64_t>()) {
        if (const auto* y = b.get<std::uint64_t>()) return *x <=> *y;
        if (const auto* y = b.get<double>()) {
            if (std::isnan(*y)) return std::partial_ordering::unordered;
            if (*y < 0) return std::partial_ordering::greater;
            if (*y >= 18446744073709551616.0) return std::partial_ordering::less;
            const auto whole = static_cast<std::uint64_t>(*y);
            if (*x != whole) return *x <=> whole;
            return 0.0 <=> (*y - std::trunc(*y));
        }
    }
    if (const auto* x = a.get<double>(); x != nullptr && b.get<double>() != nullptr) return *x <=> *b.get<double>();
    return 0 <=> compare_numbers(b, a);
}

inline result<bool> same_items(const std::vector<value>& a, const std::vector<value>& b, bool in_order) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        bool found = false;
        for (std::size_t j = in_order ? i : 0; j < b.size() && !found; ++j) {
            const auto same = value::equal(a[i], b[j]);
            if (!same) return same;
            found = *same;
            if (in_order) break;
        }
        if (!found) return false;
    }
    return true;
}

inline result<bool> same_lists(const list_value& a, const list_value& b) {
    if (a.size() != b.size()) return false;
    const auto x = a.items(), y = b.items();
    if (!x) return x.error();
    if (!y) return y.error();
    return same_items(*x, *y, !a.is_set() && a.map_keys().empty());
}

inline result<bool> same_maps(const map_value& a, const map_value& b) {
    const auto keys = a.keys();
    if (keys.size() != b.size()) return false;
    for (const auto& key : keys) {
        const auto x = a.find(key), y = b.find(key);
        if (!x || !y) return false;
        if (!*x) return x->error();
        if (!*y) return y->error();
        const auto same = value::equal(**x, **y);
        if (!same || !*same) return same;
    }
    return true;
}

}  // namespace detail

KCONTROL_DECL result<bool> value::equal(const value& a, const value& b) {
    if (a.is_number() && b.is_number()) return std::is_eq(detail::compare_numbers(a, b));
    if (a.held_.index() != b.held_.index()) return false;
    if (const auto* list = a.get<list_value>()) return detail::same_lists(*list, *b.get<list_value>());
    if (const auto* map = a.get<map_value>()) return detail::same_maps(*map, *b.get<map_value>());
    if (const auto* maybe = a.get<optional_value>()) {
        const auto* other = b.get<optional_value>();
        if (!maybe->held || !other->held) return maybe->held == other->held;
        return equal(*maybe->held, *other->held);
    }
    return std::visit(
        [&b](const auto& x) -> bool {
            using held_type = std::remove_cvref_t<decltype(x)>;
            if constexpr (requires { x == x; }) {
                return x == *b.get<held_type>();
            } else {
                return false;
            }
        },
        a.held_);
}

KCONTROL_DECL std::optional<std::partial_ordering> value::compare(const value& a, const value& b) {
    if (a.is_number() && b.is_number()) return detail::compare_numbers(a, b);
    if (a.held_.index() != b.held_.index()) return std::nullopt;
    if (const auto* x = a.get<std::string>()) return *x <=> *b.get<std::string>();
    if (const auto* x = a.get<bool>()) return int(*x) <=> int(*b.get<bool>());
    if (const auto* x = a.get<bytes_value>()) return *x <=> *b.get<bytes_value>();
    if (const auto* x = a.get<timestamp_value>()) return *x <=> *b.get<timestamp_value>();
    if (const auto* x = a.get<duration_value>()) return *x <=> *b.get<duration_value>();
    return std::nullopt;
}

KCONTROL_DECL json::value value::to_json() const {
    if (const auto* v = get<bool>()) return *v;
    if (const auto* v = get<std::int64_t>()) return *v;
    if (const auto* v = get<std::uint64_t>()) return *v;
    if (const auto* v = get<double>()) return *v;
    if (const auto* v = get<std::string>()) return json::value(*v);
    if (const auto* v = get<bytes_value>()) return json::value(encode_base64(v->octets));
    if (const auto* v = get<timestamp_value>()) return json::value(to_text(*v));
    if (const auto* v = get<duration_value>()) return json::value(to_text(*v));
    if (const auto* v = get<quantity>()) return json::value(v->canonical());
    if (const auto* v = get<ip_value>()) return json::value(to_text(*v));
    if (const auto* v = get<cidr_value>()) return json::value(to_text(*v));
    if (const auto* v = get<type_value>()) return json::value(v->name);
    if (const auto* v = get<optional_value>()) return v->held ? v->held->to_json() : json::value();
    if (const auto* v = get<list_value>()) {
        json::array out;
        for (std::size_t i = 0; i < v->size(); ++i) {
            const auto one = v->at(i);
            out.push_back(one ? one->to_json() : json::value());
        }
        return out;
    }
    if (const auto* v = get<map_value>()) {
        json::object out;
        for (const auto& key : v->keys()) {
            const auto* name = key.get<std::string>();
            const auto found = v->find(key);
            out[name != nullptr ? *name : json::serialize(key.to_json())] =
                found && *found ? (*found)->to_json() : json::value();
        }
        return out;
    }
    return nullptr;
}

KCONTROL_DECL std::string to_text(double number) {
    char digits[64];
    const bool plain = number == 0 || (std::fabs(number) >= 1e-4 && std::fabs(number) < 1e6);
    const auto end = std::to_chars(digits, std::end(digits), number,
                                   plain ? std::chars_format::fixed : std::chars_format::scientific);
    return std::string(digits, end.ptr);
}

}  // namespace kcontrol::cel
