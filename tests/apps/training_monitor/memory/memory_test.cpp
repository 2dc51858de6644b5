#include "memory/memory.hpp"

#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "memory/memory_report.hpp"
#include "temporary.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <set>
#include <string>
#include <sys/resource.h>

using namespace training_monitor;
using namespace training_monitor::tests;
using namespace std::chrono_literals;
namespace testing = kcontrol::testing;

namespace {

struct fixture {
    explicit fixture(const std::string& path, memory_options options = {}, kcontrol::duration later = {},
                     gpu_hours* hours = nullptr)
        : path_(path) {
        env.wall_offset += later;
        auto file = state_file::open(path, state_file::use::monitor);
        REQUIRE_MESSAGE(file.has_value(), (file ? std::string() : file.error().what()));
        kept.emplace(env, context.get_executor(), context.get_executor(), std::move(*file), past, kcontrol::logger(),
                     options);
        if (hours) kept->keep(*hours);
        REQUIRE(kept->start().has_value());
        settle();
    }
    ~fixture() {
        if (!crashed && kept) testing::run(context, kept->stop());
    }
    observation publish(const std::vector<change>& changes) {
        auto seen = past.observe(changes, env.wall_now());
        kept->take(changes);
        return seen;
    }
    void settle() { env.advance(0s, context); }
    void advance(kcontrol::duration d) { env.advance(d, context); }
    std::size_t in_file() const {
        auto file = state_file::open(path_, state_file::use::existing);
        return file.value()->load_jobs().value().size();
    }
    const job_record* get(std::string_view name) const { return past.find("a", "ml", "PyTorchJob", name); }

    testing::manual_environment env;
    boost::asio::io_context context;
    job_table table;
    history past;
    std::optional<memory> kept;
    bool crashed = false;

private:
    std::string path_;
};

class no_more_bytes {
public:
    no_more_bytes() {
        std::signal(SIGXFSZ, SIG_IGN);
        REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
        rlimit now = before_;
        now.rlim_cur = 0;
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &now) == 0);
    }
    ~no_more_bytes() { ::setrlimit(RLIMIT_FSIZE, &before_); }

private:
    rlimit before_{};
};

}  // namespace

TEST_CASE("memory: changes are written together after the delay, or at once when they are many") {
    temporary_directory dir;
    fixture f(dir.path("s"), memory_options().max_batch(3));
    f.publish(f.table.add(some_job("one", job_state::created)));
    f.advance(100ms);
    f.publish(f.table.update(some_job("one", job_state::running, "2")));
    f.publish(f.table.add(some_job("two", job_state::created)));
    CHECK(f.in_file() == 0);
    CHECK(f.kept->status().waiting == 3);
    f.advance(101ms);
    CHECK(f.in_file() == 2);
    CHECK(f.kept->status().writes == 1);
    CHECK(f.kept->status().waiting == 0);
    CHECK(f.kept->status().bytes > 0);
    f.advance(10s);
    for (const char* name : {"x", "y", "z"}) f.publish(f.table.add(some_job(name, job_state::created)));
    f.settle();
    CHECK(f.in_file() == 5);
}

TEST_CASE("memory: who takes care of a job, and what receivers were told of, over a restart") {
    temporary_directory dir;
    const acknowledgement taken{"a", "ml", "Job", "bert", "u", "failed", "ana", "looking", kcontrol::wall_time(123s)};
    notices::kept_alert told;
    told.receiver = "pager";
    told.reference = "1700.1";
    told.total = 2;
    told.jobs = {{"a", "ml", "PyTorchJob", "bert", "u"}, {"a", "ml", "PyTorchJob", "gpt", "v"}};
    auto view = some_job("bert", job_state::failed).view;
    view.gpus = 8;
    view.failure = job_failure{"n1", 1, "", {}};
    told.what.job = std::make_shared<const job_view>(view);
    told.what.thread = "t1";
    told.what.to = job_state::failed;
    told.what.condition = notices::job_condition::incomplete;
    told.what.lasted = 90s;
    told.what.level = notices::severity::critical;
    told.what.runbook = "https://r";
    told.what.link = "https://l";
    {
        fixture f(dir.path("s"));
        CHECK(f.kept->take_acknowledgements().empty());
        f.kept->take(taken, false);
        f.kept->take(told);
        CHECK(f.kept->status().waiting == 2);
        f.advance(201ms);
        CHECK(f.kept->status().waiting == 0);
    }
    {
        fixture f(dir.path("s"));
        CHECK(f.kept->take_acknowledgements() == std::vector<acknowledgement>{taken});
        const auto alerts = f.kept->take_alerts();
        REQUIRE(alerts.size() == 1);
        const auto& one = alerts[0];
        CHECK(one.receiver == "pager");
        CHECK(one.reference == "1700.1");
        CHECK(one.total == 2);
        CHECK(one.jobs == told.jobs);
        CHECK(one.what.job->name == "bert");
        CHECK(one.what.job->kind == "PyTorchJob");
        CHECK(one.what.job->gpus == 8);
        CHECK(one.what.job->failure->node == "n1");
        CHECK(one.what.thread == "t1");
        CHECK(one.what.to == notices::standing(job_state::failed));
        CHECK(one.what.condition == notices::job_condition::incomplete);
        CHECK(one.what.lasted == 90s);
        CHECK(one.what.level == notices::severity::critical);
        CHECK(one.what.runbook == "https://r");
        CHECK(one.what.link == "https://l");
        f.kept->take(taken, true);
        told.jobs.clear();
        f.kept->take(told);
    }
    fixture f(dir.path("s"));
    CHECK(f.kept->take_acknowledgements().empty());
    CHECK(f.kept->take_alerts().empty());
}

TEST_CASE("memory: alerts of every condition, and of two jobs that differ a little the one that was let go") {
    temporary_directory dir;
    constexpr std::size_t conditions = trouble_names.size() + 2;
    const auto taken = [](std::string name, std::string uid) {
        return acknowledgement{"a", "ml", "Job", std::move(name), std::move(uid), "failed", "ana", "", {}};
    };
    {
        fixture f(dir.path("s"));
        for (std::size_t i = 0; i < conditions; ++i) {
            notices::kept_alert told;
            told.receiver = "pager";
            told.jobs = {{"a", "ml", "Job", "bert", "u"}};
            told.what.job = std::make_shared<const job_view>(some_job("bert", job_state::failed).view);
            told.what.thread = std::to_string(i);
            told.what.to = job_state::failed;
            told.what.condition = static_cast<notices::job_condition>(i);
            f.kept->take(told);
        }
        for (const auto& one : {taken("bert", "u"), taken("bert", "v"), taken("gpt", "u")}) f.kept->take(one, false);
        f.advance(201ms);
    }
    {
        fixture f(dir.path("s"));
        const auto alerts = f.kept->take_alerts();
        CHECK(alerts.size() == conditions);
        for (const auto& one : alerts) {
            CHECK(std::to_string(static_cast<std::size_t>(one.what.condition)) == one.what.thread);
        }
        f.kept->take(taken("bert", "u"), true);
    }
    fixture f(dir.path("s"));
    std::set<std::string> left;
    for (const auto& one : f.kept->take_acknowledgements()) left.insert(one.name + one.uid);
    CHECK(left == std::set<std::string>{"bertv", "gptu"});
}

TEST_CASE("memory: a restart knows what was, finds out what happened, and tells nothing twice") {
    temporary_directory dir;
    {
        fixture f(dir.path("s"));
        for (const char* name : {"runs", "ends", "goes"}) {
            f.publish(f.table.add(some_job(name, job_state::running)));
            f.past.mark_notified(some_job(name, job_state::running).view, job_state::running);
        }
    }
    fixture f(dir.path("s"));
    CHECK(f.past.size() == 3);
    const auto same = f.publish(f.table.add(some_job("runs", job_state::running, "7"), true)).changes.at(0);
    CHECK_FALSE(same.turned);
    CHECK(f.past.is_notified(*same.what.job, job_state::running));
    const auto ended = f.publish(f.table.add(some_job("ends", job_state::failed, "8"), true)).changes.at(0);
    CHECK(ended.turned->from == job_state::running);
    CHECK_FALSE(f.past.is_notified(*ended.what.job, job_state::failed));
    cluster_view view;
    view.name = "a";
    view.kinds.emplace_back();
    view.kinds[0].kind = "PyTorchJob";
    view.kinds[0].state = "live";
    f.publish(f.table.set_cluster(view));
    REQUIRE(f.past.missed_since_start().size() == 2);
    CHECK_FALSE(f.past.missed_since_start()[0].gone);
    CHECK(f.past.missed_since_start()[1].job->name == "goes");
    CHECK(f.past.missed_since_start()[1].last_state == job_state::running);
    CHECK(f.get("runs")->spans.size() == 1);
    CHECK(f.get("ends")->spans.size() == 2);
}

TEST_CASE("memory: after a crash what was not yet written is learned again") {
    temporary_directory dir;
    {
        fixture f(dir.path("s"));
        f.publish(f.table.add(some_job("old", job_state::running)));
        f.advance(1s);
        f.publish(f.table.update(some_job("old", job_state::failed, "2")));
        f.publish(f.table.add(some_job("new", job_state::running)));
        f.crashed = true;  // within the delay
    }
    fixture f(dir.path("s"));
    CHECK(f.past.size() == 1);
    const auto failed = f.publish(f.table.add(some_job("old", job_state::failed, "2"), true)).changes.at(0);
    CHECK(failed.turned->from == job_state::running);
    CHECK(f.get("old")->spans.size() == 2);
}

TEST_CASE("memory: jobs that this program does not know stay as they are, rows and all") {
    temporary_directory dir;
    {
        fixture f(dir.path("s"));
        f.publish(f.table.add(some_job("known", job_state::running)));
        f.publish(f.table.add(some_job("other", job_state::running)));
    }
    auto db = sqlite::database::open(dir.path("s"), sqlite::open_mode::read_write, 1s);
    REQUIRE(db->execute("UPDATE jobs SET kind = 'LaterJob' WHERE name = 'other'").has_value());  // another version's
    fixture f(dir.path("s"));
    CHECK(f.past.size() == 1);
    f.publish(f.table.add(some_job("fresh", job_state::created)));
    f.advance(1s);
    CHECK(f.in_file() == 2);
    CHECK(db->integer("SELECT count(*) FROM jobs").value() == 3);
    CHECK(db->integer("SELECT count(*) FROM spans").value() == 3);
}

TEST_CASE("memory: while the disk is full nothing is lost, and people can see it") {
    temporary_directory dir;
    fixture f(dir.path("s"));
    f.publish(f.table.add(some_job("one", job_state::created)));
    f.advance(1s);
    REQUIRE(f.in_file() == 1);
    {
        no_more_bytes full;
        f.publish(f.table.add(some_job("two", job_state::created)));
        f.advance(300ms);
        CHECK(f.kept->status().failed_writes == 1);
        CHECK(memory_report(f.kept->status()).find("[-]state file") == 0);
        CHECK(memory_report(f.kept->status()).find("1 changes wait") != std::string::npos);
        CHECK(memory_metrics(f.kept->status()).find("training_monitor_state_up 0\n") != std::string::npos);
        f.publish(f.table.update(some_job("two", job_state::running, "2")));
        f.advance(1s);
        CHECK(f.kept->status().failed_writes == 2);  // 1 s later, and then 2 s
        f.advance(1800ms);
        CHECK(f.kept->status().failed_writes == 2);
    }
    f.advance(200ms);
    CHECK(f.kept->status().failure.empty());
    CHECK(memory_report(f.kept->status()).find("[+]state file") == 0);
    f.advance(300ms);
    CHECK(f.kept->status().waiting == 0);
    auto file = state_file::open(dir.path("s"), state_file::use::existing);
    const auto jobs = file.value()->load_jobs().value();
    REQUIRE(jobs.size() == 2);
    CHECK(jobs[1].spans.size() == 2);
}

TEST_CASE("memory: flush waits for the disk, and says when it can't be") {
    temporary_directory dir;
    fixture f(dir.path("s"));
    f.publish(f.table.add(some_job("one", job_state::created)));
    kcontrol::result<void> done = kcontrol::error(kcontrol::errc::timeout);
    const auto flush = [](memory& m, kcontrol::result<void>& out) -> kcontrol::awaitable<void> {
        out = co_await m.flush({});
    };
    testing::run(f.context, flush(*f.kept, done));
    CHECK(done.has_value());
    CHECK(f.in_file() == 1);
    testing::run(f.context, flush(*f.kept, done));  // nothing to wait for
    CHECK(done.has_value());
    f.publish(f.table.add(some_job("two", job_state::created)));
    {
        no_more_bytes full;
        testing::run(f.context, flush(*f.kept, done));
    }
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().message().find("make room") != std::string::npos);
}

TEST_CASE("memory: jobs that are gone are forgotten after a while") {
    temporary_directory dir;
    fixture f(dir.path("s"), memory_options().retain_for(1h));
    f.publish(f.table.add(some_job("stays", job_state::running)));
    f.publish(f.table.add(some_job("goes", job_state::running)));
    f.publish(f.table.remove(some_job("goes", job_state::running, "2")));
    f.advance(59min);
    CHECK(f.in_file() == 2);
    f.advance(20min);
    CHECK(f.in_file() == 1);
    CHECK(f.get("goes") == nullptr);
    CHECK(f.kept->status().forgotten == 1);
}

TEST_CASE("memory: a job that did not change for long was in view until the monitor ended, and is not forgotten") {
    temporary_directory dir;
    const auto options = memory_options().retain_for(24h);
    for (const bool crash : {false, true}) {
        CAPTURE(crash);
        const auto path = dir.path(crash ? "crash" : "stop");
        {
            fixture f(path, options);
            f.advance(1s);
            f.publish(f.table.add(some_job("calm", job_state::running)));
            f.advance(30h + 5min - 1s);
            f.crashed = crash;
        }
        fixture f(path, options, 30h + 5min);
        REQUIRE(f.get("calm") != nullptr);
        const auto unseen = f.env.wall_now() - f.get("calm")->last_seen;
        CHECK(unseen >= 0s);
        CHECK(unseen <= (crash ? 10min : 0min));
        // Nobody sees it again: it is forgotten in its time, restarts or not.
        f.advance(23h);
        CHECK(f.get("calm") != nullptr);
        testing::run(f.context, f.kept->stop());
        f.kept.reset();
        fixture again(path, options, 53h + 5min);
        CHECK(again.get("calm") != nullptr);
        again.advance(2h);
        CHECK(again.get("calm") == nullptr);
    }
}

TEST_CASE("memory: above its size the oldest of what is gone is forgotten, and what is in view never") {
    temporary_directory dir;
    fixture f(dir.path("s"), memory_options().retain_size(200'000));
    for (int i = 0; i < 2000; ++i) {
        const auto name = "job-" + std::to_string(i);
        f.publish(f.table.add(some_job(name, job_state::running)));
        if (i % 2 == 0) f.publish(f.table.remove(some_job(name, job_state::running, "2")));
        if (i % 100 == 0) f.advance(1s);
    }
    f.advance(60s);
    CHECK(f.get("job-0") == nullptr);
    CHECK(f.get("job-1") != nullptr);
    CHECK(f.past.size() == 1000);  // those in view alone are larger than that
    CHECK(f.in_file() == 1000);
}

TEST_CASE("memory: the fleet's totals survive a restart, and a disk that is full meanwhile") {
    temporary_directory dir;
    const auto point = [](const fixture& f, std::uint64_t jobs) {
        totals of_now;
        job_counts counts;
        counts.states[static_cast<std::size_t>(job_state::running)] = jobs;
        of_now.record(f.env.wall_now(), counts);
        return of_now.newest();
    };
    std::vector<totals_point> told;
    {
        fixture f(dir.path("s"));
        CHECK(f.kept->take_totals().empty());
        for (std::uint64_t i = 1; i <= 3; ++i) {
            told.push_back(point(f, i));
            f.kept->take(told.back());
            f.advance(1min);
        }
        CHECK(f.kept->status().writes == 3);
        CHECK(f.kept->status().waiting == 0);
        {
            no_more_bytes full;
            for (std::uint64_t i = 4; i <= 6; ++i) {
                told.push_back(point(f, i));
                f.kept->take(told.back());
                f.advance(1min);
            }
            CHECK(f.kept->status().waiting == 3);
        }
        f.advance(1min);
        CHECK(f.kept->status().waiting == 0);
        f.crashed = true;
    }
    fixture f(dir.path("s"), memory_options().retain_for(5min), 8min);
    CHECK(f.kept->take_totals() == told);
    CHECK(f.kept->take_totals().empty());
    f.kept->take(point(f, 7));  // in its minute there was none; the first points are older than what is kept
    f.advance(1s);
    auto file = state_file::open(dir.path("s"), state_file::use::existing);
    const auto in_file = file.value()->load_totals().value();
    REQUIRE(in_file.size() == 4);
    CHECK(in_file.front() == told[3]);
}

TEST_CASE("memory: GPU hours survive a restart, and a crash but for its last minute") {
    cluster_view live;
    live.name = "a";
    live.kinds.emplace_back();
    live.kinds[0].kind = "PyTorchJob";
    live.kinds[0].state = "live";
    for (const bool crash : {false, true}) {
        CAPTURE(crash);
        temporary_directory dir;
        const auto run = [&](kcontrol::duration later, kcontrol::duration lasts, bool ends) {
            gpu_hours hours;
            fixture f(dir.path("s"), {}, later, &hours);
            const auto publish = [&](const std::vector<change>& changes) {
                f.publish(changes);
                hours.take(changes, f.env.wall_now());
            };
            publish(f.table.add(some_job("runs", job_state::running), true));
            publish(f.table.set_cluster(live));
            for (kcontrol::duration gone{}; gone < lasts; gone += 1min) {
                f.advance(1min);
                f.kept->take(totals_point{
                    std::chrono::floor<std::chrono::minutes>(f.env.wall_now()).time_since_epoch() / 1s, {}});
            }
            f.advance(30s);
            f.crashed = crash && !ends;
            hours.count(f.env.wall_now());
            std::int64_t out = 0;
            for (const auto& [key, sum] : hours.rows()) out += sum.gpu_ms;
            return out / 1000;
        };
        CHECK(run(0s, 10min, false) == 8 * 630);
        // An hour later it runs still: that hour counts, once.
        CHECK(run(10min + 30s + 1h, 10min, true) == 8 * (630 + 3600 + 630));
    }
}
