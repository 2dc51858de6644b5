#pragma once

#include <kcontrol/cel/semver.hpp>
#include <kcontrol/scheduling/device_cel.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

inline const cel::environment& device_environment() {
    static const cel::environment declared = [] {
        const auto by_domain = [](cel::type of) { return cel::type::map(cel::type::map(std::move(of))); };
        cel::environment out;
        out.declare("device", cel::type::object({{"driver", cel::type::string()},
                                                 {"attributes", by_domain(cel::type())},
                                                 {"capacity", by_domain(cel::type::quantity())},
                                                 {"allowMultipleAllocations", cel::type::boolean()}}));
        return out;
    }();
    return declared;
}

inline result<cel::value> version_value(std::string_view text) {
    auto read = cel::parse_semver(text, false);
    if (!read) return error(errc::invalid_argument, "parse semantic version: " + read.error().message());
    return cel::value(std::move(*read));
}

inline result<cel::value> attribute_value(const api::resource::v1::device_attribute& of) {
    if (of.int_) return cel::value(*of.int_);
    if (of.bool_) return cel::value(*of.bool_);
    if (of.string.present()) return cel::value(of.string.str());
    if (of.version.present()) return version_value(of.version);
    std::vector<cel::value> items;
    for (const auto each : of.ints) items.emplace_back(each);
    for (const bool each : of.bools) items.emplace_back(each);
    for (const auto& each : of.strings) items.emplace_back(each.str());
    for (const auto& each : of.versions) {
        auto read = version_value(each);
        if (!read) return read;
        items.push_back(std::move(*read));
    }
    if (items.empty()) return error(errc::invalid_argument, "unsupported attribute value");
    return cel::value(cel::list_value(std::move(items)));
}

inline result<cel::value> capacity_value(const api::resource::v1::device_capacity& of) {
    auto amount = quantity::parse(of.value);
    if (!amount) return amount.error();
    return cel::value(std::move(*amount));
}

// {domain: {name: value}} of "domain/name", where the domain may be left out.
template <class Dict, class F>
result<cel::value> by_domain(const Dict& all, std::string_view driver, std::string_view what, const F& read) {
    std::map<std::string_view, cel::map_value::entries> domains;
    for (const auto& [name, held] : all) {
        const std::string_view whole = name;
        auto one = read(held);
        if (!one) {
            return error(errc::invalid_argument,
                         std::string(what) + " " + std::string(whole) + ": " + one.error().message());
        }
        const auto slash = whole.find('/');
        const bool has_domain = slash != std::string_view::npos;
        domains[has_domain ? whole.substr(0, slash) : driver].emplace_back(has_domain ? whole.substr(slash + 1) : whole,
                                                                           std::move(*one));
    }
    cel::map_value::entries out;
    for (auto& [domain, members] : domains) out.emplace_back(domain, cel::map_value(std::move(members)));
    return cel::value(cel::map_value::with_default(std::move(out), cel::map_value({})));
}

}  // namespace detail

KCONTROL_DECL result<cel::program> compile_device_selector(std::string_view expression) {
    constexpr std::size_t most = 10 * 1024;  // CELSelectorExpressionMaxLength
    if (expression.size() > most) {
        return error(errc::invalid_argument, "an expression of " + std::to_string(expression.size()) +
                                                 " octets: a device selector may have " + std::to_string(most));
    }
    return detail::device_environment().compile(expression, cel::type::boolean());
}

KCONTROL_DECL result<cel::value> device_variable(std::string_view driver, const api::resource::v1::device& of) {
    auto attributes = detail::by_domain(of.attributes, driver, "attribute", detail::attribute_value);
    if (!attributes) return attributes;
    auto capacity = detail::by_domain(of.capacity, driver, "capacity", detail::capacity_value);
    if (!capacity) return capacity;
    return cel::value(cel::map_value({{"driver", driver},
                                      {"attributes", std::move(*attributes)},
                                      {"capacity", std::move(*capacity)},
                                      {"allowMultipleAllocations", of.allow_multiple_allocations.value_or(false)}}));
}

KCONTROL_DECL result<bool> device_matches(const cel::program& selector, std::string_view driver,
                                          const api::resource::v1::device& of) {
    auto device = device_variable(driver, of);
    if (!device) return device.error();
    const auto said = selector.evaluate({{"device", std::move(*device)}});
    if (!said) return said.error();
    if (const auto* held = said->get<bool>()) return *held;
    return error(errc::invalid_argument, "must evaluate to bool, not " + std::string(said->type_name()));
}

KCONTROL_DECL device_allocator_options::selects_function device_selects(std::size_t most_kept) {
    using programs = std::map<std::string, result<cel::program>, std::less<>>;
    return [most_kept, kept = std::make_shared<programs>()](const device_inventory::known_device& of,
                                                            std::string_view expression) -> result<bool> {
        auto found = kept->find(expression);
        if (found == kept->end()) {
            if (kept->size() >= most_kept) kept->clear();
            found = kept->emplace(std::string(expression), compile_device_selector(expression)).first;
        }
        if (!found->second) return found->second.error();
        return device_matches(*found->second, of.id.driver, *of.object);
    };
}

}  // namespace kcontrol::scheduling
