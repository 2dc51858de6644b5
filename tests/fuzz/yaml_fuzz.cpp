// Whatever YAML gives must be writable as JSON and read back as the same.
#include <kcontrol/documents/yaml.hpp>

#include "require.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace json = kcontrol::json;
    const auto documents = json::parse_yaml({reinterpret_cast<const char*>(data), size}, 64 * 1024);
    if (!documents) {
        kcontrol::fuzz::require(!documents.error().message().empty());
        return 0;
    }
    for (const auto& document : *documents) {
        const auto again = json::parse(json::serialize(document));
        kcontrol::fuzz::require(again && json::equal(*again, document));
    }
    return 0;
}
