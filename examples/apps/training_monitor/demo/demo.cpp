#include "demo.hpp"

#include <kcontrol/base/log.hpp>

#include "demo/scenario.hpp"

namespace training_monitor::demo {
namespace {

// Seconds to one of the script's: for people it is slower.
constexpr double watching_pace = 1.6;
constexpr double checking_pace = 0.4;

// What was written last may still be on its way.
constexpr auto settling_time = std::chrono::seconds(10);

kcontrol::awaitable<verdict> settle(kcontrol::environment& env, const ledger& book, std::stop_token stop) {
    const auto deadline = env.now() + settling_time;
    auto result = book.compare();
    while (result.lost != 0 && env.now() < deadline && !stop.stop_requested()) {
        co_await kcontrol::sleep_for(env, std::chrono::milliseconds(100), stop);
        result = book.compare();
    }
    co_return result;
}

std::string summary(const verdict& found, std::uint64_t transitions, std::uint64_t rebuilds) {
    return "jobs=" + std::to_string(found.jobs) + " transitions=" + std::to_string(transitions) +
           " rebuilds=" + std::to_string(rebuilds) + " duplicates=" + std::to_string(found.duplicates) +
           " lost=" + std::to_string(found.lost) + "\n";
}

}  // namespace

kcontrol::awaitable<kcontrol::result<void>> play_for_ever(kcontrol::environment& env, kcontrol::executor ex, monitor& m,
                                                          change_handler publish, live_output& output,
                                                          std::stop_token stop) {
    scenario script(env, ex, m, [&output](const std::string& what) { output.caption("Now: " + what); });
    auto started = script.start(watching_pace, true, stop);
    if (started) started = m.start(script.take_source(), std::move(publish));
    bool more = started.has_value();
    while (more) more = co_await script.play(watching_pace, stop);
    co_await m.stop();
    co_await script.stop();
    co_return started;
}

kcontrol::awaitable<int> play_once(kcontrol::environment& env, kcontrol::executor ex, monitor& m, live_output& output,
                                   std::stop_token stop) {
    const auto begin = env.now();
    scenario script(env, ex, m, [&](const std::string& what) {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(env.now() - begin).count();
        output.line("t=" + std::to_string(seconds) + "s " + what + "\n");
    });
    const change_handler publish = [&script](const std::vector<change>& changes) { script.book().published(changes); };
    auto started = script.start(checking_pace, false, stop);
    if (started) started = m.start(script.take_source(), publish);
    if (!started) {
        output.line("error: " + started.error().what() + "\n");
        co_return 1;
    }
    const bool played = co_await script.play(checking_pace, stop);
    co_await script.freeze();
    auto found = co_await settle(env, script.book(), stop);
    found.duplicates += m.table().counters().duplicates;
    found.lost += m.table().counters().lost;
    output.print_snapshot();
    co_await m.stop();
    co_await script.stop();
    for (const auto& complaint : script.complaints()) output.line("wrong: " + complaint + "\n");
    for (const auto& complaint : found.complaints) output.line("wrong: " + complaint + "\n");
    output.line(summary(found, m.table().counters().transitions, script.book().rebuilds()));
    const bool good = played && script.complaints().empty() && found.complaints.empty() && found.duplicates == 0 &&
                      found.lost == 0 && found.jobs > 0;
    co_return good ? 0 : 1;
}

}  // namespace training_monitor::demo
