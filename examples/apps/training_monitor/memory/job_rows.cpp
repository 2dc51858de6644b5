#include "memory/job_rows.hpp"

#include "jobs/kind_names.hpp"
#include "jobs/ruled_kinds.hpp"
#include "memory/state_times.hpp"

#include <array>
#include <string_view>

namespace training_monitor {
namespace {

using kcontrol::result;

// Jobs hold views of constants.
std::string_view find_api_version(std::string_view text) {
    static constexpr std::array<std::string_view, 5> known{"kubeflow.org/v1", "kubeflow.org/v2beta1",
                                                           "ai.kcontrol.dev/v1alpha1", "trainer.kubeflow.org/v1alpha1",
                                                           "batch/v1"};
    for (const auto one : known) {
        if (one == text) return one;
    }
    for (const auto& kind : ruled_kinds()) {
        for (const auto& version : kind->versions) {
            if (version.api_version == text) return version.api_version;
        }
    }
    return {};
}

// The row of a job, but for its spans. Its kind and apiVersion are empty where this program does not know them.
job_view view_of(const sqlite::statement& row) {
    job_view view;
    view.cluster = row.text(1);
    view.namespace_ = row.text(2);
    view.kind = find_kind(row.text(3));
    view.name = row.text(4);
    view.uid = row.text(5);
    view.api_version = find_api_version(row.text(6));
    view.state = parse_job_state(row.text(7)).value_or(job_state::unknown);
    view.reason = row.text(8);
    view.message = row.text(9);
    view.start_time = row.maybe_integer(10);
    view.completion_time = row.maybe_integer(11);
    view.gpus = row.integer(12);
    return view;
}

job_record record_of(const sqlite::statement& row) {
    job_record record;
    record.row = row.integer(0);
    record.first_seen = from_ms(row.integer(13));
    record.last_seen = from_ms(row.integer(14));
    record.gone = from_ms(row.maybe_integer(15));
    record.notified = parse_job_state(row.text(16));
    return record;
}

void add_span(job_record& record, const sqlite::statement& row) {
    const auto number = static_cast<std::uint64_t>(row.integer(1));
    if (record.spans.empty()) record.first_span = number;
    record.spans.push_back(span{parse_job_state(row.text(2)).value_or(job_state::unknown), std::string(row.text(3)),
                                std::string(row.text(4)), from_ms(row.integer(5)), from_ms(row.maybe_integer(6))});
    record.saved_spans = number;  // the last one may yet change
}

}  // namespace

result<std::vector<job_record>> load_jobs(sqlite::database& db) {
    auto jobs = db.prepare(
        "SELECT id, cluster, namespace, kind, name, uid, api_version, state, reason, message, start_time, "
        "completion_time, gpus, first_seen, last_seen, gone, told FROM jobs ORDER BY id");
    if (!jobs) return jobs.error();
    auto spans = db.prepare("SELECT job, n, state, reason, message, began, ended FROM spans ORDER BY job, n");
    if (!spans) return spans.error();
    const auto count = db.integer("SELECT count(*) FROM jobs");
    if (!count) return count.error();
    auto more_spans = spans->step();
    std::vector<job_record> out;
    out.reserve(static_cast<std::size_t>(*count));
    for (;;) {
        const auto more = jobs->step();
        if (!more) return more.error();
        if (!*more) break;
        job_record record = record_of(*jobs);
        job_view view = view_of(*jobs);
        while (more_spans && *more_spans && spans->integer(0) <= record.row) {
            if (spans->integer(0) == record.row) add_span(record, *spans);
            more_spans = spans->step();
        }
        if (!more_spans) return more_spans.error();
        if (view.kind.empty() || view.api_version.empty() || record.spans.empty()) continue;
        record.view = std::make_shared<const job_view>(std::move(view));
        out.push_back(std::move(record));
    }
    return out;
}

result<std::int64_t> last_job_row(sqlite::database& db) {
    return db.integer("SELECT max(coalesce((SELECT max(id) FROM jobs), 0), coalesce((SELECT max(job) FROM spans), 0))");
}

result<void> write_jobs(sqlite::database& db, const std::vector<stored_job>& jobs) {
    auto job =
        db.prepare("INSERT OR REPLACE INTO jobs VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17)");
    if (!job) return job.error();
    auto trim = db.prepare("DELETE FROM spans WHERE job = ?1 AND n < ?2");
    if (!trim) return trim.error();
    auto put = db.prepare("INSERT OR REPLACE INTO spans VALUES(?1,?2,?3,?4,?5,?6,?7)");
    if (!put) return put.error();
    for (const auto& j : jobs) {
        const auto& v = *j.view;
        job->bind(1, j.row).bind(2, v.cluster).bind(3, v.namespace_).bind(4, v.kind).bind(5, v.name).bind(6, v.uid);
        job->bind(7, v.api_version).bind(8, to_string(j.state)).bind(9, v.reason).bind(10, v.message);
        job->bind(11, v.start_time).bind(12, v.completion_time).bind(13, v.gpus).bind(14, to_ms(j.first_seen));
        job->bind(15, to_ms(j.last_seen)).bind(16, to_ms(j.gone));
        if (j.notified) {
            job->bind(17, to_string(*j.notified));
        } else {
            job->bind(17, std::optional<std::int64_t>());
        }
        auto done = job->run();
        if (done && j.first_span > 0) {
            done = trim->bind(1, j.row).bind(2, static_cast<std::int64_t>(j.first_span)).run();
        }
        for (const auto& [number, s] : j.spans) {
            if (!done) break;
            put->bind(1, j.row).bind(2, static_cast<std::int64_t>(number)).bind(3, to_string(s.state));
            put->bind(4, s.reason).bind(5, s.message).bind(6, to_ms(s.from)).bind(7, to_ms(s.to));
            done = put->run();
        }
        if (!done) return done.error();
    }
    return {};
}

result<void> forget_jobs(sqlite::database& db, const std::vector<std::int64_t>& rows) {
    if (rows.empty()) return {};
    auto spans = db.prepare("DELETE FROM spans WHERE job = ?1");
    if (!spans) return spans.error();
    auto job = db.prepare("DELETE FROM jobs WHERE id = ?1");
    if (!job) return job.error();
    for (const auto row : rows) {
        auto done = spans->bind(1, row).run();
        if (done) done = job->bind(1, row).run();
        if (!done) return done.error();
    }
    return {};
}

}  // namespace training_monitor
