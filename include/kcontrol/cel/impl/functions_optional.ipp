#pragma once

#include <kcontrol/cel/impl/functions.hpp>

namespace kcontrol::inline v0_1::cel::detail {
inline bool is_zero(const value& v) {
    if (v.get<std::nullptr_t>() != nullptr) return true;
    if (const auto* x = v.get<bool>()) return !*x;
    if (v.is_number()) {
        const auto same = value::equal(v, value(std::int64_t(0)));
        return same && *same;
    }
    if (const auto* x = v.get<std::string>()) return x->empty();
    if (const auto* x = v.get<bytes_value>()) return x->octets.empty();
    if (const auto* x = v.get<list_value>()) return x->size() == 0;
    if (const auto* x = v.get<map_value>()) return x->size() == 0;
    if (const auto* x = v.get<duration_value>()) return x->nanoseconds == 0;
    if (const auto* x = v.get<optional_value>()) return !x->held;
    return false;
}

KCONTROL_DECL function_answer call_optional_function(std::string_view name, const function_arguments& arguments) {
    const auto held = [](const value& v) { return optional_value{std::make_shared<const value>(v)}; };
    if (name == "optional.none") return value(optional_value());
    if (name == "optional.of") return value(held(arguments[0]));
    if (name == "optional.ofNonZeroValue") {
        return is_zero(arguments[0]) ? value(optional_value()) : value(held(arguments[0]));
    }
    if (name == "optional.unwrap" || name == "unwrapOpt") {
        const auto* list = arguments[0].get<list_value>();
        if (list == nullptr) return no_overload();
        std::vector<value> out;
        for (std::size_t i = 0; i < list->size(); ++i) {
            const auto one = list->at(i);
            if (!one) return one;
            const auto* maybe = one->get<optional_value>();
            if (maybe == nullptr) return no_overload();
            if (maybe->held) out.push_back(*maybe->held);
        }
        return value(list_value(std::move(out)));
    }
    const auto* maybe = arguments.empty() ? nullptr : arguments[0].get<optional_value>();
    if (maybe == nullptr) return std::nullopt;
    if (name == "hasValue") return value(maybe->held != nullptr);
    if (name == "value") {
        if (!maybe->held) return evaluation_error("optional.none() dereference");
        return *maybe->held;
    }
    if (name == "or") return arguments[maybe->held ? 0 : 1];
    if (name == "orValue") return maybe->held ? *maybe->held : arguments[1];
    return std::nullopt;
}

}  // namespace kcontrol::cel::detail
