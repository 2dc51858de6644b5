// Where a program hears of its clusters: on one strand, unless it gives the clusters an executor of their own.
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/transport/client.hpp>

#include "multicluster/threads.hpp"
#include "simulation/widget.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

// A room in which there shall be one at a time.
class room {
public:
    void visit() {
        if (inside_.fetch_add(1) != 0) ++overlaps_;
        for (int i = 0; i < 20; ++i) std::this_thread::yield();
        --inside_;
        ++visits_;
    }
    int overlaps() const { return overlaps_; }
    int visits() const { return visits_; }

private:
    std::atomic<int> inside_ = 0, overlaps_ = 0, visits_ = 0;
};

const std::string names = "abcd";

// Four clusters of thirty objects each come, change and leave. `room_of` says where who hears of a cluster stands.
struct show {
    template <class RoomOf>
    void run(bool strands_of_their_own, RoomOf room_of) {
        pool threads;
        std::map<std::string, std::unique_ptr<member>> servers;
        for (const char name : names) {
            auto& server = servers[std::string(1, name)];
            server = std::make_unique<member>(env, threads, false);
            REQUIRE(server->started);
            threads.on(server->strand, [&] {
                for (int i = 0; i < 30; ++i) server->create("w" + std::to_string(i));
            });
        }
        multicluster_options o;
        o.kinds({kind_choice(resource_of<widget>())}).transport(http::make_transport_factory(env));
        o.on_event([&](const std::string& cluster, const resource_info&, const any_event& e) {
            room_of(cluster).visit();
            told.event(cluster, e);
        });
        o.on_status([&](const cluster_status& s) {
            room_of(s.name).visit();
            told.status(s);
        });
        o.on_engage([&](engaged_cluster& c) { room_of(c.name()).visit(); });
        o.on_disengage([&](engaged_cluster& c) { room_of(c.name()).visit(); });
        o.on_removed([&](const std::string& cluster) {
            room_of(cluster).visit();
            told.removed(cluster);
        });
        if (strands_of_their_own) o.cluster_executor(threads.context.get_executor());
        multicluster_manager manager(env, threads.context.get_executor(), std::move(o));
        const executor home = manager.get_executor();

        const auto want = [&](const std::string& some) {
            std::vector<desired_cluster> desired;
            for (const char name : some) {
                desired.emplace_back(std::string(1, name), servers.at(std::string(1, name))->server.config("t"));
            }
            threads.on(home, [&] { manager.set_desired(std::move(desired)); });
        };
        for (int round = 0; round < 3; ++round) {
            want(names);
            for (const char name : names) CHECK(told.wait_for(std::string(1, name), 30));
            want("");
            for (const char name : names) CHECK(told.wait_for(std::string(1, name), -1));
        }
        CHECK(told.faults() == 0);
        // From outside of it, too.
        threads.run(threads.context.get_executor(), manager.stop());
        for (auto& [name, m] : servers) threads.run(m->strand, m->server.stop());
    }

    system_environment env;
    board told;
};

}  // namespace

TEST_CASE("all that a program hears of its clusters comes on one strand, on however many threads") {
    room only;
    show().run(false, [&](const std::string&) -> room& { return only; });
    CHECK(only.visits() > 3 * 4 * 30);
    CHECK(only.overlaps() == 0);
}

TEST_CASE("with an executor for clusters, all that is about one of them comes on a strand of its own") {
    std::map<std::string, room> rooms;
    for (const char name : names) rooms[std::string(1, name)];
    show().run(true, [&](const std::string& cluster) -> room& { return rooms.at(cluster); });
    for (const auto& [name, one] : rooms) {
        CHECK(one.visits() > 3 * 30);
        CHECK(one.overlaps() == 0);
    }
}
