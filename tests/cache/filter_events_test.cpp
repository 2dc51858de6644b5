// A handler of selected objects: what each event is to it.
#include <kcontrol/cache/filter_events.hpp>

#include "fixture.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using fixture = informer_fixture;

any_object valued(std::int64_t value) {
    auto made = std::make_shared<widget>();
    made->metadata.name = "w";
    made->spec.value = value;
    return any_object(std::shared_ptr<const widget>(made));
}

bool is_large(const any_object& one) { return one.get<widget>().spec.value >= 10; }

// "added 12", "updated 10 12", "deleted 12"; empty: nothing.
std::string text_of(const std::optional<any_event>& e) {
    if (!e) return {};
    constexpr const char* names[] = {"added", "updated", "deleted", "generic"};
    std::string out = names[static_cast<std::size_t>(e->type)];
    if (e->old_object) out += " " + std::to_string(e->old_object.get<widget>().spec.value);
    if (e->new_object) out += " " + std::to_string(e->new_object.get<widget>().spec.value);
    if (e->resync) out += " resync";
    if (e->initial) out += " initial";
    return out;
}

TEST_CASE("filtered events: what an event is to a handler of selected objects, as a table") {
    struct row {
        event_type type;
        std::int64_t before, after;  // -1: no object
        const char* seen;
    };
    const row rows[] = {
        {event_type::added, -1, 10, "added 10 initial"},        {event_type::added, -1, 9, ""},
        {event_type::updated, 10, 12, "updated 10 12 initial"}, {event_type::updated, 8, 9, ""},
        {event_type::updated, 8, 12, "added 12 initial"},       {event_type::updated, 12, 8, "deleted 12 initial"},
        {event_type::deleted, 12, -1, "deleted 12 initial"},    {event_type::deleted, 8, -1, ""},
        {event_type::generic, -1, 12, "generic 12 initial"},    {event_type::generic, -1, 8, ""},
    };
    for (const row& one : rows) {
        any_event e(one.type, one.before < 0 ? any_object() : valued(one.before),
                    one.after < 0 ? any_object() : valued(one.after));
        e.initial = true;  // all else stays
        CHECK(text_of(filter_event(e, is_large)) == one.seen);
    }
}

TEST_CASE_FIXTURE(fixture,
                  "filtered events: a handler and a coroutine of an informer get flips as additions and deletions") {
    server.create("a", 5);
    server.create("b", 15);
    std::string plain, later;
    const auto large = [](const widget& w) { return w.spec.value >= 10; };
    const auto add_to = [](std::string& out) {
        return [&out](const any_event& e) { out += e.object().meta().name.str() + " " + text_of(e) + "; "; };
    };
    const auto first = watched.subscribe(filter_events<widget>(large, add_to(plain)));
    const async_event_handler slow = [&later, add_to](const any_event& e) -> awaitable<void> {
        add_to(later)(e);
        co_return;
    };
    const auto second = watched.subscribe(filter_events<widget>(large, slow));
    watched.start();
    settle();
    server.set_value("a", 10);
    settle();
    server.set_value("a", 11);
    settle();
    server.set_value("a", 1);
    settle();
    server.set_value("a", 2);
    server.remove("b");
    settle();
    CHECK(plain == "b added 15 initial; a added 10; a updated 10 11; a deleted 11; b deleted 15; ");
    CHECK(later == plain);
}

}  // namespace
