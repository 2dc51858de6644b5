#include "leader/stage.hpp"

#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>

#include <algorithm>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;

const testing::group_resource leases("coordination.k8s.io", "leases");

std::size_t count_of(const std::vector<std::string>& lines, const std::string& beginning) {
    return static_cast<std::size_t>(
        std::count_if(lines.begin(), lines.end(), [&](const auto& one) { return one.starts_with(beginning); }));
}

}  // namespace

TEST_CASE("leader_elector: one leads, and all know who") {
    stage s(3);
    for (auto& one : s.processes) one->start();
    REQUIRE(s.until([&] { return s.leader() != nullptr; }, 5s));
    s.pass(60s);
    process& leader = *s.leader();
    for (auto& one : s.processes) {
        CHECK(one->elector->leader() == leader.name);
        CHECK(one->leading() == (one.get() == &leader));
        CHECK(one->elector->stats().leading == one->leading());
    }
    CHECK(leader.told == " leader:" + leader.name + " started");
    const auto lease = s.lease();
    CHECK(lease.spec.holder_identity == leader.name);
    CHECK(lease.spec.lease_duration_seconds == 15);
    CHECK(lease.spec.lease_transitions == 0);
    CHECK(s.world.env().wall_now() - lease.spec.renew_time.time() < 3s);
    CHECK(s.writes > 100);
    CHECK(s.most_open == 1);
    CHECK(count_of(leader.logged, "leading transitions=0") == 1);
    // Followers watch, and ask no more.
    const auto gets = s.server_api.request_log().count("get", "leases");
    s.pass(60s);
    CHECK(s.server_api.request_log().count("get", "leases") == gets);
    CHECK(s.server_api.request_log().open_watches() == 3);
}

TEST_CASE("leader_elector: after a release another one leads within a second, and not before the work has returned") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        stage s(2, seed);
        s[0].start();
        REQUIRE(s.until([&] { return s[0].leading(); }, 5s));
        s[1].start();
        s.pass(7s);
        bool stopped = false, well = false;
        asio::co_spawn(s[0].ex, s[0].elector->stop(), [&](std::exception_ptr, bool returned) {
            stopped = true;
            well = returned;
        });
        const auto asked = s.world.context().now();
        REQUIRE(s.until([&] { return s[1].leading(); }, 10s));
        CHECK(s.world.context().now() - asked < 1s);
        CHECK(s.until([&] { return stopped; }, 5s));
        CHECK(well);
        CHECK(s[0].told.ends_with("started returned stopped leader:"));
        CHECK(s[0].elector->fence().token() > 0);
        CHECK(s[1].elector->fence().token() > s[0].elector->fence().token());
        CHECK(s.lease().spec.lease_transitions == 1);
        CHECK(s.late.empty());
        CHECK(s.most_open == 1);
    }
}

TEST_CASE("leader_elector: a leader that is cut off stops by its deadline, another one leads, and it may lead again") {
    stage s(2);
    s[0].start();
    REQUIRE(s.until([&] { return s[0].leading(); }, 5s));
    s[1].start();
    s.pass(5s);
    s[0].link(testing::link_state::black_hole);
    s.world.network().freeze_connections(s[0].host);
    const auto cut = s.world.context().now();
    REQUIRE(s.until([&] { return !s[0].leading(); }, 20s));
    CHECK(s.world.context().now() - cut <= 10s);
    const auto writes = s.writes;
    CHECK_FALSE(s[1].leading());
    REQUIRE(s.until([&] { return s[1].leading(); }, 20s));
    CHECK(s.world.context().now() - cut <= 16s);
    CHECK(s[0].told.ends_with(" started stopped returned"));
    CHECK(s.writes >= writes);
    CHECK(count_of(s[0].logged, "no longer leading reason=it was not renewed in time") == 1);
    CHECK(count_of(s[0].logged, "the Lease can't be read or written") == 1);
    // Writes through the fence are refused at once, with the reason.
    bool done = false;
    error why;
    client fenced = *s[0].fenced;
    const auto attempt = [&]() -> awaitable<void> {
        const namespaced_name key("default", "written");
        const auto out = co_await fenced.delete_<api::core::v1::config_map>(key);
        if (!out) why = out.error();
        done = true;
    };
    asio::co_spawn(s[0].ex, attempt(), asio::detached);
    REQUIRE(s.until([&] { return done; }, 1s));
    CHECK(why == errc::not_leading);
    CHECK(why.message() == "lease default/l: it is not held by this process, which may not write");
    s[0].link(testing::link_state::up);
    s.pass(40s);
    CHECK(s[0].elector->leader() == "b");
    CHECK(count_of(s[0].logged, "the Lease can be read and written again") == 1);
    s[1].stop_process();
    REQUIRE(s.until([&] { return s[0].leading(); }, 20s));
    CHECK(s[0].elector->stats().terms == 2);
    s[1].resume();
    s.pass(10s);
    CHECK(s[1].told.ends_with("stopped returned leader:a"));
    CHECK(s.late.empty());
    CHECK(s.most_open == 1);
}

TEST_CASE("leader_elector: the fence counts suspension, which timers do not") {
    stage s(1);
    s[0].start();
    REQUIRE(s.until([&] { return s[0].leading(); }, 5s));
    s.pass(5s);
    s[0].stop_process();
    s.world.context().run_for(12s);
    s[0].env.slept += 12s;  // its timers have not moved
    CHECK_FALSE(s[0].leading());
    const auto left = s[0].elector->fence().remaining();
    REQUIRE_FALSE(left);
    CHECK(left.error() == errc::not_leading);
    CHECK(left.error().message() == "lease default/l: it was not renewed in time; writes are fenced by the deadline");
    const auto writes = s.writes;
    s[0].resume();
    CHECK(s.until([&] { return s[0].told.ends_with("returned"); }, 10s));
    CHECK(s.until([&] { return s[0].leading(); }, 10s));  // nobody else was there
    CHECK(s.writes - writes <= 1);
    CHECK(s.lease().spec.lease_transitions == 0);
}

TEST_CASE("leader_elector: a Lease that is deleted stays its holder's, whoever watches") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        stage s(3, seed);
        s[0].start();
        REQUIRE(s.until([&] { return s[0].leading(); }, 5s));
        s[1].start();
        s[2].start();
        s.pass(3s);
        (void)s.server_api.remove(leases, {"default", "l"}).value();
        s.pass(1min);
        CHECK(s[0].leading());
        CHECK(s[0].elector->stats().terms == 1);
        CHECK(s.lease().spec.holder_identity == "a");
        CHECK(s.most_open == 1);
    }
}

TEST_CASE("leader_elector: its civil time does not matter, neither its own nor others'") {
    stage s(2);
    s[0].env.wall_error = -26280h;
    s[1].env.wall_error = 26280h;
    s[0].start();
    REQUIRE(s.until([&] { return s[0].leading(); }, 5s));
    s[1].start();
    s.pass(60s);
    CHECK(s[0].leading());
    s[0].env.wall_error = 26280h;
    s.pass(60s);
    CHECK(s[0].leading());
    CHECK(s[0].elector->stats().terms == 1);
    CHECK(s.most_open == 1);
}

TEST_CASE("leader_elector: where it may not watch it asks, and says so once") {
    stage s(2);
    s.server_api.set_faults([](const http::server_request& r) {
        testing::fault f;
        if (r.target.find("watch=") != std::string::npos) f.status(403, "Forbidden", "no watching here");
        return f;
    });
    s[0].start();
    REQUIRE(s.until([&] { return s[0].leading(); }, 5s));
    s[1].start();
    s.pass(2min);
    CHECK(count_of(s[1].logged, "the Lease can't be watched: it is asked for every retry period reason=") == 1);
    const auto gets = s.server_api.request_log().count("get", "leases");
    s.pass(1min);
    const auto more = s.server_api.request_log().count("get", "leases") - gets;
    CHECK(more >= 60 / 5);
    CHECK(more <= 60 / 2);
    bool stopped = false;
    asio::co_spawn(s[0].ex, s[0].elector->stop(), [&](std::exception_ptr, bool) { stopped = true; });
    CHECK(s.until([&] { return s[1].leading(); }, 5s));  // a look, at most 2.2 retry periods away
    CHECK(s.until([&] { return stopped; }));
}

TEST_CASE("leader_elector: work that does not return keeps the Lease, and the next term waits for it") {
    stage s(2);
    s[0].linger = true;
    s[0].start();
    REQUIRE(s.until([&] { return s[0].leading(); }, 5s));
    s[1].start();
    s.pass(5s);
    bool stopped = false, well = true;
    asio::co_spawn(s[0].ex, s[0].elector->stop(5s), [&](std::exception_ptr, bool returned) {
        stopped = true;
        well = returned;
    });
    s.pass(4s);
    CHECK(s[0].leading());  // the work may go on as long as it is waited for
    REQUIRE(s.until([&] { return stopped; }, 10s));
    CHECK_FALSE(well);
    CHECK_FALSE(s[0].leading());
    CHECK(s.lease().spec.holder_identity == "a");
    REQUIRE(s.until([&] { return s[1].leading(); }, 20s));
    s[0].start();
    s[1].stop_process();
    s.pass(60s);
    CHECK_FALSE(s[0].leading());  // its first work still runs
    s[0].linger = false;
    CHECK(s.until([&] { return s[0].leading(); }, 20s));
    CHECK(s.late.empty());
    CHECK(s.most_open == 1);
}

TEST_CASE("leader_elector: work may stop its elector, which does not wait for it") {
    stage s(2);
    bool returned = false;
    s[0].work = [&](std::stop_token) -> awaitable<void> { returned = co_await s[0].elector->stop(); };
    s[0].start();
    REQUIRE(s.until([&] { return returned; }, 20s));
    CHECK(s.lease().spec.holder_identity == "");
    s[1].start();
    CHECK(s.until([&] { return s[1].leading(); }, 5s));
}

TEST_CASE("leader_elector: callbacks may throw") {
    stage s(1);
    s[0].work = [](std::stop_token) -> awaitable<void> {
        throw 7;
        co_return;
    };
    s[0].start();
    REQUIRE(s.until([&] { return s[0].leading(); }, 5s));
    s.pass(1min);
    CHECK(s[0].leading());  // as with client-go, work that ends does not end leadership
    CHECK(s[0].elector->stats().callbacks_thrown == 1);
}

TEST_CASE("leader_elector: another client, as after a rotation, and leadership stays") {
    stage s(1);
    s[0].start();
    REQUIRE(s.until([&] { return s[0].leading(); }, 5s));
    auth::cluster_config config;
    config.server(http::endpoint("https", "server", 443));
    s[0].elector->rebuild(client::connect(s[0].env, s[0].ex, config, s.world.network().factory()).value());
    s[0].link(testing::link_state::refused);
    s.pass(1min);
    CHECK(s[0].leading());
    CHECK(s[0].elector->stats().terms == 1);
    CHECK(s.server_api.request_log().open_watches() == 1);
}

TEST_CASE("leader_elector: what is destroyed calls nothing, leads no more, and gives the Lease up") {
    stage s(1);
    s[0].start();
    REQUIRE(s.until([&] { return s[0].leading(); }, 5s));
    const leader_fence fence = s[0].elector->fence();
    CHECK(fence.open());
    s.pass(1s);
    const std::string told = s[0].told;
    s[0].elector.reset();
    CHECK_FALSE(fence.open());
    s.world.run_for(20s);
    CHECK(s[0].told == told + " returned");  // the work, which was told by its token
    CHECK(s.lease().spec.holder_identity == "");
}

TEST_CASE("leader_elector: destroyed as soon as it leads, it does not begin its work") {
    stage s(1);
    s[0].start();
    REQUIRE(s.until([&] { return s[0].leading(); }, 5s));
    CHECK(s[0].told == " leader:a");
    s[0].elector.reset();
    s.world.run_for(20s);
    CHECK(s[0].told == " leader:a");
    CHECK(s.lease().spec.holder_identity == "");
}

TEST_CASE("leader_elector: a Lease that can't be read is left alone, and told once") {
    stage s(1);
    s.server_api.set_faults([](const http::server_request& r) {
        testing::fault f;
        if (r.method == "GET" && r.target.find("/leases/") != std::string::npos) {
            f.answer(http::response(200, "application/json",
                                    R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"l",)"
                                    R"("namespace":"default"},"spec":{"renewTime":"yesterday"}})"));
        }
        return f;
    });
    s[0].start();
    s.pass(2min);
    CHECK_FALSE(s[0].leading());
    CHECK(count_of(s[0].logged, "the Lease can't be read or written reason=") == 1);
    CHECK(s.server_api.request_log().count("create", "leases") == 0);
}

TEST_CASE("leader_options: what client-go refuses is refused") {
    const auto told = [](duration lease, duration renew, duration retry) {
        leader_options o({"default", "l"});
        const auto ok = o.lease_duration(lease).renew_deadline(renew).retry_period(retry).validate();
        return ok ? std::string("ok") : ok.error().message();
    };
    CHECK(told(15s, 10s, 2s) == "ok");
    CHECK(told(10s, 10s, 2s) ==
          "lease default/l: lease_duration is 10 s; it must be longer than renew_deadline, which is 10 s");
    CHECK(told(15s, 2400ms, 2s) ==
          "lease default/l: renew_deadline is 2.4 s; it must be longer than 1.2 times retry_period, which is 2 s");
    CHECK(told(15s, 2401ms, 2s) == "ok");
    CHECK(told(15s, 10s, 0s) == "lease default/l: retry_period must be longer than zero");
    CHECK(told(2500ms, 2s, 1s) ==
          "lease default/l: lease_duration is 2.5 s; a Lease holds whole seconds, a year at most");
    CHECK(leader_options({"default", ""}).validate().error().message() == "lease default/: it has no name");
    stage s(1);
    leader_elector wrong(s[0].env, s[0].ex, s[0].direct, leader_options({"default", "l"}).renew_deadline(15s));
    CHECK(wrong.start().error() == errc::invalid_argument);
}

TEST_CASE("leader_elector: who it is and where its Lease lives, if nobody says so") {
    stage s(1);
    leader_elector homeless(s[0].env, s[0].ex, s[0].direct, leader_options({"", "l"}));
    CHECK(homeless.start().error().message() ==
          "lease l: it has no namespace, and this is no pod, whose own it would be: name one");
    s.world.env().write_file("/var/run/secrets/kubernetes.io/serviceaccount/namespace", "team");
    s.world.env().write_file("/proc/sys/kernel/hostname", "node7\n");
    leader_elector one(s[0].env, s[0].ex, s[0].direct, leader_options({"", "l"}));
    leader_elector two(s[0].env, s[0].ex, s[0].direct, leader_options({"", "l"}));
    CHECK(one.options().lease().namespace_ == "team");
    CHECK(one.identity().starts_with("node7_"));
    CHECK(one.identity().size() == 6 + 36);
    CHECK(one.identity() != two.identity());
    s.world.env().set_variable("HOSTNAME", "web-0");
    leader_elector three(s[0].env, s[0].ex, s[0].direct, leader_options({"", "l"}));
    CHECK(three.identity().starts_with("web-0_"));
}

TEST_CASE("leader_elector: metrics by client-go's names") {
    struct writer final : metrics_writer {
        void counter(const std::string& n, const std::string&, const metric_labels& l, double v) override {
            text += n + "{name=" + l.at("name") + "} " + std::to_string(static_cast<int>(v)) + "\n";
        }
        void gauge(const std::string& n, const std::string& h, const metric_labels& l, double v) override {
            counter(n, h, l, v);
        }
        void histogram(const std::string&, const std::string&, const metric_labels&, const std::vector<double>&,
                       const std::vector<std::uint64_t>&, double) override {}
        std::string text;
    };
    const auto text_of = [](const leader_elector& e) {
        writer w;
        write_leader_metrics(w, e);
        return w.text;
    };
    stage s(1);
    CHECK(text_of(*s[0].elector) ==
          "leader_election_master_status{name=l} 0\nleader_election_slowpath_total{name=l} 0\n");
    s[0].start();
    REQUIRE(s.until([&] { return s[0].leading(); }, 5s));
    // Somebody writes a label, so that the next renewal meets a conflict.
    (void)s.server_api.patch(leases, {"default", "l"}, {{"metadata", {{"labels", {{"a", "b"}}}}}}).value();
    s.pass(5s);
    CHECK(text_of(*s[0].elector) ==
          "leader_election_master_status{name=l} 1\nleader_election_slowpath_total{name=l} 1\n");
    CHECK(s.lease().metadata.labels.size() == 1);
}
