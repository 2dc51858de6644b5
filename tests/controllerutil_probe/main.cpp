// For tests/e2e/test_controllerutil.py: what a reconciler calls, at a real API server. Several of them race.
//     controllerutil_probe KUBECONFIG install              installs the kinds of tests/controllerutil/site.hpp
//     controllerutil_probe KUBECONFIG conditions TYPE N    sets that condition of the site "web" N times
//     controllerutil_probe KUBECONFIG phases SEED N        tries N transitions of the site "web"
//     controllerutil_probe KUBECONFIG helpers              the other helpers, each of them twice
// Prints what was done, one fact a line; a failure ends it with 1.
#include <kcontrol/controllerutil/crds.hpp>
#include <kcontrol/controllerutil/create_or.hpp>
#include <kcontrol/controllerutil/finalizers.hpp>
#include <kcontrol/controllerutil/owner.hpp>
#include <kcontrol/controllerutil/status_machine.hpp>

#include "controllerutil/site.hpp"
#include "support/probe.hpp"

#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

// tests/e2e/test_controllerutil.py has the same steps.
constexpr phase_table phases(phase("Pending").to("Progressing", "Failed").lacks("Available"),
                             phase("Progressing").to("Ready", "Failed").lacks("Available"),
                             phase("Ready").to("Progressing", "Failed").holds("Available"),
                             phase("Failed").to("Pending").lacks("Available"));

const std::stop_token never;

awaitable<result<site>> read_site(client c) {
    const namespaced_name key("default", "web");
    auto found = co_await c.get<site>(key);
    co_return found;
}

awaitable<result<void>> write_conditions(client c, std::string type, int count) {
    auto current = co_await read_site(c);
    if (!current) co_return current.error();
    for (int i = 1; i <= count; ++i) {
        // The status changes with each third write, so that the transition time has to stay twice.
        const auto wanted = condition_for(*current, type, i / 3 % 2 == 1, "Written", std::to_string(i));
        current = co_await write_condition(c, *current, wanted, never);
        if (!current) co_return current.error();
    }
    std::cout << "written " << count << "\n";
    co_return result<void>();
}

awaitable<result<void>> race_phases(client c, unsigned seed, int count) {
    std::mt19937 random(seed);
    metrics_registry registry;
    const advance_options options = advance_options().counter(transition_counter(registry, "Site", phases));
    int written = 0, conflicts = 0, refused = 0;
    for (int i = 0; i < count; ++i) {
        auto current = co_await read_site(c);
        if (!current) co_return current.error();
        // Of four steps one goes to any phase, so that many are illegal or repeated; the others are allowed.
        const phase* from = phases.find(current->status.phase);
        const std::string_view name = random() % 4 == 0 ? phases.phases()[random() % phases.phases().size()].name()
                                      : from == nullptr ? phases.initial()
                                                        : from->steps()[random() % from->steps().size()];
        const auto next = phase_of<phases>::find(name).value();
        const bool allowed = phases.allows(current->status.phase, name);
        auto moved = co_await advance<phases>(c, *current, next, options);
        if (moved && !allowed) co_return error(errc::invalid_argument, "an illegal step was written");
        if (moved) {
            ++written;
        } else if (moved.error() == condition::conflict) {
            ++conflicts;
        } else if (!allowed && moved.error() == errc::invalid_argument) {
            ++refused;
        } else {
            co_return moved.error();
        }
    }
    std::cout << "written " << written << "\nconflicts " << conflicts << "\nrefused " << refused << "\n"
              << registry.text();
    co_return result<void>();
}

awaitable<result<void>> play_dependents(client c, const site& owner) {
    const auto fill = [&owner](part& p) -> result<void> {
        p.spec.image = "a";
        return set_controller_reference(owner, p);
    };
    for (const char* name : {"kept", "kept", "gone"}) {
        part wanted;
        wanted.metadata.namespace_ = "default";
        wanted.metadata.name = name;
        auto made = co_await create_or_update(c, wanted, fill);
        if (!made) co_return made.error();
        std::cout << "create_or_update " << name << " " << to_string(made->outcome) << "\n";
    }
    for (int round = 0; round < 2; ++round) {
        const std::vector<namespaced_name> wanted{{"default", "kept"}};
        auto removed = co_await prune<part>(c, owner, wanted);
        if (!removed) co_return removed.error();
        std::cout << "prune " << removed->size() << "\n";
    }
    co_return result<void>();
}

awaitable<result<void>> play_helpers(client c) {
    site wanted;
    wanted.metadata.namespace_ = "default";
    wanted.metadata.name = "helped";
    const auto set = [](site& s) {
        s.spec.replicas = 2;
        s.status.ready_replicas = 1;
    };
    site current;
    for (int round = 0; round < 2; ++round) {
        auto made = co_await create_or_patch(c, wanted, set);
        if (!made) co_return made.error();
        current = made->object;
        std::cout << "create_or_patch " << to_string(made->outcome) << " " << *current.status.ready_replicas << "\n";
    }
    const std::string name = "test.kcontrol.dev/cleanup";
    const site before = current;
    for (int round = 0; round < 2; ++round) {
        auto held = co_await ensure_finalizer(c, before, name, never);  // the second time from an old object
        if (!held) co_return held.error();
        std::cout << "ensure_finalizer " << held->metadata.finalizers.size() << "\n";
    }
    auto dependents = co_await play_dependents(c, current);
    if (!dependents) co_return dependents;

    const auto key = key_of(current.metadata);
    auto deleted = co_await c.delete_<site>(key);
    if (!deleted) co_return deleted;
    auto going = co_await c.get<site>(key);
    if (!going) co_return going.error();
    const auto clean = [](const site&) -> awaitable<result<void>> {
        std::cout << "cleaned\n";
        co_return result<void>();
    };
    for (int round = 0; round < 2; ++round) {
        auto done = co_await finalize(c, *going, name, clean, never);
        if (!done) co_return done;
    }
    auto gone = co_await c.get<site>(key);
    if (!gone && gone.error() == api_errc::not_found) std::cout << "gone\n";
    co_return result<void>();
}

awaitable<result<void>> play(client c, std::vector<std::string> arguments) {
    const std::string& what = arguments.at(0);
    if (what == "install") {
        for (int round = 0; round < 2; ++round) {
            auto installed = co_await install_crds<site, part>(c);
            if (!installed) co_return installed;
            auto listed = co_await c.list<site>();
            if (!listed) co_return listed.error();
            std::cout << "installed\n";
        }
        co_return result<void>();
    }
    auto played = what == "conditions" ? write_conditions(c, arguments.at(1), std::stoi(arguments.at(2)))
                  : what == "phases"
                      ? race_phases(c, static_cast<unsigned>(std::stoi(arguments.at(1))), std::stoi(arguments.at(2)))
                      : play_helpers(c);
    auto outcome = co_await std::move(played);
    co_return outcome;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return std::cerr << "usage: controllerutil_probe KUBECONFIG WHAT [ARGUMENT…]\n", 2;
    const std::vector<std::string> arguments(argv + 2, argv + argc);
    return run_probe(argv[1], [&](client c) { return play(std::move(c), arguments); });
}
