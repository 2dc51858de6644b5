#include "memory/gpu_hours_rows.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace training_monitor {
namespace {

using kcontrol::result;

std::int64_t hour_in_ms(gpu_time at) { return at.time_since_epoch().count(); }
gpu_time time_of(std::int64_t ms) { return gpu_time(std::chrono::milliseconds(ms)); }

result<void> load_rows(sqlite::database& db, gpu_hours_state& into) {
    auto rows = db.prepare("SELECT day, cluster, namespace, team, gpu_ms FROM gpu_hours");
    if (!rows) return rows.error();
    for (;;) {
        const auto more = rows->step();
        if (!more) return more.error();
        if (!*more) return {};
        gpu_hours_row row;
        row.key.day = std::chrono::floor<std::chrono::days>(time_of(rows->integer(0)));
        row.key.cluster = rows->text(1);
        row.key.name_space = rows->text(2);
        row.key.team = rows->text(3);
        row.gpu_ms = rows->integer(4);
        into.rows.push_back(std::move(row));
    }
}

result<void> load_watches(sqlite::database& db, gpu_hours_state& into) {
    auto rows = db.prepare("SELECT cluster, kind, since, until FROM gpu_watches");
    if (!rows) return rows.error();
    for (;;) {
        const auto more = rows->step();
        if (!more) return more.error();
        if (!*more) return {};
        gpu_watch_row row;
        row.key = {std::string(rows->text(0)), std::string(rows->text(1))};
        row.since = time_of(rows->integer(2));
        row.until = time_of(rows->integer(3));
        into.watches.push_back(std::move(row));
    }
}

}  // namespace

result<gpu_hours_state> load_gpu_hours(sqlite::database& db) {
    gpu_hours_state out;
    auto done = load_rows(db, out);
    if (done) done = load_watches(db, out);
    if (!done) return done.error();
    return out;
}

result<void> write_gpu_hours(sqlite::database& db, const gpu_hours_state& state) {
    auto drop = db.prepare("DELETE FROM gpu_hours WHERE day < ?1");
    if (!drop) return drop.error();
    auto done = drop->bind(1, hour_in_ms(state.first_day)).run();
    if (done) done = db.execute("DELETE FROM gpu_watches");
    if (!done) return done.error();
    auto row = db.prepare("INSERT OR REPLACE INTO gpu_hours VALUES(?1,?2,?3,?4,?5)");
    if (!row) return row.error();
    for (const auto& r : state.rows) {
        row->bind(1, hour_in_ms(r.key.day)).bind(2, r.key.cluster).bind(3, r.key.name_space).bind(4, r.key.team);
        done = row->bind(5, r.gpu_ms).run();
        if (!done) return done.error();
    }
    auto watch = db.prepare("INSERT INTO gpu_watches VALUES(?1,?2,?3,?4)");
    if (!watch) return watch.error();
    for (const auto& w : state.watches) {
        watch->bind(1, w.key.first).bind(2, w.key.second).bind(3, hour_in_ms(w.since));
        done = watch->bind(4, hour_in_ms(w.until)).run();
        if (!done) return done.error();
    }
    return {};
}

}  // namespace training_monitor
