// client::guarded(): each try of a write asks first.
#include <kcontrol/client/subresource.hpp>

#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

namespace {

const std::string shut = "writes are fenced by the deadline";

struct guard_fixture : client_fixture {
    write_guard guard() {
        return [this]() -> result<duration> {
            ++asked;
            if (left > 0s) return left;
            return error(errc::not_leading, shut);
        };
    }
    duration left = 10s;
    int asked = 0;
};

}  // namespace

TEST_CASE_FIXTURE(guard_fixture, "a guarded client sends no write that its guard refuses, and asks for no read") {
    net->expect(std::string("GET ") + widgets_path + "/a").reply(200, widget_json("a"));
    client c = connect().guarded(guard());
    left = 0s;
    const auto created = await(c.create(widgets(), make_widget("default", "a"), {}));
    const auto updated = await(c.update(widgets(), make_widget("default", "a"), {}));
    const auto patched =
        await(c.patch(widgets(), {"default", "a"}, "application/merge-patch+json", R"({"spec":{"size":1}})", {}));
    const auto applied = await(c.apply(widgets(), make_widget("default", "a"), apply_options("me")));
    const auto removed = await(c.delete_(widgets(), {"default", "a"}, {}));
    const auto emptied = await(c.delete_collection(widgets(), {}, {}));
    auto parts = c.subresource(widgets(), "part");
    const auto made = await(parts.create(widgets(), {"default", "a"}, make_widget("", ""), {}));
    for (const error& why : {created.error(), updated.error(), patched.error(), applied.error(), removed.error(),
                             emptied.error(), made.error()}) {
        CHECK(why == errc::not_leading);
        CHECK(why.message() == shut);
        CHECK_FALSE(why == condition::retryable);
    }
    CHECK(asked == 7);
    CHECK(net->sent().empty());
    CHECK(await(c.get(widgets(), {"default", "a"}, get_options())).has_value());
    CHECK(asked == 7);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(guard_fixture, "a write that passes is waited for no longer than the guard says") {
    net->expect(std::string("POST ") + widgets_path).reply(201, widget_json("a"));
    net->expect(std::string("POST ") + widgets_path).reply(201, widget_json("a"));
    client c = connect().guarded(guard());
    CHECK(await(c.create(widgets(), make_widget("default", "a"), {})).has_value());
    CHECK(net->deadlines().back() == 10s);  // of its own 30 s
    left = 50s;
    CHECK(await(c.create(widgets(), make_widget("default", "a"), {})).has_value());
    CHECK(net->deadlines().back() == 30s);
    CHECK(c.load().writes == 2);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(guard_fixture, "a try that comes after the first asks again") {
    const std::string too_many = R"({"kind":"Status","code":429,"reason":"TooManyRequests","message":"slow down"})";
    net->expect(std::string("POST ") + widgets_path).reply(429, too_many).header("Retry-After", "2");
    client unguarded = connect();
    client c = unguarded.guarded([this, end = env.now() + 1s]() -> result<duration> {
        if (env.now() < end) return end - env.now();
        return error(errc::not_leading, shut);
    });
    const auto created = await(c.create(widgets(), make_widget("default", "a"), {}));
    REQUIRE_FALSE(created);
    CHECK(created.error() == errc::not_leading);
    CHECK(net->verify());
    // The one that it was made from is as it was.
    net->expect(std::string("POST ") + widgets_path).reply(201, widget_json("a"));
    CHECK(await(unguarded.create(widgets(), make_widget("default", "a"), {})).has_value());
    CHECK(unguarded.load().writes == 1);
    CHECK(net->verify());
}
