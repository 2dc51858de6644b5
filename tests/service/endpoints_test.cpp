#include <kcontrol/testing/temporary_directory.hpp>

#include "service/stage.hpp"
#include "support/has.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using service::freshness;

}  // namespace

TEST_CASE("endpoints: what changes is notified once, with what was added and removed") {
    service_stage s;
    s.put_slice("a", {{"10.0.0.1", "p1"}, {"10.0.0.2", "p2"}});
    followed_endpoints f(s);
    CHECK(f.of.snapshot()->version == 0);
    CHECK(f.of.state() == freshness::stale);
    CHECK(f.of.age() == duration::max());
    REQUIRE(f.begin("10.0.0.1:8080 10.0.0.2:8080"));
    CHECK(f.of.snapshot()->version == 1);
    CHECK(f.of.snapshot()->endpoints[0].pod == "p1");
    CHECK_FALSE(f.of.problem());
    auto reader = f.of.reader();
    CHECK(reader.read() == f.of.snapshot());

    f.told.clear();
    s.put_slice("a", {{"10.0.0.1", "p1", "st"}, {"10.0.0.2", "p2"}});
    REQUIRE(f.until("10.0.0.1:8080(terminating) 10.0.0.2:8080"));
    s.put_slice("b", {"10.0.0.3"});
    REQUIRE(f.until("10.0.0.1:8080(terminating) 10.0.0.2:8080 10.0.0.3:8080"));
    s.remove_slice("b");
    REQUIRE(f.until("10.0.0.1:8080(terminating) 10.0.0.2:8080"));
    s.world.run_for(1s);
    CHECK(reader.read()->version == f.of.snapshot()->version);
    REQUIRE(f.told.size() >= 2);
    CHECK(f.told.front() == "v2 -10.0.0.1 +10.0.0.1 live");
    CHECK(f.told.back() == "v" + std::to_string(f.of.snapshot()->version) + " -10.0.0.3 live");
    // Nothing is notified where nothing differs.
    const auto count = f.told.size();
    auto labelled = slice_json("a", {{"10.0.0.1", "p1", "st"}, {"10.0.0.2", "p2"}});
    labelled.at("metadata").at("labels").as_object()["x"] = "y";
    s.put(labelled, s.slices);
    s.world.run_for(5min);
    CHECK(f.told.size() == count);
    CHECK(f.of.state() == freshness::live);
}

TEST_CASE("endpoints: waits") {
    service_stage s;
    followed_endpoints f(s);
    CHECK(s.world.run(f.of.wait(0)).error() == errc::unavailable);  // not started
    (void)f.of.start().value();
    const auto first = s.world.run(f.of.wait(0));
    REQUIRE(first);
    CHECK((*first)->version == 1);
    CHECK((*first)->endpoints.empty());
    REQUIRE(s.world.run(f.of.wait_live()));
    const auto late = s.world.run(f.of.wait(1, {}, s.world.env().now() + 5s));
    CHECK(late.error() == errc::timeout);
    std::stop_source source;
    source.request_stop();
    CHECK(s.world.run(f.of.wait(1, source.get_token())).error() == errc::stopped);
    s.put_slice("a", {"10.0.0.1"});
    CHECK(text_of((*s.world.run(f.of.wait(1)))->endpoints) == "10.0.0.1:8080");
    s.world.run(f.of.stop());
    CHECK(s.world.run(f.of.wait(99)).error() == errc::unavailable);
}

TEST_CASE("endpoints: a deletion that was missed can't stay") {
    enum class mishap { cut, frozen, expired, restored };
    for (const auto what : {mishap::cut, mishap::frozen, mishap::expired, mishap::restored}) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            CAPTURE(static_cast<int>(what));
            CAPTURE(seed);
            service_stage s(seed);
            s.put_slice("a", {"10.0.0.1"});
            s.put_slice("b", {"10.0.0.2"});
            followed_endpoints f(s);
            REQUIRE(f.begin("10.0.0.1:8080 10.0.0.2:8080"));
            const auto then = s.api.snapshot();
            switch (what) {
            case mishap::cut:
                s.kill_server();
                s.world.run_for(1s);
                s.remove_slice("a");
                s.revive_server();
                break;
            case mishap::frozen:
                s.world.network().freeze_connections(s.server.name());
                s.world.network().set_link(s.server.name(), testing::link_state::black_hole);
                s.remove_slice("a");
                s.world.run_for(20s);
                CHECK(f.of.state() == freshness::stale);
                s.world.network().set_link(s.server.name(), testing::link_state::up);
                break;
            case mishap::expired:
                s.kill_server();
                s.world.run_for(1s);
                s.remove_slice("a");
                s.put_slice("c", {});
                s.api.compact(s.api.resource_version());
                s.revive_server();
                break;
            case mishap::restored:
                for (const bool ready : {false, true}) s.put_slice("c", {{"10.0.0.3", "", ready ? "rs" : ""}});
                REQUIRE(f.until("10.0.0.1:8080 10.0.0.2:8080 10.0.0.3:8080"));
                s.put_slice("c", {"10.0.0.3", "10.0.0.4"});
                REQUIRE(f.until("10.0.0.1:8080 10.0.0.2:8080 10.0.0.3:8080 10.0.0.4:8080"));
                s.kill_server();
                s.world.run_for(1s);
                s.api.restore(then);  // a slice less, and smaller versions
                s.remove_slice("a");
                s.revive_server();
                break;
            }
            CHECK(f.until("10.0.0.2:8080", 2s + 1s));
            CHECK(f.until(freshness::live, 5s));
        }
    }
}

TEST_CASE("endpoints: a server that is dead for five minutes") {
    for (const auto link : {testing::link_state::refused, testing::link_state::black_hole}) {
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            CAPTURE(seed);
            CAPTURE(static_cast<int>(link));
            service_stage s(seed);
            s.put_slice("a", {"10.0.0.1", "10.0.0.2"});
            followed_endpoints f(s);
            REQUIRE(f.begin("10.0.0.1:8080 10.0.0.2:8080"));
            s.world.run_for(30s);
            f.told.clear();
            s.world.network().set_link(s.server.name(), link);
            if (link == testing::link_state::refused) {
                s.world.network().break_connections(s.server.name());
                REQUIRE(f.until(freshness::resuming, 1s));
            } else {
                s.world.network().freeze_connections(s.server.name());
            }
            const auto dead = s.world.env().now();
            REQUIRE(f.until(freshness::stale, 15s));
            CHECK(s.world.env().now() - dead <= 10s);
            CHECK(f.of.age() >= 10s);
            s.world.run_for(5min - (s.world.env().now() - dead));
            CHECK(f.text() == "10.0.0.1:8080 10.0.0.2:8080");  // still served
            CHECK(f.of.snapshot()->version == 1);
            CHECK(f.of.problem());
            CHECK(f.told.back().starts_with("v1 stale"));
            s.put_slice("a", {"10.0.0.2", "10.0.0.3"});
            s.revive_server();
            CHECK(f.until("10.0.0.2:8080 10.0.0.3:8080", 2s));
            CHECK(f.until(freshness::live, 1s));
            CHECK_FALSE(f.of.problem());
            CHECK(s.lines_with("stale: the server gave no sign of life") == 1);
            // No right is missing, and no port has lost its name.
            CHECK(s.lines_with("the Service can't be read") == 0);
            CHECK(s.lines_with("the Service can't be followed: its ports stay") == 1);
        }
    }
}

TEST_CASE("endpoints: a machine that was suspended does not trust what it knew") {
    service_stage s;
    s.put_slice("a", {"10.0.0.1"});
    followed_endpoints f(s);
    REQUIRE(f.begin("10.0.0.1:8080"));
    s.world.network().freeze_connections(s.server.name());  // the server has forgotten the connection meanwhile
    s.world.env().suspend(1h);
    CHECK(f.of.state() == freshness::stale);  // before anything runs
    CHECK(f.of.age() >= 1h);
    s.put_slice("a", {"10.0.0.2"});
    CHECK(f.until("10.0.0.2:8080", 15s));
    CHECK(f.until(freshness::live, 1s));
}

TEST_CASE("endpoints: endpoints that move between slices, and come back as another pod") {
    service_stage s;
    s.put_slice("a", {{"10.0.0.1", "p1"}, {"10.0.0.2", "p2"}});
    followed_endpoints f(s);
    REQUIRE(f.begin("10.0.0.1:8080 10.0.0.2:8080"));
    f.told.clear();
    // First into the new slice, then out of the old one: as the controller does.
    s.put_slice("b", {{"10.0.0.1", "p1"}});
    s.put_slice("a", {{"10.0.0.2", "p2"}});
    s.world.run_for(1s);
    CHECK(f.told.empty());
    // The other way round it is gone for a moment, or not at all, and there in the end.
    s.put_slice("b", {});
    s.put_slice("a", {{"10.0.0.1", "p1"}, {"10.0.0.2", "p2"}});
    s.world.run_for(1s);
    CHECK(f.text() == "10.0.0.1:8080 10.0.0.2:8080");
    s.put_slice("b", {{"10.0.0.1", "p9"}});
    s.world.run_for(1s);
    CHECK(f.of.snapshot()->endpoints[0].pod == "p9");
    s.remove_slice("a");
    REQUIRE(f.until("10.0.0.1:8080"));
    CHECK(f.of.snapshot()->endpoints[0].pod == "p9");
}

TEST_CASE("endpoints: missing rights are logged once, with the rule, and the rest works") {
    service_stage s;
    s.put_slice("a", {"10.0.0.1"});
    s.api.access().forbid({"*", "*", "services"});
    {
        followed_endpoints f(s);
        REQUIRE(f.begin("10.0.0.1:8080"));
        s.world.run_for(10min);
        CHECK_FALSE(f.of.problem());
        CHECK(s.lines_with("the Service can't be read") == 1);
        CHECK(s.lines_with(R"(rule={"apiGroups":[""],"resources":["services"],"resourceNames":["web"])") == 1);
        // A port of the Service's own is not known, and one by name is.
        service::endpoints_options named;
        followed_endpoints g(s, followed_endpoints::web(), named.port("http"));
        REQUIRE(g.begin("10.0.0.1:8080"));
    }
    s.api.access().forbid({"*", "*", "endpointslices"});
    s.logged.clear();
    followed_endpoints f(s);
    (void)f.of.start().value();
    s.world.run_for(10min);
    CHECK(f.of.state() == freshness::stale);
    REQUIRE(f.of.problem());
    CHECK(*f.of.problem() == api_errc::forbidden);
    CHECK(test::has(f.of.problem()->message(),
                    R"({"apiGroups":["discovery.k8s.io"],"resources":["endpointslices"],"verbs":["list","watch"]})"));
    CHECK(s.lines_with("the value can't be followed") == 1);
    const auto late = s.world.run(f.of.wait_live({}, s.world.env().now() + 1s));
    CHECK(late.error() == errc::timeout);
    CHECK(test::has(late.error().what(), "may not be listed and watched"));
    s.api.access().permit_all();
    CHECK(f.until("10.0.0.1:8080", 20s));
    CHECK_FALSE(f.of.problem());
}

TEST_CASE("endpoints: a Service that is deleted and created again") {
    service_stage s;
    auto owned = [&](const std::string& slice, const std::string& address) {
        auto object = slice_json(slice, {made_endpoint(address)});
        const auto owner = s.api.get(s.services, {"default", "web"}).value();
        object.at("metadata").as_object()["ownerReferences"] =
            json::array{{{"apiVersion", "v1"},
                         {"kind", "Service"},
                         {"name", "web"},
                         {"uid", json::get_string(owner, {"metadata", "uid"})}}};
        s.put(object, s.slices);
    };
    owned("a", "10.0.0.1");
    followed_endpoints f(s);
    REQUIRE(f.begin("10.0.0.1:8080"));
    (void)s.api.remove(s.services, {"default", "web"}).value();
    REQUIRE(f.until(""));  // though the slice is still there
    CHECK(*f.of.problem() == api_errc::not_found);
    CHECK(f.of.state() == freshness::live);
    (void)s.api.create(service_json("web")).value();
    owned("b", "10.0.0.2");
    REQUIRE(f.until("10.0.0.2:8080"));
    CHECK_FALSE(f.of.problem());
}

TEST_CASE("endpoints: problems of the target") {
    service_stage s;
    s.put_slice("a", {"10.0.0.1"});
    followed_endpoints f(s, followed_endpoints::web(), service::endpoints_options().port("htp"));
    REQUIRE(f.begin(""));
    REQUIRE(f.of.problem());
    CHECK(test::has(f.of.problem()->message(), "there is no port \"htp\"; choose one of http (80)"));
    CHECK(f.told.back() == "v1 live problem");
    s.put(service_json("web", {{{"name", "htp"}, {"port", 80}}}), s.services);
    s.put(slice_json("a", {"10.0.0.1"}, "web", {{{"name", "htp"}, {"port", 8080}}}), s.slices);
    REQUIRE(f.until("10.0.0.1:8080"));
    CHECK_FALSE(f.of.problem());

    CHECK(followed_endpoints(s, followed_endpoints::web(), service::endpoints_options().port("70000"))
              .of.start()
              .has_error());
    CHECK(followed_endpoints(s, service::endpoints_target::pods("default", "")).of.start().has_error());
}

TEST_CASE("endpoints: pods by a selector") {
    service_stage s;
    const auto pod = [&](const std::string& name, const std::string& ip) {
        (void)s.api
            .create({{"apiVersion", "v1"},
                     {"kind", "Pod"},
                     {"metadata", {{"name", name}, {"labels", {{"app", "web"}}}}},
                     {"spec", {{"containers", json::array{{{"name", "c"}, {"image", "i"}}}}}}})
            .value();
        (void)s.api
            .patch(s.pods, {"default", name},
                   {{"status",
                     {{"phase", "Running"},
                      {"podIP", ip},
                      {"podIPs", json::array{{{"ip", ip}}}},
                      {"conditions", json::array{{{"type", "Ready"}, {"status", "True"}}}}}}},
                   "status")
            .value();
    };
    pod("a", "10.0.0.1");
    followed_endpoints f(s, service::endpoints_target::pods("default", "app=web"),
                         service::endpoints_options().port("9000"));
    REQUIRE(f.begin("10.0.0.1:9000"));
    pod("b", "10.0.0.2");
    REQUIRE(f.until("10.0.0.1:9000 10.0.0.2:9000"));
    (void)s.api.patch(s.pods, {"default", "a"}, {{"metadata", {{"labels", {{"app", "other"}}}}}}).value();
    REQUIRE(f.until("10.0.0.2:9000"));
    (void)s.api.remove(s.pods, {"default", "b"}, testing::delete_request().grace_period(0)).value();
    REQUIRE(f.until(""));
}

TEST_CASE("endpoints: a warm start") {
    const testing::temporary_directory folder;
    const std::string file = folder.path("web.cache");
    const auto options = service::endpoints_options().cache_file(file);
    {
        service_stage s;
        s.put_slice("a", {"10.0.0.1", {"10.0.0.2", "p", "st"}});
        followed_endpoints f(s, followed_endpoints::web(), options);
        REQUIRE(f.begin("10.0.0.1:8080 10.0.0.2:8080(terminating)"));
    }
    {
        service_stage s;
        s.kill_server();
        followed_endpoints f(s, followed_endpoints::web(), options);
        (void)f.of.start().value();
        CHECK(f.text() == "10.0.0.1:8080 10.0.0.2:8080(terminating)");  // at once
        CHECK(f.of.snapshot()->version == 1);
        CHECK(f.of.state() == freshness::stale);
        CHECK(f.of.age() < 1h);
        s.world.run_for(10s);
        CHECK(f.told.front().starts_with("v1 +10.0.0.1 +10.0.0.2 stale"));
        CHECK(f.of.state() == freshness::stale);
        s.put_slice("a", {"10.0.0.1"});
        s.put_slice("b", {"10.0.0.3"});
        s.revive_server();
        REQUIRE(f.until("10.0.0.1:8080 10.0.0.3:8080"));
        REQUIRE(f.until(freshness::live));
        CHECK(f.of.snapshot()->version == 2);
    }
    {  // A value that the server confirms as it is stays the same snapshot.
        service_stage s;
        s.put_slice("a", {"10.0.0.1", "10.0.0.3"});
        followed_endpoints f(s, followed_endpoints::web(), options);
        REQUIRE(f.begin("10.0.0.1:8080 10.0.0.3:8080"));
        CHECK(f.of.snapshot()->version == 1);
    }
    // Of another target, and broken: logged once, and ignored.
    const auto ignored = [&](service::endpoints_options how) {
        service_stage s;
        s.kill_server();
        followed_endpoints f(s, followed_endpoints::web(), std::move(how));
        (void)f.of.start().value();
        CHECK(f.of.snapshot()->version == 0);
        s.world.run_for(1min);
        CHECK(s.lines_with("the cache file is ignored") == 1);
    };
    ignored(service::endpoints_options().cache_file(file).port("http"));
    folder.write("web.cache", "{\"format\":");
    ignored(options);
}

TEST_CASE("endpoints: a file that can't be written is logged once") {
    service_stage s;
    s.put_slice("a", {"10.0.0.1"});
    followed_endpoints f(s, followed_endpoints::web(), service::endpoints_options().cache_file("/nowhere/at/all"));
    REQUIRE(f.begin("10.0.0.1:8080"));
    for (int i = 2; i < 6; ++i) {
        s.put_slice("a", {"10.0.0." + std::to_string(i)});
        s.world.run_for(5s);
    }
    CHECK(s.lines_with("the cache file can't be written") == 1);
}

TEST_CASE("endpoints: started and stopped, again and again, and destroyed while it runs") {
    service_stage s;
    s.put_slice("a", {"10.0.0.1"});
    std::optional<followed_endpoints> f(std::in_place, s);
    for (int i = 0; i < 20; ++i) {
        REQUIRE(f->of.start());
        REQUIRE(f->of.start());  // does nothing
        if (i % 3 == 0) REQUIRE(f->until(freshness::live));
        s.world.run_for(std::chrono::milliseconds(i));
        if (i % 2 == 0) {
            s.world.run(f->of.stop());
            s.world.run_for(100ms);  // the server notices
            CHECK(s.api.request_log().open_watches() == 0);
        }
        s.world.run(f->of.stop());
    }
    std::stop_source parent;
    REQUIRE(f->of.start(parent.get_token()));
    REQUIRE(f->until(freshness::live));
    const auto kept = f->of.snapshot();
    auto reader = f->of.reader();
    parent.request_stop();
    s.world.run_for(1s);
    CHECK(f->of.state() != freshness::live);
    s.world.run_for(20s);
    CHECK(f->of.state() == freshness::stale);
    CHECK(f->of.start());
    f.reset();
    CHECK(text_of(kept->endpoints) == "10.0.0.1:8080");
    CHECK(reader.read() == kept);
    {
        std::optional<service::endpoints> running(std::in_place, s.world.env(), s.world.get_executor(), s.cl,
                                                  followed_endpoints::web());
        REQUIRE(running->start());
        s.world.run_for(5ms);
        running.reset();
        s.world.run_for(1min);
        CHECK(s.api.request_log().open_watches() == 0);
    }
}

TEST_CASE("endpoints: a callback that throws, and one that destroys") {
    service_stage s;
    s.put_slice("a", {"10.0.0.1"});
    int calls = 0;
    std::unique_ptr<service::endpoints> of;
    of = std::make_unique<service::endpoints>(
        s.world.env(), s.world.get_executor(), s.cl, followed_endpoints::web(), service::endpoints_options(),
        [&](const service::endpoints_change& change) {
            if (++calls == 1) throw std::runtime_error("of the program");
            if (change.snapshot->version == 2) of.reset();
        },
        s.log);
    REQUIRE(of->start());
    s.world.run_for(5s);
    CHECK(calls >= 1);
    s.put_slice("a", {"10.0.0.2"});
    s.world.run_for(5s);
    CHECK(of == nullptr);
    const int before = calls;
    s.put_slice("a", {"10.0.0.3"});
    s.world.run_for(1min);
    CHECK(calls == before);
}

TEST_CASE("endpoints: 5,000 of them, as one value") {
    service_stage s;
    std::vector<std::vector<made_endpoint>> all(50);
    for (int i = 0; i < 5000; ++i) {
        all[static_cast<std::size_t>(i / 100)].emplace_back("10.1." + std::to_string(i / 250) + "." +
                                                            std::to_string(i % 250));
    }
    for (std::size_t i = 0; i < all.size(); ++i) s.put_slice("s" + std::to_string(i), all[i]);
    followed_endpoints f(s);
    (void)f.of.start().value();
    REQUIRE(f.until(freshness::live));
    CHECK(f.of.snapshot()->endpoints.size() == 5000);
    CHECK(f.of.snapshot()->version == 1);
    f.told.clear();
    all[7].pop_back();
    s.put_slice("s7", all[7]);
    s.world.run_for(1s);
    CHECK(f.of.snapshot()->endpoints.size() == 4999);
    CHECK(f.told.size() == 1);
}

TEST_CASE("endpoints: a quiet watch costs a small request every five seconds") {
    service_stage s;
    s.put_slice("a", {"10.0.0.1"});
    followed_endpoints f(s);
    REQUIRE(f.begin("10.0.0.1:8080"));
    const auto before = s.api.request_log().count("list");
    s.world.run_for(1min);
    CHECK(s.api.request_log().count("list") - before <= 13);
    CHECK(f.of.state() == freshness::live);
}
