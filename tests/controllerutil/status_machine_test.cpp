#include <kcontrol/controllerutil/status_machine.hpp>

#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

constexpr phase_table phases(phase("Pending").to("Ready", "Failed").lacks("Available").leaves_open("Degraded"),
                             phase("Ready").to("Pending", "Failed").holds("Available").lacks("Degraded"),
                             phase("Failed").terminal().lacks("Available"));

std::string of(const site& s, const char* type) {
    const auto* found = find_condition(s.status.conditions, type);
    if (found == nullptr) return "none";
    return found->status.str() + " " + found->reason.str() + " " + found->message.str() + " " +
           std::to_string(found->observed_generation.value_or(0));
}

}  // namespace

TEST_CASE_FIXTURE(world_fixture, "advance writes the phase and the conditions that follow from it") {
    site s = create_site();
    s = world.run(advance<phases>(c, s, "Pending", advance_options().message("begins"))).value();
    CHECK(s.status.phase == "Pending");
    CHECK(of(s, "Available") == "False Pending begins 1");
    CHECK(of(s, "Degraded") == "Unknown Pending begins 1");
    const auto set_replicas = [](site& object) { object.status.ready_replicas = 3; };
    s = world.run(advance<phases>(c, s, "Ready", set_replicas)).value();
    CHECK(s.status.ready_replicas == 3);
    CHECK(of(s, "Available") == "True Ready  1");
    CHECK(of(s, "Degraded") == "False Ready  1");
    s = world.run(advance<phases>(c, s, "Failed")).value();
    CHECK(of(s, "Available") == "False Failed  1");
    CHECK(of(s, "Degraded") == "False Ready  1");  // this phase says nothing of it
    CHECK(stored() == s);
    CHECK(asked("patch") == 3);
}

TEST_CASE_FIXTURE(world_fixture, "the reason of a phase's conditions is the phase, or what the call says") {
    const advance_options why = advance_options().reason("ImageMissing").message("web:7");
    const auto nothing = [](site&) {};
    site s = world.run(ensure_phase<phases>(c, create_site(), "Failed", nothing, why)).value();
    CHECK(of(s, "Available") == "False ImageMissing web:7 1");
    CHECK(of(s, "Degraded") == "Unknown Pending web:7 1");  // of the first phase, which it came by
    const auto again = world.run(ensure_phase<phases>(c, s, "Failed", nothing, why)).value();
    CHECK(again == s);
    s = world.run(advance<phases>(c, create_site("other"), "Pending", advance_options().reason("Asked"))).value();
    CHECK(of(s, "Available") == "False Asked  1");
}

TEST_CASE_FIXTURE(world_fixture, "a step that is illegal or repeated names both phases and is not sent") {
    site s = create_site();
    CHECK(world.run(advance<phases>(c, s, "Ready")).error().message() ==
          "Site default/web: illegal transition from no phase to phase \"Ready\": the first phase is \"Pending\"");
    s = world.run(advance<phases>(c, s, "Pending")).value();
    const auto repeated = world.run(advance<phases>(c, s, "Pending"));
    CHECK(repeated.error() == errc::invalid_argument);
    CHECK(repeated.error().message() ==
          "Site default/web: repeated transition from phase \"Pending\" to phase \"Pending\": the object is in that "
          "phase already");
    CHECK(asked("patch") == 1);
    const auto refuse = [](site&) -> result<void> { return error(errc::terminal, "no"); };
    CHECK(world.run(advance<phases>(c, s, "Ready", refuse)).error() == errc::terminal);
    // The phase is that of the call, whatever the function does to it.
    const auto meddle = [](site& object) { object.status.phase = "Elsewhere"; };
    CHECK(world.run(advance<phases>(c, s, "Ready", meddle))->status.phase == "Ready");
    const phase_of<phases> failed = phase_of<phases>::find("Failed").value();
    CHECK(world.run(advance<phases>(c, stored(), failed))->status.phase == "Failed");
}

TEST_CASE_FIXTURE(world_fixture, "from an object that is old nothing is written") {
    const site old = world.run(advance<phases>(c, create_site(), "Pending")).value();
    const site ready = world.run(advance<phases>(c, old, "Ready")).value();
    CHECK(world.run(advance<phases>(c, old, "Failed")).error() == condition::conflict);
    CHECK(stored() == ready);
}

TEST_CASE_FIXTURE(world_fixture, "transitions are counted by from and to once they are written") {
    metrics_registry registry;
    const transition_counter counter(registry, "Site", phases);
    const auto line = [&](const std::string& from, const std::string& to, int count) {
        return registry.text().find("kcontrol_status_transitions_total{from=\"" + from + "\",kind=\"Site\",to=\"" + to +
                                    "\"} " + std::to_string(count) + "\n") != std::string::npos;
    };
    CHECK(line("Ready", "Failed", 0));
    site s = create_site();
    const advance_options counted = advance_options().counter(counter);
    const site begun = world.run(advance<phases>(c, s, "Pending", counted)).value();
    s = world.run(advance<phases>(c, begun, "Ready", counted)).value();
    s = world.run(advance<phases>(c, s, "Pending", counted)).value();
    s = world.run(advance<phases>(c, s, "Ready", counted)).value();
    CHECK(!world.run(advance<phases>(c, s, "Ready", counted)).has_value());
    CHECK(!world.run(advance<phases>(c, begun, "Failed", counted)).has_value());
    CHECK(line("", "Pending", 1));
    CHECK(line("Pending", "Ready", 2));
    CHECK(line("Ready", "Pending", 1));
    CHECK(line("Pending", "Failed", 0));
    transition_counter().count("Pending", "Ready");  // counts nowhere
    CHECK(line("Pending", "Ready", 2));
}

TEST_CASE_FIXTURE(world_fixture, "the time in a phase is observed when it is left, by those who say since when") {
    metrics_registry registry;
    advance_options how = advance_options().counter(transition_counter(registry, "Site", phases));
    site s = world.run(advance<phases>(c, create_site(), "Pending", how)).value();
    const auto has = [&](const std::string& line) { return registry.text().find(line + "\n") != std::string::npos; };
    CHECK(has("kcontrol_status_phase_seconds_count{kind=\"Site\",phase=\"Pending\"} 0"));
    how.entered(timestamp(world.env().wall_now()));
    world.run_for(std::chrono::seconds(70));
    const site ready = world.run(advance<phases>(c, s, "Ready", how)).value();
    CHECK(has("kcontrol_status_phase_seconds_count{kind=\"Site\",phase=\"Pending\"} 1"));
    CHECK(has("kcontrol_status_phase_seconds_bucket{kind=\"Site\",phase=\"Pending\",le=\"60\"} 0"));
    CHECK(has("kcontrol_status_phase_seconds_bucket{kind=\"Site\",phase=\"Pending\",le=\"300\"} 1"));
    CHECK(!world.run(advance<phases>(c, s, "Failed", how)).has_value());  // nothing is written, nothing observed
    CHECK(has("kcontrol_status_phase_seconds_count{kind=\"Site\",phase=\"Pending\"} 1"));
    how.entered({});
    CHECK(world.run(advance<phases>(c, ready, "Failed", how)).has_value());
    CHECK(has("kcontrol_status_phase_seconds_count{kind=\"Site\",phase=\"Ready\"} 0"));
    transition_counter().spent("Pending", std::chrono::seconds(1));  // counts nowhere
}

TEST_CASE("objects by phase: all phases of the table, and nothing else") {
    metrics_registry registry;
    std::vector<std::shared_ptr<const site>> sites;
    for (const char* phase : {"", "Pending", "Ready", "Elsewhere"}) {
        auto made = std::make_shared<site>(named<site>("s"));
        made->status.phase = phase;
        sites.push_back(std::move(made));
    }
    registry.collect([&](metrics_writer& out) { write_phases(out, "sites", "Sites by phase.", phases, sites); });
    const std::string text = registry.text();
    CHECK(text.find("sites{phase=\"Pending\"} 2\n") != std::string::npos);
    CHECK(text.find("sites{phase=\"Ready\"} 1\n") != std::string::npos);
    CHECK(text.find("sites{phase=\"Failed\"} 0\n") != std::string::npos);
    CHECK(text.find("Elsewhere") == std::string::npos);
}

namespace {

// Without a counter of its own, in an optional status, and with strings.
struct plain_status {
    std::optional<std::string> phase;
    static constexpr auto kcontrol_fields() { return fields(field("phase", &plain_status::phase)); }
};
struct plain {
    static constexpr resource_name kcontrol_resource{"test.kcontrol.dev", "v1", "Site", "sites"};
    using kcontrol_projection = void;
    object_meta metadata;
    std::optional<plain_status> status;
    static constexpr auto kcontrol_fields() { return fields(field("status", &plain::status)); }
};
constexpr phase_table two(phase("On").to("Off"), phase("Off").to("On"));

}  // namespace

TEST_CASE_FIXTURE(world_fixture, "a status that is optional and has no conditions") {
    create_site();
    plain p = world.run(c.get<plain>({"default", "web"})).value();
    p = world.run(advance<two>(c, p, "On")).value();
    p = world.run(advance<two>(c, p, "Off")).value();
    CHECK(stored().status.phase == "Off");
}

TEST_CASE_FIXTURE(world_fixture, "ensure_phase: each reconcile calls it, and only what differs is written") {
    metrics_registry registry;
    const transition_counter counter(registry, "Site", phases);
    const auto count = [&](int n) { return [n](site& object) { object.status.ready_replicas = n; }; };
    const advance_options how = advance_options().counter(counter);
    const auto one = count(1), two = count(2);

    site s = world.run(ensure_phase<phases>(c, create_site(), "Pending", one, how)).value();
    CHECK(s.status.phase == "Pending");
    CHECK(s.status.ready_replicas == 1);
    CHECK(asked("patch") == 1);
    CHECK(world.run(ensure_phase<phases>(c, s, "Pending", one, how)).value() == s);
    CHECK(asked("patch") == 1);  // nothing differs
    s = world.run(ensure_phase<phases>(c, s, "Pending", two, how)).value();
    CHECK(s.status.ready_replicas == 2);
    s = world.run(ensure_phase<phases>(c, s, "Ready", two, how)).value();
    CHECK(of(s, "Available") == "True Ready  1");
    CHECK(asked("patch") == 3);
    CHECK(stored() == s);

    s = world.run(ensure_phase<phases>(c, s, "Failed", two, how)).value();
    CHECK(world.run(ensure_phase<phases>(c, s, "Ready", two, how)).error().message() ==
          "Site default/web: illegal transition from phase \"Failed\" to phase \"Ready\": \"Failed\" is a terminal "
          "phase");
    const std::string text = registry.text();
    CHECK(text.find("{from=\"\",kind=\"Site\",to=\"Pending\"} 1\n") != std::string::npos);
    CHECK(text.find("{from=\"Pending\",kind=\"Site\",to=\"Ready\"} 1\n") != std::string::npos);
}

TEST_CASE_FIXTURE(world_fixture, "ensure_phase: an object without a phase enters the first one on its way") {
    const auto nothing = [](site&) {};
    const site s = world.run(ensure_phase<phases>(c, create_site(), "Ready", nothing)).value();
    CHECK(s.status.phase == "Ready");
    CHECK(asked("patch") == 2);  // each version that is stored is a step
    const site old = world.run(ensure_phase<phases>(c, s, "Pending", nothing)).value();
    (void)world.run(ensure_phase<phases>(c, old, "Ready", nothing)).value();
    CHECK(world.run(ensure_phase<phases>(c, old, "Failed", nothing)).error() == condition::conflict);
}
