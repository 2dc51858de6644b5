#include <kcontrol/controllerutil/phases.hpp>

#include "support/print.hpp"

using namespace kcontrol;

namespace {

constexpr phase_table table(phase("Pending").to("Ready", "Failed"), phase("Ready").to("Pending", "Failed"),
                            phase("Failed").terminal());
static_assert(table.fault() == phase_fault::none);
static_assert(table.initial() == "Pending");
static_assert(table.allows("", "Pending") && !table.allows("", "Ready"));

}  // namespace

TEST_CASE("which steps a table allows, and what is said of the others") {
    struct row {
        const char* from;
        const char* to;
        const char* message;  // null: allowed
    };
    const row rows[] = {
        {"", "Pending", nullptr},
        {"Pending", "Ready", nullptr},
        {"Pending", "Failed", nullptr},
        {"Ready", "Pending", nullptr},
        {"Ready", "Failed", nullptr},
        {"", "Ready", "illegal transition from no phase to phase \"Ready\": the first phase is \"Pending\""},
        {"Ready", "Ready",
         "repeated transition from phase \"Ready\" to phase \"Ready\": the object is in that phase already"},
        {"Failed", "Pending",
         "illegal transition from phase \"Failed\" to phase \"Pending\": \"Failed\" is a terminal phase"},
        {"Lost", "Ready",
         "illegal transition from phase \"Lost\" to phase \"Ready\": phase \"Lost\" is not in the table: something "
         "else "
         "wrote it"},
        {"Ready", "Reday", "transition from phase \"Ready\" to phase \"Reday\": phase \"Reday\" is not in the table"},
    };
    for (const auto& r : rows) {
        CAPTURE(r.from);
        CAPTURE(r.to);
        const auto checked = table.check(r.from, r.to);
        CHECK(checked.has_value() == (r.message == nullptr));
        CHECK(table.allows(r.from, r.to) == (r.message == nullptr));
        if (r.message == nullptr || checked) continue;
        CHECK(checked.error() == errc::invalid_argument);
        CHECK(checked.error().message() == r.message);
    }
    static constexpr phase_table chain(phase("A").to("B"), phase("B").to("C", "A"), phase("C").terminal());
    CHECK(chain.check("A", "C").error().message() ==
          "illegal transition from phase \"A\" to phase \"C\": from \"A\" the way leads to \"B\"");
}

TEST_CASE("the faults that a table may have") {
    CHECK(phase_table(phase("A").to("B"), phase("B").terminal()).fault() == phase_fault::none);
    CHECK(phase_table(phase("A").terminal()).fault() == phase_fault::none);
    CHECK(phase_table(phase("").terminal()).fault() == phase_fault::bad_name);
    CHECK(phase_table(phase("1A").terminal()).fault() == phase_fault::bad_name);
    CHECK(phase_table(phase("In Work").terminal()).fault() == phase_fault::bad_name);
    CHECK(phase_table(phase("A").to("B"), phase("B").terminal(), phase("B").terminal()).fault() ==
          phase_fault::duplicate_phase);
    CHECK(phase_table(phase("A").to("C"), phase("B").terminal()).fault() == phase_fault::unknown_phase);
    CHECK(phase_table(phase("A").to("B", "B"), phase("B").terminal()).fault() == phase_fault::duplicate_step);
    CHECK(phase_table(phase("A").to("A", "B"), phase("B").terminal()).fault() == phase_fault::step_to_itself);
    CHECK(phase_table(phase("A").to("B"), phase("B")).fault() == phase_fault::dead_end);
    CHECK(phase_table(phase("A").to("B"), phase("B").to("A").terminal()).fault() == phase_fault::terminal_with_step);
    CHECK(phase_table(phase("A").to("B"), phase("B").terminal(), phase("C").to("B")).fault() ==
          phase_fault::unreachable);
    CHECK(phase_table(phase("A").terminal().holds("X").lacks("X")).fault() == phase_fault::duplicate_condition);
    // The last one of a long chain is reached, however the table is ordered.
    CHECK(phase_table(phase("A").to("E"), phase("B").to("C"), phase("C").terminal(), phase("D").to("B"),
                      phase("E").to("D"))
              .fault() == phase_fault::none);
}

TEST_CASE("a phase by name, at compile time and at run time") {
    constexpr phase_of<table> ready = "Ready";
    CHECK(ready->name() == "Ready");
    CHECK(phase_of<table>::find("Failed").value()->is_terminal());
    CHECK(phase_of<table>::find("Reday").error().message() == "there is no phase \"Reday\" in the table");
}
