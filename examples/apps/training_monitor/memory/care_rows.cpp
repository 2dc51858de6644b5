#include "memory/care_rows.hpp"

#include <kcontrol/json/reader.hpp>
#include <kcontrol/json/writer.hpp>

#include "jobs/kind_names.hpp"
#include "memory/state_times.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace training_monitor {
namespace {

namespace json = kcontrol::json;
using kcontrol::result;
using notices::kept_alert;

// [[cluster, namespace, kind, name, uid], …]
std::string jobs_text(const std::vector<kept_alert::job_name>& jobs) {
    json::writer out;
    out.begin_array();
    for (const auto& job : jobs) {
        out.begin_array();
        for (const std::string* part : {&job.cluster, &job.namespace_, &job.kind, &job.name, &job.uid}) {
            out.value(*part);
        }
        out.end_array();
    }
    out.end_array();
    return out.take();
}

std::vector<kept_alert::job_name> read_jobs(std::string_view text) {
    std::vector<kept_alert::job_name> out;
    json::document document;
    const auto root = document.parse(text);
    if (!root || !root->is_array()) return out;
    for (const auto one : root->elements()) {
        if (!one.is_array()) continue;
        kept_alert::job_name job;
        std::string* parts[] = {&job.cluster, &job.namespace_, &job.kind, &job.name, &job.uid};
        std::size_t at = 0;
        for (const auto part : one.elements()) {
            if (at < std::size(parts) && part.is_string()) *parts[at++] = std::string(part.as_string());
        }
        if (at == std::size(parts)) out.push_back(std::move(job));
    }
    return out;
}

std::optional<notices::job_condition> condition_named(std::string_view name) {
    for (int i = 0;
         i <= static_cast<int>(notices::job_condition::gpus_idle) + static_cast<int>(trouble_names.size()) - 1; ++i) {
        const auto each = static_cast<notices::job_condition>(i);
        if (notices::to_string(each) == name) return each;
    }
    return std::nullopt;
}

std::optional<notices::severity> severity_named(std::string_view name) {
    const auto& all = notices::severity_names;
    const auto found = std::find(all.begin(), all.end(), name);
    if (found == all.end()) return std::nullopt;
    return static_cast<notices::severity>(found - all.begin());
}

// Nothing: of a kind, state or condition that is not known.
std::optional<kept_alert> alert_of(const sqlite::statement& row) {
    kept_alert out;
    out.receiver = row.text(0);
    auto& n = out.what;
    n.thread = row.text(1);
    const auto state = parse_job_state(row.text(2));
    const auto condition = condition_named(row.text(3));
    if (!state || !condition) return std::nullopt;
    n.from = n.to = *state;
    n.condition = *condition;
    n.lasted = std::chrono::seconds(row.integer(4));
    n.level = severity_named(row.text(5));
    n.runbook = row.text(6);
    n.link = row.text(7);
    out.reference = row.text(8);
    out.total = static_cast<std::size_t>(std::max<std::int64_t>(row.integer(9), 1));
    auto first = read_jobs(row.text(10));
    if (first.empty()) return std::nullopt;
    job_view job;
    job.cluster = std::move(first.front().cluster);
    job.namespace_ = std::move(first.front().namespace_);
    job.kind = find_kind(first.front().kind);
    job.name = std::move(first.front().name);
    job.uid = std::move(first.front().uid);
    job.state = *state;
    job.gpus = row.integer(11);
    if (const auto node = row.text(12); !node.empty()) {
        job_failure failure;
        failure.node = node;
        job.failure = std::move(failure);
    }
    if (job.kind.empty()) return std::nullopt;
    n.job = std::make_shared<const job_view>(std::move(job));
    out.jobs = read_jobs(row.text(13));
    if (out.jobs.empty()) return std::nullopt;
    return out;
}

}  // namespace

result<std::vector<acknowledgement>> load_acknowledgements(sqlite::database& db) {
    auto rows = db.prepare("SELECT cluster, namespace, kind, name, uid, concern, who, note, at FROM acknowledgements");
    if (!rows) return rows.error();
    std::vector<acknowledgement> out;
    for (;;) {
        const auto more = rows->step();
        if (!more) return more.error();
        if (!*more) return out;
        acknowledgement one;
        std::string* parts[] = {&one.cluster, &one.namespace_, &one.kind, &one.name,
                                &one.uid,     &one.concern,    &one.by,   &one.note};
        for (int i = 0; i < static_cast<int>(std::size(parts)); ++i) *parts[i] = rows->text(i);
        one.at = from_ms(rows->integer(8));
        out.push_back(std::move(one));
    }
}

result<std::vector<kept_alert>> load_alerts(sqlite::database& db) {
    auto rows = db.prepare(
        "SELECT receiver, thread, state, condition, lasted, severity, runbook, link, reference, total, first, gpus, "
        "node, jobs FROM open_alerts");
    if (!rows) return rows.error();
    std::vector<kept_alert> out;
    for (;;) {
        const auto more = rows->step();
        if (!more) return more.error();
        if (!*more) return out;
        if (auto one = alert_of(*rows)) out.push_back(std::move(*one));
    }
}

result<void> write_acknowledgements(sqlite::database& db, const std::vector<stored_acknowledgement>& all) {
    if (all.empty()) return {};
    auto put = db.prepare("INSERT OR REPLACE INTO acknowledgements VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9)");
    if (!put) return put.error();
    auto drop = db.prepare(
        "DELETE FROM acknowledgements WHERE cluster = ?1 AND namespace = ?2 AND kind = ?3 AND name = ?4 AND uid = ?5");
    if (!drop) return drop.error();
    for (const auto& [one, removed] : all) {
        auto& to = removed ? *drop : *put;
        to.bind(1, one.cluster).bind(2, one.namespace_).bind(3, one.kind).bind(4, one.name).bind(5, one.uid);
        if (!removed) to.bind(6, one.concern).bind(7, one.by).bind(8, one.note).bind(9, to_ms(one.at));
        const auto done = to.run();
        if (!done) return done.error();
    }
    return {};
}

result<void> write_alerts(sqlite::database& db, const std::vector<kept_alert>& all) {
    if (all.empty()) return {};
    auto put = db.prepare("INSERT OR REPLACE INTO open_alerts VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)");
    if (!put) return put.error();
    auto drop = db.prepare("DELETE FROM open_alerts WHERE receiver = ?1 AND thread = ?2");
    if (!drop) return drop.error();
    for (const auto& one : all) {
        const auto& n = one.what;
        if (one.jobs.empty()) {
            const auto done = drop->bind(1, one.receiver).bind(2, n.thread).run();
            if (!done) return done.error();
            continue;
        }
        const std::string jobs = jobs_text(one.jobs);
        const std::string first =
            jobs_text({{n.job->cluster, n.job->namespace_, std::string(n.job->kind), n.job->name, n.job->uid}});
        put->bind(1, one.receiver).bind(2, n.thread).bind(3, n.to_text()).bind(4, notices::to_string(n.condition));
        put->bind(5, static_cast<std::int64_t>(std::chrono::floor<std::chrono::seconds>(n.lasted).count()));
        put->bind(6, n.level ? notices::to_string(*n.level) : std::string_view()).bind(7, n.runbook).bind(8, n.link);
        put->bind(9, one.reference).bind(10, static_cast<std::int64_t>(one.total)).bind(11, first);
        put->bind(12, n.job->gpus).bind(13, n.job->failure->node).bind(14, jobs);
        const auto done = put->run();
        if (!done) return done.error();
    }
    return {};
}

}  // namespace training_monitor
