// What /metrics says: right by a strict reading of the format, and by a count over the jobs themselves.
#include <kcontrol/metrics/exposition.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include "table/job_table.hpp"
#include "web/job_metrics.hpp"
#include "web/metrics_text.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>

using namespace training_monitor;
using kcontrol::exposition;

namespace {

// Reads the text as Prometheus' own parser does, and as promtool check metrics wants it: one HELP and one TYPE before a
// family's samples, no family twice, counters that end in _total, histograms whose buckets add up, no series twice.
class strict_reader {
public:
    explicit strict_reader(std::string_view text) {
        REQUIRE(text.ends_with('\n'));
        while (!text.empty()) {
            line(text.substr(0, text.find('\n')));
            text.remove_prefix(text.find('\n') + 1);
        }
        finish_family();
    }
    std::map<std::string, double> series;

private:
    static bool is_name(std::string_view name) {
        return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
               name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:") ==
                   std::string_view::npos;
    }
    static bool take(std::string_view& from, std::string_view what) {
        if (!from.starts_with(what)) return false;
        from.remove_prefix(what.size());
        return true;
    }
    void line(std::string_view text) {
        CAPTURE(std::string(text));
        if (take(text, "# HELP ")) {
            finish_family();
            family_ = text.substr(0, text.find(' '));
            CHECK(is_name(family_));
            CHECK(families_.insert(family_).second);
            CHECK(text.size() > family_.size() + 1);
            type_.clear();
        } else if (take(text, "# TYPE ")) {
            REQUIRE(take(text, family_ + " "));
            type_ = text;
            CHECK((type_ == "counter" || type_ == "gauge" || type_ == "histogram"));
            CHECK((type_ == "counter") == family_.ends_with("_total"));
        } else {
            sample(text);
        }
    }
    void sample(std::string_view text) {
        REQUIRE_FALSE(type_.empty());
        const std::string name(text.substr(0, text.find_first_of("{ ")));
        const std::string suffix = name.substr(std::min(family_.size(), name.size()));
        REQUIRE(name.starts_with(family_));
        if (type_ == "histogram") {
            CHECK((suffix == "_bucket" || suffix == "_sum" || suffix == "_count"));
        } else {
            CHECK(suffix.empty());
        }
        std::string_view rest = text.substr(name.size());
        std::string labels, bound;
        std::set<std::string> names;
        if (take(rest, "{")) {
            do {
                const std::string label(rest.substr(0, rest.find('=')));
                CHECK(is_name(label));
                CHECK(names.insert(label).second);
                rest.remove_prefix(label.size());
                REQUIRE(take(rest, "=\""));
                std::string value;
                while (!rest.empty() && rest[0] != '"') {
                    if (rest[0] == '\\') {
                        value += rest[0];
                        rest.remove_prefix(1);
                        REQUIRE((rest.starts_with('\\') || rest.starts_with('"') || rest.starts_with('n')));
                    }
                    value += rest[0];
                    rest.remove_prefix(1);
                }
                REQUIRE(take(rest, "\""));
                if (label == "le") {
                    bound = value;
                } else {
                    labels += label + "=" + value + ";";
                }
            } while (take(rest, ","));
            REQUIRE(take(rest, "}"));
        }
        REQUIRE(take(rest, " "));
        std::size_t used = 0;
        const double value = std::stod(std::string(rest), &used);
        CHECK(used == rest.size());
        CHECK(series.emplace(std::string(text.substr(0, text.size() - rest.size() - 1)), value).second);
        if (suffix == "_bucket" && type_ == "histogram") buckets_[labels].emplace_back(bound, value);
        if (suffix == "_count" && type_ == "histogram") counts_[labels] = value;
    }
    void finish_family() {
        CHECK(counts_.size() == buckets_.size());
        for (const auto& [labels, buckets] : buckets_) {
            REQUIRE(buckets.back().first == "+Inf");
            CHECK(buckets.back().second == counts_[labels]);
            for (std::size_t i = 1; i < buckets.size(); ++i) {
                CHECK(buckets[i - 1].second <= buckets[i].second);
                if (i + 1 < buckets.size()) CHECK(std::stod(buckets[i - 1].first) < std::stod(buckets[i].first));
            }
        }
        buckets_.clear();
        counts_.clear();
    }

    std::string family_, type_;
    std::set<std::string> families_;
    std::map<std::string, std::vector<std::pair<std::string, double>>> buckets_;
    std::map<std::string, double> counts_;
};

observed_job seen(std::string name, job_state state, std::string version, std::string name_space = "ml",
                  std::int64_t gpus = 8) {
    observed_job out;
    out.view.cluster = "a";
    out.view.namespace_ = std::move(name_space);
    out.view.uid = out.view.name = std::move(name);
    out.view.kind = "Job";
    out.view.api_version = "batch/v1";
    out.view.state = state;
    out.view.gpus = gpus;
    out.resource_version = std::move(version);
    return out;
}

struct fixture {
    void take(const std::vector<change>& changes) { numbers.take(changes, env.now()); }
    std::map<std::string, double> read() {
        return strict_reader(metrics_text(table, hub) + job_metrics_text(numbers)).series;
    }

    kcontrol::testing::manual_environment env;
    boost::asio::io_context context;
    job_table table;
    event_hub hub{env, table};
    job_metrics numbers;
};

}  // namespace

TEST_CASE("jobs, GPUs, transitions and the time in a state") {
    fixture f;
    f.take(f.table.add(seen("old", job_state::running, "1"), true));
    f.take(f.table.add(seen("bert", job_state::pending, "1")));
    f.env.advance(std::chrono::seconds(30), f.context);
    f.take(f.table.update(seen("bert", job_state::running, "2")));
    f.take(f.table.update(seen("old", job_state::failed, "2")));
    auto got = f.read();
    const std::string ml = "cluster=\"a\",namespace=\"ml\",kind=\"Job\"";
    CHECK(got["training_jobs{" + ml + ",state=\"Running\"}"] == 1);
    CHECK(got["training_jobs{" + ml + ",state=\"Failed\"}"] == 1);
    CHECK(got.count("training_jobs{" + ml + ",state=\"Pending\"}") == 0);
    CHECK(got["training_gpus_requested{" + ml + "}"] == 8);
    CHECK(got["training_gpus_running{" + ml + "}"] == 8);
    CHECK(got["training_job_transitions_total{cluster=\"a\",kind=\"Job\",state=\"Running\"}"] == 1);
    CHECK(got["training_job_transitions_total{cluster=\"a\",kind=\"Job\",state=\"Pending\"}"] == 1);
    CHECK(got.count("training_job_transitions_total{cluster=\"a\",kind=\"Job\",state=\"Succeeded\"}") == 1);
    CHECK(got["training_job_state_duration_seconds_sum{state=\"Pending\"}"] == 30);
    CHECK(got["training_job_state_duration_seconds_bucket{state=\"Pending\",le=\"60\"}"] == 1);
    CHECK(got["training_job_state_duration_seconds_bucket{state=\"Pending\",le=\"10\"}"] == 0);
    CHECK(got["training_job_state_duration_seconds_count{state=\"Running\"}"] == 0);  // nobody saw it begin
    CHECK(got["training_monitor_build_info{version=\"0.1.0\"}"] == 1);
    f.take(f.table.remove(seen("bert", job_state::running, "3")));
    f.take(f.table.remove(seen("old", job_state::failed, "3")));
    got = f.read();
    CHECK(got.count("training_jobs{" + ml + ",state=\"Running\"}") == 0);
    CHECK(f.numbers.size() == 0);
    CHECK(f.numbers.groups().empty());
    CHECK(f.numbers.transitions().size() == job_metrics::states);
    change left;
    left.type = change_type::cluster_removed;
    auto view = std::make_shared<cluster_view>();
    view->name = "a";
    left.cluster = view;
    f.take({left});
    CHECK(f.numbers.transitions().empty());
}

TEST_CASE("after any sequence of changes the numbers are those of a count over the table") {
    fixture f;
    std::mt19937 random(7);
    for (int step = 0; step < 4000; ++step) {
        const auto name = "j" + std::to_string(random() % 60);
        const auto name_space = "ns" + std::to_string(random() % 3);
        const auto state = static_cast<job_state>(random() % job_state_names.size());
        auto job = seen(name, state, std::to_string(step), name_space, static_cast<std::int64_t>(random() % 9));
        switch (random() % 4) {
        case 0: f.take(f.table.remove(job)); break;
        case 1: f.take(f.table.add(job, random() % 2 == 0)); break;
        default: f.take(f.table.update(job)); break;
        }
        if (random() % 500 == 0) f.take(f.table.remove_cluster("a"));
    }
    std::map<std::string, double> expected;
    for (const auto& job : f.table.jobs()) {
        const std::string labels = "{cluster=\"a\",namespace=\"" + job->namespace_ + "\",kind=\"Job\"";
        ++expected["training_jobs" + labels + ",state=\"" + std::string(to_string(job->state)) + "\"}"];
        auto& requested = expected["training_gpus_requested" + labels + "}"];
        auto& running = expected["training_gpus_running" + labels + "}"];
        if (!is_final(job->state) && job->state != job_state::suspended) requested += static_cast<double>(job->gpus);
        if (job->state == job_state::running) running += static_cast<double>(job->gpus);
    }
    std::map<std::string, double> got;
    for (const auto& [name, value] : f.read()) {
        if (name.starts_with("training_jobs{") || name.starts_with("training_gpus_")) got.emplace(name, value);
    }
    CHECK(got == expected);
    CHECK(f.numbers.size() == f.table.size());
}

TEST_CASE("hostile names can't forge a line, and many of them don't make series without end") {
    fixture f;
    f.take(f.table.add(seen("j", job_state::running, "1", "x\"} 1\ntraining_jobs{\\")));
    const auto got = f.read();
    CHECK(got.count(
        "training_jobs{cluster=\"a\",namespace=\"x\\\"} 1\\ntraining_jobs{\\\\\",kind=\"Job\",state=\"Running\"}"));
    job_metrics bounded(10);
    job_table table;
    for (int i = 0; i < 1000; ++i) {
        bounded.take(table.add(seen("j", job_state::running, "1", "ns" + std::to_string(i))), {});
    }
    CHECK(bounded.groups().size() == 11);
    CHECK(bounded.groups().at({"a", "(other)", "Job"}).all == 990);
    bounded.take(table.remove_cluster("a"), {});
    CHECK(bounded.groups().empty());
}

TEST_CASE("a histogram and its text") {
    state_histogram h(state_bounds);
    h.observe(std::chrono::seconds(1));  // a bound belongs to its bucket
    h.observe(std::chrono::milliseconds(1001));
    h.observe(std::chrono::hours(10000));
    h.observe(std::chrono::seconds(-5));  // a clock that went back
    exposition out;
    out.family("x_seconds", "histogram", "X.");
    out.sample({}, h);
    const auto text = out.take();
    CHECK(text.starts_with("# HELP x_seconds X.\n# TYPE x_seconds histogram\nx_seconds_bucket{le=\"1\"} 2\n"));
    CHECK(text.find("x_seconds_bucket{le=\"10\"} 3\n") != std::string::npos);
    CHECK(text.find("x_seconds_bucket{le=\"604800\"} 3\nx_seconds_bucket{le=\"+Inf\"} 4\n") != std::string::npos);
    strict_reader checked(text);
    exposition empty;
    empty.family("nothing", "gauge", "No sample, no trace.");
    CHECK(empty.take().empty());
}
