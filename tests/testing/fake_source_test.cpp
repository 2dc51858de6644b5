// A source in a test's hands, and a directory on the disk.
#include <kcontrol/testing/fake_source.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include "support/thing.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using test::make_thing;
using testing::fake_source;
using testing::manual_environment;

TEST_CASE("a fake source reports what is put and removed") {
    manual_environment env;
    fake_source source(env);
    source.put(make_thing("a"));
    std::string events;
    auto held = source.subscribe([&](const any_event& e) {
        events += e.type == event_type::added ? "+" : (e.type == event_type::updated ? "~" : "-");
        events += e.object().meta().name;
    });
    source.put(make_thing("b"));
    source.put(make_thing("a", "2"));
    source.remove({"ns", "b"});
    source.remove({"ns", "never"});
    CHECK(events == "+a+b~a-b");
    CHECK(source.get({"ns", "a"}).meta().resource_version == "2");
    CHECK(!source.get({"ns", "b"}));
    CHECK(source.listeners() == 1);
    held = subscription();
    CHECK(source.listeners() == 0);
    CHECK(source.subscriptions() == 1);
}

TEST_CASE("a fake source that is not synced") {
    boost::asio::io_context context;
    manual_environment env;
    fake_source source(env, false);
    CHECK(!testing::run(context, env, source.wait_synced({}, env.now() + 1s)));
    source.set_synced();
    CHECK(testing::run(context, env, source.wait_synced({}, env.now() + 1s)));
}

TEST_CASE("a temporary directory") {
    std::string path;
    {
        const testing::temporary_directory directory;
        path = directory.path();
        directory.write("a", "text");
        CHECK(std::filesystem::file_size(directory.path("a")) == 4);
        CHECK_THROWS_AS(directory.write("no/such/folder", ""), std::runtime_error);
    }
    CHECK(!std::filesystem::exists(path));
}

}  // namespace
