#include "testserver/cel_functions.hpp"

namespace kcontrol::inline v0_1::testing::detail {
namespace {

bool is_cel_zero(const cel_value& v) {
    if (v.get<std::nullptr_t>() != nullptr) return true;
    if (const auto* x = v.get<bool>()) return !*x;
    if (v.is_number()) {
        const auto same = cel_value::equal(v, cel_value(std::int64_t(0)));
        return same && *same;
    }
    if (const auto* x = v.get<std::string>()) return x->empty();
    if (const auto* x = v.get<cel_bytes>()) return x->octets.empty();
    if (const auto* x = v.get<cel_list>()) return x->size() == 0;
    if (const auto* x = v.get<cel_map>()) return x->size() == 0;
    if (const auto* x = v.get<cel_duration>()) return x->nanoseconds == 0;
    if (const auto* x = v.get<cel_optional>()) return !x->value;
    return false;
}

}  // namespace

cel_answer call_cel_of_optional(std::string_view name, const cel_arguments& arguments) {
    const auto held = [](const cel_value& v) { return cel_optional{std::make_shared<const cel_value>(v)}; };
    if (name == "optional.none") return cel_value(cel_optional());
    if (name == "optional.of") return cel_value(held(arguments[0]));
    if (name == "optional.ofNonZeroValue") {
        return is_cel_zero(arguments[0]) ? cel_value(cel_optional()) : cel_value(held(arguments[0]));
    }
    if (name == "optional.unwrap" || name == "unwrapOpt") {
        const auto* list = arguments[0].get<cel_list>();
        if (list == nullptr) return cel_no_overload();
        std::vector<cel_value> out;
        for (std::size_t i = 0; i < list->size(); ++i) {
            const auto one = list->at(i);
            if (!one) return one;
            const auto* maybe = one->get<cel_optional>();
            if (maybe == nullptr) return cel_no_overload();
            if (maybe->value) out.push_back(*maybe->value);
        }
        return cel_value(cel_list(std::move(out)));
    }
    const auto* maybe = arguments.empty() ? nullptr : arguments[0].get<cel_optional>();
    if (maybe == nullptr) return std::nullopt;
    if (name == "hasValue") return cel_value(maybe->value != nullptr);
    if (name == "value") {
        if (!maybe->value) return cel_error("optional.none() dereference");
        return *maybe->value;
    }
    if (name == "or") return arguments[maybe->value ? 0 : 1];
    if (name == "orValue") return maybe->value ? *maybe->value : arguments[1];
    return std::nullopt;
}

}  // namespace kcontrol::testing::detail
