#pragma once

#include <kcontrol/cel/impl/functions.hpp>
#include <kcontrol/cel/value_schema.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace kcontrol::inline v0_1::cel::detail {
inline value_result size_of(const value& of) {
    if (const auto* text = of.get<std::string>()) {
        return value(static_cast<std::int64_t>(characters_of(*text).size()));
    }
    if (const auto* bytes = of.get<bytes_value>()) return value(static_cast<std::int64_t>(bytes->octets.size()));
    if (const auto* list = of.get<list_value>()) return value(static_cast<std::int64_t>(list->size()));
    if (const auto* map = of.get<map_value>()) return value(static_cast<std::int64_t>(map->size()));
    return no_overload();
}

// X + Y of lists that are sets or maps to server-side apply: what both have is there once, with Y's value.
inline value_result joined_lists(const list_value& a, const list_value& b) {
    auto all = a.items();
    const auto more = b.items();
    if (!all) return all.error();
    if (!more) return more.error();
    const auto keys = a.map_keys();
    const auto same = [&](const value& x, const value& y) {
        if (keys.empty()) {
            const auto equal = value::equal(x, y);
            return equal && *equal;
        }
        const auto *one = x.get<map_value>(), *other = y.get<map_value>();
        return one != nullptr && other != nullptr && std::all_of(keys.begin(), keys.end(), [&](std::string_view key) {
                   const auto i = one->find(key), j = other->find(key);
                   if (!i || !j || !*i || !*j) return !i && !j;
                   const auto equal = value::equal(**i, **j);
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
    return value(list_value(std::move(*all)));
}

template <class T>
inline value_result compute_whole(char sign, T x, T y) {
    constexpr bool is_signed = std::numeric_limits<T>::is_signed;
    T out = 0;
    bool overflows = false;
    if (sign == '+') overflows = __builtin_add_overflow(x, y, &out);
    if (sign == '-') overflows = __builtin_sub_overflow(x, y, &out);
    if (sign == '*') overflows = __builtin_mul_overflow(x, y, &out);
    if (sign == '/' || sign == '%') {
        if (y == 0) return evaluation_error(sign == '/' ? "division by zero" : "modulus by zero");
        overflows = is_signed && y == static_cast<T>(-1) && x == std::numeric_limits<T>::min();
        if (!overflows) out = sign == '/' ? x / y : x % y;
    }
    if (overflows) return evaluation_error(is_signed ? "integer overflow" : "unsigned integer overflow");
    return value(out);
}

template <class T>
inline value_result or_overflow(const std::optional<T>& v, const char* what) {
    if (!v) return evaluation_error(std::string(what) + " overflow");
    return value(*v);
}

// Nothing: neither is a time.
inline function_answer compute_time(char sign, const value& a, const value& b) {
    const auto *at = a.get<timestamp_value>(), *other = b.get<timestamp_value>();
    const auto *span = a.get<duration_value>(), *by = b.get<duration_value>();
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
    if (overflows) return evaluation_error("duration overflow");
    return value(duration_value{out});
}

KCONTROL_DECL value_result compute(char sign, const value& a, const value& b) {
    if (const auto* x = a.get<std::int64_t>(), *y = b.get<std::int64_t>(); x && y) return compute_whole(sign, *x, *y);
    if (const auto* x = a.get<std::uint64_t>(), *y = b.get<std::uint64_t>(); x && y) return compute_whole(sign, *x, *y);
    if (const auto* x = a.get<double>(), *y = b.get<double>(); x && y && sign != '%') {
        return value(sign == '+' ? *x + *y : sign == '-' ? *x - *y : sign == '*' ? *x * *y : *x / *y);
    }
    if (auto time = compute_time(sign, a, b)) return std::move(*time);
    if (sign != '+') return no_overload();
    if (const auto* x = a.get<std::string>(), *y = b.get<std::string>(); x && y) return value(*x + *y);
    if (const auto* x = a.get<bytes_value>(), *y = b.get<bytes_value>(); x && y) {
        return value(bytes_value{x->octets + y->octets});
    }
    if (const auto* x = a.get<list_value>(), *y = b.get<list_value>(); x && y) return joined_lists(*x, *y);
    return no_overload();
}

KCONTROL_DECL value_result call_function(std::string_view name, bool is_method, const function_arguments& arguments,
                                         text_checks& texts) {
    if (name == "size") return size_of(arguments[0]);
    if (!is_method) {
        if (name == "dyn") return arguments[0];
        if (name == "type") return value(type_value{std::string(arguments[0].type_name())});
        if (auto done = convert_value(name, arguments)) return std::move(*done);
        if (auto done = call_set_function(name, arguments)) return std::move(*done);
    }
    if (auto done = call_optional_function(name, arguments)) return std::move(*done);
    if (auto done = call_kubernetes_function(name, is_method, arguments, texts)) return std::move(*done);
    if (arguments.empty()) return no_overload();
    if (auto done = call_text_function(name, arguments, texts)) return std::move(*done);
    if (auto done = call_list_function(name, arguments)) return std::move(*done);
    if (auto done = call_time_function(name, arguments)) return std::move(*done);
    return no_overload();
}

KCONTROL_DECL function_answer call_time_function(std::string_view name, const function_arguments& arguments) {
    if (const auto* span = arguments[0].get<duration_value>(); span != nullptr && arguments.size() == 1) {
        if (const auto part = part_of(*span, name)) return value(*part);
    }
    const auto* at = arguments[0].get<timestamp_value>();
    if (at == nullptr) return std::nullopt;
    std::int32_t offset = 0;
    if (arguments.size() == 2) {
        const auto* zone = arguments[1].get<std::string>();
        if (zone == nullptr) return no_overload();
        const auto read = parse_offset(*zone);
        if (!read) return evaluation_error("unknown time zone " + *zone);
        offset = *read;
    }
    if (const auto part = part_of(*at, name, offset)) return value(*part);
    return std::nullopt;
}

}  // namespace kcontrol::cel::detail
