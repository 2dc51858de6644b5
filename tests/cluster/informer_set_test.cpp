// The informers of one cluster, and the cluster of one client that owns some.
#include <kcontrol/cluster/home_cluster.hpp>
#include <kcontrol/cluster/informer_set.hpp>
#include <kcontrol/codec/dynamic_object.hpp>

#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

struct fixture : widget_world {
    explicit fixture(std::vector<std::string> namespaces = {""}) : server(add("a")) {
        const auto scopes = [namespaces](const resource_info&) {
            std::vector<informer_options> out;
            for (const auto& ns : namespaces) out.push_back(informer_options().in_namespace(ns).probe_period(5s));
            return out;
        };
        set.emplace(env, home, connect(server.config("1")), scopes);
    }
    // A context that dies with coroutines suspended on their own events would leak them.
    ~fixture() {
        run(set->stop());
        settle();
    }
    void settle(duration d = 2s) { context.run_for(d); }
    std::size_t open() { return network.open_exchanges("a"); }

    widget_server& server;
    std::optional<informer_set> set;
};

any_event_handler note(std::string& into) {
    return [&into](const any_event& e) {
        into += (e.type == event_type::added ? "+" : (e.type == event_type::updated ? "~" : "-")) +
                std::string(e.object().meta().name) + " ";
    };
}

TEST_CASE_FIXTURE(fixture, "informer_set: one informer a kind, which runs while the set does") {
    const auto first = set->of(resource_of<widget>());
    REQUIRE(first.size() == 1);
    CHECK(set->of(resource_of<widget>()) == first);
    CHECK(set->of(resource_of<gadget>()) != first);
    settle();
    CHECK(first.front()->status().state == informer_state::idle);
    CHECK_FALSE(set->has_synced());
    server.create("x");
    set->start();
    settle();
    CHECK(first.front()->status().state == informer_state::live);
    CHECK(set->of(resource_of<gadget>()).front()->status().state == informer_state::not_installed);
    server.api.register_resource({"test.kcontrol.dev", "v1", "Gadget", "gadgets"});
    settle(6s);
    CHECK(set->has_synced());
    CHECK(open() == 2);

    CHECK(run(set->stop()));
    CHECK(open() == 0);
    CHECK(first.front()->status().state == informer_state::paused);
    CHECK(first.front()->objects().size() == 1);
    set->start();
    settle();
    CHECK(first.front()->status().state == informer_state::live);
    CHECK(server.lists() == 1);
}

TEST_CASE_FIXTURE(fixture,
                  "informer_set: what is asked for while it runs is started at once; a parent's stop ends it") {
    std::stop_source parent;
    set->start(parent.get_token());
    const auto made = set->of(resource_of<widget>()).front();
    settle();
    CHECK(made->status().state == informer_state::live);
    parent.request_stop();
    settle();
    CHECK(open() == 0);
    set->start();
    settle();
    CHECK(made->status().state == informer_state::live);
}

TEST_CASE_FIXTURE(fixture, "informer_set: a rebuild goes over to another client and notifies nothing twice") {
    server.create("x");
    std::string seen;
    const auto source = set->source_of(resource_of<widget>());
    const auto hold = source->subscribe(note(seen));
    set->start();
    settle();
    CHECK(seen == "+x ");
    set->rebuild(connect(server.config("2")));
    server.set_value("x", 1);
    settle();
    CHECK(seen == "+x ~x ");
    CHECK(server.lists() == 1);
    CHECK(server.watches() == 2);
    CHECK(source->get({"default", "x"}).as<widget>()->spec.value == 1);
}

// The same kind with fewer fields.
struct widget_name {
    static constexpr resource_name kcontrol_resource = widget::kcontrol_resource;
    using kcontrol_projection = void;
    object_meta metadata;
    static constexpr auto kcontrol_fields() { return fields(); }
};

const resource_info& dynamic_widget() {
    static const resource_info info = dynamic_resource(resource_of<widget>().gvk, resource_of<widget>().plural);
    return info;
}

TEST_CASE_FIXTURE(fixture, "informer_set: one watch a kind and scope, whatever types it is read as") {
    server.create("x", 7);
    const auto full = set->of(resource_of<widget>()).front();
    const auto names = set->of(resource_of<widget_name>()).front();
    const auto loose = set->of(dynamic_widget()).front();
    const resource_info again = dynamic_resource(resource_of<widget>().gvk, resource_of<widget>().plural);
    CHECK(set->of(again).front() == loose);
    CHECK(names != full);
    CHECK(names->shares_watch_with(*full));
    set->start();
    settle();
    CHECK(open() == 1);
    CHECK(server.lists() == 1);
    CHECK(server.watches() == 1);
    CHECK(full->objects().get({"default", "x"}).as<widget>()->spec.value == 7);
    CHECK(names->objects().get({"default", "x"}).as<widget_name>()->metadata.name == "x");
    CHECK(loose->objects().get({"default", "x"}).as<dynamic_object>()->content.get({"spec", "value"}) == 7);
    // A wrong question has an answer.
    CHECK(names->objects().get({"default", "x"}).as<widget>() == nullptr);
    CHECK(informer<widget_name>::of(*full) == nullptr);
    CHECK(informer<widget>::of(*full)->get({"default", "x"})->spec.value == 7);

    set->rebuild(connect(server.config("2")));
    server.set_value("x", 8);
    settle();
    CHECK(server.lists() == 1);
    CHECK(server.watches() == 2);
    CHECK(full->objects().get({"default", "x"}).as<widget>()->spec.value == 8);
    CHECK(loose->objects().get({"default", "x"}).as<dynamic_object>()->content.get({"spec", "value"}) == 8);
    CHECK(loose->status().generation == 2);
}

TEST_CASE_FIXTURE(fixture, "informer_set: unshared informers are started by who asked, and rebuilt with the others") {
    const auto apart = set->make_unshared(resource_of<widget>()).front();
    CHECK(set->of(resource_of<widget>()).front() != apart);
    set->start();
    settle();
    CHECK(open() == 1);
    CHECK(apart->status().state == informer_state::idle);
    apart->start();
    settle();
    CHECK(open() == 2);
    set->rebuild(connect(server.config("2")));
    settle();
    CHECK(apart->status().generation == 2);
    CHECK(run(set->stop()));
    CHECK(open() == 0);
}

TEST_CASE("informer_set: several namespaces are one source") {
    fixture f({"one", "two"});
    for (const char* ns : {"one", "two", "three"}) {
        (void)f.server.api.create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns}}}}).value();
    }
    f.server.create("x", 1, "one");
    f.server.create("y", 2, "two");
    f.server.create("z", 3, "three");
    std::string seen;
    const auto source = f.set->source_of(resource_of<widget>());
    const auto hold = source->subscribe(note(seen));
    CHECK(source->describe() == "Widget (test.kcontrol.dev/v1): idle");
    CHECK_FALSE(f.run(source->wait_synced({}, f.env.now() + 1s)));
    f.set->start();
    CHECK(f.run(source->wait_synced({}, std::nullopt)));
    f.settle();
    CHECK(seen.size() == 6);
    CHECK(seen.find("+x") != std::string::npos);
    CHECK(seen.find("+y") != std::string::npos);
    CHECK(source->get({"two", "y"}).as<widget>()->spec.value == 2);
    CHECK_FALSE(source->get({"three", "z"}));
    CHECK(source->describe() == "Widget (test.kcontrol.dev/v1): live");
}

TEST_CASE("home_cluster: what it is made of, and its informers") {
    widget_world world;
    auto& server = world.add("a");
    server.create("x");
    home_cluster made(world.env, world.home, world.connect(server.config()),
                      informer_options().in_namespace("default"));
    cluster& home = made;
    CHECK(home.name().empty());
    CHECK(&home.env() == &world.env);
    const auto widgets_there = home.get_informer<widget>();
    CHECK(widgets_there->shares_watch_with(*home.informer_of(resource_of<widget>())));
    made.informers().start();
    world.context.run_for(2s);
    REQUIRE(widgets_there->get({"default", "x"}));
    CHECK(home.source_of(resource_of<widget>())->get({"default", "x"}));
    const auto found = world.run(home.get_client().get<widget>({"default", "x"}));
    CHECK(found.has_value());
    CHECK(world.run(made.informers().stop()));
}

TEST_CASE("home_cluster: the records of one that has a name carry it") {
    widget_world world;
    world.add("a");
    world.network.set_link("a", testing::link_state::refused);
    std::string told;
    const logger log([&told](const log_record& r) {
        told += r.message;
        for (const auto& f : r.fields) told += " " + std::string(f.name) + "=" + f.value;
        told += "\n";
    });
    for (const char* name : {"", "east"}) {
        told.clear();
        home_cluster made(world.env, world.home, world.connect(world.add("a").config()), {}, log, name);
        (void)made.get_informer<widget>();
        made.informers().start();
        world.context.run_for(2s);
        const std::string field = *name == '\0' ? "" : " cluster=east";
        CHECK(told == "the informer is failed" + field + " kind=Widget reason=a: connection refused\n");
        CHECK(world.run(made.informers().stop()));
    }
}

TEST_CASE_FIXTURE(fixture,
                  "informer_set: what is removed ends its watch, calls nobody and is freed; the next begins anew") {
    server.create("x", 1);
    set->start();
    std::string seen;
    std::weak_ptr<const widget> object;
    subscription hold;
    {
        const auto made = set->of(resource_of<widget>()).front();
        hold = made->subscribe(note(seen));
        settle();
        CHECK(seen == "+x ");
        object = made->objects().get({"default", "x"}).as<widget>();
    }
    CHECK(open() == 1);
    REQUIRE_FALSE(object.expired());
    CHECK(run(set->remove(resource_of<widget>())));
    CHECK(set->all().empty());
    settle();
    CHECK(open() == 0);
    CHECK(object.expired());
    server.create("y");
    settle();
    CHECK(seen == "+x ");
    const auto next = set->of(resource_of<widget>()).front();
    settle();
    CHECK(next->objects().size() == 2);
    CHECK(next->status().lists == 1);
    CHECK(server.lists() == 2);
    CHECK(seen == "+x ");
    hold.reset();
}

TEST_CASE_FIXTURE(fixture,
                  "informer_set: a removed informer that somebody keeps is stopped and calls nobody, readable still") {
    server.create("x");
    set->start();
    const auto kept = set->of(resource_of<widget>()).front();
    int calls = 0;
    const auto hold = kept->subscribe([&](const any_event&) { ++calls; });
    const auto status = kept->on_status_change([&](const informer_status&) { ++calls; });
    settle();
    calls = 0;
    (void)set->remove(resource_of<widget>());  // not awaited: done all the same
    server.create("y");
    settle();
    CHECK(open() == 0);
    CHECK(calls == 0);
    CHECK(kept->status().state == informer_state::paused);
    CHECK(kept->objects().size() == 1);
    CHECK_FALSE(hold.has_synced());
    CHECK(set->of(resource_of<widget>()).front() != kept);
    settle();
}

TEST_CASE_FIXTURE(fixture, "informer_set: of several types only the one asked for is removed, and the watch goes on") {
    server.create("x");
    set->start();
    const auto names = set->of(resource_of<widget_name>()).front();
    static_cast<void>(set->of(resource_of<widget>()));
    settle();
    CHECK(run(set->remove(resource_of<widget>())));
    CHECK(set->all().size() == 1);
    server.create("y");
    settle();
    CHECK(names->objects().size() == 2);
    CHECK(open() == 1);
    CHECK(set->of(resource_of<widget>()).front()->shares_watch_with(*names));
    settle();
    CHECK(set->of(resource_of<widget>()).front()->objects().size() == 2);
}

TEST_CASE_FIXTURE(fixture, "informer_set: what a controller watches can't be removed, and the error says so") {
    set->start();
    auto source = set->source_of(resource_of<widget>());
    settle();
    const result<void> refused = run(set->remove(resource_of<widget>()));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == errc::invalid_argument);
    CHECK(refused.error().what() == std::string("the informer of Widget (test.kcontrol.dev/v1) can't be removed: "
                                                "controllers watch it, through 1 sources; destroy these first"));
    CHECK(set->all().size() == 1);
    CHECK(open() == 1);
    source.reset();
    CHECK(run(set->remove(resource_of<widget>())));
    CHECK(set->all().empty());
    CHECK(run(set->remove(resource_of<widget>())));
}

TEST_CASE("informer_set: a missing kind that is removed is looked for no more") {
    fixture f;
    f.set->start();
    static_cast<void>(f.set->of(resource_of<gadget>()));
    f.settle();
    CHECK(f.open() >= 1);  // the watch of definitions
    CHECK(f.run(f.set->remove(resource_of<gadget>())));
    f.settle();
    CHECK(f.open() == 0);
}

}  // namespace
