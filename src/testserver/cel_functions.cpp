#include "testserver/cel_functions.hpp"

#include "testserver/structural_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

cel_result size_of(const cel_value& of) {
    if (const auto* text = of.get<std::string>()) {
        return cel_value(static_cast<std::int64_t>(cel_characters(*text).size()));
    }
    if (const auto* bytes = of.get<cel_bytes>()) return cel_value(static_cast<std::int64_t>(bytes->octets.size()));
    if (const auto* list = of.get<cel_list>()) return cel_value(static_cast<std::int64_t>(list->size()));
    if (const auto* map = of.get<cel_map>()) return cel_value(static_cast<std::int64_t>(map->size()));
    return cel_no_overload();
}

// X + Y of lists that are sets or maps to server-side apply: what both have is there once, with Y's value.
cel_result joined_lists(const cel_list& a, const cel_list& b) {
    auto all = a.items();
    const auto more = b.items();
    if (!all) return all.error();
    if (!more) return more.error();
    const auto keys = a.map_keys();
    const auto same = [&](const cel_value& x, const cel_value& y) {
        if (keys.empty()) {
            const auto equal = cel_value::equal(x, y);
            return equal && *equal;
        }
        const auto *one = x.get<cel_map>(), *other = y.get<cel_map>();
        return one != nullptr && other != nullptr && std::all_of(keys.begin(), keys.end(), [&](std::string_view key) {
                   const auto i = one->find(key), j = other->find(key);
                   if (!i || !j || !*i || !*j) return !i && !j;
                   const auto equal = cel_value::equal(**i, **j);
                   return equal && *equal;
               });
    };
    const bool merges = a.is_set() || !keys.empty();
    for (const auto& one : *more) {
        const auto found =
            merges ? std::find_if(all->begin(), all->end(), [&](const auto& x) { return same(x, one); }) : all->end();
        if (found == all->end()) {
            all->push_back(one);
        } else {
            *found = one;
        }
    }
    return cel_value(cel_list(std::move(*all)));
}

template <class T>
cel_result compute_whole(char sign, T x, T y) {
    constexpr bool is_signed = std::numeric_limits<T>::is_signed;
    T out = 0;
    bool overflows = false;
    if (sign == '+') overflows = __builtin_add_overflow(x, y, &out);
    if (sign == '-') overflows = __builtin_sub_overflow(x, y, &out);
    if (sign == '*') overflows = __builtin_mul_overflow(x, y, &out);
    if (sign == '/' || sign == '%') {
        if (y == 0) return cel_error(sign == '/' ? "division by zero" : "modulus by zero");
        overflows = is_signed && y == static_cast<T>(-1) && x == std::numeric_limits<T>::min();
        if (!overflows) out = sign == '/' ? x / y : x % y;
    }
    if (overflows) return cel_error(is_signed ? "integer overflow" : "unsigned integer overflow");
    return cel_value(out);
}

template <class T>
cel_result or_overflow(const std::optional<T>& v, const char* what) {
    if (!v) return cel_error(std::string(what) + " overflow");
    return cel_value(*v);
}

// Nothing: neither is a time.
cel_answer compute_time(char sign, const cel_value& a, const cel_value& b) {
    const auto *at = a.get<cel_timestamp>(), *other = b.get<cel_timestamp>();
    const auto *span = a.get<cel_duration>(), *by = b.get<cel_duration>();
    if (sign == '+') {
        if (at != nullptr && by != nullptr) return or_overflow(add_duration(*at, *by), "timestamp");
        if (span != nullptr && other != nullptr) return or_overflow(add_duration(*other, *span), "timestamp");
    }
    if (sign == '-') {
        if (at != nullptr && by != nullptr) return or_overflow(subtract_duration(*at, *by), "timestamp");
        if (at != nullptr && other != nullptr) return or_overflow(time_between(*at, *other), "duration");
    }
    if (span == nullptr || by == nullptr || (sign != '+' && sign != '-')) return std::nullopt;
    std::int64_t out = 0;
    const bool overflows = sign == '+' ? __builtin_add_overflow(span->nanoseconds, by->nanoseconds, &out)
                                       : __builtin_sub_overflow(span->nanoseconds, by->nanoseconds, &out);
    if (overflows) return cel_error("duration overflow");
    return cel_value(cel_duration{out});
}

}  // namespace

cel_result compute_cel(char sign, const cel_value& a, const cel_value& b) {
    if (const auto* x = a.get<std::int64_t>(), *y = b.get<std::int64_t>(); x && y) return compute_whole(sign, *x, *y);
    if (const auto* x = a.get<std::uint64_t>(), *y = b.get<std::uint64_t>(); x && y) return compute_whole(sign, *x, *y);
    if (const auto* x = a.get<double>(), *y = b.get<double>(); x && y && sign != '%') {
        return cel_value(sign == '+' ? *x + *y : sign == '-' ? *x - *y : sign == '*' ? *x * *y : *x / *y);
    }
    if (auto time = compute_time(sign, a, b)) return std::move(*time);
    if (sign != '+') return cel_no_overload();
    if (const auto* x = a.get<std::string>(), *y = b.get<std::string>(); x && y) return cel_value(*x + *y);
    if (const auto* x = a.get<cel_bytes>(), *y = b.get<cel_bytes>(); x && y) {
        return cel_value(cel_bytes{x->octets + y->octets});
    }
    if (const auto* x = a.get<cel_list>(), *y = b.get<cel_list>(); x && y) return joined_lists(*x, *y);
    return cel_no_overload();
}

cel_result call_cel(std::string_view name, bool is_method, const cel_arguments& arguments, text_checks& texts) {
    if (name == "size") return size_of(arguments[0]);
    if (!is_method) {
        if (name == "dyn") return arguments[0];
        if (name == "type") return cel_value(cel_type{std::string(arguments[0].type_name())});
        if (auto done = convert_cel(name, arguments)) return std::move(*done);
        if (auto done = call_cel_of_sets(name, arguments)) return std::move(*done);
    }
    if (auto done = call_cel_of_optional(name, arguments)) return std::move(*done);
    if (auto done = call_cel_of_kubernetes(name, is_method, arguments, texts)) return std::move(*done);
    if (arguments.empty()) return cel_no_overload();
    if (auto done = call_cel_of_text(name, arguments, texts)) return std::move(*done);
    if (auto done = call_cel_of_list(name, arguments)) return std::move(*done);
    if (auto done = call_cel_of_time(name, arguments)) return std::move(*done);
    return cel_no_overload();
}

cel_answer call_cel_of_time(std::string_view name, const cel_arguments& arguments) {
    if (const auto* span = arguments[0].get<cel_duration>(); span != nullptr && arguments.size() == 1) {
        if (const auto part = part_of(*span, name)) return cel_value(*part);
    }
    const auto* at = arguments[0].get<cel_timestamp>();
    if (at == nullptr) return std::nullopt;
    std::int32_t offset = 0;
    if (arguments.size() == 2) {
        const auto* zone = arguments[1].get<std::string>();
        if (zone == nullptr) return cel_no_overload();
        const auto read = parse_cel_offset(*zone);
        if (!read) return cel_error("unknown time zone " + *zone);
        offset = *read;
    }
    if (const auto part = part_of(*at, name, offset)) return cel_value(*part);
    return std::nullopt;
}

}  // namespace kcontrol::testing::detail
