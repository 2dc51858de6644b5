// Cron schedules: what is read fires, if at all, after the time it was asked for, and in its order.
#include "cron/schedule.hpp"
#include "require.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gpu_labeler::cron;
    using kcontrol::fuzz::require;
    const auto parsed = schedule::parse({reinterpret_cast<const char*>(data), size}, time_zone::utc());
    if (!parsed) {
        require(!parsed.error().message().empty() && parsed.error().message().find('\n') == std::string::npos);
        return 0;
    }
    kcontrol::wall_time at{std::chrono::seconds(1'795'262'400)};
    for (int i = 0; i < 3; ++i) {
        const auto next = parsed->next(at);
        if (!next) break;
        require(*next > at && next->time_since_epoch() % std::chrono::seconds(1) == std::chrono::seconds(0));
        at = *next;
    }
    return 0;
}
