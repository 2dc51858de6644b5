#include "testserver/cel_value.hpp"

#include <kcontrol/base/base64.hpp>

#include "testserver/structural_values.hpp"

#include <algorithm>
#include <cmath>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

// What rules see of every resource's metadata.
const json::value& resource_part(std::string_view name) {
    static const json::value text = json::object({{"type", "string"}});
    static const json::value metadata =
        json::object({{"type", "object"}, {"properties", json::object({{"name", text}, {"generateName", text}})}});
    return name == "metadata" ? metadata : text;
}

bool is_resource_part(std::string_view name) { return name == "apiVersion" || name == "kind" || name == "metadata"; }

}  // namespace

cel_shape cel_shape::member(std::string_view name) const {
    cel_shape out;
    if (schema == nullptr) return out;
    if (is_resource && is_resource_part(name)) {
        out.schema = &resource_part(name);
        return out;
    }
    out.schema = member_schema(*schema, name);
    out.is_resource = out.schema != nullptr && schema_flag(*out.schema, "x-kubernetes-embedded-resource");
    return out;
}

cel_shape cel_shape::item() const {
    cel_shape out;
    if (schema == nullptr) return out;
    out.schema = json::find(*schema, {"items"});
    out.is_resource = out.schema != nullptr && schema_flag(*out.schema, "x-kubernetes-embedded-resource");
    return out;
}

bool cel_shape::hides(std::string_view member) const {
    if (schema == nullptr) return false;
    if (is_resource && is_resource_part(member)) return false;
    return member_schema(*schema, member) == nullptr;
}

cel_list::cel_list(std::vector<cel_value> items)
    : items_(std::make_shared<const std::vector<cel_value>>(std::move(items))) {}
cel_list::cel_list(const json::array& all, cel_shape of_list) : json_(&all), shape_(of_list) {}

std::size_t cel_list::size() const noexcept { return json_ != nullptr ? json_->size() : items_->size(); }

cel_result cel_list::at(std::size_t index) const {
    if (json_ != nullptr) return cel_value::of((*json_)[index], shape_.item());
    return (*items_)[index];
}

result<std::vector<cel_value>> cel_list::items() const {
    if (json_ == nullptr) return *items_;
    std::vector<cel_value> out;
    out.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) {
        auto one = at(i);
        if (!one) return one.error();
        out.push_back(std::move(*one));
    }
    return out;
}

bool cel_list::is_set() const {
    return shape_.schema != nullptr && json::get_string(*shape_.schema, {"x-kubernetes-list-type"}) == "set";
}

std::vector<std::string_view> cel_list::map_keys() const {
    std::vector<std::string_view> out;
    if (shape_.schema == nullptr || json::get_string(*shape_.schema, {"x-kubernetes-list-type"}) != "map") return out;
    const json::value* keys = json::find(*shape_.schema, {"x-kubernetes-list-map-keys"});
    if (keys == nullptr || !keys->is_array()) return out;
    for (const auto& key : keys->get_array()) {
        if (key.is_string()) out.emplace_back(key.get_string());
    }
    return out;
}

std::string_view cel_list::item_kind() const {
    const cel_shape item = shape_.item();
    if (item.schema == nullptr) return {};
    const std::string_view format = json::get_string(*item.schema, {"format"});
    return format == "duration" ? format : json::get_string(*item.schema, {"type"});
}

cel_map::cel_map(entries all) : entries_(std::make_shared<const entries>(std::move(all))) {}
cel_map::cel_map(const json::object& all, cel_shape of_object) : json_(&all), shape_(of_object) {}

std::size_t cel_map::size() const noexcept { return json_ != nullptr ? keys().size() : entries_->size(); }

std::vector<cel_value> cel_map::keys() const {
    std::vector<cel_value> out;
    if (json_ == nullptr) {
        for (const auto& [key, value] : *entries_) out.push_back(key);
        return out;
    }
    for (const auto& member : *json_) {
        if (!shape_.hides(member.key())) out.emplace_back(std::string(member.key()));
    }
    return out;
}

std::optional<cel_result> cel_map::find(std::string_view key) const {
    if (json_ == nullptr) return find(cel_value(std::string(key)));
    const json::value* found = shape_.hides(key) ? nullptr : json_->if_contains(key);
    if (found == nullptr) return std::nullopt;
    return cel_value::of(*found, shape_.member(key));
}

std::optional<cel_result> cel_map::find(const cel_value& key) const {
    if (json_ != nullptr) {
        const auto* text = key.get<std::string>();
        return text != nullptr ? find(std::string_view(*text)) : std::nullopt;
    }
    for (const auto& [has, value] : *entries_) {
        const auto same = cel_value::equal(has, key);
        if (same && *same) return cel_result(value);
    }
    return std::nullopt;
}

namespace {

cel_result text_of_format(const std::string& text, std::string_view format) {
    const auto broken = [&text](std::string_view what) {
        return cel_error("Invalid " + std::string(what) + " " + text + ": it can't be read");
    };
    if (format == "date-time" || format == "datetime") {
        if (const auto at = parse_cel_timestamp(text)) return cel_value(*at);
        return broken("date-time formatted string");
    }
    if (format == "date") {
        if (const auto at = parse_cel_timestamp(text + "T00:00:00Z")) return cel_value(*at);
        return broken("date formatted string");
    }
    if (format == "duration") {
        if (const auto span = parse_schema_duration(text)) return cel_value(*span);
        return broken("duration");
    }
    if (format == "byte") {
        if (auto octets = decode_base64(text)) return cel_value(cel_bytes{std::move(*octets)});
        return broken("byte formatted string");
    }
    return cel_value(text);
}

cel_result plain_value(const json::value& v, cel_shape shape) {
    if (v.is_null()) return cel_value();
    if (v.is_bool()) return cel_value(v.get_bool());
    if (v.is_int64()) return cel_value(v.get_int64());
    if (v.is_uint64()) return cel_value(static_cast<double>(v.get_uint64()));
    if (v.is_double()) return cel_value(v.get_double());
    if (v.is_string()) return cel_value(std::string(v.get_string()));
    if (v.is_array()) return cel_value(cel_list(v.get_array(), shape));
    return cel_value(cel_map(v.get_object(), shape));
}

}  // namespace
}  // namespace detail

cel_result cel_value::of(const json::value& v, detail::cel_shape shape) {
    const std::string_view type =
        shape.schema == nullptr ? std::string_view() : json::get_string(*shape.schema, {"type"});
    if (type == "string" && v.is_string()) {
        return detail::text_of_format(std::string(v.get_string()), json::get_string(*shape.schema, {"format"}));
    }
    if (type == "number" && v.is_number()) return cel_value(v.to_number<double>());
    return detail::plain_value(v, shape);
}

std::string_view cel_value::type_name() const {
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

bool cel_value::is_number() const noexcept { return held_.index() >= 2 && held_.index() <= 4; }

namespace detail {
namespace {

// Numbers of all three types, by their exact amounts.
std::partial_ordering compare_cel_numbers(const cel_value& a, const cel_value& b) {
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
    return 0 <=> compare_cel_numbers(b, a);
}

result<bool> same_items(const std::vector<cel_value>& a, const std::vector<cel_value>& b, bool in_order) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        bool found = false;
        for (std::size_t j = in_order ? i : 0; j < b.size() && !found; ++j) {
            const auto same = cel_value::equal(a[i], b[j]);
            if (!same) return same;
            found = *same;
            if (in_order) break;
        }
        if (!found) return false;
    }
    return true;
}

result<bool> same_lists(const cel_list& a, const cel_list& b) {
    if (a.size() != b.size()) return false;
    const auto x = a.items(), y = b.items();
    if (!x) return x.error();
    if (!y) return y.error();
    return same_items(*x, *y, !a.is_set() && a.map_keys().empty());
}

result<bool> same_maps(const cel_map& a, const cel_map& b) {
    const auto keys = a.keys();
    if (keys.size() != b.size()) return false;
    for (const auto& key : keys) {
        const auto x = a.find(key), y = b.find(key);
        if (!x || !y) return false;
        if (!*x) return x->error();
        if (!*y) return y->error();
        const auto same = cel_value::equal(**x, **y);
        if (!same || !*same) return same;
    }
    return true;
}

}  // namespace
}  // namespace detail

result<bool> cel_value::equal(const cel_value& a, const cel_value& b) {
    if (a.is_number() && b.is_number()) return std::is_eq(detail::compare_cel_numbers(a, b));
    if (a.held_.index() != b.held_.index()) return false;
    if (const auto* list = a.get<detail::cel_list>()) return detail::same_lists(*list, *b.get<detail::cel_list>());
    if (const auto* map = a.get<detail::cel_map>()) return detail::same_maps(*map, *b.get<detail::cel_map>());
    if (const auto* maybe = a.get<detail::cel_optional>()) {
        const auto* other = b.get<detail::cel_optional>();
        if (!maybe->value || !other->value) return maybe->value == other->value;
        return equal(*maybe->value, *other->value);
    }
    return std::visit(
        [&b](const auto& x) -> bool {
            using type = std::remove_cvref_t<decltype(x)>;
            if constexpr (requires { x == x; }) {
                return x == *b.get<type>();
            } else {
                return false;
            }
        },
        a.held_);
}

std::optional<std::partial_ordering> cel_value::compare(const cel_value& a, const cel_value& b) {
    if (a.is_number() && b.is_number()) return detail::compare_cel_numbers(a, b);
    if (a.held_.index() != b.held_.index()) return std::nullopt;
    if (const auto* x = a.get<std::string>()) return *x <=> *b.get<std::string>();
    if (const auto* x = a.get<bool>()) return int(*x) <=> int(*b.get<bool>());
    if (const auto* x = a.get<detail::cel_bytes>()) return *x <=> *b.get<detail::cel_bytes>();
    if (const auto* x = a.get<detail::cel_timestamp>()) return *x <=> *b.get<detail::cel_timestamp>();
    if (const auto* x = a.get<detail::cel_duration>()) return *x <=> *b.get<detail::cel_duration>();
    return std::nullopt;
}

json::value cel_value::to_json() const {
    if (const auto* v = get<bool>()) return *v;
    if (const auto* v = get<std::int64_t>()) return *v;
    if (const auto* v = get<std::uint64_t>()) return *v;
    if (const auto* v = get<double>()) return *v;
    if (const auto* v = get<std::string>()) return json::value(*v);
    if (const auto* v = get<detail::cel_bytes>()) return json::value(encode_base64(v->octets));
    if (const auto* v = get<detail::cel_timestamp>()) return json::value(detail::to_text(*v));
    if (const auto* v = get<detail::cel_duration>()) return json::value(detail::to_text(*v));
    if (const auto* v = get<quantity>()) return json::value(v->canonical());
    if (const auto* v = get<detail::cel_ip>()) return json::value(detail::to_text(*v));
    if (const auto* v = get<detail::cel_cidr>()) return json::value(detail::to_text(*v));
    if (const auto* v = get<detail::cel_type>()) return json::value(v->name);
    if (const auto* v = get<detail::cel_optional>()) return v->value ? v->value->to_json() : json::value();
    if (const auto* v = get<detail::cel_list>()) {
        json::array out;
        for (std::size_t i = 0; i < v->size(); ++i) {
            const auto one = v->at(i);
            out.push_back(one ? one->to_json() : json::value());
        }
        return out;
    }
    if (const auto* v = get<detail::cel_map>()) {
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

}  // namespace kcontrol::testing
