#include "web/event_hub.hpp"

#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/fake_responder.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace training_monitor;
using kcontrol::test::fake_responder;
namespace testing = kcontrol::testing;

namespace {

observed_job job(std::string name, job_state state, std::string version) {
    observed_job out;
    out.view.cluster = "a";
    out.view.namespace_ = "ml";
    out.view.uid = out.view.name = std::move(name);
    out.view.kind = "Job";
    out.view.api_version = "batch/v1";
    out.view.state = state;
    out.resource_version = std::move(version);
    return out;
}

cluster_view cluster(std::string name) {
    cluster_view out;
    out.name = std::move(name);
    out.state = "live";
    return out;
}

// "id name" of each event, comments as they are.
std::string outline(const std::string& stream) {
    std::string out, id;
    std::size_t at = 0;
    while (at < stream.size()) {
        const auto end = stream.find('\n', at);
        const std::string line = stream.substr(at, end - at);
        at = end + 1;
        if (line.starts_with("id: ")) id = line.substr(4);
        if (line.starts_with("event: ")) out += (out.empty() ? "" : " ") + id + ":" + line.substr(7);
        if (line.starts_with(":")) out += (out.empty() ? "" : " ") + line;
    }
    return out;
}

struct fixture {
    testing::manual_environment env;
    boost::asio::io_context context;
    job_table table;
    kcontrol::http::event_stream_options options;
    event_hub hub{env, table, options};
    fake_responder client{env};

    explicit fixture(kcontrol::http::event_stream_options o = {}) : options(o) {}
    ~fixture() {
        client.go_away();
        env.run_ready(context);
    }
    void connect(fake_responder& to) {
        testing::start(context, hub.serve(to, kcontrol::http::response_head(200)));
        env.run_ready(context);
    }
    void publish(const std::vector<change>& changes) {
        hub.publish(changes);
        env.run_ready(context);
    }
};

}  // namespace

TEST_CASE("a client gets the present state, ready, then changes, with increasing ids") {
    fixture f;
    f.table.set_cluster(cluster("a"));                       // 1
    f.table.add(job("one", job_state::running, "1"), true);  // 2
    f.table.add(job("two", job_state::created, "1"), true);  // 3
    f.connect(f.client);
    CHECK(f.client.head.status == 200);
    CHECK(outline(f.client.take()) == "4:cluster 5:job 6:job 7:ready");
    f.publish(f.table.update(job("two", job_state::running, "2")));
    const auto changed = f.client.take();
    CHECK(outline(changed) == "8:job");
    CHECK(changed.find(R"("state":"Running","previousState":"Created")") != std::string::npos);
    f.publish(f.table.remove(job("two", job_state::running, "2")));
    f.publish(f.table.remove_cluster("a"));
    CHECK(outline(f.client.take()) == "9:job-removed 10:job-removed 11:cluster-removed");
    CHECK(f.hub.clients() == 1);
}

TEST_CASE("what changes while the present state is being sent follows after ready, once") {
    fixture f(kcontrol::http::event_stream_options().piece_bytes(1));
    f.table.add(job("one", job_state::running, "1"), true);
    f.client.stalled = true;
    f.connect(f.client);
    f.publish(f.table.update(job("one", job_state::succeeded, "2")));
    CHECK(f.client.body.empty());
    f.client.stalled = false;
    f.client.resume.notify_all();
    f.env.run_ready(f.context);
    const auto stream = f.client.take();
    CHECK(outline(stream) == "2:job 3:ready 4:job");
    CHECK(stream.find(R"("state":"Running")") < stream.find("ready"));
    CHECK(stream.find(R"("state":"Succeeded")") > stream.find("ready"));
}

TEST_CASE("silence is broken by a comment") {
    fixture f(kcontrol::http::event_stream_options().heartbeat(std::chrono::seconds(10)));
    f.connect(f.client);
    f.client.take();
    f.env.advance(std::chrono::seconds(9), f.context);
    CHECK(f.client.body.empty());
    f.env.advance(std::chrono::seconds(2), f.context);
    CHECK(outline(f.client.take()) == ": still here");
}

TEST_CASE("a client that does not keep up is cut off and costs the others nothing") {
    fixture f(kcontrol::http::event_stream_options().max_queued_bytes(2000));
    fake_responder quick(f.env);
    f.connect(f.client);
    f.connect(quick);
    quick.take();
    f.client.take();
    f.client.stalled = true;
    for (int i = 0; i < 20; ++i) f.publish(f.table.add(job(std::to_string(i), job_state::running, "1")));
    CHECK(f.hub.clients() == 2);
    f.client.stalled = false;
    f.client.resume.notify_all();
    f.env.run_ready(f.context);
    CHECK(f.hub.clients() == 1);
    CHECK(f.hub.stream().disconnected_slow() == 1);
    const auto last = f.client.take();
    CHECK(last.ends_with(": too slow; reconnect for the present state\n\n"));
    const auto all = outline(quick.take());
    CHECK(std::count(all.begin(), all.end(), ':') == 20);

    f.connect(f.client);  // it comes back
    const auto present = outline(f.client.take());
    CHECK(present.ends_with("ready"));
    CHECK(std::count(present.begin(), present.end(), ':') == 21);
    quick.go_away();
    f.env.run_ready(f.context);
}

TEST_CASE("a client that goes is forgotten") {
    fixture f;
    f.connect(f.client);
    CHECK(f.hub.clients() == 1);
    f.client.go_away();
    f.env.run_ready(f.context);
    CHECK(f.hub.clients() == 0);
}
