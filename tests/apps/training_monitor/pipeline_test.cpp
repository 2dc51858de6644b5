#include <kcontrol/testing/manual_environment.hpp>
// One change on its way: history says what it meant, and every consumer gets it.
#include "notices/center.hpp"
#include "notices/support.hpp"
#include "output/live_output.hpp"
#include "pipeline.hpp"
#include "table/job_table.hpp"
#include "web/event_hub.hpp"
#include "web/job_metrics.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;

namespace {

class kept_lines final : public screen {
public:
    bool is_terminal() const override { return false; }
    std::size_t columns() const override { return 100; }
    std::size_t rows() const override { return 20; }
    void write(const std::string& text) override { written += text; }
    std::string written;
};

notices::notice_config everything_to_one() {
    notices::notice_config out;
    out.receivers.emplace_back().name = "audit";
    out.rules.emplace_back().receivers = {0};
    return out;
}

observed_job seen(job_state state, std::string version) {
    observed_job out;
    out.view = notices::tests::job("bert", state);
    out.resource_version = std::move(version);
    return out;
}

// The program between the table and its consumers.
struct fixture {
    kcontrol::testing::manual_environment env;
    boost::asio::io_context context;
    job_table table;
    history past;
    event_hub stream{env, table};
    job_metrics metrics;
    kept_lines out;
    live_output output{env, table, output_format::table, out};
    notices::center center{env, context.get_executor(), everything_to_one(), past, {}, {}};
    std::string logged;
    kcontrol::logger log{
        kcontrol::log_sink([this](const kcontrol::log_record& r) { logged.append(r.message) += '\n'; })};
    pipeline changes{env, past, change_consumers{stream, metrics, output, &center, nullptr}, log};

    std::size_t pending() const { return center.deliveries().receivers().at(0)->queue.size(); }
};

}  // namespace

TEST_CASE("pipeline: a job that turns is remembered, counted, printed, and people are notified") {
    fixture f;
    f.changes.publish(f.table.add(seen(job_state::pending, "1")));
    f.changes.publish(f.table.update(seen(job_state::running, "2")));
    CHECK(f.past.size() == 1);
    CHECK(f.metrics.size() == 1);
    CHECK(f.out.written.find("bert PyTorchJob Pending -> Running") != std::string::npos);
    CHECK(f.pending() == 2);
    CHECK(f.logged.empty());
}

TEST_CASE("pipeline: a failure is one line of the log, once, and not one that was there before") {
    fixture f;
    f.changes.publish(f.table.add(seen(job_state::failed, "1"), true));
    CHECK(f.logged.empty());
    f.changes.publish(f.table.update(seen(job_state::running, "2")));
    f.changes.publish(f.table.update(seen(job_state::failed, "3")));
    auto again = seen(job_state::failed, "4");
    again.view.gpus += 1;
    f.changes.publish(f.table.update(std::move(again)));
    CHECK(f.logged == "the job failed\n");
}

TEST_CASE("pipeline: what was there when its cluster was first listed is no news to people") {
    fixture f;
    f.changes.publish(f.table.add(seen(job_state::running, "1"), true));
    CHECK(f.metrics.size() == 1);
    CHECK(f.pending() == 0);
}

TEST_CASE("pipeline: what happened while nobody looked is logged, and people are notified") {
    fixture f;
    f.changes.publish(f.table.add(seen(job_state::running, "1"), true));
    f.changes.publish(f.table.remove_cluster("prod-1"));
    f.changes.publish(f.table.add(seen(job_state::failed, "9"), true));
    CHECK(f.logged == "the job finished while nobody looked\n");
    CHECK(f.pending() == 1);
}
