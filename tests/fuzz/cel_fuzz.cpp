// An expression, parsed, checked and evaluated: it ends within its cost, and each error has a text and a place.
#include <kcontrol/cel/environment.hpp>

#include "require.hpp"

#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kcontrol;
    using fuzz::require;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto has_place = [](const error& e) { return e.message().find_first_not_of("0123456789:") != 0; };
    const auto parsed = cel::program::parse(text);
    if (!parsed) {
        require(has_place(parsed.error()));
        return 0;
    }
    require(parsed->text() == text);
    cel::environment names;
    names.declare("n", cel::type::integer()).declare("s", cel::type::string()).declare("m", cel::type());
    const auto type = names.check(*parsed);
    if (!type) require(has_place(type.error()));
    const cel::map_value map({{"a", 1}, {"b", "c"}, {"l", cel::list_value({1, 2, "x"})}});
    const auto how = cel::evaluation_options().cost_limit(20'000);
    const auto found = parsed->evaluate({{"n", -7}, {"s", "text"}, {"m", map}}, how);
    if (!found) require(!found.error().message().empty());
    if (found) static_cast<void>(found->to_json());
    return 0;
}
