// A handler on other threads than its informer's: one call at a time, in order, whatever the threads do. Worth its
// money under ThreadSanitizer.
#include <kcontrol/cache/detail/handler_lane.hpp>
#include <kcontrol/runtime/system_environment.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>

namespace {

using namespace kcontrol;

struct counted {
    object_meta metadata;
};

any_object make(int key, int version) {
    auto object = std::make_shared<counted>();
    object->metadata.namespace_ = "default";
    object->metadata.name = "c" + std::to_string(key);
    object->metadata.uid = "u" + std::to_string(key);
    object->metadata.resource_version = std::to_string(version);
    return any_object(std::shared_ptr<const counted>(std::move(object)));
}

// What the handler has heard; doctest's assertions are for the test's own thread.
struct hearing {
    void take(const any_event& e) {
        if (inside.exchange(true)) ++overlaps;
        auto& known = versions[std::string(e.object().meta().name)];
        const std::string before = e.old_object ? std::string(e.old_object.meta().resource_version) : std::string();
        if (known != before) ++gaps;
        known = std::string(e.new_object.meta().resource_version);
        ++calls;
        inside = false;
    }

    std::atomic<bool> inside = false;
    std::atomic<int> overlaps = 0;
    int gaps = 0, calls = 0;
    std::map<std::string, std::string> versions;
};

void play(bool every_version) {
    system_environment env;
    boost::asio::io_context home;
    boost::asio::thread_pool pool(3);
    constexpr int keys = 20;
    constexpr int versions = 500;
    hearing heard;
    int news = 0;
    auto errors = std::make_shared<std::atomic<std::uint64_t>>(0);
    handler_options how;
    how.run_on(pool.get_executor()).every_version(every_version).queue_bound(100);
    const auto lane = std::make_shared<detail::handler_lane>(
        env, home.get_executor(), logger(), [&](const any_event& e) { heard.take(e); }, how, errors, [&] { ++news; });
    auto work = boost::asio::make_work_guard(home);
    bool was_full = false;
    for (int version = 1; version <= versions; ++version) {
        for (int key = 0; key < keys; ++key) {
            any_event e(event_type::added, {}, make(key, version));
            if (version > 1) e = any_event(event_type::updated, make(key, version - 1), make(key, version));
            lane->push(std::move(e));
            // As a watch does.
            while (lane->full()) {
                was_full = true;
                home.run_one();
            }
        }
        if (version == 1) lane->push_synced();
        home.poll();
    }
    const auto told = [&] { return lane->lag().pending == 0 && lane->idle() && lane->has_synced(); };
    while (!told()) home.poll();
    work.reset();
    home.run();
    pool.join();
    home.restart();
    home.run();
    CHECK(heard.overlaps == 0);
    CHECK(heard.gaps == 0);
    CHECK(heard.versions.size() == keys);
    for (const auto& [name, version] : heard.versions) CHECK(version == std::to_string(versions));
    const handler_lag lag = lane->lag();
    CHECK(lag.delivered + lag.coalesced == keys * versions);
    CHECK(lag.delivered == static_cast<std::uint64_t>(heard.calls));
    if (every_version) CHECK(heard.calls == keys * versions);
    CHECK((!was_full || every_version));
    CHECK(news > 0);
    CHECK(*errors == 0);
}

TEST_CASE("handler: on other threads, one call at a time and none out of order") { play(false); }

TEST_CASE("handler: on other threads, one of every version misses none however often it is full") { play(true); }

}  // namespace
