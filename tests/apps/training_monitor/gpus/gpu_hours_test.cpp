#include "gpus/gpu_hours.hpp"

#include <kcontrol/runtime/system_environment.hpp>

#include "history/history.hpp"
#include "support/sanitizers.hpp"
#include "table/job_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <sstream>

using namespace training_monitor;
using namespace std::chrono_literals;
using kcontrol::wall_time;

namespace {

constexpr std::chrono::sys_days today = std::chrono::year(2026) / 11 / 26;

observed_job job(std::string name, job_state state, std::int64_t gpus = 8, std::string team = "nlp") {
    observed_job out;
    out.view.cluster = "a";
    out.view.namespace_ = "ml";
    out.view.uid = "uid-of-" + name;
    out.view.name = std::move(name);
    out.view.kind = "PyTorchJob";
    out.view.api_version = "kubeflow.org/v1";
    out.view.state = state;
    out.view.gpus = gpus;
    if (!team.empty()) out.view.labels = job_labels::from(std::map<std::string, std::string>{{"team", team}});
    return out;
}

cluster_view cluster(const char* state, std::string name = "a") {
    cluster_view out;
    out.name = std::move(name);
    out.state = state;
    out.kinds.push_back({"PyTorchJob", "kubeflow.org/v1", state, "", 0, 0, 0, ""});
    return out;
}

// A table, a history and the hours; the clock stands at `now`, in time since midnight of `today`.
struct fleet {
    explicit fleet(wall_time::duration start = 12h, gpu_hours_options options = {}) : hours(options), now(start) {
        publish(table.set_cluster(cluster("live")));
        pass(5s);  // the watch opens
        hours.count(at());
    }
    wall_time at() const { return wall_time(today) + now; }
    void pass(wall_time::duration d) { now += d; }
    void publish(const std::vector<change>& changes) {
        past.observe(changes, at());
        hours.take(changes, at());
    }
    void show(observed_job one) {
        one.resource_version = std::to_string(++version);
        const bool known = table.find("a", one.view.namespace_, "PyTorchJob", one.view.name) != nullptr;
        publish(known ? table.update(std::move(one)) : table.add(std::move(one)));
    }
    void show(const char* name, job_state state, std::int64_t gpus = 8, std::string team = "nlp") {
        show(job(name, state, gpus, std::move(team)));
    }
    void remove(const char* name) { publish(table.remove(job(name, job_state::running))); }
    void become(const char* state) { publish(table.set_cluster(cluster(state))); }
    std::int64_t seconds() const { return std::chrono::floor<std::chrono::seconds>(at().time_since_epoch()).count(); }

    // "day team=GPU minutes" of each row; the day as a difference to `today`.
    std::string text() {
        hours.count(at());
        std::ostringstream out;
        for (const auto& [key, sum] : hours.rows()) {
            if (out.tellp() > 0) out << ", ";
            out << (key.day - today).count() << ' ' << key.team << '=' << sum.gpu_ms / 60000;
        }
        return out.str();
    }
    // Another run of the monitor goes on with what this one kept, `later`.
    void restart(wall_time::duration later) {
        const auto kept = hours.take_changes(at());
        gpu_hours_state all = kept;
        all.rows.clear();
        for (const auto& [key, sum] : hours.rows()) all.rows.push_back({key, sum.gpu_ms});
        next = std::make_unique<fleet>(now + later, all, past);
    }
    std::unique_ptr<fleet> next;

    fleet(wall_time::duration start, const gpu_hours_state& kept, const history& before) : now(start) {
        hours.restore(kept);
        auto record = *before.find("a", "ml", "PyTorchJob", "j");
        auto view = *record.view;
        view.labels = {};  // the state file has none
        record.view = std::make_shared<const job_view>(std::move(view));
        hours.resume(record);
    }

    job_table table;
    history past;
    gpu_hours hours;
    wall_time::duration now;
    int version = 0;
};

}  // namespace

TEST_CASE("gpu hours: what runs is counted, by state, GPUs, team and day") {
    struct row {
        const char* what;
        std::function<void(fleet&)> happens;
        const char* rows;
        wall_time::duration start = 12h;
    };
    const row rows[] = {
        {"nothing", [](fleet&) {}, ""},
        {"counts while it runs", [](fleet& f) { f.show("j", job_state::running), f.pass(30min); }, "0 nlp=240"},
        {"only while it runs",
         [](fleet& f) {
             f.show("j", job_state::pending), f.pass(10min);
             f.show("j", job_state::running), f.pass(10min);
             f.show("j", job_state::restarting), f.pass(10min);
             f.show("j", job_state::running), f.pass(5min);
             f.show("j", job_state::suspended), f.pass(1h);
             f.show("j", job_state::running), f.pass(1min);
             f.show("j", job_state::succeeded), f.pass(1h);
         },
         "0 nlp=128"},
        {"without GPUs", [](fleet& f) { f.show("j", job_state::running, 0), f.pass(1h); }, ""},
        {"rescaled while it runs",
         [](fleet& f) {
             f.show("j", job_state::running, 8), f.pass(10min);
             f.show("j", job_state::running, 2), f.pass(10min);
             f.show("j", job_state::running, 0), f.pass(10min);
             f.show("j", job_state::running, 4), f.pass(10min);
         },
         "0 nlp=140"},
        {"handed to another team",
         [](fleet& f) {
             f.show("j", job_state::running, 1, "nlp"), f.pass(10min);
             f.show("j", job_state::running, 1, "vision"), f.pass(20min);
         },
         "0 nlp=10, 0 vision=20"},
        {"without a team", [](fleet& f) { f.show("j", job_state::running, 1, ""), f.pass(7min); }, "0 =7"},
        {"deleted", [](fleet& f) { f.show("j", job_state::running, 1), f.pass(7min), f.remove("j"), f.pass(1h); },
         "0 nlp=7"},
        {"another job of that name",
         [](fleet& f) {
             f.show("j", job_state::running, 1), f.pass(7min);
             auto other = job("j", job_state::running, 2, "vision");
             other.view.uid = "other";
             f.show(other), f.pass(5min);
         },
         "0 nlp=7, 0 vision=10"},
        {"over midnight", [](fleet& f) { f.show("j", job_state::running, 1), f.pass(20min); }, "0 nlp=10, 1 nlp=10",
         23h + 49min + 55s},
        {"over two midnights", [](fleet& f) { f.show("j", job_state::running, 1), f.pass(36h); },
         "0 nlp=719, 1 nlp=1440, 2 nlp=0"},
        {"counted every minute, it is the same",
         [](fleet& f) {
             f.show("j", job_state::running, 1);
             for (int i = 0; i < 20; ++i) f.pass(1min), f.hours.count(f.at());
         },
         "0 nlp=10, 1 nlp=10", 23h + 49min + 55s},
        {"the clock goes back while it runs",
         [](fleet& f) {
             f.show("j", job_state::running, 1), f.pass(30min), f.hours.count(f.at());
             f.pass(-2h), f.hours.count(f.at());
             f.pass(10min);
         },
         "0 nlp=40"},
        {"the clock goes back while it pauses",
         [](fleet& f) {
             f.show("j", job_state::running, 1), f.pass(30min), f.show("j", job_state::suspended);
             f.pass(-2h), f.show("j", job_state::running, 1);
             f.pass(10min);
         },
         "0 nlp=40"},
        {"the clock goes back over midnight",
         [](fleet& f) {
             f.show("j", job_state::running, 1), f.pass(15min), f.hours.count(f.at());
             f.pass(-10min), f.hours.count(f.at());
             f.pass(2min);
         },
         "0 nlp=12, 1 nlp=5", 23h + 49min + 55s},
    };
    for (const auto& one : rows) {
        CAPTURE(one.what);
        fleet f(one.start);
        one.happens(f);
        CHECK(f.text() == one.rows);
    }
}

TEST_CASE("gpu hours: a cluster that can't be seen is counted once it is back, and once") {
    struct row {
        const char* what;
        std::function<void(fleet&)> happens;  // after a job of 1 GPU ran for 10 minutes, and its cluster was lost
        const char* rows;
    };
    const auto back = [](fleet& f) {
        f.become("live"), f.pass(5s), f.hours.count(f.at());
        f.now -= 5s;  // so that minutes are whole
    };
    const row rows[] = {
        {"not yet", [](fleet& f) { f.pass(1h); }, "0 nlp=10"},
        {"it runs still", [&](fleet& f) { f.pass(1h), back(f); }, "0 nlp=70"},
        {"it runs still, after several tries",
         [&](fleet& f) {
             for (int i = 0; i < 6; ++i) f.pass(10min), f.become("listing"), f.become("failed");
             back(f);
         },
         "0 nlp=70"},
        {"live for a moment only",
         [&](fleet& f) { f.pass(30min), f.become("live"), f.pass(1s), f.become("failed"), f.pass(30min), back(f); },
         "0 nlp=70"},
        {"it was deleted meanwhile", [&](fleet& f) { f.pass(1h), f.remove("j"), back(f); }, "0 nlp=10"},
        {"that it was deleted is told after the watch is back",
         [&](fleet& f) { f.pass(1h), f.become("live"), f.pass(1s), f.remove("j"), f.pass(5s); }, "0 nlp=10"},
        {"it completed meanwhile",
         [&](fleet& f) {
             f.pass(1h);
             auto done = job("j", job_state::succeeded, 1);
             done.view.completion_time = f.seconds() - 1800;
             f.show(done), back(f);
         },
         "0 nlp=40"},
        {"it completed before it was lost, by its clock",
         [&](fleet& f) {
             f.pass(1h);
             auto done = job("j", job_state::succeeded, 1);
             done.view.completion_time = f.seconds() - 7200;
             f.show(done), back(f);
         },
         "0 nlp=10"},
        {"it waits now", [&](fleet& f) { f.pass(1h), f.show("j", job_state::pending, 1), back(f); }, "0 nlp=10"},
        {"it was suspended, and resumed 20 minutes ago",
         [&](fleet& f) {
             f.pass(1h);
             auto resumed = job("j", job_state::running, 1);
             resumed.view.start_time = f.seconds() - 1200;
             f.show(resumed), back(f);
         },
         "0 nlp=30"},
        {"it was rescaled meanwhile: as many as before",
         [&](fleet& f) { f.pass(1h), f.show("j", job_state::running, 4), back(f), f.pass(1min); }, "0 nlp=74"},
        {"another began meanwhile",
         [&](fleet& f) {
             f.pass(1h);
             auto other = job("k", job_state::running, 1, "vision");
             other.view.start_time = f.seconds() - 1200;
             f.show(other), back(f);
         },
         "0 nlp=70, 0 vision=20"},
        {"another says that it began long before",
         [&](fleet& f) {
             f.pass(1h);
             auto other = job("k", job_state::running, 1, "vision");
             other.view.start_time = f.seconds() - 86400;
             f.show(other), back(f);
         },
         "0 nlp=70, 0 vision=60"},
        {"another began and completed meanwhile",
         [&](fleet& f) {
             f.pass(1h);
             auto other = job("k", job_state::failed, 2, "vision");
             other.view.start_time = f.seconds() - 1200;
             other.view.completion_time = f.seconds() - 600;
             f.show(other), back(f), f.pass(1h);
         },
         "0 nlp=130, 0 vision=20"},
        {"another turned out to be part of a third before the watch was back",
         [&](fleet& f) {
             f.pass(1h);
             auto other = job("k", job_state::running, 2, "vision");
             other.view.start_time = f.seconds() - 1200;
             f.show(other), f.remove("k"), back(f);
         },
         "0 nlp=70"},
        {"the cluster left, and came back",
         [&](fleet& f) {
             f.publish(f.table.remove_cluster("a")), f.pass(1h);
             f.show("j", job_state::running, 1), back(f), f.pass(5min);
         },
         "0 nlp=15"},
    };
    for (const auto& one : rows) {
        CAPTURE(one.what);
        fleet f;
        f.show("j", job_state::running, 1);
        f.pass(10min);
        f.become("failed");
        one.happens(f);
        CHECK(f.text() == one.rows);
    }
}

TEST_CASE("gpu hours: a restart goes on where the run before ended") {
    struct row {
        const char* what;
        std::function<void(fleet&)> happens;  // an hour after a run that counted 10 minutes of a job of 1 GPU
        const char* rows;
    };
    const auto back = [](fleet& f) {
        f.become("live"), f.pass(5s), f.hours.count(f.at());
        f.now -= 5s;
    };
    const row rows[] = {
        {"nothing was seen yet", [](fleet&) {}, "0 nlp=10"},
        {"it runs still", [&](fleet& f) { f.show("j", job_state::running, 1), back(f); }, "0 nlp=70"},
        {"it is gone", [&](fleet& f) { back(f), f.pass(1h); }, "0 nlp=10"},
        {"it completed",
         [&](fleet& f) {
             auto done = job("j", job_state::succeeded, 1);
             done.view.completion_time = f.seconds() - 1800;
             f.show(done), back(f);
         },
         "0 nlp=40"},
        {"another job has its name",
         [&](fleet& f) {
             auto other = job("j", job_state::running, 1);
             other.view.uid = "other";
             other.view.start_time = f.seconds() - 600;
             f.show(other), back(f);
         },
         "0 nlp=20"},
        {"the cluster is not watched any more", [](fleet& f) { f.pass(1h); }, "0 nlp=10"},
        {"the clock went back meanwhile",
         [&](fleet& f) { f.pass(-3h), f.show("j", job_state::running, 1), back(f), f.pass(5min + 5s); }, "0 nlp=15"},
    };
    for (const auto& one : rows) {
        CAPTURE(one.what);
        fleet before;
        before.show("j", job_state::running, 1);
        before.pass(10min);
        before.restart(1h);
        CHECK(before.next->hours.since() == wall_time(today) + 12h);
        one.happens(*before.next);
        CHECK(before.next->text() == one.rows);
    }
}

TEST_CASE("gpu hours: only what changed is given to who keeps it") {
    fleet f;
    f.show("j", job_state::running, 1);
    f.pass(1min);
    auto kept = f.hours.take_changes(f.at());
    REQUIRE(kept.rows.size() == 1);
    CHECK(kept.rows[0].gpu_ms == 60000);
    REQUIRE(kept.watches.size() == 1);
    CHECK(kept.watches[0].key == gpu_watch_key{"a", "PyTorchJob"});
    CHECK(kept.watches[0].until == std::chrono::floor<std::chrono::milliseconds>(f.at()));
    CHECK(kept.first_day == today - std::chrono::days(89));
    f.show("j", job_state::succeeded, 1);
    CHECK(f.hours.take_changes(f.at()).rows.empty());
    f.become("failed");
    f.pass(1h);
    CHECK(f.hours.take_changes(f.at()).watches[0].until == kept.watches[0].until);
    f.publish(f.table.remove_cluster("a"));
    CHECK(f.hours.take_changes(f.at()).watches.empty());
    CHECK(f.hours.rows().size() == 1);  // what was counted stays
}

TEST_CASE("gpu hours: as many days as are kept, and as many rows a day") {
    fleet f(12h, gpu_hours_options().days(3).rows_a_day(2));
    for (const char* team : {"a", "b", "c", "d"}) f.show(team, job_state::running, 1, team);
    f.pass(1min);
    CHECK(f.text() == "0 (other)=2, 0 a=1, 0 b=1");
    for (const auto& [key, sum] : f.hours.rows()) CHECK((key.team == "(other)") == (key.name_space == "(other)"));
    for (const char* name : {"b", "c", "d"}) f.show(name, job_state::succeeded);
    f.pass(24h * 2);
    CHECK(f.text() == "0 (other)=2, 0 a=719, 0 b=1, 1 a=1440, 2 a=721");
    f.pass(24h);
    CHECK(f.text() == "1 a=1440, 2 a=1440, 3 a=721");
    CHECK(f.hours.since() == wall_time(today) + 24h);
    f.pass(24h * 400);  // nothing was counted for long: no more than is kept
    CHECK(f.text() == "401 a=1440, 402 a=1440, 403 a=721");
}

TEST_CASE("gpu hours: absurd numbers stay numbers") {
    fleet f;
    f.show("j", job_state::running, std::numeric_limits<std::int64_t>::max());
    f.pass(1h);
    CHECK(f.text() == "0 nlp=60000000");
    f.show("k", job_state::running, -5);
    f.pass(1h);
    CHECK(f.text() == "0 nlp=120000000");
}

TEST_CASE("gpu hours: the team is the label that the page's column shows") {
    using labels = std::map<std::string, std::string>;
    CHECK(team_of(job_labels::from(labels{})).empty());
    CHECK(team_of(job_labels::from(labels{{"owner", "x"}})).empty());
    CHECK(team_of(job_labels::from(labels{{"app.kubernetes.io/part-of", "p"}})) == "p");
    CHECK(team_of(job_labels::from(labels{{"app.kubernetes.io/part-of", "p"}, {"team", "t"}})) == "t");
    CHECK(team_of(job_labels::from(labels{{"app.kubernetes.io/part-of", "p"}, {"team", ""}})) == "p");
}

TEST_CASE("gpu hours: 10,000 jobs cost little a minute") {
    gpu_hours hours;
    job_table table;
    auto now = wall_time(today);
    hours.take(table.set_cluster(cluster("live")), now);
    for (int i = 0; i < 10'000; ++i) {
        auto one = job("job-" + std::to_string(i), job_state::running, 8, "team-" + std::to_string(i % 400));
        hours.take(table.add(one), now);
    }
    CHECK(hours.jobs() == 10'000);
    const kcontrol::system_environment clock;
    auto best = kcontrol::duration::max();
    for (int i = 0; i < 10; ++i) {
        now += 1min;
        const auto begin = clock.now();
        hours.count(now);
        best = std::min<kcontrol::duration>(best, clock.now() - begin);
    }
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(best).count();
    MESSAGE("10,000 jobs are counted in ", took, " µs");
    // On a busy machine; with AddressSanitizer without optimisation, too.
    CHECK(took < (kcontrol::test::under_asan ? 1'000'000 : 200'000));
    CHECK(hours.rows().size() == 400);
    std::int64_t all = 0;
    for (const auto& [key, sum] : hours.rows()) all += sum.gpu_ms;
    CHECK(all == std::int64_t{10'000} * 8 * 10 * 60'000);
}
