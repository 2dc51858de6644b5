#include "web/attention_answer.hpp"

#include <kcontrol/json/members.hpp>
#include <kcontrol/serve/responses.hpp>
#include <kcontrol/values/time.hpp>

#include "history/attention.hpp"
#include "history/cause_groups.hpp"
#include "jobs/job_json.hpp"
#include "table/health.hpp"
#include "table/job_query.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace training_monitor {
namespace {

namespace http = kcontrol::http;
using kcontrol::wall_time;

constexpr std::size_t most_jobs = 500;
constexpr std::size_t most_changes = 100;

struct needy {
    const job_record* job;
    need of;
    std::size_t group = 0;  ///< from 1 on: of the jobs that failed for one cause
};

bool is_of_failure(const needy& one) {
    const concern c = one.of.what;
    return c == concern::failed || c == concern::holding || c == concern::crashing || c == concern::restarting;
}

// Puts those that failed for one cause behind the first of them. Returns how many such groups there are.
std::size_t join_causes(std::vector<needy>& all) {
    std::vector<failed_job> failures;
    for (const auto& one : all) {
        // A job that is told for another reason is in no group.
        const bool failed = is_of_failure(one);
        const auto cause = failed ? cause_of(*one.job->view) : std::string();
        failures.push_back({cause.empty() ? cause : cause + "\n" + std::string(to_string(one.of.what)), one.of.since});
    }
    std::vector<needy> out;
    std::size_t groups = 0;
    for (const auto& together : group_by_cause(failures)) {
        if (together.size() > 1) ++groups;
        for (const auto place : together) {
            out.push_back(all[place]);
            if (together.size() > 1) out.back().group = groups;
        }
    }
    all = std::move(out);
    return groups;
}

std::vector<needy> jobs_in_need(const history& past, const job_table& table, wall_time now,
                                const idle_question& idle_since) {
    std::vector<needy> out;
    for (const auto& job : *table.all_jobs()) {
        if (!may_need(*job, now)) continue;
        const auto* record = past.find(*job);
        if (!record) continue;
        const bool runs = idle_since && job->state == job_state::running;
        const auto idle = runs ? idle_since(*job) : std::nullopt;
        const auto found = need_of(*record, now, idle);
        // Of a cluster that can't be read nobody knows whether a job still waits.
        const bool may_be_over = found && found->what > concern::restarting && past.unreadable_since(job->cluster);
        if (found && !may_be_over) out.push_back({record, *found});
    }
    // The urgent first; of failures and restarts the latest, of waits the longest.
    std::sort(out.begin(), out.end(), [](const needy& a, const needy& b) {
        if (a.of.what != b.of.what) return a.of.what < b.of.what;
        const bool latest_first = a.of.what <= concern::restarting;
        if (a.of.since != b.of.since) return latest_first ? a.of.since > b.of.since : a.of.since < b.of.since;
        return a.job->id() < b.job->id();
    });
    return out;
}

// Those that can't be read, as items of the kind Cluster. Returns how many.
std::size_t write_clusters(kcontrol::json::writer& out, const history& past, const job_table::cluster_list& clusters,
                           wall_time now) {
    std::size_t count = 0;
    for (const auto& cluster : clusters) {
        if (!is_unreadable(*cluster) || count == most_jobs) continue;
        ++count;
        job_view as_job;
        as_job.cluster = as_job.name = cluster->name;
        as_job.kind = "Cluster";
        out.begin_object();
        write_identity(out, as_job);
        out.member("state", cluster->state);
        out.member("concern", to_string(concern::unreadable));
        out.member("since", kcontrol::format_time(past.unreadable_since(cluster->name).value_or(now)));
        out.member("restarts", 0);
        out.member("reason", "");
        out.member("why", cluster->reason);
        out.end_object();
    }
    return count;
}

// Each with what its jobs have in common, in the order of the items.
void write_groups(kcontrol::json::writer& out, const std::vector<needy>& all, std::size_t groups) {
    if (groups == 0) return;
    begin_array(out, "groups");
    for (std::size_t at = 0; at < all.size();) {
        const std::size_t group = all[at].group;
        if (group == 0) {
            ++at;
            continue;
        }
        const job_view& first = *all[at].job->view;
        std::int64_t gpus = 0;
        std::size_t jobs = 0;
        auto since = all[at].of.since, latest = since;
        for (; at < all.size() && all[at].group == group; ++at, ++jobs) {
            gpus += all[at].job->view->gpus;
            since = std::min(since, all[at].of.since);
            latest = std::max(latest, all[at].of.since);
        }
        out.begin_object();
        out.member("id", group);
        out.member("jobs", jobs);
        out.member("gpus", gpus);
        out.member("cluster", first.cluster);
        out.member("node", first.failure->node);
        kcontrol::json::write_or_null(out, "exitCode", first.failure->exit_code);
        out.member("error", first.failure->error);
        out.member("since", kcontrol::format_time(since));
        out.member("latest", kcontrol::format_time(latest));
        out.end_object();
    }
    out.end_array();
}

void write_health(kcontrol::json::writer& out, const fleet_health& health, const std::string& source) {
    begin_object(out, "clusters");
    out.member("total", health.clusters);
    out.member("unreadable", health.unreadable);
    out.member("partial", health.partial);
    out.member("loading", health.loading);
    out.member("source", source);
    out.end_object();
}

std::string attention_text(const history& past, const job_table& table, wall_time now, const idle_question& idle_since,
                           const fleet_facts& facts) {
    auto all = jobs_in_need(past, table, now, idle_since);
    const std::size_t groups = join_causes(all);
    const auto clusters = table.clusters();
    const auto health = health_of(clusters);
    kcontrol::json::writer out;
    out.begin_object();
    begin_array(out, "items");
    const std::size_t listed = write_clusters(out, past, clusters, now);
    const std::size_t count = std::min(all.size(), most_jobs - listed);
    for (std::size_t i = 0; i < count; ++i) {
        const auto& [job, of, group] = all[i];
        out.begin_object();
        write_identity(out, *job->view);
        out.member("state", to_string(job->state()));
        out.member("concern", to_string(of.what));
        out.member("since", kcontrol::format_time(of.since));
        const bool crashes = of.what == concern::crashing, holds = of.what == concern::holding;
        out.member("restarts", crashes ? job->view->stuck_count : static_cast<std::int64_t>(of.restarts));
        out.member("gpusHeld", holds ? job->view->stuck_count : 0);
        out.member("blockedBy", to_string(job->view->stuck));
        out.member("reason", job->view->reason);
        out.member("why", message_of(*job->view));
        if (!job->view->failure->node.empty()) out.member("node", job->view->failure->node);
        if (facts.write_repair_of) facts.write_repair_of(out, *job->view);
        if (group != 0) out.member("group", group);
        if (const auto* taken = facts.care ? facts.care->find(*job, of, now) : nullptr) {
            begin_object(out, "acknowledged");
            out.member("by", taken->by);
            out.member("at", kcontrol::format_time(taken->at));
            out.member("note", taken->note);
            out.end_object();
        }
        out.end_object();
    }
    out.end_array();
    write_groups(out, all, groups);
    out.member("remaining", all.size() - count + health.unreadable - listed);
    write_health(out, health, facts.source);
    if (facts.offers) write_values(out, "offers", *facts.offers);
    out.end_object();
    return out.take() + "\n";
}

// From one state to the next.
struct turn {
    const job_record* job;
    std::size_t to;  ///< its span

    wall_time at() const { return job->spans[to].from; }
};

std::vector<turn> latest_turns(const history& past, const job_table& table, std::size_t most) {
    std::vector<turn> out;
    for (const auto& job : *table.all_jobs()) {
        const auto* record = past.find(*job);
        if (!record) continue;
        const std::size_t spans = record->spans.size();
        for (std::size_t i = spans; i-- > std::max<std::size_t>(1, spans - std::min(spans, most));) {
            out.push_back({record, i});
        }
    }
    const auto newer = [](const turn& a, const turn& b) {
        return a.at() != b.at() ? a.at() > b.at() : a.job->id() < b.job->id();
    };
    const auto end = out.begin() + static_cast<std::ptrdiff_t>(std::min(out.size(), most));
    std::partial_sort(out.begin(), end, out.end(), newer);
    out.erase(end, out.end());
    return out;
}

std::string changes_text(const history& past, const job_table& table) {
    kcontrol::json::writer out;
    out.begin_object();
    begin_array(out, "items");
    for (const auto& one : latest_turns(past, table, most_changes)) {
        const auto& spans = one.job->spans;
        out.begin_object();
        write_identity(out, *one.job->view);
        out.member("from", to_string(spans[one.to - 1].state));
        out.member("to", to_string(spans[one.to].state));
        out.member("at", kcontrol::format_time(spans[one.to].from));
        out.member("reason", spans[one.to].reason);
        out.member("message", spans[one.to].message);
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return out.take() + "\n";
}

// Makes its text anew at most once a second.
class kept_answer {
public:
    explicit kept_answer(std::function<std::string(wall_time)> make) : make_(std::move(make)) {}

    http::response answer(std::string_view query, wall_time now) {
        if (const auto checked = expect_no_query(query); !checked) {
            return http::error_response(400, checked.error().message());
        }
        const bool fresh = !text_.empty() && now >= made_ && now - made_ < std::chrono::seconds(1);
        if (!fresh) {
            text_ = make_(now);
            made_ = now;
        }
        return http::json_response(200, text_);
    }

private:
    std::function<std::string(wall_time)> make_;
    std::string text_;
    wall_time made_{};
};

}  // namespace

void add_attention_routes(http::router& to, const history& past, const job_table& table, std::function<wall_time()> now,
                          idle_question idle_since, fleet_facts facts) {
    const auto attention =
        std::make_shared<kept_answer>([&past, &table, idle_since = std::move(idle_since), facts = std::move(facts)](
                                          wall_time at) { return attention_text(past, table, at, idle_since, facts); });
    const auto changes =
        std::make_shared<kept_answer>([&past, &table](wall_time) { return changes_text(past, table); });
    to.get("/api/v1/attention",
           [attention, now](const http::routed_request& r) { return attention->answer(r.query(), now()); });
    to.get("/api/v1/changes",
           [changes, now](const http::routed_request& r) { return changes->answer(r.query(), now()); });
}

}  // namespace training_monitor
