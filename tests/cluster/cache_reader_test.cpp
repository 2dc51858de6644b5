// The client of a cluster, which reads from its caches: what is answered from where, and what is an error.
#include <kcontrol/client/client_cache.hpp>
#include <kcontrol/cluster/home_cluster.hpp>
#include <kcontrol/cluster/read_counts.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/controllerutil/create_or.hpp>
#include <kcontrol/controllerutil/retry.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>

#include "support/lagging_watches.hpp"
#include "support/widget_world.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>

#include <optional>
#include <string>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

const namespaced_name x("default", "x");

struct fixture : widget_world {
    explicit fixture(cache_options options = {}) : server(add("a")) {
        for (const auto* ns : {"team-a", "team-b"}) {
            (void)server.api.create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns}}}})
                .value();
        }
        of.emplace(env, home, connect(server.config("token")), std::move(options), log);
    }
    ~fixture() {
        run(of->informers().stop());
        settle();
    }
    void settle(duration d = 2s) { context.run_for(d); }
    void start() {
        of->informers().start();
        settle();
    }
    client c() { return of->get_client(); }
    std::size_t gets() { return server.api.request_log().count("get", "widgets"); }
    const read_counts& counts() { return of->informers().reads().at(resource_of<widget>().gvk); }
    void label(const std::string& name, const char* value, const char* ns = "default") {
        (void)server.api.patch(widgets, {ns, name}, {{"metadata", {{"labels", {{"app", value}}}}}}).value();
    }
    std::string names(list_options options) {
        const auto found = run(c().list<widget>(std::move(options)));
        if (!found) return found.error().what();
        std::string out;
        for (const auto& one : *found) out += (out.empty() ? "" : " ") + one->metadata.name.str();
        return out;
    }
    // Creates an object, if it has a name, and appends how many a list has then.
    awaitable<void> list_into(list_options which, std::string created, std::string& out) {
        client mine = c();
        if (!created.empty()) {
            const widget made = object(created, 1);
            (void)co_await mine.create(made);
        }
        const auto found = co_await mine.list<widget>(std::move(which));
        out += found ? std::to_string(found->size()) + " " : "failed ";
    }
    // The watches are behind from now on, until they are thawed.
    void freeze() { server.api.freeze("", server.api.resource_version()); }

    widget object(const std::string& name, std::int64_t value, const char* app = "") {
        widget w;
        w.metadata.namespace_ = "default";
        w.metadata.name = name;
        w.spec.value = value;
        if (*app != 0) w.metadata.labels["app"] = app;
        return w;
    }
    // How long a call takes, in virtual time.
    template <class F>
    duration time_of(F call) {
        const time_point before = env.now();
        call();
        return env.now() - before;
    }

    widget_server& server;
    std::size_t warnings = 0;
    logger log{[this](const log_record& r) { warnings += r.level >= log_level::warning ? 1 : 0; }};
    std::optional<home_cluster> of;
};

TEST_CASE_FIXTURE(fixture, "cached reads: a kind that is watched is answered from the cache, another by the server") {
    server.create("x", 1);
    CHECK(run(c().get<widget>(x))->spec.value == 1);
    CHECK(gets() == 1);
    CHECK(server.watches() == 0);
    CHECK(counts().not_watched == 1);

    const auto watched = of->get_informer<widget>();
    start();
    CHECK(run(c().get<widget>(x))->spec.value == 1);
    // The very object that the cache holds.
    CHECK(run(c().get_shared<widget>(x)).value() == watched->get(x));
    const auto absent = run(c().get<widget>({"default", "y"}));
    CHECK(absent.error() == api_errc::not_found);
    CHECK(absent.error().what().find("widgets.test.kcontrol.dev \"y\" not found") != std::string::npos);
    CHECK(gets() == 1);
    CHECK(counts().cached == 3);

    // As another C++ type it is not cached.
    CHECK(run(c().get(metadata_resource_of<widget>(), x, {})).has_value());
    CHECK(gets() == 2);
    CHECK(run(c().live().get<widget>(x)).has_value());
    CHECK(gets() == 3);
    CHECK(counts().not_watched == 2);
    CHECK(run(c().get<widget>({"default", "a/b"})).error() == errc::invalid_argument);
}

TEST_CASE_FIXTURE(fixture, "cached reads: lists by namespace, labels, names and fields that have an index") {
    for (const auto* name : {"a", "b", "c"}) server.create(name, *name - 'a');
    server.create("d", 1, "team-a");
    label("b", "web");
    label("d", "web", "team-a");
    const auto watched = of->get_informer<widget>();
    start();
    const std::size_t listed = server.lists();
    CHECK(names({}) == "a b c d");
    CHECK(names(list_options().in_namespace("default")) == "a b c");
    CHECK(names(list_options().label_selector("app=web")) == "b d");
    CHECK(names(list_options().label_selector("app=web").in_namespace("team-a")) == "d");
    CHECK(names(list_options().field_selector("metadata.name=b")) == "b");
    CHECK(names(list_options().field_selector("metadata.name!=b,metadata.namespace=default")) == "a c");
    CHECK(server.lists() == listed);
    CHECK(counts().cached == 6);
    const auto page = run(c().list_page(resource_of<widget>(), {}));
    CHECK(page->resource_version == watched->resource_version());
    CHECK_FALSE(page->resource_version.empty());

    // Without an index the server is asked, which knows no such field.
    CHECK(names(list_options().field_selector("spec.value=1")).find("field") != std::string::npos);
    CHECK(counts().no_index == 1);
    const auto by_value = watched->add_index("spec.value", index_by_field(&widget::spec, &widget_spec::value));
    REQUIRE(by_value.has_value());
    CHECK(names(list_options().field_selector("spec.value=1")) == "b d");
    CHECK(names(list_options().field_selector("spec.value=1").in_namespace("default").label_selector("app")) == "b");
    CHECK(names(list_options().limit(2)) == "a b");
    CHECK(counts().paged == 1);
    CHECK(server.lists() == listed + 2);
}

TEST_CASE("cached reads: what is outside of the cached namespaces is an error that names them, never NotFound") {
    cache_options options;
    options.namespaces({"team-a", "team-b"});
    fixture f(options);
    f.server.create("x", 1);
    f.server.create("x", 2, "team-a");
    (void)f.of->get_informers<widget>();
    f.start();
    CHECK(f.run(f.c().get<widget>({"team-a", "x"}))->spec.value == 2);
    CHECK(f.run(f.c().get<widget>({"team-b", "x"})).error() == api_errc::not_found);
    const auto outside = f.run(f.c().get<widget>(x));
    CHECK(outside.error() == errc::invalid_argument);
    CHECK(outside.error().what().find("Widget default/x: the cache that this client reads holds only objects of the "
                                      "namespace team-a and objects of the namespace team-b; live()") !=
          std::string::npos);
    CHECK(f.names(list_options().in_namespace("team-a")) == "x");
    CHECK(f.names({}).find("namespace team-a") != std::string::npos);
    CHECK(f.counts().out_of_scope == 2);
    CHECK(f.gets() == 0);
    CHECK(f.run(f.c().live().get<widget>(x))->spec.value == 1);
}

TEST_CASE("cached reads: what the cache's selector leaves out is an error that names it, never NotFound") {
    fixture f(cache_options(informer_options().label_selector("app=web")));
    f.server.create("x");
    f.server.create("y");
    f.label("x", "web");
    (void)f.of->get_informer<widget>();
    f.start();
    CHECK(f.run(f.c().get<widget>(x)).has_value());
    const auto other = f.run(f.c().get<widget>({"default", "y"}));
    CHECK(other.error() == errc::invalid_argument);
    CHECK(other.error().what().find("\"app=web\"") != std::string::npos);
    CHECK(f.names(list_options().label_selector("app=web")) == "x");
    CHECK(f.names(list_options().label_selector("app in (web)")) == "x");
    CHECK(f.names({}).find("\"app=web\"") != std::string::npos);
    CHECK(f.counts().out_of_scope == 2);
}

TEST_CASE_FIXTURE(fixture, "cached reads: before the first sync a read waits, until its deadline") {
    server.create("x", 1);
    (void)of->get_informer<widget>();
    const auto late = run(c().get<widget>(x, get_options().deadline(5s)));
    CHECK(late.error() == errc::not_synced);
    CHECK(late.error().what().find("Widget default/x") != std::string::npos);
    CHECK(late.error().what().find("its informer is idle") != std::string::npos);
    std::stop_source stop;
    stop.request_stop();
    CHECK(run(c().get<widget>(x, get_options().stop(stop.get_token()))).error() == errc::stopped);
    of->informers().start();
    CHECK(run(c().get<widget>(x, get_options().deadline(5s)))->spec.value == 1);
    CHECK(gets() == 0);
    CHECK(counts().not_synced == 2);
    CHECK(counts().sync_waits == 3);
}

TEST_CASE_FIXTURE(fixture, "cached reads: one that names a version waits until the cache has it") {
    server.create("x", 1);
    (void)of->get_informer<widget>();
    start();
    widget changed = run(c().get<widget>(x)).value();
    changed.spec.value = 2;
    freeze();
    const auto written = run(c().update(changed)).value();
    CHECK(of->get_informer<widget>()->get(x)->spec.value == 1);
    server.api.thaw("");
    const auto not_older = get_options().resource_version(written.metadata.resource_version);
    CHECK(run(c().get<widget>(x, not_older))->spec.value == 2);
    CHECK(counts().version_waits == 1);
    const auto future = run(c().get<widget>(x, get_options().resource_version("9000000").deadline(5s)));
    CHECK(future.error() == errc::timeout);
    CHECK(counts().too_old == 1);
    CHECK(names(list_options().resource_version(written.metadata.resource_version)) == "x");
    CHECK(gets() == 0);
}

// The cache shows an old version for as long as the test lasts: an attempt that went on reading it would fail each
// time.
TEST_CASE_FIXTURE(fixture, "cached reads: after a conflict an object is the server's, until the cache has caught up") {
    server.create("x", 1);
    (void)of->get_informer<widget>();
    start();
    freeze();
    server.set_value("x", 2);
    settle();
    CHECK(run(c().get<widget>(x))->spec.value == 1);
    client mine = c();
    int attempts = 0;
    const auto attempt = [&mine, &attempts]() -> awaitable<result<widget>> {
        ++attempts;
        auto now = co_await mine.get<widget>(x);
        if (!now) co_return now.error();
        widget edited = *now;
        edited.spec.value += 10;
        auto written = co_await mine.patch(*now, edited);
        co_return written;
    };
    const auto done = run(retry_on_conflict(env, attempt, {}));
    REQUIRE(done.has_value());
    CHECK(done->spec.value == 12);
    CHECK(attempts == 2);
    CHECK(gets() == 1);
    CHECK(counts().after_conflict == 1);

    CHECK(run(c().get<widget>(x))->spec.value == 12);  // still behind
    CHECK(gets() == 2);
    server.api.thaw("");
    settle();
    CHECK(run(c().get<widget>(x))->spec.value == 12);
    CHECK(gets() == 2);
}

TEST_CASE_FIXTURE(fixture, "cached reads: what another writer created in between is found by create_or_update") {
    (void)of->get_informer<widget>();
    start();
    freeze();
    server.create("x", 1);
    settle();
    CHECK(run(c().get<widget>(x)).error() == api_errc::not_found);
    widget wanted;
    wanted.metadata.namespace_ = "default";
    wanted.metadata.name = "x";
    const auto edit = [](widget& w) { w.spec.value = 7; };
    const auto made = run(create_or_update(c(), wanted, edit));
    REQUIRE(made.has_value());
    CHECK(made->outcome == write_outcome::updated);
    CHECK(server.api.get(widgets, x)->at("spec").at("value").as_int64() == 7);
}

TEST_CASE_FIXTURE(fixture, "cached reads: a client that outlives its cluster asks the server") {
    server.create("x", 1);
    (void)of->get_informer<widget>();
    start();
    client kept = c();
    run(of->informers().stop());
    CHECK(run(kept.get<widget>(x)).has_value());  // what is known stays readable
    CHECK(gets() == 0);
    of.emplace(env, home, connect(server.config("token")), cache_options());
    CHECK(run(kept.get<widget>(x)).has_value());
    CHECK(gets() == 1);
}

TEST_CASE_FIXTURE(fixture, "cached reads: an informer on a client that reads from a cache asks the server") {
    server.create("x", 1);
    (void)of->get_informer<widget>();
    start();
    informer<widget> own(env, home, c());
    own.start();
    server.create("y", 2);
    settle();
    CHECK(own.list().size() == 2);
    CHECK(own.status().state == informer_state::live);
    run(own.stop());
}

TEST_CASE_FIXTURE(fixture, "own writes: after each kind of write a read waits for the watch, and the cache answers") {
    server.create("y", 1);
    const auto watched = of->get_informer<widget>();
    const auto by_value = watched->add_index("spec.value", index_by_field(&widget::spec, &widget_spec::value));
    start();
    const std::size_t listed = server.lists();
    const lagging_watches lag(world, server.api, 300ms);
    REQUIRE(run(c().create(object("x", 1))));
    CHECK(run(c().get<widget>(x))->spec.value == 1);
    widget changed = run(c().get<widget>(x)).value();
    changed.spec.value = 2;
    REQUIRE(run(c().update(changed)));
    CHECK(run(c().get<widget>(x))->spec.value == 2);
    const widget snapshot = run(c().get<widget>(x)).value();
    changed = snapshot;
    changed.spec.value = 3;
    REQUIRE(run(c().patch(snapshot, changed)));
    CHECK(names(list_options().field_selector("spec.value=3")) == "x");
    REQUIRE(run(c().apply(object("x", 4), apply_options("me").force())));
    CHECK(names(list_options().field_selector("spec.value=3")) == "");
    REQUIRE(run(c().create(object("z", 1))));
    CHECK(names({}) == "x y z");
    REQUIRE(run(c().delete_<widget>({"default", "y"})));
    CHECK(names(list_options().in_namespace("default")) == "x z");
    REQUIRE(run(c().live().delete_<widget>(x)));
    CHECK(run(c().get<widget>(x)).error() == api_errc::not_found);
    CHECK(counts().own_write_waits == 7);
    CHECK(counts().after_own_write == 0);
    CHECK(gets() == 0);
    CHECK(server.lists() == listed);
    CHECK(warnings == 0);

    // What is pending concerns neither other objects nor other namespaces, and what others write is no promise.
    REQUIRE(run(c().create(object("w", 1))));
    server.create("v", 1);
    CHECK(time_of([&] { CHECK(run(c().get<widget>({"default", "z"}))->spec.value == 1); }) == 0s);
    CHECK(time_of([&] { CHECK(run(c().get<widget>({"default", "v"})).error() == api_errc::not_found); }) == 0s);
    CHECK(time_of([&] { CHECK(names(list_options().in_namespace("team-a")) == ""); }) == 0s);
    CHECK(counts().own_write_waits == 7);
}

TEST_CASE_FIXTURE(fixture, "own writes: a cache that is behind by seconds has one, then the server answers") {
    (void)of->get_informer<widget>();
    start();
    const std::size_t listed = server.lists();
    std::optional<lagging_watches> lag;
    lag.emplace(world, server.api, 5s);
    REQUIRE(run(c().create(object("x", 1))));
    const duration first = time_of([&] { CHECK(run(c().get<widget>(x))->spec.value == 1); });
    CHECK(first > 990ms);
    CHECK(first < 1100ms);
    CHECK(gets() == 1);
    // From then on at once.
    CHECK(time_of([&] { CHECK(run(c().get<widget>(x))->spec.value == 1); }) < 100ms);
    CHECK(time_of([&] { CHECK(names({}) == "x"); }) < 100ms);
    CHECK(gets() == 2);
    CHECK(server.lists() == listed + 1);
    CHECK(counts().own_write_waits == 1);
    CHECK(counts().after_own_write == 3);
    CHECK(warnings == 1);
    settle(6s);
    REQUIRE(run(c().delete_<widget>(x)));
    CHECK(run(c().get<widget>(x)).error() == api_errc::not_found);
    CHECK(gets() == 3);
    settle(6s);
    CHECK(run(c().get<widget>(x)).error() == api_errc::not_found);
    CHECK(names({}) == "");
    CHECK(gets() == 3);
    CHECK(server.lists() == listed + 1);
    CHECK(warnings == 1);
}

TEST_CASE_FIXTURE(fixture, "own writes: a read that takes what there is does not wait, and asks nobody") {
    (void)of->get_informer<widget>();
    start();
    const std::size_t listed = server.lists();
    const lagging_watches lag(world, server.api, 5s);
    REQUIRE(run(c().create(object("x", 1))));
    const auto exists = run(c().create(object("x", 1)));
    CHECK(exists.error() == api_errc::already_exists);
    CHECK(time_of([&] {
              CHECK(run(c().get<widget>(x, get_options().stale_ok())).error() == api_errc::not_found);
              CHECK(names(list_options().stale_ok()) == "");
          }) == 0s);
    CHECK(gets() == 0);
    CHECK(server.lists() == listed);
    CHECK(counts().own_write_waits == 0);
}

TEST_CASE_FIXTURE(fixture,
                  "own writes: a list by an index that the server does not know is the server's all the same") {
    const auto watched = of->get_informer<widget>();
    const auto by_value = watched->add_index("spec.value", index_by_field(&widget::spec, &widget_spec::value));
    server.create("a", 1);
    server.create("b", 2);
    start();
    const lagging_watches lag(world, server.api, 5s);
    REQUIRE(run(c().create(object("x", 1))));
    REQUIRE(run(c().delete_<widget>({"default", "a"})));
    server.create("y", 1, "team-a");
    CHECK(names(list_options().field_selector("spec.value=1")) == "x y");
    CHECK(names(list_options().field_selector("spec.value=1").in_namespace("default")) == "x");
    CHECK(names(list_options().field_selector("spec.value=1,metadata.name=y")) == "y");
    CHECK(counts().after_own_write == 3);
    CHECK(counts().no_index == 0);
}

TEST_CASE("own writes: only a cache that selects what was written, or has it, is waited for") {
    fixture f(cache_options(informer_options().label_selector("app=web")));
    (void)f.of->get_informer<widget>();
    f.start();
    const lagging_watches lag(f.world, f.server.api, 300ms);
    const auto web = list_options().label_selector("app=web");
    REQUIRE(f.run(f.c().create(f.object("x", 1, "db"))));
    CHECK(f.names(web) == "");
    CHECK(f.counts().own_write_waits == 0);
    const auto relabel = [&f](const char* name, const std::string& app) {
        return f.run(f.c().patch(resource_of<widget>(), {"default", name}, merge_patch_type,
                                 R"({"metadata":{"labels":{"app":")" + app + R"("}}})", {}));
    };
    REQUIRE(relabel("x", "web"));
    CHECK(f.names(web) == "x");
    CHECK(f.counts().own_write_waits == 1);
    // It leaves the selection, and so does one before the cache has shown it.
    REQUIRE(f.run(f.c().create(f.object("y", 1, "web"))));
    f.settle(200ms);
    REQUIRE(relabel("y", "db"));
    CHECK(f.names(web) == "x");
    CHECK(f.counts().own_write_waits == 2);
    REQUIRE(relabel("x", "db"));
    CHECK(f.names(web) == "");
    CHECK(f.counts().own_write_waits == 3);
    CHECK(f.counts().after_own_write == 0);
}

TEST_CASE_FIXTURE(fixture, "own writes: each view of a kind shows what was written as another type") {
    (void)of->get_informer<widget>();
    (void)of->informer_of(metadata_resource_of<widget>());
    start();
    const lagging_watches lag(world, server.api, 300ms);
    REQUIRE(run(c().create(object("x", 1))));
    CHECK(run(c().get(metadata_resource_of<widget>(), x, {})).has_value());
    CHECK(run(c().get<widget>(x)).has_value());
    CHECK(gets() == 0);
}

TEST_CASE_FIXTURE(fixture, "own writes: what was written to a server before it was exchanged is forgotten") {
    (void)of->get_informer<widget>();
    start();
    freeze();
    REQUIRE(run(c().create(object("x", 1))));
    of->informers().rebuild(connect(add("b").config("token")), resume_mode::relist);
    settle();
    CHECK(run(c().get<widget>(x)).error() == api_errc::not_found);
    CHECK(counts().own_write_waits == 0);
    CHECK(counts().after_own_write == 0);
}

TEST_CASE_FIXTURE(fixture, "own writes: the wait ends with the read's stop token and with its deadline") {
    (void)of->get_informer<widget>();
    start();
    freeze();
    REQUIRE(run(c().create(object("x", 1))));
    std::stop_source stop;
    stop.request_stop();
    CHECK(run(c().get<widget>(x, get_options().stop(stop.get_token()))).error() == errc::stopped);
    CHECK(run(c().list<widget>(list_options().stop(stop.get_token()))).error() == errc::stopped);
    const duration took =
        time_of([&] { CHECK(run(c().get<widget>(x, get_options().deadline(200ms))).error() == errc::timeout); });
    CHECK(took < 300ms);
}

TEST_CASE("own writes: how long a cache has is an option") {
    fixture f(cache_options().own_writes_deadline(3s));
    (void)f.of->get_informer<widget>();
    f.start();
    const lagging_watches lag(f.world, f.server.api, 2s);
    REQUIRE(f.run(f.c().create(f.object("x", 1))));
    CHECK(f.run(f.c().get<widget>(x)).has_value());
    CHECK(f.gets() == 0);
    CHECK(f.counts().own_write_waits == 1);
}

TEST_CASE_FIXTURE(fixture, "own writes: the update that takes off the last finalizer ends the object") {
    (void)of->get_informer<widget>();
    start();
    widget held = object("x", 1);
    held.metadata.finalizers.push_back("test.kcontrol.dev/held");
    REQUIRE(run(c().create(held)));
    settle();
    REQUIRE(run(c().delete_<widget>(x)));
    settle();
    const auto release = R"({"metadata":{"finalizers":null}})";
    const lagging_watches lag(world, server.api, 300ms);
    const auto task = c().cache()->follow(home);
    const auto stored = run(c().patch(resource_of<widget>(), x, merge_patch_type, release, {}));
    REQUIRE(stored.has_value());
    CHECK(stored->meta().deletion_timestamp.present());
    CHECK(task->pending() == 1);
    CHECK(time_of([&] { CHECK(run(task->seen({}, env.now() + 5s)).has_value()); }) >= 200ms);
    CHECK(run(c().get<widget>(x)).error() == api_errc::not_found);
    CHECK(names({}) == "");
    CHECK(gets() == 0);

    settle();
    REQUIRE(run(c().create(held)));
    REQUIRE(run(c().delete_<widget>(x)));
    REQUIRE(run(c().patch(resource_of<widget>(), x, merge_patch_type, release, {})));
    CHECK(names({}) == "");
    CHECK(run(c().get<widget>(x)).error() == api_errc::not_found);
    CHECK(counts().own_write_waits == 1);
    CHECK(counts().after_own_write == 0);
}

TEST_CASE("own writes: an object that has left the selection is not waited for when it is written again") {
    fixture f(cache_options(informer_options().label_selector("app=web")));
    (void)f.of->get_informer<widget>();
    f.start();
    REQUIRE(f.run(f.c().create(f.object("x", 1, "web"))));
    f.settle();
    const auto patch = [&f](const char* body) {
        return f.run(f.c().patch(resource_of<widget>(), x, merge_patch_type, body, {}));
    };
    const auto web = list_options().label_selector("app=web");
    const lagging_watches lag(f.world, f.server.api, 300ms);
    REQUIRE(patch(R"({"metadata":{"labels":{"app":"db"}}})"));
    REQUIRE(patch(R"({"spec":{"value":2}})"));
    CHECK(f.time_of([&] { CHECK(f.names(web) == ""); }) < 400ms);
    CHECK(f.counts().own_write_waits == 1);
    // The watch reports none of these.
    f.settle();
    REQUIRE(patch(R"({"spec":{"value":3}})"));
    CHECK(f.time_of([&] { CHECK(f.names(web) == ""); }) == 0s);
    CHECK(f.counts().own_write_waits == 1);
    CHECK(f.counts().after_own_write == 0);
}

// Two caches of a kind: the first has no such object, and has caught up with a server that has none.
TEST_CASE_FIXTURE(fixture, "cached reads: the mark of a conflict stays where another cache has the object") {
    const auto a = of->source_with(resource_of<widget>(), kind_options().label_selector("app=a"));
    const auto b = of->source_with(resource_of<widget>(), kind_options().label_selector("app=b"));
    REQUIRE(a.has_value());
    REQUIRE(b.has_value());
    REQUIRE(run(c().create(object("x", 1, "b"))));
    start();
    freeze();
    server.remove("x");
    CHECK(run(c().get<widget>(x))->spec.value == 1);
    CHECK(run(c().patch(resource_of<widget>(), x, merge_patch_type, "{}", {})).error() == api_errc::not_found);
    CHECK(run(c().get<widget>(x)).error() == api_errc::not_found);
    REQUIRE(run(c().create(object("w", 1, "a"))));
    CHECK(run(c().get<widget>(x)).error() == api_errc::not_found);
    CHECK(counts().after_conflict == 2);
}

TEST_CASE_FIXTURE(fixture,
                  "own writes: lists share one request where the cache is late, until there is another write") {
    (void)of->get_informer<widget>();
    start();
    freeze();
    REQUIRE(run(c().create(object("x", 1))));
    settle();
    server.api.set_faults([](const http::server_request&) { return testing::fault().delay(100ms); });
    std::size_t before = server.lists();
    std::string answers;
    const auto ask = [&](list_options how, std::string more = {}) {
        boost::asio::co_spawn(home, list_into(std::move(how), std::move(more), answers), boost::asio::detached);
    };
    for (int i = 0; i < 5; ++i) ask({});
    settle();
    CHECK(answers == "1 1 1 1 1 ");
    CHECK(server.lists() == before + 1);
    // Another list is not that one.
    before = server.lists();
    ask({});
    ask(list_options().label_selector("app=web"));
    settle();
    CHECK(server.lists() == before + 2);
    // What was written since a list began is not in it.
    answers.clear();
    server.api.set_faults(
        [](const http::server_request& r) { return testing::fault().delay(r.method == "POST" ? 10ms : 100ms); });
    before = server.lists();
    ask({});
    ask({}, "y");
    settle();
    CHECK(answers == "2 2 ");
    CHECK(server.lists() == before + 2);
    // One that gives up takes nobody along.
    answers.clear();
    before = server.lists();
    ask(list_options().deadline(50ms));
    ask({});
    settle();
    CHECK(answers == "failed 2 ");
    CHECK(server.lists() == before + 2);
    server.api.set_faults(nullptr);
}

TEST_CASE_FIXTURE(fixture, "own writes: an object that is written again and again waits its second once") {
    (void)of->get_informer<widget>();
    start();
    freeze();
    REQUIRE(run(c().create(object("x", 0))));
    const auto write_and_read = [&](int value) {
        const std::string body = R"({"spec":{"value":)" + std::to_string(value) + "}}";
        REQUIRE(run(c().patch(resource_of<widget>(), x, merge_patch_type, body, {})));
        return time_of([&] { CHECK(run(c().get<widget>(x))->spec.value == value); });
    };
    CHECK(write_and_read(1) > 900ms);
    CHECK(write_and_read(2) < 100ms);
    CHECK(write_and_read(3) < 100ms);
    CHECK(counts().own_write_waits == 1);
    server.api.thaw("");
    settle();
    CHECK(write_and_read(4) < 100ms);
    CHECK(counts().after_own_write == 3);
    CHECK(gets() == 3);
}

TEST_CASE_FIXTURE(fixture, "own writes: what was deleted is the object that the server says") {
    server.create("x", 1);
    (void)of->get_informer<widget>();
    start();
    freeze();
    server.remove("x");
    server.create("x", 2);
    REQUIRE(run(c().delete_<widget>(x)));
    CHECK(run(c().get<widget>(x)).error() == api_errc::not_found);
    CHECK(names({}) == "");
    server.api.thaw("");
    settle();
    const std::size_t listed = server.lists();
    CHECK(names({}) == "");
    CHECK(server.lists() == listed);
}

TEST_CASE_FIXTURE(fixture, "own writes: after a deletion of many whose outcome is unknown the server answers") {
    server.create("x", 1);
    server.create("y", 1, "team-a");
    (void)of->get_informer<widget>();
    start();
    const auto remove_all = [&] {
        return run(c().delete_collection<widget>(list_options().in_namespace("default"), {}));
    };
    server.api.set_faults([](const http::server_request& r) {
        return r.method == "DELETE" ? testing::fault().status(403, "Forbidden", "no") : testing::fault();
    });
    CHECK(remove_all().error() == api_errc::forbidden);
    CHECK(names({}) == "x y");
    CHECK(counts().after_own_write == 0);
    freeze();
    server.api.set_faults([](const http::server_request& r) {
        return r.method == "DELETE" ? testing::fault().drop_response() : testing::fault();
    });
    CHECK(remove_all().error() == errc::unknown_outcome);
    server.api.set_faults(nullptr);
    settle();
    CHECK(names({}) == "y");
    CHECK(run(c().get<widget>(x)).error() == api_errc::not_found);
    CHECK(counts().after_own_write == 2);
    server.api.thaw("");
    settle();
    CHECK(names({}) == "y");
    CHECK(counts().after_own_write == 2);
}

TEST_CASE_FIXTURE(fixture, "own writes: in the place of a late cache the client asks that reads, in the read's time") {
    const auto watched = of->get_informer<widget>();
    const auto by_value = watched->add_index("spec.value", index_by_field(&widget::spec, &widget_spec::value));
    start();
    freeze();
    REQUIRE(run(c().create(object("x", 1))));
    settle();
    int asked = 0;
    client_options hooks;
    hooks.on_request([&](http::request&) -> result<void> {
        ++asked;
        return {};
    });
    client mine = c().with(hooks);
    const auto by_index = list_options().field_selector("spec.value=1");
    CHECK(run(mine.get<widget>(x)).has_value());
    CHECK(run(mine.list<widget>()).value().size() == 1);
    CHECK(run(mine.list<widget>(by_index)).value().size() == 1);
    CHECK(asked == 4);
    // Both requests of a list by an index share its time.
    server.api.set_faults([](const http::server_request&) { return testing::fault().delay(400ms); });
    list_options short_of = by_index;
    short_of.deadline(600ms);
    const duration took = time_of([&] { CHECK(run(mine.list<widget>(short_of)).error() == errc::timeout); });
    CHECK(took < 700ms);
    server.api.set_faults(nullptr);
}

TEST_CASE("own writes: no time is too long") {
    fixture f(cache_options().own_writes_deadline(duration::max()));
    (void)f.of->get_informer<widget>();
    f.start();
    const lagging_watches lag(f.world, f.server.api, 5s);
    REQUIRE(f.run(f.c().create(f.object("x", 1))));
    const auto ever = get_options().deadline(duration::max());
    CHECK(f.time_of([&] { CHECK(f.run(f.c().get<widget>(x, ever)).has_value()); }) > 4s);
    CHECK(f.gets() == 0);
}

TEST_CASE("cached reads: as metrics") {
    read_counts_by_kind all;
    read_counts& one = all[resource_of<widget>().gvk];
    one.cached = 5;
    one.not_watched = 2;
    one.version_waits = 3;
    one.after_own_write = 4;
    one.own_write_waits = 6;
    metrics_registry registry;
    registry.collect([&all](metrics_writer& out) { write_read_metrics(out, "east", all); });
    const std::string text = registry.text();
    const std::string labels = "cluster=\"east\",kind=\"Widget\"";
    CAPTURE(text);
    CHECK(text.find("kcontrol_cache_reads_total{answer=\"cache\",api_version=\"test.kcontrol.dev/v1\"," + labels +
                    "} 5\n") != std::string::npos);
    CHECK(text.find("answer=\"server_not_watched\",api_version=\"test.kcontrol.dev/v1\"," + labels + "} 2\n") !=
          std::string::npos);
    CHECK(text.find("kcontrol_cache_read_waits_total{api_version=\"test.kcontrol.dev/v1\"," + labels +
                    ",reason=\"version\"} 3\n") != std::string::npos);
    CHECK(text.find("answer=\"server_after_own_write\",api_version=\"test.kcontrol.dev/v1\"," + labels + "} 4\n") !=
          std::string::npos);
    CHECK(text.find(labels + ",reason=\"own_write\"} 6\n") != std::string::npos);
}

}  // namespace
