// Informers whose lists are streamed: by servers that do so, that refuse, and that break off in the middle.
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/codec/metadata_object.hpp>

#include "cache/fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;

informer_options streaming() { return informer_options().streaming(list_streaming::on); }
testing::api_server_options older() { return testing::api_server_options().serve_watch_lists(false); }

using log_lines = std::shared_ptr<std::vector<std::string>>;

struct fixture : informer_fixture {
    explicit fixture(informer_options options = streaming(), testing::api_server_options api = {},
                     log_lines told = std::make_shared<std::vector<std::string>>())
        : informer_fixture(options.log(logger([told](const log_record& r) {
              std::string line(r.message);
              for (const auto& f : r.fields) ((line += " ") += f.name) += "=" + f.value;
              told->push_back(line);
          })),
                           api),
          lines(told) {}
    std::size_t listed_in_pages() { return server.api.request_log().count("list", "widgets"); }
    std::size_t logged(const std::string& part) const {
        return static_cast<std::size_t>(std::count_if(
            lines->begin(), lines->end(), [&](const auto& line) { return line.find(part) != std::string::npos; }));
    }
    std::string stored() const {
        std::string out;
        for (const auto& one : watched.list()) {
            out += one->metadata.name.str() + "=" + std::to_string(one->spec.value) + " ";
        }
        return out;
    }
    // Something has changed while nobody looked, and the history is gone: what follows is a list.
    void expire() {
        network.set_link("a", testing::link_state::refused);
        network.break_connections("a");
        server.set_value("a", ++value);
        server.api.compact(server.api.resource_version());
        network.set_link("a", testing::link_state::up);
    }
    // Faults of streamed lists, one after the other.
    void inflict(std::vector<testing::fault> faults) {
        auto left = std::make_shared<std::vector<testing::fault>>(std::move(faults));
        server.api.set_faults([left](const http::server_request& request) {
            if (left->empty() || request.target.find("sendInitialEvents") == std::string::npos) return testing::fault();
            testing::fault next = left->front();
            left->erase(left->begin());
            return next;
        });
    }
    log_lines lines;
    std::int64_t value = 100;
};

TEST_CASE_FIXTURE(fixture, "streamed list: one request, which goes on as the watch") {
    server.create("b");
    server.create("a");
    watched.start();
    settle();
    CHECK(take() == "+a(initial) +b(initial) ");
    CHECK(held.has_synced());
    server.create("c");
    server.set_value("a", 5);
    server.remove("b");
    settle();
    CHECK(take() == "+c ~a -b ");
    CHECK(listed_in_pages() == 0);
    CHECK(server.watches() == 1);
    const auto now = watched.status();
    CHECK(now.state == informer_state::live);
    CHECK(now.lists == 1);
    CHECK(now.watches == 1);
    CHECK(now.list_bytes > 200);
    CHECK(now.reason.empty());
    CHECK(now.not_streamed.empty());
    // It ends at its time like any watch, and is resumed.
    settle(12min);
    CHECK(watched.status().lists == 1);
    CHECK(watched.status().watches >= 2);
}

TEST_CASE_FIXTURE(fixture, "streamed list: of nothing") {
    watched.start();
    settle();
    CHECK(held.has_synced());
    CHECK(watched.status().state == informer_state::live);
    CHECK(server.watches() == 1);
}

TEST_CASE_FIXTURE(fixture, "streamed list: a later one replaces what is there when it is complete, not before") {
    for (const auto* name : {"a", "b", "c", "d"}) server.create(name, 1);
    watched.start();
    settle();
    take();
    network.set_link("a", testing::link_state::refused);
    network.break_connections("a");
    server.remove("a");
    server.set_value("b", 2);
    server.create("e", 3);
    server.api.compact(server.api.resource_version());
    inflict({testing::fault().cut_after_events(1)});
    network.set_link("a", testing::link_state::up);
    settle(300ms);
    std::string then;
    while (then.empty() && watched.status().lists < 3) {
        CHECK(stored() == "a=1 b=1 c=1 d=1 ");
        settle(50ms);
        then = take();
    }
    settle(5s);
    CHECK(then + take() == "-a(inferred) ~b +e ");
    CHECK(stored() == "b=2 c=1 d=1 e=3 ");
    CHECK(listed_in_pages() == 0);
    CHECK(server.streams() == 3);
}

TEST_CASE("streamed list: an older server is asked for lists, and that is told once") {
    fixture f(streaming(), older());
    f.server.create("a");
    f.watched.start();
    f.settle();
    CHECK(f.take() == "+a(initial) ");
    CHECK(f.watched.status().state == informer_state::live);
    CHECK(f.watched.status().reason.empty());
    CHECK(f.watched.status().not_streamed.find("WatchList feature gate") != std::string::npos);
    for (int i = 0; i < 3; ++i) {
        f.expire();
        f.settle(40s);  // what a list does not cure is tried again with backoff
    }
    CHECK(f.server.streams() == 1);
    CHECK(f.listed_in_pages() == 4);
    CHECK(f.logged("lists are not streamed any more") == 1);
    CHECK(f.logged("WatchList feature gate") == 1);
}

TEST_CASE_FIXTURE(fixture, "streamed list: who may list and not watch is told of the watch that is forbidden") {
    server.create("a");
    const testing::access_rule rule("*", "watch", "widgets");
    server.api.access().forbid(rule);
    watched.start();
    settle();
    CHECK(take() == "+a(initial) ");
    CHECK(watched.status().state == informer_state::forbidden);
    CHECK(watched.status().synced);
    server.api.access().permit(rule);
    settle(10s);
    CHECK(watched.status().state == informer_state::live);
}

TEST_CASE_FIXTURE(fixture, "streamed list: three that break off in the middle are enough") {
    for (const auto* name : {"a", "b", "c"}) server.create(name);
    inflict({testing::fault().cut_after_events(1), testing::fault().truncate_event(2),
             testing::fault().garbage_before_event(1)});
    watched.start();
    settle(100ms);
    CHECK(take().empty());
    CHECK_FALSE(watched.has_synced());
    settle(20s);
    CHECK(take() == "+a(initial) +b(initial) +c(initial) ");
    CHECK(server.streams() == 3);
    CHECK(listed_in_pages() == 1);
    CHECK(watched.status().not_streamed.find("3 in a row broke off") != std::string::npos);
    CHECK(watched.status().state == informer_state::live);
}

TEST_CASE_FIXTURE(fixture, "streamed list: an end among the objects, an overload and an expired version") {
    for (const auto* name : {"a", "b", "c"}) server.create(name);
    inflict({testing::fault().end_after_events(2),
             testing::fault().error_at_event(2, testing::failure(429, "TooManyRequests", "slow down"))});
    watched.start();
    settle(10s);
    CHECK(take() == "+a(initial) +b(initial) +c(initial) ");
    CHECK(server.streams() == 3);
    CHECK(listed_in_pages() == 0);
    inflict({testing::fault().error_at_event(1, testing::failure::expired("too old resource version: 1 (2)"))});
    expire();
    settle(10s);
    CHECK(take() == "~a ");
    CHECK(server.streams() == 4);
    CHECK(listed_in_pages() == 1);
    expire();
    settle(40s);
    CHECK(server.streams() == 5);
    CHECK(watched.status().not_streamed.empty());
}

TEST_CASE("streamed list: the bounds of a list hold, and are no reason against streaming") {
    for (const auto& limits : {list_bounds().max_items(3), list_bounds().max_bytes(1200)}) {
        fixture f(streaming().list_limits(limits));
        for (const auto* name : {"a", "b", "c", "d", "e", "f"}) f.server.create(name);
        f.watched.start();
        f.settle(20s);
        CHECK(f.take().empty());
        CHECK(f.watched.status().state == informer_state::failed);
        CHECK(f.watched.status().reason.find("the list goes on beyond max_") != std::string::npos);
        for (const auto* name : {"a", "b", "c", "d", "e"}) f.server.remove(name);
        f.settle(90s);
        CHECK(f.take() == "+f(initial) ");
        CHECK(f.listed_in_pages() == 0);
        CHECK(f.watched.status().state == informer_state::live);
    }
}

TEST_CASE_FIXTURE(fixture, "streamed list: what can't be read is told, and all others are there") {
    server.create("a");
    server.create("b");
    server.create("c");
    (void)server.api.patch(widgets, {"default", "b"}, {{"spec", {{"value", "no number"}}}});
    std::string bad;
    const auto told = watched.on_invalid([&](const invalid_object& o) { bad += o.metadata.name.str() + " "; });
    watched.start();
    settle();
    CHECK(take() == "+a(initial) +c(initial) ");
    CHECK(bad == "b ");
    CHECK(watched.status().invalid == 1);
    server.set_value("b", 4);
    settle();
    CHECK(take() == "+b ");
    CHECK(watched.status().invalid == 0);
}

TEST_CASE_FIXTURE(fixture, "streamed list: two views of one watch, and a third that comes later") {
    static const resource_info loose = dynamic_resource(resource_of<widget>().gvk, resource_of<widget>().plural);
    static const resource_info slim = metadata_resource(resource_of<widget>().gvk, resource_of<widget>().plural);
    server.create("a", 3);
    server.create("b", 4);
    {
        any_informer second(watched, loose), third(watched, slim);
        std::string heard;
        const auto note = [&](const any_event& e) { heard += e.object().meta().name.str() + " "; };
        const auto one = second.subscribe(note), other = third.subscribe(note);
        watched.start();
        second.start();
        settle();
        CHECK(take() == "+a(initial) +b(initial) ");
        CHECK(std::exchange(heard, {}) == "a b ");
        CHECK(server.watches() == 1);
        third.start();
        settle();
        CHECK(take().empty());
        CHECK(std::exchange(heard, {}) == "a b ");
        CHECK(third.status().synced);
        CHECK(server.watches() == 2);
        CHECK(listed_in_pages() == 0);
        ends_within(1s, second.stop());
        ends_within(1s, third.stop());
    }
    settle();
}

TEST_CASE("streamed list: of metadata only") {
    widget_world w;
    auto& server = w.add("a");
    server.create("a", 3);
    static const resource_info slim = metadata_resource(resource_of<widget>().gvk, resource_of<widget>().plural);
    any_informer watched(w.env, w.home, w.connect(server.config()), slim, streaming());
    watched.start();
    w.context.run_for(1s);
    CHECK(watched.objects().size() == 1);
    CHECK(watched.status().synced);
    CHECK(server.watches() == 1);
    CHECK(server.lists() == 1);
    w.ends_within(1s, watched.stop());
    w.context.run_for(1s);
}

// Whatever step it is at: nothing is told that was not so, nothing twice, and all in the end.
TEST_CASE("streamed list: stopped and started again at each step") {
    for (const bool serves : {true, false}) {
        for (int steps = 0; steps < 120; ++steps) {
            CAPTURE(steps);
            fixture f(streaming(), testing::api_server_options().serve_watch_lists(serves));
            for (const auto* name : {"a", "b", "c"}) f.server.create(name);
            f.watched.start();
            int left = steps;
            f.context.run_until([&] { return left-- <= 0; }, f.env.now() + 1s);
            REQUIRE(f.ends_within(1s, f.watched.stop()));
            const std::string before = f.take();
            f.settle();
            CHECK(f.take().empty());
            f.server.remove("b");
            f.watched.start();
            f.settle(5s);
            const std::string all = before + f.take();
            CHECK((all == "+a(initial) +c(initial) " || all == "+a(initial) +b(initial) +c(initial) -b " ||
                   all == "+a(initial) +b(initial) +c(initial) -b(inferred) "));
            CHECK(f.stored() == "a=0 c=0 ");
            CHECK(f.watched.status().state == informer_state::live);
        }
    }
}

}  // namespace
