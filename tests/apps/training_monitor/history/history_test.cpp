#include "history/history.hpp"

#include "history/retention.hpp"
#include "table/job_table.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;
using kcontrol::wall_time;

namespace {

wall_time at(std::int64_t seconds) { return wall_time(std::chrono::seconds(seconds)); }

observed_job job(std::string name, job_state state, std::string version, std::string cluster = "a") {
    observed_job out;
    out.view.cluster = std::move(cluster);
    out.view.namespace_ = "ml";
    out.view.uid = "uid-of-" + name;
    out.view.name = std::move(name);
    out.view.kind = "Job";
    out.view.api_version = "batch/v1";
    out.view.state = state;
    out.view.reason = "Because" + version;
    out.resource_version = std::move(version);
    return out;
}

cluster_view cluster(std::string kind_state, std::string name = "a") {
    cluster_view out;
    out.name = std::move(name);
    out.state = "live";
    kind_view kind;
    kind.kind = "Job";
    kind.api_version = "batch/v1";
    kind.state = std::move(kind_state);
    out.kinds.push_back(std::move(kind));
    return out;
}

std::string timeline(const job_record* record) {
    if (!record) return "none";
    std::string out;
    for (const auto& s : record->spans) {
        out += (out.empty() ? "" : " ") + std::string(to_string(s.state)) + "[";
        out += std::to_string(s.from.time_since_epoch() / std::chrono::seconds(1)) + "-";
        if (s.to) out += std::to_string(s.to->time_since_epoch() / std::chrono::seconds(1));
        out += "]";
    }
    return out;
}

struct fixture {
    job_table table;
    history past;
    const job_record* get(std::string_view name, std::string_view in = "a") const {
        return past.find(in, "ml", "Job", name);
    }
    // What a program that ends and starts again has: the records, and nothing in view.
    void remember(const history& before, std::string_view name) { past.restore(*before.find("a", "ml", "Job", name)); }
};

}  // namespace

TEST_CASE("history: the states of a job, from when to when, with the newest reason") {
    fixture f;
    f.past.observe(f.table.add(job("bert", job_state::created, "1")), at(10));
    f.past.observe(f.table.update(job("bert", job_state::running, "2")), at(20));
    f.past.observe(f.table.update(job("bert", job_state::running, "3")), at(25));
    CHECK(timeline(f.get("bert")) == "Created[10-20] Running[20-]");
    CHECK(f.get("bert")->spans.back().reason == "Because3");
    f.past.observe(f.table.remove(job("bert", job_state::running, "4")), at(30));
    CHECK(timeline(f.get("bert")) == "Created[10-20] Running[20-30]");
    CHECK(f.get("bert")->gone == at(30));
    CHECK(f.past.missed_since_start().empty());  // it was seen to go
    CHECK(f.get("gpt") == nullptr);
}

TEST_CASE("history: a job that is seen for the first time began when it says so") {
    struct row {
        job_state state;
        std::optional<std::int64_t> start, completion;
        std::int64_t from;
    };
    const row rows[] = {
        {job_state::running, 5, std::nullopt, 5},
        {job_state::running, std::nullopt, std::nullopt, 100},
        {job_state::succeeded, 5, 50, 50},
        {job_state::failed, 5, std::nullopt, 100},
        {job_state::suspended, 5, std::nullopt, 100},  // the start before it was suspended
        {job_state::running, 999, std::nullopt, 100},  // a clock ahead of ours
        {job_state::running, parse_rfc3339_seconds("9999-12-31T23:59:59Z"), std::nullopt, 100},
    };
    for (const auto& one : rows) {
        fixture f;
        auto j = job("bert", one.state, "1");
        j.view.start_time = one.start;
        j.view.completion_time = one.completion;
        f.past.observe(f.table.add(j, true), at(100));
        CHECK(f.get("bert")->spans.back().from == at(one.from));
    }
}

TEST_CASE("history: only the newest states are kept, and long messages are cut between characters") {
    fixture f;
    auto first = job("bert", job_state::created, "0");
    for (int i = 0; i < 400; ++i) first.view.message += "ü";
    f.past.observe(f.table.add(first), at(0));
    const auto& message = f.get("bert")->spans.back().message;
    CHECK(message.size() == 512 + 3);
    CHECK(message.ends_with("ü…"));
    for (int i = 1; i <= 100; ++i) {
        f.past.observe(
            f.table.update(job("bert", i % 2 ? job_state::restarting : job_state::running, std::to_string(i))), at(i));
    }
    CHECK(f.get("bert")->spans.size() == 64);
    CHECK(f.get("bert")->spans.back().from == at(100));
}

TEST_CASE("history: a job that was replaced by another of its name is remembered behind it") {
    fixture f;
    f.past.observe(f.table.add(job("bert", job_state::failed, "1")), at(1));
    auto next = job("bert", job_state::created, "9");
    next.view.uid = "another";
    f.past.observe(f.table.add(next), at(2));
    CHECK(f.past.size() == 2);
    CHECK(f.get("bert")->view->uid == "another");
    f.past.observe(f.table.remove(next), at(3));
    CHECK(f.get("bert")->view->uid == "another");  // the one seen last
}

TEST_CASE("history: jobs live on while their cluster is away, and what happened meanwhile is found out") {
    fixture f;
    f.past.observe(f.table.set_cluster(cluster("live")), at(1));
    for (const auto* name : {"runs", "ends", "goes", "done"}) {
        f.past.observe(f.table.add(job(name, job_state::running, "1")), at(2));
    }
    f.past.observe(f.table.update(job("done", job_state::succeeded, "2")), at(3));
    f.past.observe(f.table.remove_cluster("a"), at(4));
    CHECK_FALSE(f.get("runs")->gone);
    CHECK_FALSE(f.get("runs")->in_view);

    f.past.observe(f.table.set_cluster(cluster("listing")), at(10));
    auto ends = job("ends", job_state::failed, "5");
    ends.view.completion_time = 7;
    CHECK(f.past.observe(f.table.add(job("runs", job_state::running, "1"), true), at(10)).found_out.empty());
    const auto finished = f.past.observe(f.table.add(ends, true), at(10)).found_out;
    REQUIRE(finished.size() == 1);
    CHECK(finished[0].last_state == job_state::running);
    CHECK_FALSE(finished[0].gone);
    CHECK(timeline(f.get("ends")) == "Running[2-7] Failed[7-]");
    const auto vanished = f.past.observe(f.table.set_cluster(cluster("live")), at(11)).found_out;
    REQUIRE(vanished.size() == 2);
    CHECK(vanished[0].job->name == "done");
    CHECK(vanished[0].last_state == job_state::succeeded);
    CHECK(vanished[1].job->name == "goes");
    CHECK(vanished[1].last_seen == at(4));
    CHECK(vanished[1].gone == at(11));
    CHECK(timeline(f.get("goes")) == "Running[2-11]");
    CHECK(timeline(f.get("runs")) == "Running[2-]");
    CHECK(f.past.missed_since_start().size() == 3);
}

TEST_CASE("history: a job that nobody could see is not gone") {
    struct row {
        const char* what;
        std::vector<std::string> namespaces;
        const char* kind;
        const char* state;
        bool gone;
    };
    const row rows[] = {
        {"listed", {}, "Job", "live", true},
        {"its namespace is watched", {"x", "ml"}, "Job", "live", true},
        {"its namespace is not watched", {"x"}, "Job", "live", false},
        {"its kind is not watched", {}, "MPIJob", "live", false},
        {"its list is under way", {}, "Job", "listing", false},
        {"its list is forbidden", {}, "Job", "forbidden", false},
        {"its kind is not installed", {}, "Job", "not-installed", false},
    };
    fixture before;
    before.past.observe(before.table.add(job("bert", job_state::running, "1")), at(1));
    for (const auto& one : rows) {
        CAPTURE(one.what);
        history past(history_options().namespaces(one.namespaces));
        past.restore(*before.get("bert"));
        auto view = cluster(one.state);
        view.kinds[0].kind = one.kind;
        job_table table;
        CHECK(past.observe(table.set_cluster(view), at(9)).found_out.size() == (one.gone ? 1 : 0));
        CHECK(past.find("a", "ml", "Job", "bert")->gone.has_value() == one.gone);
    }
}

TEST_CASE("history: of a kind in two versions, both must have been looked at") {
    fixture before, f;
    before.past.observe(before.table.add(job("bert", job_state::running, "1")), at(1));
    f.remember(before.past, "bert");
    auto view = cluster("not-installed");
    view.kinds.push_back(view.kinds[0]);
    view.kinds[1].api_version = "batch/v2";
    view.kinds[1].state = "listing";
    CHECK(f.past.observe(f.table.set_cluster(view), at(9)).found_out.empty());
    view.kinds[1].state = "live";
    CHECK(f.past.observe(f.table.set_cluster(view), at(9)).found_out.size() == 1);
}

TEST_CASE("history: what a change meant against what was remembered") {
    fixture before, f;
    before.past.observe(before.table.add(job("same", job_state::running, "1")), at(1));
    before.past.observe(before.table.add(job("turned", job_state::running, "1")), at(1));
    f.remember(before.past, "same");
    f.remember(before.past, "turned");
    const auto meaning = [&](const std::vector<change>& changes) {
        return f.past.observe(changes, at(5)).changes.at(0).turned;
    };
    CHECK_FALSE(meaning(f.table.add(job("same", job_state::running, "9"), true)));
    const auto turned = meaning(f.table.add(job("turned", job_state::failed, "9"), true));
    REQUIRE(turned);
    CHECK(turned->from == job_state::running);
    CHECK(turned->to == job_state::failed);
    CHECK(turned->while_away);
    const auto fresh = meaning(f.table.add(job("fresh", job_state::pending, "9")));
    REQUIRE(fresh);
    CHECK_FALSE(fresh->from);
    CHECK_FALSE(fresh->while_away);
    const auto live = meaning(f.table.update(job("same", job_state::succeeded, "10")));
    REQUIRE(live);
    CHECK(live->from == job_state::running);
    CHECK_FALSE(live->while_away);
    auto other = job("same", job_state::succeeded, "11");
    other.view.gpus = 8;
    CHECK_FALSE(meaning(f.table.update(other)));
}

TEST_CASE("history: what people were notified of is a mark of the job and its state") {
    fixture f;
    const auto j = job("bert", job_state::running, "1");
    CHECK_FALSE(f.past.is_notified(j.view, job_state::running));
    f.past.mark_notified(j.view, job_state::running);  // of a job that nobody knows: nothing to mark
    f.past.observe(f.table.add(j), at(1));
    CHECK_FALSE(f.past.is_notified(j.view, job_state::running));
    f.past.mark_notified(j.view, job_state::running);
    CHECK(f.past.is_notified(j.view, job_state::running));
    CHECK_FALSE(f.past.is_notified(j.view, job_state::failed));
    history later;
    later.restore(*f.get("bert"));
    CHECK(later.is_notified(j.view, job_state::running));
}

TEST_CASE("history: who keeps it hears of each record that changed") {
    fixture f;
    int touched = 0;
    f.past.on_touched([&](job_record&) { ++touched; });
    f.past.observe(f.table.add(job("bert", job_state::running, "1")), at(1));
    CHECK(touched == 1);
    f.past.mark_notified(f.table.jobs()[0] ? *f.table.jobs()[0] : job_view(), job_state::running);
    CHECK(touched == 2);
    f.past.mark_notified(*f.table.jobs()[0], job_state::running);
    CHECK(touched == 2);
    f.past.observe(f.table.remove(job("bert", job_state::running, "2")), at(2));
    CHECK(touched == 3);
}

TEST_CASE("history: forgetting takes the oldest of what is not in view") {
    fixture f;
    for (int i = 0; i < 5; ++i) {
        const auto name = std::string(1, static_cast<char>('e' - i));  // not in the order of names
        f.past.observe(f.table.add(job(name, job_state::running, "1")), at(1));
        if (i != 2) f.past.observe(f.table.remove(job(name, job_state::running, "2")), at(10 + i));
    }
    const auto names = [](const std::vector<std::unique_ptr<job_record>>& records) {
        std::string out;
        for (const auto& r : records) out += r->view->name;
        return out;
    };
    CHECK(names(f.past.forget(at(11), 9, history::forgettable::gone)) == "e");
    CHECK(names(f.past.forget(at(14), 9)) == "db");
    CHECK(names(f.past.forget(at(99), 9)) == "a");
    CHECK(f.past.size() == 1);
    CHECK(f.get("c")->in_view);
}

TEST_CASE("history: a remembered job of a cluster that never comes is forgotten as well") {
    fixture before, f;
    before.past.observe(before.table.add(job("bert", job_state::running, "1")), at(1));
    f.remember(before.past, "bert");
    CHECK(f.past.forget(at(5), 9, history::forgettable::gone).empty());  // it may come back
    CHECK(f.past.forget(at(5), 9).size() == 1);
    CHECK(f.past.observe(f.table.set_cluster(cluster("live")), at(9)).found_out.empty());
}

TEST_CASE("history: a job that was long away is kept from when it was found gone") {
    fixture before, f;
    before.past.observe(before.table.add(job("bert", job_state::running, "1")), at(1));
    f.remember(before.past, "bert");
    CHECK(f.past.observe(f.table.set_cluster(cluster("live")), at(100)).found_out.size() == 1);
    CHECK(f.past.forget(at(100), 9).empty());
    CHECK(f.past.forget(at(101), 9).size() == 1);
}

TEST_CASE("history: where no file keeps it, it stays within bounds however many jobs come and go") {
    fixture f;
    f.past.observe(f.table.add(job("stays", job_state::running, "1")), at(0));
    for (int i = 0; i < 100; ++i) {
        const auto name = "short-" + std::to_string(100 + i);
        f.past.observe(f.table.add(job(name, job_state::running, "1")), at(10 * i));
        f.past.observe(f.table.remove(job(name, job_state::running, "2")), at(10 * i + 5));
    }
    CHECK(f.past.out_of_view() == 100);
    keep_within(f.past, at(500), 1000, 1000);  // by age
    CHECK(f.past.gone() == 50);
    CHECK(f.past.out_of_view() == 50);
    CHECK(f.get("short-149") == nullptr);
    CHECK(f.get("short-150") != nullptr);
    keep_within(f.past, at(0), 7, 1000);  // by number: the oldest go
    CHECK(f.past.out_of_view() == 7);
    CHECK(f.get("short-192") == nullptr);
    CHECK(f.get("short-193") != nullptr);
    CHECK(f.get("stays") != nullptr);
    f.past.observe(f.table.set_cluster(cluster("live", "b")), at(1000));
    for (int i = 0; i < 20; ++i) {
        f.past.observe(f.table.add(job("away-" + std::to_string(i), job_state::running, "1", "b")), at(1000 + i));
    }
    f.past.observe(f.table.remove_cluster("b"), at(2000));
    CHECK(f.past.out_of_view() == 27);
    keep_within(f.past, at(0), 7, 27);  // those of a cluster that left have bounds of their own
    CHECK(f.past.gone() == 7);
    CHECK(f.past.out_of_view() == 27);
    keep_within(f.past, at(0), 7, 10);
    CHECK(f.past.out_of_view() == 10);
    CHECK(f.past.size() == 11);
}
