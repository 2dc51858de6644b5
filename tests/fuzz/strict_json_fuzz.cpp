// What strict reading takes, the other reader takes too; what has a name twice, it refuses.
#include <kcontrol/documents/strict.hpp>
#include <kcontrol/documents/value.hpp>

#include "require.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace json = kcontrol::json;
    using kcontrol::fuzz::require;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    json::document document;
    const auto strict = json::parse_strict(document, text, json::strict_limits().max_depth(256));
    const auto other = json::parse(text);
    require(strict.has_value() == other.has_value());
    if (!strict) {
        require(!strict.error().message().empty());
        return 0;
    }
    require(json::equal(json::to_value(*strict).value(), *other));
    if (json::check_strict(*strict, 3)) require(json::parse_strict(document, text).has_value());
    return 0;
}
