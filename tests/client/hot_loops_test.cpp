// The detector of hot loops: objects that a program writes again and again. docs/requests.md has the rules.
#include <kcontrol/client/detail/hot_loops.hpp>
#include <kcontrol/client/subresource.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>

#include "fixture.hpp"

#include <algorithm>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

namespace {

// When an object that is written every `pace` is reported, in writes; 0: not within so many.
int reported_at(detail::hot_loops& loops, duration pace, int writes, time_point at = time_point() + 1h) {
    for (int i = 1; i <= writes; ++i, at += pace) {
        if (loops.wrote(1, at)) return i;
    }
    return 0;
}

resource_info kind_of(const char* group, const char* kind) {
    return resource_info({group, "v1", kind}, "things", resource_scope::namespaced, decode_widget, encode_widget);
}

class loop_fixture : public client_fixture {
public:
    const std::string put = std::string("PUT ") + widgets_path;

    // Writes an object so many times, one a second.
    void write(client& c, int times, const std::string& name = "a", const write_options& how = {}) {
        const std::string below = std::as_const(how).subresource().empty() ? "" : "/status";
        const std::string query = std::as_const(how).dry_run() ? "?dryRun=All" : "";
        for (int i = 0; i < times; ++i) {
            net->expect(put + "/" + name + below + query).reply(200, widget_json(name));
            REQUIRE(await(c.update(widgets(), make_widget("default", name), how)).has_value());
            env.advance(1s, context);
        }
    }

    long warnings() const {
        return std::count_if(logged.begin(), logged.end(), [](const std::string& line) {
            return line.starts_with("this program writes an object too often");
        });
    }
};

}  // namespace

TEST_CASE("hot loops: an object is reported with the write that is one too many within a minute") {
    for (const duration pace : {0ms, 1ms, 500ms, 1900ms}) {
        CAPTURE(pace.count());
        detail::hot_loops loops(30);
        CHECK(reported_at(loops, pace, 1000) == 31);
    }
    for (const duration pace : {2100ms, 10'000ms}) {
        CAPTURE(pace.count());
        detail::hot_loops loops(30);
        CHECK(reported_at(loops, pace, 1000) == 0);
    }
    detail::hot_loops off(0);
    CHECK(reported_at(off, 0ms, 1000) == 0);
    detail::hot_loops one(1);
    CHECK(reported_at(one, 0ms, 1000) == 2);
    // A limit beyond what is counted, and one whose products are large.
    detail::hot_loops most(0xffff'ffffU);
    CHECK(reported_at(most, 1ms, 100'000) == 0);
    CHECK_FALSE(most.wrote(1 + 64, time_point() + 2h));
}

TEST_CASE("hot loops: a burst that follows a slow start") {
    detail::hot_loops loops(30);
    time_point at = time_point() + 1h;
    CHECK_FALSE(loops.wrote(1, at));
    at += 50s;
    CHECK(reported_at(loops, 100ms, 100, at) == 30);  // within a minute of the first one
    detail::hot_loops later(30);
    CHECK_FALSE(later.wrote(1, at));
    CHECK(reported_at(later, 100ms, 100, at + 10min) == 31);
}

TEST_CASE("hot loops: reported once, and again after five minutes within the limit") {
    detail::hot_loops loops(30);
    time_point at = time_point() + 1h;
    int reports = 0;
    const auto writes = [&](int times, duration pace) {
        for (int i = 0; i < times; ++i, at += pace) reports += loops.wrote(1, at) ? 1 : 0;
        return std::exchange(reports, 0);
    };
    CHECK(writes(3600, 1s) == 1);
    at += 4min;
    CHECK(writes(60, 1s) == 0);
    CHECK(writes(100, 10s) == 0);
    CHECK(writes(60, 1s) == 1);
    at += 6min;
    CHECK(writes(60, 1s) == 1);
}

TEST_CASE("hot loops: many objects have a bounded table, and no object is reported that is in order") {
    detail::hot_loops loops(30);
    time_point at = time_point() + 1h;
    // One hot object among ever new ones, and among many that are written a few times a minute.
    int hot = 0, others = 0;
    for (int second = 0; second < 600; ++second, at += 1s) {
        hot += loops.wrote(1, at) ? 1 : 0;
        for (std::uint64_t i = 0; i < 500; ++i) {
            const auto n = static_cast<std::uint64_t>(second) * 500 + i;
            others += loops.wrote(1000 + n, at) || loops.wrote(100 + n % 7000, at) ? 1 : 0;
        }
    }
    CHECK(hot == 1);
    CHECK(others == 0);
    // Ten thousand in a loop: some of them.
    int reported = 0;
    for (int second = 0; second < 120; ++second, at += 1s) {
        for (std::uint64_t i = 0; i < 10'000; ++i) reported += loops.wrote(1'000'000 + i, at) ? 1 : 0;
    }
    CHECK(reported >= 200);
    CHECK(reported <= 256);
}

TEST_CASE("hot loops: objects differ by each part of their names") {
    const auto hash = detail::object_hash("g", "K", "n", "a");
    CHECK(hash == detail::object_hash("g", "K", "n", "a"));
    for (const auto other : {detail::object_hash("", "K", "n", "a"), detail::object_hash("g", "L", "n", "a"),
                             detail::object_hash("g", "K", "", "a"), detail::object_hash("g", "K", "n", "b"),
                             detail::object_hash("gK", "", "n", "a"), detail::object_hash("g", "K", "na", "")}) {
        CHECK(hash != other);
    }
}

TEST_CASE_FIXTURE(loop_fixture, "hot loops: an object that is written too often is logged once, and counted by kind") {
    client c = connect();
    write(c, 15);
    client copy = c.guarded([]() -> result<duration> { return 10s; });
    write(copy, 10, "a", write_options().subresource("status"));
    write(c, 5);
    CHECK(warnings() == 0);
    write(c, 50);
    CHECK(warnings() == 1);
    CHECK(std::count_if(logged.begin(), logged.end(), [](const std::string& line) {
              return line.find("kind=Widget object=default/a writesInAMinute=31 limit=30") != std::string::npos;
          }) == 1);
    CHECK(std::any_of(logged.begin(), logged.end(), [](const std::string& line) {
        return line.find("compare before writing") != std::string::npos &&
               line.find("client_options::hot_loop_limit") != std::string::npos;
    }));
    write(c, 40, "b");
    CHECK(warnings() == 2);
    metrics_registry all;
    all.collect([&](metrics_writer& out) { write_request_metrics(out, c.requests()); });
    const std::string text = all.text();
    CHECK(text.find("# TYPE kcontrol_client_hot_objects_total counter\n") != std::string::npos);
    CHECK(text.find("kcontrol_client_hot_objects_total{host=\"api.test:6443\",kind=\"Widget\"} 2\n") !=
          std::string::npos);
    CHECK(text.find("default/a") == std::string::npos);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(loop_fixture, "hot loops: every kind of write counts") {
    client c = connect();
    const std::string one = std::string(widgets_path) + "/a";
    const std::string body = widget_json("a");
    for (int i = 0; i < 8; ++i) {
        net->expect(std::string("POST ") + widgets_path).reply(201, body);
        CHECK(await(c.create(widgets(), make_widget("default", "a"), {})).has_value());
        net->expect("PATCH " + one).reply(200, body);
        CHECK(await(c.patch(widgets(), {"default", "a"}, merge_patch_type, "{}", {})).has_value());
        net->expect("PATCH " + one + "?fieldManager=me").reply(200, body);
        CHECK(await(c.apply(widgets(), {"default", "a"}, "{}", apply_options("me"))).has_value());
        net->expect("PUT " + one + "/scale").reply(200, body);
        auto scales = c.subresource(widgets(), "scale");
        CHECK(await(scales.update(widgets(), {"default", "a"}, make_widget("default", "a"), {})).has_value());
    }
    CHECK(warnings() == 1);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(loop_fixture, "hot loops: what is no write of an object does not count") {
    client c = connect();
    write(c, 100, "a", write_options().dry_run());
    const auto refused = [&](int status) {
        net->expect(put + "/a")
            .reply(status,
                   R"({"kind":"Status","status":"Failure","code":)" + std::to_string(status) + R"(,"message":"no"})");
        CHECK_FALSE(await(c.update(widgets(), make_widget("default", "a"), {})).has_value());
    };
    for (int i = 0; i < 100; ++i) refused(i % 2 == 0 ? 409 : 422);
    // Renewed, repeated and asked again and again by their nature.
    const resource_info kinds[] = {kind_of("coordination.k8s.io", "Lease"), kind_of("events.k8s.io", "Event"),
                                   kind_of("authorization.k8s.io", "SubjectAccessReview"),
                                   kind_of("authentication.k8s.io", "TokenReview")};
    for (const auto& kind : kinds) {
        const std::string path = "/apis/" + kind.gvk.group + "/v1/namespaces/default/things";
        for (int i = 0; i < 40; ++i) {
            net->expect("PUT " + path + "/a").reply(200, widget_json("a"));
            CHECK(await(c.update(kind, make_widget("default", "a"), {})).has_value());
        }
    }
    const auto token = kind_of("authentication.k8s.io", "TokenRequest");
    for (int i = 0; i < 40; ++i) {
        net->expect(std::string("POST ") + widgets_path + "/a/token").reply(201, widget_json("a"));
        auto tokens = c.subresource(widgets(), "token");
        CHECK(await(tokens.create(token, {"default", "a"}, make_widget("default", "a"), {})).has_value());
    }
    CHECK(warnings() == 0);
    CHECK(c.requests().hot_objects.empty());
    // Another kind of that name in a group of somebody's own is an object like any other.
    const auto own = kind_of("example.com", "Event");
    for (int i = 0; i < 40; ++i) {
        net->expect("PUT /apis/example.com/v1/namespaces/default/things/a").reply(200, widget_json("a"));
        CHECK(await(c.update(own, make_widget("default", "a"), {})).has_value());
    }
    CHECK(warnings() == 1);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(loop_fixture, "hot loops: the limit is an option, and 0 turns it off") {
    client off = connect().with(client_options().hot_loop_limit(0));
    write(off, 100);
    CHECK(warnings() == 0);
    client low = connect().with(client_options().hot_loop_limit(3));
    write(low, 3);
    CHECK(warnings() == 0);
    write(low, 1);
    CHECK(warnings() == 1);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(loop_fixture, "hot loops: many objects in a loop do not fill the log, and all of them are counted") {
    client c = connect().with(client_options().hot_loop_limit(1));
    for (int i = 0; i < 40; ++i) {
        const std::string name = "w" + std::to_string(i);
        for (int times = 0; times < 2; ++times) {
            net->expect(put + "/" + name).reply(200, widget_json(name));
            CHECK(await(c.update(widgets(), make_widget("default", name), {})).has_value());
        }
    }
    CHECK(warnings() == 10);
    CHECK(c.requests().hot_objects.at("Widget") >= 35);  // of the table, each remainder has four places
    env.advance(1min, context);
    write(c, 2, "late");
    CHECK(warnings() == 11);
    CHECK(std::any_of(logged.begin(), logged.end(),
                      [](const std::string& line) { return line.find(" others=") != std::string::npos; }));
    CHECK(net->verify());
}
