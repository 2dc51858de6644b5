// Durations and times: what is read is printed as something that reads the same.
#include <kcontrol/values/api_duration.hpp>
#include <kcontrol/values/micro_time.hpp>

#include "require.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kcontrol;
    using fuzz::require;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto length = parse_duration(text)) {
        const auto again = parse_duration(format_duration(*length));
        require(again && *again == *length);
    }
    if (const auto at = micro_time::parse(text)) {
        const auto again = micro_time::parse(at->to_string());
        require(again && *again == *at);
    }
    return 0;
}
