// An informer of a part of the objects, at a server that sends all of them.
#include <kcontrol/model/shard_selector.hpp>

#include "cache/fixture.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;

std::string first_of(std::size_t count) {
    return shard_selector::part(shard_selector::by::uid, 0, count).value().to_string();
}

struct fixture : informer_fixture {
    fixture() : informer_fixture(informer_options().shard_selector(first_of(2))) {}

    bool is_mine(const std::string& name) const {
        const auto stored = server.api.get(kcontrol::test::widgets, {"default", name}).value();
        const std::string uid(json::get_string(stored, {"metadata", "uid"}));
        return shard_selector::parse(first_of(2)).value().selects_value(uid);
    }
};

TEST_CASE_FIXTURE(fixture, "shard selector: an informer has its part of lists and hears of its part of changes") {
    std::string mine, others;
    const auto create = [&](int from, int to) {
        for (int i = from; i < to; ++i) {
            const std::string name = "w" + std::to_string(i);
            server.create(name, i);
            (is_mine(name) ? mine : others) += name + " ";
        }
    };
    create(100, 120);
    REQUIRE_FALSE(mine.empty());
    REQUIRE_FALSE(others.empty());
    watched.start();
    settle();
    const auto have = [&] {
        std::string out;
        for (const auto& one : watched.list()) out += one->metadata.name.str() + " ";
        return out;
    };
    CHECK(have() == mine);
    take();
    create(120, 140);
    settle();
    CHECK(have() == mine);
    std::string told = take();
    for (int i = 120; i < 140; ++i) {
        const std::string name = "w" + std::to_string(i);
        CHECK((told.find("+" + name) != std::string::npos) == is_mine(name));
    }
    // Changes and deletions of the others are not told, and those of its own are.
    const std::string own = mine.substr(0, 4), other = others.substr(0, 4);
    server.set_value(own, 7);
    server.set_value(other, 7);
    server.remove(other);
    server.remove(own);
    settle();
    CHECK(take() == "~" + own + " -" + own + " ");
    // Bookmarks are about all objects: the watch does not fall behind.
    context.run_for(1min);
    CHECK(watched.status().lists == 1);
    CHECK(watched.status().state == informer_state::live);
}

}  // namespace
