// No memory for what a server sends: what was read is freed, the informer says so and tries again.
#include "hostile/play.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <new>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

using enum informer_state;

// Objects that still find memory.
std::int64_t room = std::numeric_limits<std::int64_t>::max();

void take_room() {
    if (room-- <= 0) throw std::bad_alloc();
}
void make_room(play&) { room = std::numeric_limits<std::int64_t>::max(); }
play_function room_for(std::int64_t objects) {
    return [objects](play&) { room = objects; };
}

/// Widgets, as long as there is room.
const resource_info& scarce_widgets() {
    static const resource_info& real = resource_of<widget>();
    static const resource_info info = [] {
        resource_info out(
            real.gvk, real.plural, real.scope,
            [](const resource_info&, json::node from, share_pool* pool) {
                return take_room(), real.decode(from, pool);
            },
            real.encoder(),
            [](const resource_info&, std::string_view text, share_pool* pool) {
                return take_room(), real.decode_parsed(text, pool);
            },
            [](const resource_info&, json::cursor& from, share_pool* pool) {
                return take_room(), real.decode(from, pool);
            });
        out.type = real.type;
        return out;
    }();
    return info;
}

constexpr const char* no_memory = "there is no memory for the objects of kind Widget";

// 3000 objects are more than that.
void is_freed(play& p) { CHECK(p.heap_growth() < 500'000); }

scenario short_list(const std::string& name, std::int64_t objects) {
    return scenario("6. no memory for a list, " + name)
        .kind(scarce_widgets())
        .from_the_start()
        .before([objects](play& p) {
            for (int i = 0; i < 4000; ++i) p.honest.create("w" + std::to_string(i), i);
            room = objects;
        })
        .answers([objects](const ask& q) -> std::optional<reply> {
            if (q.what == verb::list) room = objects;
            return std::nullopt;
        })
        .state(failed)
        .reason(no_memory)
        .empty()
        .per_minute(10)
        .also(is_freed)
        .mends(make_room);
}

scenario short_event(const std::string& name, std::int64_t objects) {
    return scenario("6. no memory for an event, " + name)
        .kind(scarce_widgets())
        .before(make_room)
        .answers([objects](const ask& q) -> std::optional<reply> {
            if (!q.is_watch()) return std::nullopt;
            room = q.world.stored() == "a=1 b=2 c=3" ? objects : 0;  // a watch that is resumed finds none
            q.world.honest.set_value("a", 50);
            q.world.honest.set_value("b", 60);
            return std::nullopt;
        })
        .state(failed)
        .reason(no_memory)
        .holds(objects == 0 ? "a=1 b=2 c=3" : "a=50 b=2 c=3")
        .per_minute(10)
        .mends(make_room);
}

TEST_CASE("hostile: no memory") {
    play_all({
        short_list("the first object", 0),
        short_list("the 100th object", 99),
        short_list("on the seventh page", 3200),
        short_event("the first", 0),
        short_event("the second", 1),
        scenario("6. no memory for a while: the same list succeeds later")
            .kind(scarce_widgets())
            .from_the_start()
            .before(room_for(2))
            .at(3s, make_room)
            .told(no_memory)
            .well(),
        scenario("6. no memory when a list is due again: what was known stays")
            .kind(scarce_widgets())
            .before(make_room)
            .answers([](const ask& q) -> std::optional<reply> {
                room = 1;
                return q.is_watch() ? std::optional(reply::failure(410, "Expired", "too old")) : std::nullopt;
            })
            .state(failed)
            .reason(no_memory)
            .holds("a=1 b=2 c=3")
            .per_minute(10)
            .mends(make_room),
    });
    room = std::numeric_limits<std::int64_t>::max();
}

}  // namespace
