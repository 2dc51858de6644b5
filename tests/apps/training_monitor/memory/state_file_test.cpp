#include "memory/state_file.hpp"

#include "jobs/kind_names.hpp"
#include "memory/state_options.hpp"
#include "memory/state_schema.hpp"
#include "table/watched.hpp"
#include "temporary.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace training_monitor;
using namespace training_monitor::tests;
using kcontrol::wall_time;

namespace {

using use = state_file::use;

wall_time at(std::int64_t seconds) { return wall_time(std::chrono::seconds(seconds)); }

stored_job stored(std::int64_t row, const std::string& name, job_state state = job_state::running) {
    stored_job out;
    out.row = row;
    out.view = std::make_shared<const job_view>(some_job(name, state).view);
    out.state = state;
    out.first_seen = at(10);
    out.last_seen = at(20);
    out.spans.emplace_back(0, span{job_state::created, "", "", at(10), at(15)});
    out.spans.emplace_back(1, span{state, "Because", "it’s so", at(15), std::nullopt});
    return out;
}

std::unique_ptr<state_file> opened(const std::string& path, use how = use::monitor) {
    auto out = state_file::open(path, how);
    REQUIRE_MESSAGE(out.has_value(), (out ? std::string() : out.error().what()));
    return std::move(*out);
}

std::string refusal(const std::string& path, use how = use::monitor) {
    const auto out = state_file::open(path, how);
    REQUIRE_FALSE(out.has_value());
    return out.error().message();
}

void execute(const std::string& path, const char* sql) {
    auto db = sqlite::database::open(path, sqlite::open_mode::read_write, std::chrono::seconds(1));
    REQUIRE(db.has_value());
    REQUIRE(db->execute(sql).has_value());
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// No file may grow while it lives: what a full disk does, without one.
class no_more_bytes {
public:
    explicit no_more_bytes(rlim_t most = 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
        rlimit now = before_;
        now.rlim_cur = most;
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &now) == 0);
    }
    ~no_more_bytes() { ::setrlimit(RLIMIT_FSIZE, &before_); }

private:
    rlimit before_{};
};

}  // namespace

TEST_CASE("state file: what was written comes back") {
    temporary_directory dir;
    const auto path = dir.path("state.db");
    {
        auto file = opened(path);
        state_batch batch;
        batch.jobs.push_back(stored(1, "bert"));
        batch.jobs.push_back(stored(2, "gpt", job_state::failed));
        batch.jobs[1].gone = at(30);
        batch.jobs[1].notified = job_state::failed;
        batch.jobs[1].first_span = 1;
        batch.jobs[1].spans.erase(batch.jobs[1].spans.begin());
        batch.clusters.push_back(stored_cluster{"a", "directory", "https://a", "live", "", at(5)});
        batch.run = run_time{at(1), at(40)};
        CHECK_FALSE(file->load_run().value());
        REQUIRE(file->write(batch).has_value());
        batch.run.reset();
        REQUIRE(file->write(batch).has_value());
    }
    auto file = opened(path);
    CHECK(file->load_run().value() == run_time{at(1), at(40)});
    const auto jobs = file->load_jobs();
    REQUIRE(jobs.has_value());
    REQUIRE(jobs->size() == 2);
    const auto& bert = (*jobs)[0];
    CHECK(bert.row == 1);
    CHECK(*bert.view == some_job("bert", job_state::running).view);
    CHECK(bert.spans.size() == 2);
    CHECK(bert.spans[0].to == at(15));
    CHECK_FALSE(bert.spans[1].to);
    CHECK(bert.saved_spans == 1);
    CHECK_FALSE(bert.notified);
    const auto& gpt = (*jobs)[1];
    CHECK(gpt.gone == at(30));
    CHECK(gpt.notified == job_state::failed);
    CHECK(gpt.first_span == 1);
    CHECK(gpt.state() == job_state::failed);
    const auto clusters = file->load_clusters();
    REQUIRE(clusters.has_value());
    REQUIRE(clusters->size() == 1);
    CHECK((*clusters)[0].server == "https://a");
}

TEST_CASE("state file: totals come back, the newest word of each minute, without what is too old") {
    struct row {
        const char* what;
        std::vector<std::vector<std::int64_t>> batches;
        std::int64_t from;
        std::vector<std::int64_t> kept;
    };
    const row rows[] = {
        {"one by one", {{60}, {120}, {180}}, 0, {60, 120, 180}},
        {"several at a time", {{60, 120}, {180, 240}}, 0, {60, 120, 180, 240}},
        {"recorded again", {{60, 120}, {120}}, 0, {60, 120}},
        {"the clock was set back", {{60, 120, 180}, {90}}, 0, {60, 90}},
        {"nothing new", {{60}, {}}, 0, {60}},
        {"too old", {{60, 120, 180}, {240}}, 120, {120, 180, 240}},
    };
    temporary_directory dir;
    for (const auto& one : rows) {
        CAPTURE(one.what);
        const auto path = dir.path(one.what);
        std::uint64_t jobs = 0;
        std::map<std::int64_t, job_counts> last;
        for (const auto& times : one.batches) {
            state_batch batch;
            for (const auto time : times) {
                job_counts counts;
                counts.states[static_cast<std::size_t>(job_state::running)] = ++jobs;
                counts.states[static_cast<std::size_t>(job_state::failed)] = 2;
                counts.gpus_requested = 16;
                counts.gpus_running = 8;
                batch.totals.push_back({time, counts});
                last[time] = counts;
            }
            batch.totals_from = &times == &one.batches.back() ? one.from : 0;
            REQUIRE(opened(path)->write(batch).has_value());
        }
        std::vector<totals_point> expected;
        for (const auto time : one.kept) expected.push_back({time, last[time]});
        CHECK(opened(path)->load_totals().value() == expected);
    }
}

TEST_CASE("state file: GPU hours come back, without what is too old") {
    temporary_directory dir;
    const auto path = dir.path("state.db");
    constexpr gpu_day day = std::chrono::year(2026) / 11 / 26;
    const auto key = [&](int days, const char* team) {
        return gpu_hours_key{day + std::chrono::days(days), "a", "ml", team};
    };
    state_batch batch;
    batch.gpu_hours.emplace();
    batch.gpu_hours->rows = {{key(0, "nlp"), 5}, {key(0, ""), 7}, {key(1, "nlp"), 9}};
    batch.gpu_hours->watches = {{{"a", "Job"}, day, gpu_time(day) + std::chrono::milliseconds(5)}};
    REQUIRE(opened(path)->write(batch).has_value());
    auto kept = opened(path)->load_gpu_hours().value();
    CHECK(kept.rows == std::vector<gpu_hours_row>{{key(0, ""), 7}, {key(0, "nlp"), 5}, {key(1, "nlp"), 9}});
    CHECK(kept.watches == batch.gpu_hours->watches);
    REQUIRE(opened(path)->write(state_batch()).has_value());
    CHECK(opened(path)->load_gpu_hours()->rows.size() == 3);
    batch.gpu_hours->rows = {{key(1, "nlp"), 11}};
    batch.gpu_hours->watches.clear();
    batch.gpu_hours->first_day = day + std::chrono::days(1);
    REQUIRE(opened(path)->write(batch).has_value());
    kept = opened(path)->load_gpu_hours().value();
    CHECK(kept.rows == std::vector<gpu_hours_row>{{key(1, "nlp"), 11}});
    CHECK(kept.watches.empty());
}

TEST_CASE("state file: states of totals that this program does not know are left out") {
    temporary_directory dir;
    const auto path = dir.path("state.db");
    opened(path, use::command);
    execute(path, "INSERT INTO totals VALUES(60000, 'Running=3 Dreaming=4 Failed=x Pending', 5, 4)");
    const auto points = opened(path)->load_totals().value();
    REQUIRE(points.size() == 1);
    job_counts expected;
    expected.states[static_cast<std::size_t>(job_state::running)] = 3;
    expected.gpus_requested = 5;
    expected.gpus_running = 4;
    CHECK(points[0] == totals_point{60, expected});
}

TEST_CASE("state file: a file of an older version is brought up to date, and nothing in it is lost") {
    temporary_directory dir;
    const auto path = dir.path("state.db");
    int version = 0;
    SUBCASE("1") { version = 1; }
    SUBCASE("2") { version = 2; }
    {
        auto file = opened(path);
        state_batch batch;
        batch.totals.push_back({60, {}});
        batch.jobs.push_back(stored(1, "bert"));
        batch.jobs.push_back(stored(2, "gpt", job_state::failed));
        batch.jobs[1].gone = at(30);
        batch.clusters.push_back(stored_cluster{"a", "directory", "https://a", "live", "", at(5)});
        batch.run = run_time{at(1), at(40)};
        REQUIRE(file->write(batch).has_value());
        kept_cluster one;
        one.name = "prod";
        one.path = "/k";
        REQUIRE(file->keep_cluster(one, false).has_value());
    }
    execute(path,
            "DROP TABLE acknowledgements; DROP TABLE open_alerts; DROP TABLE gpu_hours; DROP TABLE gpu_watches; "
            "PRAGMA user_version = 2");
    if (version == 1) execute(path, "DROP TABLE totals; PRAGMA user_version = 1");
    for (int i = 0; i < 2; ++i) {
        auto file = opened(path);
        const auto jobs = file->load_jobs().value();
        REQUIRE(jobs.size() == 2);
        CHECK(*jobs[0].view == some_job("bert", job_state::running).view);
        CHECK(jobs[0].spans.size() == 2);
        CHECK(jobs[1].gone == at(30));
        CHECK(file->load_clusters()->size() == 1);
        CHECK(file->kept_clusters()->size() == 1);
        CHECK(file->load_run().value() == run_time{at(1), at(40)});
        CHECK(file->load_totals()->size() == static_cast<std::size_t>(version - 1 + i));
        CHECK(file->load_gpu_hours()->watches.size() == static_cast<std::size_t>(i));
        state_batch more;
        more.totals.push_back({120, {}});
        more.gpu_hours.emplace().watches = {{{"a", "Job"}, {}, {}}};
        REQUIRE(file->write(more).has_value());
    }
}

TEST_CASE("state file: spans that were dropped go, others stay; forgotten jobs go with theirs") {
    temporary_directory dir;
    auto file = opened(dir.path("state.db"));
    state_batch batch;
    batch.jobs.push_back(stored(1, "bert"));
    REQUIRE(file->write(batch).has_value());
    batch.jobs[0].first_span = 1;
    batch.jobs[0].spans = {{2, span{job_state::succeeded, "", "", at(30), std::nullopt}}};
    REQUIRE(file->write(batch).has_value());
    auto jobs = file->load_jobs();
    REQUIRE(jobs->size() == 1);
    REQUIRE((*jobs)[0].spans.size() == 2);
    CHECK((*jobs)[0].spans[0].state == job_state::running);
    state_batch gone;
    gone.forgotten = {1, 77};
    REQUIRE(file->write(gone).has_value());
    CHECK(file->load_jobs()->empty());
}

TEST_CASE("state file: every apiVersion that is watched can be read back") {
    temporary_directory dir;
    auto file = opened(dir.path("state.db"));
    state_batch batch;
    std::vector<std::string> all;
    for (const auto name : kind_names()) all.emplace_back(name);
    for (const auto& kind : choose_kinds(all)) {
        for (const auto* watched : kind.versions) {
            auto job = stored(static_cast<std::int64_t>(batch.jobs.size()) + 1, "j");
            auto view = *job.view;
            const std::string version = watched->gvk.api_version();
            view.api_version = version;
            job.view = std::make_shared<const job_view>(view);
            batch.jobs.push_back(job);
            REQUIRE(file->write(batch).has_value());
            CHECK_MESSAGE(file->load_jobs()->size() == batch.jobs.size(), version);
            batch.jobs.back().view = stored(0, "j").view;
        }
    }
    CHECK(batch.jobs.size() >= 16);
}

TEST_CASE("state file: what is no state file of ours is refused, and left as it is") {
    temporary_directory dir;
    const auto path = dir.path("state.db");
    SUBCASE("text") {
        write_bytes(path, "apiVersion: v1\nkind: Config\n" + std::string(4096, 'x'));
        const auto before = read_bytes(path);
        const auto why = refusal(path);
        CHECK(has(why, path));
        CHECK(has(why, "it is not a state file"));
        CHECK(has(why, "move this one away"));
        CHECK(read_bytes(path) == before);
    }
    SUBCASE("another program's database") {
        opened(path, use::command);
        execute(path, "PRAGMA application_id = 1");
        CHECK(has(refusal(path), "the database of another program"));
    }
    SUBCASE("another program's database without a mark") {
        write_bytes(path, "");
        execute(path, "CREATE TABLE x(y)");
        CHECK(has(refusal(path), "the database of another program"));
    }
    SUBCASE("a newer program's") {
        opened(path, use::command);
        execute(path, "PRAGMA user_version = 99");
        const auto why = refusal(path);
        CHECK(has(why,
                  "a newer training_monitor (schema 99, this one knows " + std::to_string(state_schema_version) + ")"));
        CHECK(has(why, "use that version"));
        execute(path, ("PRAGMA user_version = " + std::to_string(state_schema_version)).c_str());
        opened(path);
    }
    SUBCASE("a directory") {
        std::filesystem::create_directory(path);
        CHECK(has(refusal(path), "it is a directory"));
        CHECK_FALSE(std::filesystem::exists(path + ".lock"));
    }
    SUBCASE("in a directory that is not there") {
        CHECK(has(refusal(dir.path("nowhere/state.db")), "the directory must exist"));
        CHECK(has(refusal(dir.path("nowhere/state.db"), use::command), "the directory must exist"));
    }
    SUBCASE("a file that is not there, where it must be") {
        CHECK(has(refusal(path, use::existing), "there is no such file"));
        CHECK_FALSE(std::filesystem::exists(path));
    }
}

TEST_CASE("state file: damage is found when a monitor opens it") {
    temporary_directory dir;
    const auto path = dir.path("state.db");
    {
        auto file = opened(path);
        state_batch batch;
        for (int i = 1; i <= 500; ++i) batch.jobs.push_back(stored(i, "job-" + std::to_string(i)));
        REQUIRE(file->write(batch).has_value());
    }
    auto bytes = read_bytes(path);
    REQUIRE(bytes.size() > 5 * 4096);
    for (std::size_t i = 2 * 4096; i < 5 * 4096; ++i) bytes[i] = '\x5a';
    write_bytes(path, bytes);
    const auto why = refusal(path);
    CHECK(has(why, "it is damaged: put a copy of it back, or move it away"));
    CHECK(has(why, path));
    CHECK(read_bytes(path) == bytes);
}

TEST_CASE("state file: one monitor a file, commands beside it") {
    temporary_directory dir;
    const auto path = dir.path("state.db");
    auto first = opened(path);
    const auto why = refusal(path);
    CHECK(has(why, "another training_monitor (process " + std::to_string(::getpid()) + ") uses it"));
    auto command = opened(path, use::existing);
    CHECK(first->changed_elsewhere().value());
    CHECK_FALSE(first->changed_elsewhere().value());
    kept_cluster one;
    one.name = "prod";
    one.path = "/k";
    one.sealed = std::string("\0\1", 2);
    one.added = at(1);
    REQUIRE(command->keep_cluster(one, false).has_value());
    CHECK(first->changed_elsewhere().value());
    REQUIRE(first->kept_clusters()->size() == 1);
    CHECK(first->kept_clusters()->at(0) == one);
    CHECK_FALSE(first->changed_elsewhere().value());
    state_batch own;
    own.clusters.push_back(stored_cluster{"a", "", "", "", "", at(5)});
    REQUIRE(first->write(own).has_value());
    CHECK_FALSE(first->changed_elsewhere().value());  // our own write
    CHECK(has(command->keep_cluster(one, false).error().message(), "already: give --replace"));
    one.context = "c";
    REQUIRE(command->keep_cluster(one, true).has_value());
    REQUIRE(command->drop_cluster("prod").has_value());
    CHECK(has(command->drop_cluster("prod").error().message(), "no cluster \"prod\""));
    first.reset();
    opened(path);
}

TEST_CASE("state file: its owner's only") {
    temporary_directory dir;
    auto file = opened(dir.path("state.db"));
    for (const char* name : {"state.db", "state.db-wal", "state.db.lock"}) {
        struct stat info {};
        REQUIRE(::stat((dir.path(name)).c_str(), &info) == 0);
        CHECK((info.st_mode & 0777) == 0600);
    }
}

TEST_CASE("state file: a lock held by another program for longer than it waits is an error that says so") {
    temporary_directory dir;
    const auto path = dir.path("state.db");
    auto file = opened(path, use::command);
    auto other = sqlite::database::open(path, sqlite::open_mode::read_write, std::chrono::milliseconds(1));
    REQUIRE(other.has_value());
    REQUIRE(other->execute("BEGIN IMMEDIATE").has_value());
    auto third = sqlite::database::open(path, sqlite::open_mode::read_write, std::chrono::milliseconds(1));
    const auto refused = third->execute("BEGIN IMMEDIATE");
    REQUIRE_FALSE(refused.has_value());
    CHECK(has(refused.error().message(), "another program keeps it locked"));
}

TEST_CASE("state file: without room on the disk nothing is half written") {
    temporary_directory dir;
    const auto path = dir.path("state.db");
    auto file = opened(path);
    state_batch one;
    one.jobs.push_back(stored(1, "bert"));
    REQUIRE(file->write(one).has_value());
    state_batch many;
    for (int i = 2; i <= 2000; ++i) many.jobs.push_back(stored(i, "job-" + std::to_string(i)));
    {
        no_more_bytes limit(64 * 1024);
        const auto refused = file->write(many);
        REQUIRE_FALSE(refused.has_value());
        CHECK(has(refused.error().message(), path));
        CHECK(has(refused.error().message(), "make room"));
    }
    CHECK(file->load_jobs()->size() == 1);
    REQUIRE(file->write(many).has_value());
    CHECK(file->load_jobs()->size() == 2000);
    {
        no_more_bytes limit;
        CHECK(has(refusal(dir.path("other.db")), "other.db"));
    }
}

TEST_CASE("retention: times and sizes") {
    struct row {
        const char* text;
        std::int64_t value;
    };
    const row times[] = {{"30d", 2592000}, {"12h", 43200}, {"90m", 5400},       {"45s", 45},
                         {"0d", -1},       {"-1d", -1},    {"d", -1},           {"5", -1},
                         {"5w", -1},       {"36501d", -1}, {"9999999999d", -1}, {"", -1}};
    for (const auto& one : times) {
        CAPTURE(one.text);
        const auto parsed = parse_period(one.text);
        CHECK(parsed.has_value() == (one.value >= 0));
        if (parsed) CHECK(*parsed == std::chrono::seconds(one.value));
    }
    const row sizes[] = {{"1MiB", 1 << 20},
                         {"1024KiB", 1 << 20},
                         {"2GiB", std::int64_t{2} << 30},
                         {"1TiB", std::int64_t{1} << 40},
                         {"1KiB", -1},
                         {"1MB", -1},
                         {"1025TiB", -1},
                         {"GiB", -1}};
    for (const auto& one : sizes) {
        CAPTURE(one.text);
        const auto parsed = parse_size(one.text);
        CHECK(parsed.has_value() == (one.value >= 0));
        if (parsed) CHECK(*parsed == static_cast<std::uint64_t>(one.value));
    }
}
