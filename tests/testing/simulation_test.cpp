// simulate() lets a good controller pass, finds what bad ones do, and says so in few words.
#include <kcontrol/controllerutil/owner.hpp>
#include <kcontrol/testing/simulation.hpp>

#include "support/print.hpp"
#include "testing/site_controller.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <stdexcept>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using testing::injected_fault;
using testing::scenario;
using testing::simulate;

namespace {

const testing::group_resource parts{"test.kcontrol.dev", "parts"};
const testing::group_resource sites{"test.kcontrol.dev", "sites"};

awaitable<result<void>> apply_a_part(client c, reconcile_context, site_ptr s) {
    part wanted;
    wanted.spec.image = s->spec.image;
    const auto applied = co_await apply_owned(c, *s, wanted, apply_options("sites").force());
    if (!applied) co_return applied.error();
    site seen = *s;
    seen.status.phase = s->spec.image;
    const auto told = co_await c.patch(*s, seen, write_options().subresource("status"));
    if (!told) co_return told.error();
    co_return result<void>();
}

// Asks nobody whether there is a part already.
awaitable<result<void>> make_a_part(client c, reconcile_context, site_ptr s) {
    if (!s->status.phase.empty()) co_return result<void>();
    part wanted;
    wanted.metadata.generate_name = "web-";
    wanted.metadata.namespace_ = "default";
    const auto made = co_await c.create(wanted);
    if (!made) co_return made.error();
    site seen = *s;
    seen.status.phase = "Made";
    const auto told = co_await c.patch(*s, seen, write_options().subresource("status"));
    if (!told) co_return told.error();
    co_return result<void>();
}

void make_site(testing::api_server& api) {
    static_cast<void>(api.create(json::parse(R"({"apiVersion":"test.kcontrol.dev/v1","kind":"Site",
        "metadata":{"name":"web"},"spec":{"image":"one"}})")
                                     .value()));
}

void change_site(testing::api_server& api) {
    static_cast<void>(api.patch(sites, {"default", "web"}, json::parse(R"({"spec":{"image":"two"}})").value()));
}

scenario a_life() {
    testing::idempotence_options world;
    world.register_resource<site>().register_resource<part>();
    return scenario().world(world).step("a site is made", make_site).step("its image changes", change_site);
}

bool has(const std::string& text, std::string_view wanted) {
    if (text.find(wanted) != std::string::npos) return true;
    MESSAGE(text);
    return false;
}

}  // namespace

TEST_CASE("a good controller passes whatever the seed, and equal seeds run equally") {
    std::set<std::uint64_t> digests;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto report = simulate(seed, site_controller(apply_a_part), a_life());
        CHECK_MESSAGE(report, report.text());
        CHECK(report.planned == 14);
        CHECK(report.runs == 2);
        digests.insert(report.digest);
        const auto again = simulate(seed, site_controller(apply_a_part), a_life());
        CHECK(again.digest == report.digest);
    }
    CHECK(digests.size() == 20);
}

TEST_CASE("a part that is made twice is found, shrunk to what it takes, and replayed") {
    std::optional<testing::simulation_report> found;
    for (std::uint64_t seed = 1; seed <= 40 && !found; ++seed) {
        auto report = simulate(seed, site_controller(make_a_part), a_life());
        if (!report) found = std::move(report);
    }
    REQUIRE(found);
    CHECK(has(found->problem, "Part default/web-* is there 2 times, not 1"));
    // The site, and one thing that goes wrong.
    CHECK_MESSAGE(found->trace.size() == 2, found->text());
    CHECK(has(found->text(), "a site is made"));
    CHECK(has(found->text(), "the shortest trace (of 14 events, "));
    CHECK(has(found->text(), "again: simulate(" + std::to_string(found->seed) + ", setup, scenario.only({"));
    const auto again = simulate(found->seed, site_controller(make_a_part), a_life().only(found->events).shrinks(false));
    CHECK(again.problem == found->problem);
    CHECK(again.trace == found->trace);
    // Each of the two is needed.
    for (const auto number : found->events) {
        const auto without = simulate(found->seed, site_controller(make_a_part), a_life().only({number}));
        CHECK_MESSAGE(without, without.text());
    }
}

TEST_CASE("invariants are held after each change, and at the end") {
    const auto never = [](const testing::api_server& api) {
        return api.list(parts).empty() ? std::string() : std::string("there is a part");
    };
    const auto always = simulate(3, site_controller(apply_a_part), a_life().always(never));
    CHECK(always.problem == "there is a part");
    CHECK(always.trace.size() == 1);
    CHECK(has(always.text(), "a site is made"));
    const auto finally = simulate(3, site_controller(apply_a_part), a_life().finally(never).shrinks(false));
    CHECK(finally.problem == "there is a part");
    CHECK(finally.trace.size() == 14);
}

TEST_CASE("a program that does not stay up, or is never at rest, is found") {
    const auto restless = [](client c, reconcile_context, site_ptr s) -> awaitable<result<void>> {
        site seen = *s;
        seen.status.phase = s->status.phase == "on" ? "off" : "on";
        const auto told = co_await c.patch(*s, seen, write_options().subresource("status"));
        if (!told) co_return told.error();
        co_return result<void>();
    };
    testing::idempotence_options world;
    world.register_resource<site>().register_resource<part>().limit(3s).idle_time(1s);
    auto life = scenario().world(world).step("a site is made", make_site).length(2s).faults({});
    const auto report = simulate(1, site_controller(restless), life);
    CHECK(has(report.problem, "no rest within 3 s"));
    CHECK(report.trace.size() == 1);
}

TEST_CASE("every injected fault happens in its words, and is survived") {
    for (const injected_fault m : testing::all_injected_faults()) {
        const auto report = simulate(5, site_controller(apply_a_part), a_life().faults({m}).count(3));
        CHECK_MESSAGE(report, report.text());
        std::size_t told = 0;
        for (const auto& line : report.trace) told += line.find(to_string(m)) != std::string::npos ? 1 : 0;
        CHECK(told == 3);
    }
}

TEST_CASE("a half-open watch has the time to be noticed before all counts as idle") {
    // With a quiet time below the 90 s of informer_options::watch_idle, the program has not seen the last step then.
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        const auto life = a_life().length(20s).faults({injected_fault::half_open}).count(2);
        const auto report = simulate(seed, site_controller(apply_a_part), life);
        CHECK_MESSAGE(report, report.text());
    }
}

TEST_CASE("a step that throws because an earlier one was left out does not end the process, and is not the failure") {
    const auto change = [](testing::api_server& api) {
        api.patch(sites, {"default", "web"}, json::parse(R"({"spec":{"image":"two"}})").value()).value();
    };
    testing::idempotence_options world;
    world.register_resource<site>().register_resource<part>();
    const auto life = scenario().world(world).step("a site is made", make_site).step("its image changes", change);
    const auto never_two = [](const testing::api_server& api) {
        const auto found = api.get(parts, {"default", "web"});
        const bool two = found && json::get_string(*found, {"spec", "image"}) == "two";
        return two ? std::string("there is a part two") : std::string();
    };
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const auto report = simulate(seed, site_controller(apply_a_part), scenario(life).always(never_two));
        CHECK(report.problem == "there is a part two");
        CHECK_MESSAGE(report.trace.size() == 2, report.text());
        CHECK(has(report.text(), "a site is made"));
        CHECK(has(report.text(), "its image changes"));
    }
}

TEST_CASE("a step, an invariant or a preparation that throws is the report") {
    const auto site_of = [](scenario life) { return simulate(4, site_controller(apply_a_part), life); };
    const auto throws = [](testing::api_server&) { throw std::runtime_error("no such site"); };
    const auto step = site_of(a_life().step("it is asked for", throws));
    CHECK(step.problem == "the step \"it is asked for\" threw: no such site");
    CHECK(step.runs == 1);
    CHECK(step.trace.size() == 15);
    CHECK(has(step.text(), "the trace (15 events, 1 run):"));

    // Neither is derived from std::exception, as what test frameworks throw.
    const auto number = [](const testing::api_server& api) -> std::string {
        if (!api.list(parts).empty()) throw 7;
        return {};
    };
    CHECK(has(site_of(a_life().always(number)).problem, "the invariant always() threw: "));
    CHECK(has(site_of(a_life().finally(number)).problem, "the invariant finally() threw: "));
    testing::idempotence_options world;
    world.prepare([](testing::sim_world&, testing::sim_server&) { throw std::runtime_error("no file"); });
    CHECK(site_of(scenario().world(world)).problem == "a function of the scenario threw: no file");

    // In the world without faults alone, which is one of its two runs: the step wants what only a fault brings.
    const auto wants_a_restart = [calls = std::make_shared<int>(0)](testing::api_server&) {
        if (++*calls % 2 == 0) throw std::runtime_error("nothing broke");
    };
    const auto compared = site_of(a_life().step("it is odd", wants_a_restart));
    CHECK(has(compared.problem, "without an injected fault: the step \"it is odd\" threw: nothing broke"));
}
