// A change of a store on its way to handlers: all of them get all of it, in order, wherever memory runs out.
#include <kcontrol/cache/detail/change_delivery.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include "simulation/widget.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>

namespace {

using namespace kcontrol;
using detail::change_delivery;
using detail::handler_entry;
using detail::handler_list;
using detail::invalid_entry;

any_event added(const std::string& name) {
    auto made = std::make_shared<test::widget>();
    made->metadata.name = name;
    return any_event(event_type::added, {}, any_object(std::shared_ptr<const test::widget>(made)));
}

store_change change_of(std::initializer_list<const char*> events, const char* invalid = nullptr) {
    store_change change;
    for (const char* name : events) change.events.push_back(added(name));
    if (invalid == nullptr) return change;
    object_meta meta;
    meta.name = invalid;
    change.invalid.push_back(std::make_shared<const invalid_object>(std::move(meta), error(errc::decode_failed)));
    return change;
}

struct fixture {
    fixture() {
        const auto subscribe = [this](handler_entry& entry, std::string& heard) {
            entry.handler = [this, &heard](const any_event& event) {
                spend();
                heard += event.object().meta().name.str();
                if (on_event) on_event(event);
            };
        };
        subscribe(*one, heard_by_one);
        subscribe(*two, heard_by_two);
        invalid->handler = [this](const invalid_object& object) {
            spend();
            heard_by_one += object.metadata.name.str() + "!";
        };
        handlers.add(one);
        handlers.add(two);
        handlers.add(invalid);
    }
    // The call with the number `fails`, from 1, has no memory.
    void spend() {
        if (++number == fails) throw std::bad_alloc();
    }
    // True if all is delivered.
    bool run() {
        try {
            delivery.run();
        } catch (const std::bad_alloc&) {
            return false;
        }
        return true;
    }

    testing::manual_environment env;
    guarded_calls calls{env, logger()};
    handler_list handlers{calls};
    change_delivery delivery{handlers};
    std::shared_ptr<handler_entry> one = std::make_shared<handler_entry>(), two = std::make_shared<handler_entry>();
    std::shared_ptr<invalid_entry> invalid = std::make_shared<invalid_entry>();
    std::function<void(const any_event&)> on_event;
    std::string heard_by_one, heard_by_two;
    unsigned number = 0, fails = 0;
};

TEST_CASE_FIXTURE(fixture, "change_delivery: events, then invalid objects, then the end of the first list") {
    constexpr unsigned all = 2 * 2 + 1;
    for (fails = 0; fails <= all; ++fails) {
        CAPTURE(fails);
        heard_by_one = heard_by_two = "";
        one->complete = two->complete = false;
        number = 0;
        delivery.add(change_of({"a", "b"}, "c"), true);
        if (fails > 0) {
            CHECK_FALSE(run());
            CHECK_FALSE(one->complete);
            CHECK_FALSE(two->complete);
        }
        CHECK(run());
        CHECK(one->complete);
        CHECK(two->complete);
        CHECK(heard_by_one == "abc!");
        CHECK(heard_by_two == "ab");
        CHECK(run());  // nothing more
        CHECK(number == (fails == 0 ? all : all + 1));
    }
    CHECK(calls.thrown() == 0);
}

TEST_CASE_FIXTURE(fixture, "change_delivery: a change that is no first list does not end one, an empty list does") {
    delivery.add(change_of({"a"}), false);
    CHECK(run());
    CHECK_FALSE(one->complete);
    delivery.add({}, true);
    CHECK_FALSE(one->complete);
    CHECK(run());
    CHECK(one->complete);
    CHECK(one->progress->synced);
    CHECK(heard_by_one == "a");
}

TEST_CASE_FIXTURE(fixture, "change_delivery: what a handler does meanwhile") {
    SUBCASE("it brings another change, which all get at once, and then the rest") {
        on_event = [&](const any_event& event) {
            if (event.object().meta().name != "a" || heard_by_one != "a") return;
            delivery.add(change_of({"x"}), false);
            CHECK(run());
        };
        delivery.add(change_of({"a", "b"}), false);
        CHECK(run());
        CHECK(heard_by_one == "axb");
        CHECK(heard_by_two == "xab");
    }
    SUBCASE("it ends all handlers") {
        on_event = [&](const any_event&) { handlers.end_all(); };
        delivery.add(change_of({"a", "b"}), true);
        CHECK(run());
        CHECK(heard_by_one + heard_by_two == "a");
        CHECK_FALSE(one->complete);
    }
}

}  // namespace
