#include <kcontrol/controllerutil/conditions.hpp>

#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

status_condition a_condition(const char* type, const char* status, const char* reason = "Reason",
                             const char* message = "text", std::optional<std::int64_t> generation = {}) {
    status_condition out;
    out.type = type;
    out.status = status;
    out.reason = reason;
    out.message = message;
    out.observed_generation = generation;
    return out;
}

wall_time at(int seconds) { return wall_time(std::chrono::seconds(seconds)); }

}  // namespace

TEST_CASE("the transition time of a condition moves with its status and with nothing else") {
    struct row {
        status_condition wanted;
        bool changed;
        int transition;  // in seconds, at 20 s; it was first set at 10 s
    };
    const auto row_of = [](status_condition c, bool changed, int transition) {
        return row{std::move(c), changed, transition};
    };
    const row table[] = {
        row_of(a_condition("Ready", "True", "Reason", "text", 1), false, 10),
        row_of(a_condition("Ready", "True", "Reason", "text"), false, 10),
        row_of(a_condition("Ready", "True", "Other", "text", 1), true, 10),
        row_of(a_condition("Ready", "True", "Reason", "other", 1), true, 10),
        row_of(a_condition("Ready", "True", "Reason", "text", 2), true, 10),
        row_of(a_condition("Ready", "False", "Reason", "text", 1), true, 20),
        row_of(a_condition("Ready", "Unknown", "Reason", "text", 1), true, 20),
    };
    for (const auto& r : table) {
        CAPTURE(r.wanted.status.str() + " " + r.wanted.reason.str() + " " + r.wanted.message.str());
        list<status_condition> conditions;
        CHECK(set_condition(conditions, a_condition("Old", "True"), at(1)));
        CHECK(set_condition(conditions, a_condition("Ready", "True", "Reason", "text", 1),
                            at(10) + std::chrono::milliseconds(7)));
        CHECK(set_condition(conditions, a_condition("Last", "True"), at(11)));
        CHECK(set_condition(conditions, r.wanted, at(20) + std::chrono::milliseconds(7)) == r.changed);
        REQUIRE(conditions.size() == 3);
        CHECK(conditions[1].last_transition_time == timestamp(at(r.transition)));
        CHECK(conditions[1].status == r.wanted.status);
        CHECK(conditions[1].reason == r.wanted.reason);
        CHECK(conditions[1].message == r.wanted.message);
        CHECK(conditions[1].observed_generation == r.wanted.observed_generation.value_or(1));
        CHECK(!set_condition(conditions, r.wanted, at(30)));
        CHECK(conditions[0] == [] {
            auto c = a_condition("Old", "True");
            c.last_transition_time = at(1);
            return c;
        }());
    }
}

TEST_CASE("a transition time that is given counts") {
    list<status_condition> conditions;
    auto wanted = a_condition("Ready", "True");
    wanted.last_transition_time = at(5);
    CHECK(set_condition(conditions, wanted, at(10)));
    CHECK(conditions[0].last_transition_time == timestamp(at(5)));
    wanted.last_transition_time = at(7);
    CHECK(!set_condition(conditions, wanted, at(10)));
    CHECK(conditions[0].last_transition_time == timestamp(at(5)));
    wanted.status = "False";
    CHECK(set_condition(conditions, wanted, at(10)));
    CHECK(conditions[0].last_transition_time == timestamp(at(7)));
}

TEST_CASE("conditions of other lists and other structs, and taking one out") {
    struct old_condition {
        std::string type, status, reason, message;
        timestamp last_transition_time;
    };
    std::vector<old_condition> conditions;
    CHECK(set_condition(conditions, {"A", "True", "R", "m", {}}, at(1)));
    CHECK(!set_condition(conditions, {"A", "True", "R", "m", {}}, at(2)));
    CHECK(set_condition(conditions, {"B", "True", "R", "m", {}}, at(2)));
    CHECK(is_true(conditions, "A"));
    CHECK(remove_condition(conditions, "A"));
    CHECK(!remove_condition(conditions, "A"));
    CHECK(conditions.size() == 1);
    CHECK(find_condition(conditions, "B") != nullptr);
}

TEST_CASE_FIXTURE(world_fixture, "write_condition writes once, and says which generation it speaks of") {
    const site made = create_site();
    const auto ready = condition_for(made, "Ready", true, "AllThere", "2 of 2");
    const auto written = world.run(write_condition(c, made, ready, stop));
    REQUIRE(written.has_value());
    const auto* found = find_condition(written->status.conditions, "Ready");
    REQUIRE(found != nullptr);
    CHECK(found->status == "True");
    CHECK(found->observed_generation == 1);
    CHECK(found->last_transition_time.present());
    CHECK(found->message == "2 of 2");
    CHECK(written->metadata.generation == 1);
    const auto writes = asked("patch");
    CHECK(world.run(write_condition(c, *written, ready, stop)).value() == *written);
    CHECK(asked("patch") == writes);
}

TEST_CASE_FIXTURE(world_fixture, "write_condition from an old snapshot loses no condition of others") {
    const site old = create_site();
    write_status_behind({{"phase", "Busy"},
                         {"conditions",
                          {{{"type", "Theirs"},
                            {"status", "True"},
                            {"reason", "R"},
                            {"message", "m"},
                            {"mark", "unknown to this program"},
                            {"lastTransitionTime", "2020-01-01T00:00:00Z"}}}}});
    CHECK(world.run(write_condition(c, old, condition_for(old, "Ours", false, "R"), stop)).has_value());
    const site now = stored();
    CHECK(now.status.phase == "Busy");
    REQUIRE(now.status.conditions.size() == 2);
    CHECK(now.status.conditions[0].type == "Theirs");
    CHECK(now.status.conditions[0].last_transition_time.str() == "2020-01-01T00:00:00Z");
    CHECK(now.status.conditions[1].status == "False");
    const auto raw = server.api().get({"test.kcontrol.dev", "sites"}, {"default", "web"}).value();
    CHECK(json::serialize(raw).find("unknown to this program") != std::string::npos);
}

TEST_CASE_FIXTURE(world_fixture, "two who write all the time lose nothing") {
    const site made = create_site();
    const auto write = [&](const char* type, int* done) -> awaitable<void> {
        site current = made;
        for (int i = 1; i <= 100; ++i) {
            auto wanted = condition_for(made, type, i % 2 == 0, "R", std::to_string(i));
            auto written = co_await write_condition(c, current, wanted, stop);
            if (!written) co_return;
            current = std::move(*written);
            ++*done;
        }
    };
    int first = 0, second = 0;
    asio::co_spawn(world.get_executor(), write("First", &first), asio::detached);
    asio::co_spawn(world.get_executor(), write("Second", &second), asio::detached);
    CHECK(world.run_until([&] { return first + second == 200; }));
    const site now = stored();
    CHECK(find_condition(now.status.conditions, "First")->message == "100");
    CHECK(find_condition(now.status.conditions, "Second")->message == "100");
}

TEST_CASE_FIXTURE(world_fixture, "write_status writes what the function sets, and nothing if it refuses") {
    const site made = create_site();
    const auto set = [](site& s) {
        s.status.ready_replicas = 2;
        s.spec.replicas = 9;  // is no part of the status
    };
    CHECK(world.run(write_status(c, made, set, stop))->status.ready_replicas == 2);
    CHECK(!stored().spec.replicas.has_value());
    const auto refuse = [](site&) -> result<void> { return error(errc::terminal, "no"); };
    CHECK(world.run(write_status(c, made, refuse, stop)).error().message() == "Site default/web: no");
}
