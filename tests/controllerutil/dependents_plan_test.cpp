// In which order dependents are applied and removed.
#include <kcontrol/controllerutil/detail/dependents_plan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace kcontrol;
using kcontrol::detail::dependent_step;
using kcontrol::detail::dependents_plan;

namespace {

// A row a part: what it comes after, whether it is wanted, and how it ends if something is done about it.
struct part {
    std::vector<std::size_t> after;
    bool is_wanted = true;
    dependent_state end = dependent_state::ready;
};

// What is done in each round of parts at the same time: "apply 0,1; remove 2". Blocked ones have no step.
std::string steps_of(const std::vector<part>& parts) {
    dependents_plan plan;
    for (const part& one : parts) plan.add(one.after, one.is_wanted);
    std::string out;
    std::vector<bool> ended(parts.size());
    for (std::size_t left = parts.size(); left > 0;) {
        std::vector<std::pair<std::size_t, dependent_step>> level;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (!ended[i] && plan.next(i) != dependent_step::wait) level.emplace_back(i, plan.next(i));
        }
        REQUIRE_FALSE(level.empty());
        std::string line;
        for (const auto& [i, step] : level) {
            ended[i] = true;
            --left;
            const char* name = step == dependent_step::apply     ? "apply "
                               : step == dependent_step::remove  ? "remove "
                               : step == dependent_step::blocked ? "blocked "
                                                                 : "removing ";
            line += (line.empty() ? "" : " ") + std::string(name) + std::to_string(i);
            if (step == dependent_step::apply || step == dependent_step::remove) plan.told(i, parts[i].end);
            if (step == dependent_step::blocked) plan.told(i, dependent_state::blocked);
            if (step == dependent_step::removing) plan.told(i, dependent_state::removing);
        }
        out += (out.empty() ? "" : "; ") + line;
    }
    return out;
}

}  // namespace

TEST_CASE("dependents: each is applied after what it comes after is ready, the others at the same time") {
    using enum dependent_state;
    struct row {
        const char* name;
        std::vector<part> parts;
        std::string expected;
    };
    const row rows[] = {
        {"none", {}, ""},
        {"free ones", {{}, {}, {}}, "apply 0 apply 1 apply 2"},
        {"a chain", {{}, {{0}}, {{1}}}, "apply 0; apply 1; apply 2"},
        {"a diamond", {{}, {{0}}, {{0}}, {{1, 2}}}, "apply 0; apply 1 apply 2; apply 3"},
        {"not ready", {{{}, true, pending}, {{0}}, {{1}}, {}}, "apply 0 apply 3; blocked 1; blocked 2"},
        {"a failure stops what comes after it only",
         {{{}, true, failed}, {{0}}, {}, {{2}}},
         "apply 0 apply 2; blocked 1 apply 3"},
        {"one of two is not ready", {{}, {{}, true, pending}, {{0, 1}}}, "apply 0 apply 1; blocked 2"},
        {"not wanted", {{}, {{0}, false, absent}}, "apply 0 remove 1"},
        {"what comes after something unwanted goes first",
         {{{}, false, absent}, {{0}, true, absent}, {{1}, true, absent}},
         "remove 2; remove 1; remove 0"},
        {"and holds it up", {{{}, false, absent}, {{0}, true, removing}, {}}, "remove 1 apply 2; removing 0"},
        {"a failed removal, too", {{{}, false, absent}, {{0}, true, failed}}, "remove 1; removing 0"},
        {"a diamond is removed from its end",
         {{{}, false, absent}, {{0}, false, absent}, {{0}, false, absent}, {{1, 2}, false, absent}},
         "remove 3; remove 1 remove 2; remove 0"},
        {"what can't be there takes what comes after it away",
         {{{}, true, absent}, {{0}, true, absent}, {{1}, true, absent}},
         "apply 0; remove 2; remove 1"},
    };
    for (const row& one : rows) {
        CAPTURE(one.name);
        CHECK(steps_of(one.parts) == one.expected);
    }
}

TEST_CASE("dependents: random graphs come to an end, and no step is too early") {
    std::mt19937 random(7);
    const auto chance = [&random](int percent) { return static_cast<int>(random() % 100) < percent; };
    for (int world = 0; world < 3000; ++world) {
        dependents_plan plan;
        const std::size_t size = random() % 9;
        std::vector<std::vector<std::size_t>> after(size);
        std::vector<dependent_state> end(size, dependent_state::blocked);
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t before = 0; before < i; ++before) {
                if (chance(30)) after[i].push_back(before);
            }
            plan.add(after[i], chance(80));
        }
        std::size_t left = size;
        while (left > 0) {
            bool moved = false;
            for (std::size_t i = 0; i < size; ++i) {
                const dependent_step step = plan.next(i);
                if (plan.has_ended(i) || step == dependent_step::wait) continue;
                moved = true;
                --left;
                if (step == dependent_step::apply) {
                    for (const std::size_t before : after[i]) CHECK(end[before] == dependent_state::ready);
                    const dependent_state ends[] = {dependent_state::ready, dependent_state::ready,
                                                    dependent_state::pending, dependent_state::failed,
                                                    dependent_state::absent};
                    end[i] = ends[random() % 5];
                } else if (step == dependent_step::remove) {
                    for (std::size_t later = i + 1; later < size; ++later) {
                        if (std::ranges::count(after[later], i) == 1) CHECK(end[later] == dependent_state::absent);
                    }
                    end[i] = chance(60) ? dependent_state::absent : dependent_state::removing;
                } else {
                    end[i] = step == dependent_step::blocked ? dependent_state::blocked : dependent_state::removing;
                }
                plan.told(i, end[i]);
            }
            REQUIRE(moved);
        }
    }
}
