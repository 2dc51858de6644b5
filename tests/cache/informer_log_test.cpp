// What the log tells of an informer's state: each change once, and trouble that returns once a minute.
#include <kcontrol/cache/informer.hpp>

#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using testing::link_state;

struct fixture : widget_world {
    ~fixture() {
        ends_within(1s, watched.stop());
        settle(1s);
    }
    void note(const log_record& record) {
        constexpr std::string_view about = "the informer is ";
        if (!record.message.starts_with(about)) return;
        told += (told.empty() ? "" : " ") + std::string(record.message.substr(about.size()));
        for (const auto& field : record.fields) {
            if (field.name == "times") told += "*" + field.value;
            if (field.name == "after_seconds") told += "+" + field.value;
        }
        CHECK(record.level == (record.message == "the informer is live" ? log_level::info : log_level::warning));
    }
    std::string take() { return std::exchange(told, {}); }
    void settle(duration d) { context.run_for(d); }

    widget_server& server = add("a");
    std::string told;
    informer<widget> watched{
        env, home, connect(server.config()),
        informer_options().probe_period(5s).log(logger([this](const log_record& record) { note(record); }))};
};

TEST_CASE_FIXTURE(fixture, "informer's log: each change is told once, and a pause is none") {
    watched.start();
    settle(1s);
    CHECK(take() == "live");
    network.set_link("a", link_state::refused);
    network.break_connections("a");
    settle(5min);
    CHECK(take() == "failed failed");  // the connection broke, the next one was refused
    network.set_link("a", link_state::up);
    settle(60s);
    const std::string end = take();
    CHECK(end.starts_with("live+"));
    ends_within(1s, watched.stop());
    settle(10s);
    watched.start();
    settle(10s);
    CHECK(take() == "");
    server.api.access().forbid({"*", "*", "widgets"});
    network.break_connections("a");
    settle(60s);
    CHECK(take() == "forbidden");
}

TEST_CASE_FIXTURE(fixture, "informer's log: two troubles that alternate are each told once a minute") {
    int asked = 0;
    server.api.set_faults([&](const http::server_request& r) {
        if (r.target.find("widgets") == std::string::npos) return testing::fault();
        return ++asked % 2 == 0 ? testing::fault().status(500, "InternalError", "broken")
                                : testing::fault().status(503, "ServiceUnavailable", "away");
    });
    watched.start();
    settle(59s);
    CHECK(asked > 4);
    CHECK(take() == "failed failed");
    settle(10min);
    CHECK(take().find('*') != std::string::npos);
}

TEST_CASE_FIXTURE(fixture, "informer's log: trouble before the first list is told at once") {
    server.api.remove_resource(widgets);
    watched.start();
    settle(14s);
    CHECK(take() == "not-installed");
    server.api.register_resource(widget_type());
    settle(5s);
    CHECK(take() == "live+15");
}

}  // namespace
