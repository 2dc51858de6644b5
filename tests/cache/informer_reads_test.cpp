// Reading through an informer: indexes and their guard, and waiting for one's own writes.
#include "fixture.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using fixture = informer_fixture;

template <class Found>
std::string names(const Found& found) {
    std::string out;
    for (const auto& one : found) out += (out.empty() ? "" : " ") + one.metadata.name.str();
    return out;
}

object_meta written(const widget_server& server, const std::string& name) {
    object_meta meta;
    meta.namespace_ = "default";
    meta.name = name;
    const auto object = server.api.get(widgets, {"default", name});
    if (object) meta.resource_version = std::string(object->at("metadata").at("resourceVersion").as_string().c_str());
    return meta;
}

}  // namespace

TEST_CASE_FIXTURE(fixture, "informer: typed reads by index, by selector and of one moment") {
    server.create("a", 1);
    server.create("b", 2);
    watched.start();
    settle();
    const auto by_value = *watched.add_index("value", [](const widget& w) { return std::to_string(w.spec.value); });
    server.create("c", 2);
    settle();
    CHECK(names(watched.by_index(by_value, "2")) == "b c");
    CHECK(names(*watched.by_index("value", "1")) == "a");
    CHECK(watched.by_index("colour", "1").error() == errc::invalid_argument);
    CHECK(names(watched.select(cache_query().in_namespace("default"))) == "a b c");
    const auto then = watched.select({});
    server.set_value("b", 1);
    settle();
    CHECK(names(watched.by_index(by_value, "1")) == "a b");
    CHECK(then[1].spec.value == 2);
    CHECK(then.share(1)->spec.value == 2);
}

TEST_CASE_FIXTURE(fixture, "informer: what the function of an index throws is counted, and that object is not in it") {
    watched.start();
    const auto picky = *watched.add_index("picky", [](const widget& w) -> std::string {
        if (w.spec.value == 2) throw std::runtime_error("not two");
        return "fine";
    });
    server.create("a", 1);
    server.create("b", 2);
    server.create("c", 3);
    settle();
    CHECK(watched.list().size() == 3);
    CHECK(names(watched.by_index(picky, "fine")) == "a c");
    CHECK(watched.status().handler_errors == 1);
    server.set_value("b", 4);
    settle();
    CHECK(names(watched.by_index(picky, "fine")) == "a b c");
}

TEST_CASE_FIXTURE(fixture, "informer: at_least ends when a write has been seen") {
    server.create("a", 1);
    watched.start();
    settle();
    // Before the event has come the copy is old; afterwards it is not.
    server.set_value("a", 2);
    const auto now = written(server, "a");
    CHECK(watched.get({"default", "a"})->spec.value == 1);
    CHECK(run(watched.at_least(now, {})).has_value());
    CHECK(watched.get({"default", "a"})->spec.value == 2);
    CHECK(ends_within(0s, watched.at_least(now, {})));

    // Deleted meanwhile.
    server.create("b");
    const auto gone = written(server, "b");
    server.remove("b");
    CHECK(run(watched.at_least(gone, {}), 1s).has_value());
    CHECK(watched.get({"default", "b"}) == nullptr);
}

TEST_CASE_FIXTURE(fixture, "informer: deletion_seen ends with the mark, and of what had one with the end") {
    server.create("a");
    const json::value finalizer = {{"metadata", {{"finalizers", {"test.kcontrol.dev/held"}}}}};
    (void)server.api.patch(widgets, {"default", "a"}, finalizer).value();
    watched.start();
    settle();
    const object_meta last = watched.get({"default", "a"})->metadata;
    const auto in_a_moment = [this] { return std::optional<time_point>(env.now() + 1s); };
    CHECK(run(watched.deletion_seen(last, {}, in_a_moment())).error() == errc::timeout);
    server.remove("a");
    CHECK(run(watched.deletion_seen(last, {}, in_a_moment())).has_value());
    const object_meta marked = watched.get({"default", "a"})->metadata;
    REQUIRE(marked.deletion_timestamp.present());
    CHECK(run(watched.deletion_seen(marked, {}, in_a_moment())).error() == errc::timeout);
    (void)server.api.patch(widgets, {"default", "a"}, {{"metadata", {{"finalizers", nullptr}}}});
    CHECK(run(watched.deletion_seen(marked, {}, in_a_moment())).has_value());
    CHECK(watched.get({"default", "a"}) == nullptr);
}

TEST_CASE_FIXTURE(fixture, "informer: at_least ends at its deadline and when it is stopped, and says of what") {
    watched.start();
    settle();
    object_meta future;
    future.namespace_ = "default";
    future.name = "a";
    future.resource_version = "900000000";
    const std::optional<time_point> soon = env.now() + 5s;
    const auto late = run(watched.at_least(future, {}, soon));
    REQUIRE(late.has_error());
    CHECK(late.error() == errc::timeout);
    CHECK(late.error().what().find("has not seen version 900000000 of default/a") != std::string::npos);
    std::stop_source stop;
    stop.request_stop();
    CHECK(run(watched.at_least(future, stop.get_token())).error() == errc::stopped);
    CHECK(watched.status().state == informer_state::live);
}

TEST_CASE("informer: at_least of an object that is not selected ends with the next sign of the watch") {
    fixture f(informer_options().in_namespace("other"));
    f.watched.start();
    f.settle();
    f.server.create("a");
    const auto elsewhere = written(f.server, "a");
    // A bookmark comes every 20 s.
    CHECK(f.run(f.watched.at_least(elsewhere, {}), 1min).has_value());
}

TEST_CASE_FIXTURE(fixture, "informer: a second view that begins later is not counted as filled before it is") {
    server.create("a", 1);
    watched.start();
    settle();
    server.set_value("a", 2);
    const auto now = written(server, "a");
    settle();
    informer<widget> second(static_cast<const any_informer&>(watched));
    second.start();
    CHECK(second.get({"default", "a"}) == nullptr);
    CHECK(run(second.at_least(now, {})).has_value());
    REQUIRE(second.get({"default", "a"}) != nullptr);
    CHECK(second.get({"default", "a"})->spec.value == 2);
    ends_within(1s, second.stop());
}
