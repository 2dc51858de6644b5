#include "schedule_command.hpp"

#include <kcontrol/base/flags.hpp>
#include <kcontrol/values/rfc3339.hpp>
#include <kcontrol/values/time.hpp>

#include "cron/schedule.hpp"
#include "messages.hpp"

#include <charconv>
#include <chrono>
#include <optional>

namespace gpu_labeler {
namespace {

using kcontrol::result;

constexpr int most = 100'000;

struct request {
    std::optional<std::string_view> text;
    std::optional<std::string_view> from;
    int count = 5;
};

result<int> parse_count(std::string_view value) {
    int count = 0;
    const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), count);
    if (failed != std::errc() || end != value.data() + value.size() || count < 1 || count > most) {
        return bad_argument("--count: " + in_quotes(value) + " is not a number from 1 to " + std::to_string(most));
    }
    return count;
}

result<request> read(const std::vector<std::string_view>& arguments) {
    constexpr kcontrol::flag_shape flags[] = {{"--from"}, {"--count"}};
    const auto said = kcontrol::split_arguments(arguments, flags, "gpu_labeler schedule --help");
    if (!said) return said.error();
    request r;
    for (const auto& one : *said) {
        if (one.is_word()) {
            if (r.text)
                return bad_argument("only one schedule, please: put " + in_quotes(*r.text) + " and the rest in quotes");
            r.text = one.text;
        } else if (flags[one.flag].name == "--from") {
            r.from = one.text;
        } else {
            const auto count = parse_count(one.text);
            if (!count) return count.error();
            r.count = *count;
        }
    }
    if (!r.text) return bad_argument("which schedule? For example: gpu_labeler schedule \"*/5 * * * *\"");
    return r;
}

}  // namespace

result<std::string> schedule_command(const std::vector<std::string_view>& arguments, kcontrol::wall_time now,
                                     cron::time_zone home) {
    const auto r = read(arguments);
    if (!r) return r.error();
    if (r->from) {
        const auto from = kcontrol::parse_time(*r->from);
        if (!from) return from.error().with_context("--from");
        now = *from;
        // In the offset that it names, which parse_time() does not tell.
        const auto offset = kcontrol::rfc3339_time::parse(*r->from).value().offset;
        home = offset == 0 ? cron::time_zone::utc() : cron::time_zone::fixed(offset);
    }
    const auto schedule = cron::schedule::parse(*r->text, std::move(home));
    if (!schedule) return schedule.error();
    std::string lines;
    for (int i = 0; i < r->count; ++i) {
        const auto next = schedule->next(now);
        if (!next) break;
        now = *next;
        lines +=
            schedule->zone().format(std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count()) + "\n";
    }
    if (lines.empty()) return bad_argument(in_quotes(*r->text) + " never fires: no such day comes within nine years");
    return lines;
}

std::string_view schedule_help() noexcept {
    return R"(Prints when a cron schedule fires next, one RFC 3339 time a line.

usage: gpu_labeler schedule "SPEC" [--from RFC3339] [--count N]

  SPEC             five fields (minute, hour, day of month, month, day of week),
                   or six, of which the first is the second; @yearly, @monthly,
                   @weekly, @daily, @hourly; or @every 1h30m.
                   CRON_TZ=Europe/Berlin before it names the time zone.
  --from RFC3339   the time to start after (default: now); without CRON_TZ its
                   offset is the time zone
  --count N        how many times, 1 to 100000 (default 5)

Exit codes: 0 ok, 2 a schedule or a flag that can't be read, or one that never fires.
)";
}

}  // namespace gpu_labeler
