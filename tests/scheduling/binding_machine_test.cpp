// The steps of a binding: every answer at every step, and walks with faults beside a server that knows the truth.
#include <kcontrol/scheduling/detail/binding_machine.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace kcontrol;
using namespace std::chrono_literals;
using answer = scheduling::detail::binding_answer;
using outcome = scheduling::detail::binding_outcome;
using scheduling::detail::binding_machine;
using step = scheduling::detail::binding_step;

namespace {

binding_machine after(const std::vector<answer>& answers) {
    binding_machine out;
    for (const auto& one : answers) out.answered(one);
    return out;
}

const std::vector<answer> at_bind{answer::ok, answer::ok};
std::vector<answer> at_bind_then(std::initializer_list<answer> more) {
    auto out = at_bind;
    out.insert(out.end(), more);
    return out;
}

}  // namespace

TEST_CASE("every answer at every step of a binding") {
    struct row {
        const char* what;
        std::vector<answer> before;
        answer last;
        step next;
        outcome ends = outcome::pending;
    };
    const auto conflict = at_bind_then({answer::conflict});
    const auto lost = at_bind_then({answer::lost});
    const auto mark = at_bind_then({answer::lost, answer::nowhere});
    const std::vector<row> rows{
        {"permitted", {}, answer::ok, step::pre_bind},
        {"not permitted", {}, answer::rejected, step::done, outcome::refused},
        {"permit failed", {}, answer::failed, step::done, outcome::refused},
        {"stopped at permit", {}, answer::stopped, step::done, outcome::deserted},
        {"prepared", {answer::ok}, answer::ok, step::bind},
        {"not prepared", {answer::ok}, answer::rejected, step::done, outcome::refused},
        {"pre_bind failed", {answer::ok}, answer::failed, step::done, outcome::refused},
        {"stopped at pre_bind", {answer::ok}, answer::stopped, step::done, outcome::deserted},
        {"bound", at_bind, answer::ok, step::post_bind},
        {"a webhook refused it", at_bind, answer::failed, step::done, outcome::refused},
        {"a plugin refused to bind", at_bind, answer::rejected, step::done, outcome::refused},
        {"the pod is gone", at_bind, answer::missing, step::done, outcome::settled},
        {"a conflict", at_bind, answer::conflict, step::read},
        {"a lost answer", at_bind, answer::lost, step::read},
        {"stopped at bind", at_bind, answer::stopped, step::done, outcome::deserted},

        {"conflict: it is bound", conflict, answer::here, step::post_bind},
        {"conflict: another one bound it", conflict, answer::elsewhere, step::done, outcome::settled},
        {"conflict: of versions", conflict, answer::nowhere, step::bind},
        {"conflict: it has changed", conflict, answer::changed, step::done, outcome::settled},
        {"conflict: it is gone", conflict, answer::missing, step::done, outcome::settled},
        {"conflict: not read", conflict, answer::lost, step::read},
        {"conflict: reading is refused", conflict, answer::failed, step::read},
        {"conflict: stopped at read", conflict, answer::stopped, step::done, outcome::deserted},

        {"lost: it is bound", lost, answer::here, step::post_bind},
        {"lost: another one bound it", lost, answer::elsewhere, step::done, outcome::settled},
        {"lost: it may be on its way", lost, answer::nowhere, step::mark},
        {"lost: and it has changed", lost, answer::changed, step::mark},
        {"lost: it is gone", lost, answer::missing, step::done, outcome::settled},
        {"lost: not read", lost, answer::lost, step::read},
        {"lost: stopped at read", lost, answer::stopped, step::done, outcome::deserted},

        {"mark: the request came before it", mark, answer::here, step::post_bind},
        {"mark: somebody else's did", mark, answer::elsewhere, step::done, outcome::settled},
        {"mark: none will come", mark, answer::nowhere, step::done, outcome::settled},
        {"mark: none will come, and it has changed", mark, answer::changed, step::done, outcome::settled},
        {"mark: it is gone", mark, answer::missing, step::done, outcome::settled},
        {"mark: another pod of that name", mark, answer::conflict, step::done, outcome::settled},
        {"mark: lost as well", mark, answer::lost, step::read},
        {"mark: refused", mark, answer::failed, step::read},
        {"mark: stopped", mark, answer::stopped, step::done, outcome::deserted},

        {"conflict, then a lost answer", at_bind_then({answer::conflict, answer::nowhere, answer::lost}),
         answer::nowhere, step::mark},
        {"lost, then a conflict: not bound again", at_bind_then({answer::lost, answer::lost, answer::lost}),
         answer::nowhere, step::mark},
        {"post_bind", at_bind_then({answer::ok}), answer::ok, step::done, outcome::bound},
        {"post_bind failed", at_bind_then({answer::ok}), answer::failed, step::done, outcome::bound},
        {"nothing after the end", {answer::failed}, answer::ok, step::done, outcome::refused},
    };
    for (const auto& each : rows) {
        CAPTURE(each.what);
        auto machine = after(each.before);
        REQUIRE((machine.step() != step::done || std::string(each.what) == "nothing after the end"));
        machine.answered(each.last);
        CHECK(machine.step() == each.next);
        CHECK(machine.outcome() == each.ends);
    }
}

TEST_CASE("a binding gives up after the fourth conflict, and reads again ever more seldom") {
    binding_machine machine = after(at_bind);
    for (int i = 0; i < 3; ++i) {
        machine.answered(answer::conflict);
        CHECK(machine.pause() == duration::zero());
        machine.answered(answer::nowhere);
        REQUIRE(machine.step() == step::bind);
    }
    machine.answered(answer::conflict);
    machine.answered(answer::nowhere);
    CHECK(machine.outcome() == outcome::settled);

    machine = after(at_bind_then({answer::lost}));
    CHECK(machine.pause() == duration::zero());
    for (const duration pause : {100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 6400ms, 10000ms, 10000ms}) {
        machine.answered(answer::lost);
        CHECK(machine.pause() == pause);
    }
    for (int i = 0; i < 1000; ++i) machine.answered(answer::lost);
    CHECK(machine.step() == step::read);
    CHECK(machine.pause() == 10s);
}

// A server that executes a binding before, after or without its answer, also late; but never after the pod was written
// to, as it has the version of the pod in it.
TEST_CASE("the outcome of a binding is what the server has, whatever is lost") {
    for (unsigned seed = 0; seed < 20'000; ++seed) {
        std::mt19937 random(seed);
        const auto chance = [&random](unsigned percent) { return random() % 100 < percent; };
        binding_machine machine = after(at_bind);
        bool bound = false, on_its_way = false, exists = true;
        const auto deliver = [&] {
            if (std::exchange(on_its_way, false) && exists) bound = true;
        };
        for (int i = 0; i < 1000 && machine.step() != step::done; ++i) {
            if (on_its_way && chance(20)) deliver();
            if (chance(2) && !bound) exists = false;
            const auto shown = !exists ? answer::missing : bound ? answer::here : answer::nowhere;
            switch (machine.step()) {
            case step::bind:
                if (!exists) {
                    machine.answered(answer::missing);
                } else if (bound || chance(20)) {
                    machine.answered(answer::conflict);
                } else if (chance(40)) {
                    on_its_way = true;
                    if (chance(50)) deliver();
                    machine.answered(answer::lost);
                } else if (chance(10)) {
                    machine.answered(answer::failed);
                } else {
                    bound = true;
                    machine.answered(answer::ok);
                }
                break;
            case step::read: machine.answered(chance(40) ? answer::lost : shown); break;
            case step::mark: {
                const bool written = chance(70);
                if (written) on_its_way = false;
                machine.answered(chance(40) || !written ? answer::lost : shown);
                break;
            }
            default: machine.answered(answer::ok);
            }
        }
        CAPTURE(seed);
        deliver();  // what is on its way arrives in the end
        REQUIRE(machine.step() == step::done);
        if (machine.outcome() == outcome::bound) CHECK((bound || !exists));
        if (machine.outcome() != outcome::bound) CHECK(!bound);
    }
}
