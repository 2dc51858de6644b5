#include "memory/totals_rows.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

namespace training_monitor {
namespace {

using kcontrol::result;

constexpr std::int64_t ms = 1000;  // times in the file are milliseconds

std::string text_of(const job_counts& counts) {
    std::string out;
    for (std::size_t i = 0; i < job_state_names.size(); ++i) {
        if (counts.states[i] == 0) continue;
        if (!out.empty()) out += ' ';
        out.append(job_state_names[i]).append(1, '=').append(std::to_string(counts.states[i]));
    }
    return out;
}

void read_states(std::string_view text, job_counts& into) {
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(one.size() + 1, text.size()));
        const auto equals = one.find('=');
        const auto state = parse_job_state(one.substr(0, equals));
        if (!state || equals == std::string_view::npos) continue;
        auto& count = into.states[static_cast<std::size_t>(*state)];
        std::from_chars(one.data() + equals + 1, one.data() + one.size(), count);
    }
}

}  // namespace

result<std::vector<totals_point>> load_totals(sqlite::database& db) {
    auto rows = db.prepare("SELECT time, states, gpus_requested, gpus_running FROM totals ORDER BY time");
    if (!rows) return rows.error();
    std::vector<totals_point> out;
    for (;;) {
        const auto more = rows->step();
        if (!more) return more.error();
        if (!*more) return out;
        totals_point point;
        point.time = rows->integer(0) / ms;
        read_states(rows->text(1), point.counts);
        point.counts.gpus_requested = rows->integer(2);
        point.counts.gpus_running = rows->integer(3);
        out.push_back(point);
    }
}

result<void> write_totals(sqlite::database& db, const std::vector<totals_point>& points, std::int64_t from) {
    if (points.empty()) return {};
    auto drop = db.prepare("DELETE FROM totals WHERE time < ?1 OR time >= ?2");
    if (!drop) return drop.error();
    auto done = drop->bind(1, from * ms).bind(2, points.front().time * ms).run();
    if (!done) return done.error();
    auto put = db.prepare("INSERT INTO totals VALUES(?1,?2,?3,?4)");
    if (!put) return put.error();
    for (const auto& point : points) {
        const std::string states = text_of(point.counts);
        put->bind(1, point.time * ms).bind(2, states).bind(3, point.counts.gpus_requested);
        done = put->bind(4, point.counts.gpus_running).run();
        if (!done) return done.error();
    }
    return {};
}

}  // namespace training_monitor
