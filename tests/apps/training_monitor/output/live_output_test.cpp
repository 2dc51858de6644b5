#include "output/live_output.hpp"

#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

using namespace training_monitor;
namespace testing = kcontrol::testing;

namespace {

class fake_screen final : public screen {
public:
    bool is_terminal() const override { return terminal; }
    std::size_t columns() const override { return size.first; }
    std::size_t rows() const override { return size.second; }
    void write(const std::string& text) override { written += text, ++writes; }
    std::string take() { return std::exchange(written, {}); }

    bool terminal = false;
    std::pair<std::size_t, std::size_t> size{100, 20};
    std::string written;
    int writes = 0;
};

observed_job job(job_state state, std::string version) {
    observed_job out;
    out.view.cluster = "a";
    out.view.namespace_ = "ml";
    out.view.uid = out.view.name = "bert";
    out.view.kind = "Job";
    out.view.api_version = "batch/v1";
    out.view.state = state;
    out.resource_version = std::move(version);
    return out;
}

struct fixture {
    testing::manual_environment env;
    boost::asio::io_context context;
    job_table table;
    fake_screen out;
};

// What a terminal was told, as words.
class fake_terminal final : public terminal {
public:
    explicit fake_terminal(std::string& told, const bool& foreground) : told_(told), foreground_(foreground) {}
    bool has_keys() const override { return true; }
    bool has_foreground() const override { return foreground_; }
    void take() override { told_ += "take "; }
    void give_back() override { told_ += "give-back "; }

private:
    std::string& told_;
    const bool& foreground_;
};

// A monitor's output on a terminal somebody sits at.
struct seated : fixture {
    seated() {
        out.terminal = true;
        output.attach(std::make_unique<fake_terminal>(told, foreground));
        output.on_quit([this] { stop.request_stop(); });
        output.on_look([this](const job_ref& of) {
            looked_at = of.name;
            return known_of_job{};
        });
    }
    ~seated() {
        stop.request_stop();
        env.run_ready(context);
    }
    void start() {
        testing::start(context, output.run(stop.get_token()));
        env.run_ready(context);
    }
    // The picture that these keys bring at once.
    std::string press(std::string_view bytes) {
        out.take();
        calls.bytes(bytes);
        env.run_ready(context);
        return out.take();
    }

    std::string told, looked_at;
    bool foreground = true;
    std::stop_source stop;
    live_output output{env, table, output_format::table, out};
    terminal_calls calls = output.calls();
};

}  // namespace

TEST_CASE("lines: one for each change; of clusters only what people want to know") {
    fixture f;
    live_output output(f.env, f.table, output_format::table, f.out);
    CHECK_FALSE(output.draws());
    cluster_view cluster;
    cluster.name = "a";
    cluster.state = "live";
    output.take(f.table.set_cluster(cluster));
    output.take(f.table.add(job(job_state::pending, "1")));
    output.take(f.table.update(job(job_state::running, "2")));
    cluster.kinds.push_back({"Job", "batch/v1", "live", "", 1, 1, 1, ""});
    output.take(f.table.set_cluster(cluster));
    output.caption("gamma joins");
    const auto lines = f.out.take();
    CHECK(std::count(lines.begin(), lines.end(), '\n') == 4);
    CHECK(lines.find("a ml/bert Job Pending -> Running\n") != std::string::npos);
    CHECK(lines.ends_with("-- gamma joins\n"));
    testing::run(f.context, output.run({}));  // nothing to draw: it returns
    CHECK(f.out.written.empty());
}

TEST_CASE("json lines, and none") {
    fixture f;
    live_output json(f.env, f.table, output_format::json, f.out);
    json.take(f.table.add(job(job_state::pending, "1")));
    json.caption("not JSON");
    CHECK(f.out.take().starts_with(R"({"id":1,"event":"job","data":{)"));
    json.print_snapshot();
    CHECK(f.out.take().starts_with(R"({"clusters":[],"jobs":[{)"));
    live_output none(f.env, f.table, output_format::none, f.out);
    none.take(f.table.update(job(job_state::running, "2")));
    none.print_snapshot();
    CHECK(f.out.written.empty());
}

TEST_CASE("a terminal's table is redrawn when something changed, four times a second at most, and once a second") {
    fixture f;
    f.out.terminal = true;
    live_output output(f.env, f.table, output_format::table, f.out);
    output.headline("Training jobs");
    std::stop_source stop;
    testing::start(f.context, output.run(stop.get_token()));
    f.env.run_ready(f.context);
    const auto first = f.out.take();
    CHECK(first.starts_with(std::string(enter_screen) + "\x1b[H"));
    CHECK(first.find("Training jobs\x1b[0m\x1b[K\r\n") != std::string::npos);
    f.out.writes = 0;
    for (int i = 1; i <= 50; ++i) {
        output.take(f.table.update(job(i % 2 == 0 ? job_state::running : job_state::pending, std::to_string(i))));
        f.env.advance(std::chrono::milliseconds(20), f.context);
    }
    CHECK(f.out.writes >= 3);
    CHECK(f.out.writes <= 5);
    CHECK(f.out.take().find("bert") != std::string::npos);
    f.env.advance(std::chrono::seconds(10), f.context);
    CHECK(f.out.writes >= 10);
    CHECK(f.out.writes <= 15);
    f.out.take();
    stop.request_stop();
    f.env.run_ready(f.context);
    CHECK(f.out.take() == leave_screen);
}

TEST_CASE("a terminal: NO_COLOR takes the colors, TERM=dumb the redrawing as well") {
    fixture f;
    f.out.terminal = true;
    static_cast<void>(f.table.add(job(job_state::running, "1")));
    live_output output(f.env, f.table, output_format::table, f.out);
    output.print_snapshot();
    CHECK(f.out.take().find("\x1b[32m") != std::string::npos);
    f.env.variables["NO_COLOR"] = "1";
    output.print_snapshot();
    CHECK(f.out.take().find('\x1b') == std::string::npos);
    CHECK(output.draws());
    f.env.variables = {{"TERM", "dumb"}};
    CHECK_FALSE(output.draws());
    output.print_snapshot();
    CHECK(f.out.take().find('\x1b') == std::string::npos);
}

TEST_CASE("a terminal with keys: each is answered at once; an escape, when nothing follows it") {
    seated f;
    static_cast<void>(f.table.add(job(job_state::failed, "1")));
    f.start();
    CHECK(f.told == "take ");
    CHECK(f.press("\r").find("Esc: back") != std::string::npos);
    CHECK(f.looked_at == "bert");
    CHECK(f.press("\x1b").empty());
    f.env.advance(std::chrono::milliseconds(60), f.context);
    CHECK(f.out.take().find("q: quit") != std::string::npos);
    CHECK(f.press("\x0c").starts_with("\x1b[2J"));
    CHECK(f.press("/nothing").find("No job fits") != std::string::npos);
    CHECK(f.press("\x15\r\x1b[A").find("bert") != std::string::npos);
    CHECK(f.press("q") == leave_screen);
    CHECK(f.stop.stop_requested());
    CHECK(f.told == "take give-back ");
}

TEST_CASE("a terminal is given back while the program is stopped, and taken again when it has the foreground") {
    seated f;
    f.foreground = false;
    f.start();
    CHECK(f.out.written.empty());
    f.foreground = true;
    f.calls.redraw();
    f.env.run_ready(f.context);
    CHECK(f.out.take().starts_with(enter_screen));
    f.calls.leave();
    CHECK(f.out.take() == leave_screen);
    CHECK(f.told == "take give-back ");
    f.foreground = false;
    f.env.advance(std::chrono::seconds(5), f.context);
    CHECK(f.out.written.empty());
    f.foreground = true;
    f.env.advance(std::chrono::seconds(2), f.context);  // fg: some shells send no SIGCONT to what runs
    CHECK(f.out.take().starts_with(enter_screen));
    f.calls.hung_up();
    f.env.run_ready(f.context);
    CHECK(f.told == "take give-back take give-back ");
}

TEST_CASE("a terminal of five rows and ten columns gets no more than those") {
    seated f;
    f.out.size = {10, 5};
    static_cast<void>(f.table.add(job(job_state::failed, "1")));
    f.start();
    const auto picture = f.out.take();
    CHECK(std::count(picture.begin(), picture.end(), '\n') == 4);
}
