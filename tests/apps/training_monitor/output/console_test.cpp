#include "output/console.hpp"

#include "fleet.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace training_monitor;
using tests::a_cluster;
using tests::a_job;

namespace {

struct fixture {
    job_table table;
    console view;
    key_reader reader;
    known_of_job known;
    bool keys = true;
    std::size_t rows = 24, columns = 80;

    void press(std::string_view bytes) {
        for (const auto& k : reader.take(bytes)) view.press(k, table, tests::now);
        for (const auto& k : reader.flush()) view.press(k, table, tests::now);
    }
    std::vector<std::string> picture() {
        scene shown(table, tests::now);
        shown.head("Training jobs", "").source("the directory /c (--clusters)").keys(keys).known(known);
        return view.picture(shown, rows, text_layout().columns(columns).marks(true));
    }
    // The name of the selected job; empty if none is.
    std::string selected() {
        for (const auto& line : picture()) {
            if (line.starts_with("> ")) return word_after(line, "ml         ");
        }
        return {};
    }
    static std::string word_after(const std::string& line, std::string_view what) {
        const auto begin = line.find(what) + what.size();
        return line.substr(begin, line.find(' ', begin) - begin);
    }
    bool shows(std::string_view text) {
        const auto lines = picture();
        return std::any_of(lines.begin(), lines.end(),
                           [&](const std::string& line) { return line.find(text) != std::string::npos; });
    }
    // b1 failed, the others run.
    void add_jobs(int count) {
        table.set_cluster(a_cluster("a"));
        for (int i = 1; i <= count; ++i) {
            table.add(a_job("b" + std::to_string(100 + i).substr(1), i == 1 ? job_state::failed : job_state::running));
        }
    }
};

}  // namespace

TEST_CASE("console: keys move the selection, search, open a job, and quit") {
    // Five jobs: b01 failed, b02 to b05 run. After these keys this job is selected, or that one is looked at.
    const struct {
        std::string_view keys;
        std::string_view selected, opened;
        bool quits;
    } table[] = {
        {"", "b01", "", false},
        {"j", "b02", "", false},
        {"jjk", "b02", "", false},
        {"\x1b[B\x1b[B\x1b[A", "b02", "", false},
        {"k", "b01", "", false},
        {"G", "b05", "", false},
        {"Gj", "b05", "", false},
        {"Gg", "b01", "", false},
        {"\x1b[F\x1b[H", "b01", "", false},
        {" ", "b05", "", false},
        {"\x1b[6~\x1b[5~", "b01", "", false},
        {"/b03\r", "b03", "", false},
        {"/b03", "b03", "", false},
        {"/running\rj", "b03", "", false},
        {"/running\x1b[B\r", "b03", "", false},  // arrows move while it is typed
        {"/jq\x7f\x7f"
         "b04\r",
         "b04", "", false},                // letters are text there
        {"/b03\r\x1b", "b01", "", false},  // Esc: all again
        {"/b03\x1b", "b01", "", false},
        {"/nothing\x15"
         "b02\r",
         "b02", "", false},            // Ctrl-U
        {"/\x7fj", "b02", "", false},  // nothing to take away: no search
        {"/nothing\r", "", "", false},
        {"/nothing\r\r", "", "", false},  // Enter on nothing
        {"\r", "", "b01", false},
        {"jj\r", "", "b03", false},
        {"jj\rq", "b03", "", false},
        {"jj\r\x1b", "b03", "", false},
        {"jj\rjjq", "b03", "", false},  // there they scroll
        {"q", "b01", "", true},
        {"\rqq", "b01", "", true},
        {"xyz\x0c", "b01", "", false},
    };
    for (const auto& row : table) {
        CAPTURE(row.keys);
        fixture f;
        f.add_jobs(5);
        static_cast<void>(f.picture());
        f.press(row.keys);
        CHECK(f.selected() == row.selected);
        CHECK((f.view.opened() ? f.view.opened()->name : "") == row.opened);
        CHECK(f.view.quits() == row.quits);
    }
}

TEST_CASE("console: a picture has the rows of its terminal, and no line is wider") {
    fixture f;
    f.add_jobs(60);
    f.table.set_cluster(a_cluster("b", "unreachable", "b: connection refused by a machine of a very long name"));
    for (f.rows = 5; f.rows < 60; f.rows += 3) {
        for (f.columns = 10; f.columns < 130; f.columns += 10) {
            for (const std::string_view keys : {"", "G", "/b", "\x1b", "?", "j", "\r", "l", "?", "q", "q", "q"}) {
                f.press(keys);
                const auto lines = f.picture();
                CHECK(lines.size() == f.rows);
                for (const auto& line : lines) CHECK(width(line) <= f.columns);
            }
        }
    }
}

TEST_CASE("console: what is selected stays so where it moves in the list, and stays in the picture") {
    fixture f;
    f.add_jobs(60);
    CHECK(f.selected() == "b01");
    // Nothing was selected yet: the most urgent is.
    f.table.update(a_job("b07", job_state::failed, "2", 1));
    CHECK(f.selected() == "b07");
    f.press("GG");
    CHECK(f.selected() == "b60");
    CHECK(f.shows("44-60 of 60 jobs"));
    f.press("k");
    f.table.update(a_job("b59", job_state::failed, "2", 0));
    CHECK(f.selected() == "b59");
    CHECK(f.shows("1-17 of 60 jobs"));
    // It goes: its neighbour is selected.
    f.table.remove(a_job("b59", job_state::failed));
    CHECK(f.selected() == "b07");
    f.press("g");
    f.table.update(a_job("b20", job_state::failed, "2", 0));
    CHECK(f.selected() == "b20");
}

TEST_CASE("console: s sorts, n shows one namespace after another, Esc shows all, ? tells the keys") {
    fixture f;
    f.add_jobs(3);
    auto big = a_job("z9", job_state::running);
    big.view.gpus = 512;
    f.table.add(std::move(big));
    auto other = a_job("b05", job_state::running);
    other.view.namespace_ = "vision";
    other.view.uid = "v";
    f.table.add(std::move(other));
    f.press("s");
    CHECK(f.shows("5 jobs by name  q: quit"));
    const auto first = [&] {
        for (const auto& line : f.picture()) {
            if (line.starts_with("> ")) return line;
        }
        return std::string();
    };
    CHECK(first().find("b01") != std::string::npos);
    f.press("sss");
    CHECK(f.shows("by GPUs"));
    CHECK(first().find("z9") != std::string::npos);
    f.press("s");
    CHECK_FALSE(f.shows(" by "));
    f.press("n");
    CHECK(f.shows("4 jobs in ml  Esc: all"));
    f.press("n");
    CHECK(f.shows("1 job in vision"));
    CHECK(first().find("b05") != std::string::npos);
    f.press("n");
    CHECK(f.shows("5 jobs  q: quit"));
    f.press("n\x1b");
    CHECK(f.shows("5 jobs  q: quit"));
    f.press("?");
    CHECK(f.shows("of a job: its object as YAML"));
    f.press("q");  // any key ends it, and does nothing else
    CHECK_FALSE(f.view.quits());
    CHECK(f.shows("5 jobs  q: quit"));
}

TEST_CASE("console: l asks for a log, by rank from pod to pod, and y for the object; what comes late is left out") {
    fixture f;
    f.add_jobs(2);
    for (const int rank : {1, 0}) {
        pod_row pod;
        pod.name = "b01-worker-" + std::to_string(rank);
        pod.index = rank;
        pod.type = "Worker";
        pod.uid = pod.name;
        f.known.evidence.pods.push_back(pod);
    }
    f.press("l");
    CHECK_FALSE(f.view.wanted());  // of no job
    f.press("\r");
    static_cast<void>(f.picture());
    f.press("l");
    auto asked = f.view.wanted();
    REQUIRE(asked);
    CHECK((asked->what == text_request::kind::log && asked->job.name == "b01" && asked->pod.empty()));
    CHECK_FALSE(f.view.wanted());
    CHECK(f.shows("Reading"));
    asked->pod = "b01-worker-0";
    std::vector<std::string> lines(100, "step");
    lines.back() = "Runtime\x1b[2JError";
    f.view.show(*asked, "b01-worker-0", lines);
    CHECK(f.shows("Runtime\\x1b[2JError"));  // its end
    f.press("g");
    CHECK(f.shows("b01-worker-0"));
    CHECK_FALSE(f.shows("Runtime"));
    f.press("l");
    asked = f.view.wanted();
    REQUIRE(asked);
    CHECK(asked->pod == "b01-worker-1");
    f.press("y");
    auto object = f.view.wanted();
    REQUIRE(object);
    CHECK(object->what == text_request::kind::yaml);
    f.view.show(*asked, "too late", {"x"});
    CHECK_FALSE(f.shows("too late"));
    f.view.show(*object, "b01", {"kind: Job"});
    CHECK(f.shows("kind: Job"));
    f.press("q");
    CHECK(f.shows("Esc: back  l: log  y: YAML"));
    f.view.show(*object, "b01", {"kind: Job"});
    CHECK_FALSE(f.shows("kind: Job"));
    f.press("q");
    CHECK_FALSE(f.view.opened());
}

TEST_CASE("console: an empty list, and one whose jobs go") {
    fixture f;
    f.table.set_cluster(a_cluster("a"));
    CHECK(f.shows("No jobs."));
    f.press("jkG\r/x\r");
    CHECK(f.shows("No job fits the search."));
    f.press("\x1b");
    f.add_jobs(1);
    CHECK(f.selected() == "b01");
    f.press("j\r");
    CHECK(f.view.opened());
    f.table.remove(a_job("b01", job_state::failed));
    CHECK(f.shows("This job was deleted."));
    f.press("q");
    CHECK(f.shows("No jobs."));
}

TEST_CASE("console: what there is in sum, and the clusters in trouble") {
    fixture f;
    f.add_jobs(3);
    CHECK(f.shows("! 1 Failed  + 2 Running"));
    CHECK(f.shows("CLUSTER  "));
    CHECK(f.shows("3 jobs  q: quit  /: search  Enter: details"));
    f.rows = 12;
    f.table.set_cluster(a_cluster("b", "unreachable", "refused\x1b[2J"));
    CHECK(f.shows("2 clusters: 1 live, 1 unreachable"));
    f.rows = 60;
    for (int i = 0; i < 20; ++i) f.table.set_cluster(a_cluster("c" + std::to_string(i)));
    CHECK(f.shows("22 clusters: 21 live, 1 unreachable"));
    CHECK(f.shows("! b unreachable: refused\\x1b[2J"));
    CHECK(f.shows("! 1 of 22 clusters can't be read  ! 1 Failed  + 2 Running"));
    f.columns = 14;
    CHECK(f.picture()[1] == "! 1 of 22 clu…");
    f.table.set_cluster(a_cluster("b"));
    CHECK(f.picture()[1] == "! 1 Failed");
}

TEST_CASE("console: no jobs of clusters that can't be read, and no clusters, are no empty fleet") {
    fixture f;
    f.columns = 120;
    CHECK(f.shows("No jobs are known: no clusters: the directory /c (--clusters) has none."));
    for (const char* name : {"a", "b", "c"}) f.table.set_cluster(a_cluster(name, "unreachable", "refused"));
    CHECK(f.picture()[1] == "! 3 of 3 clusters can't be read");
    CHECK(f.shows("No jobs are known: 3 of 3 clusters can't be read."));
}

TEST_CASE("console: without keys nothing is selected, and the footer names none") {
    fixture f;
    f.add_jobs(3);
    f.keys = false;
    const auto lines = f.picture();
    CHECK(lines.back() == "3 jobs");
    CHECK(std::none_of(lines.begin(), lines.end(), [](const std::string& line) { return line.starts_with(">"); }));
}

TEST_CASE("console: a job has its reason, its pods and its events, and scrolls") {
    fixture f;
    f.add_jobs(1);
    f.rows = 10;
    for (int i = 0; i < 30; ++i) {
        pod_row pod;
        pod.name = "b01-" + std::to_string(i);
        pod.phase = "Running";
        f.known.evidence.pods.push_back(pod);
    }
    f.press("\r");
    CHECK(f.picture()[0] == "b01  ! Failed");
    CHECK(f.picture().back().starts_with("Esc: back  l: log  y: YAML  arrows, j, k: scroll  lines 1-9 of "));
    CHECK_FALSE(f.shows("b01-29"));
    f.press("j");
    CHECK(f.picture()[0].empty());
    f.press("G");
    CHECK(f.shows("b01-29"));
    f.press("jjjj\x1b[A");
    CHECK(f.shows("b01-28"));
    CHECK_FALSE(f.shows("b01-29"));
    f.press("g");
    CHECK(f.picture()[0] == "b01  ! Failed");
}

TEST_CASE("console: jobs that failed for one cause are one row, c and a search show each") {
    fixture f;
    f.add_jobs(1);
    for (const auto* name : {"x1", "x2", "x3"}) {
        auto job = a_job(name, job_state::failed, "1", 30);
        job.view.failure = job_failure{"gpu-3", 1, "XID 79", {}};
        f.table.add(job);
    }
    CHECK(f.shows("x1 and 2 more"));
    CHECK_FALSE(f.shows("x2"));
    CHECK(f.shows("2 jobs"));
    f.press("jk\r");
    REQUIRE(f.view.opened());
    CHECK(f.view.opened()->name == "x1");
    f.press("q");
    f.press("/x2\r");
    CHECK(f.shows("x2"));
    f.press("\x1b");
    CHECK_FALSE(f.shows("x2"));
    f.press("c");
    CHECK(f.shows("x2"));
    CHECK_FALSE(f.shows("more"));
    f.press("c");
    CHECK(f.shows("x1 and 2 more"));
}
