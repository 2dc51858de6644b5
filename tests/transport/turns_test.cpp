// Turns at what takes long: who gets on next, and that the rest of the loop is not behind all of it.
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/transport/impl/turns.hpp>

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>

using namespace kcontrol;
using namespace std::chrono_literals;
using http::detail::turns;

namespace {

struct fixture {
    awaitable<void> work(char name, std::stop_token stop) {
        const auto keep = some;  // as a connection keeps its server's
        co_await keep->take(std::move(stop), 1s);
        done += name;
    }
    void want(char name, std::stop_token stop = {}) { testing::start(context, work(name, std::move(stop))); }
    void settle() { testing::manual_environment::run_ready(context); }

    testing::manual_environment env;
    boost::asio::io_context context;
    std::shared_ptr<turns> some = std::make_shared<turns>(env, context.get_executor());
    std::string done;
};

}  // namespace

TEST_CASE("turns: what is ready runs after each round of them, not after all") {
    fixture f;
    for (const char name : std::string("abcdefgh")) f.want(name);
    std::size_t looks = 0;
    std::size_t most = 0, before = 0;
    // One that is always ready, as sockets of a crowd are: between two runs of it no more than a round has passed.
    std::function<void()> other = [&] {
        most = std::max(most, f.done.size() - before);
        before = f.done.size();
        if (++looks < 20) boost::asio::post(f.context, other);
    };
    boost::asio::post(f.context, other);
    f.settle();
    CHECK(f.done == "abcdefgh");
    CHECK(most <= turns::each_round);
    CHECK(f.some->waiting() == 0);
}

TEST_CASE("turns: who stops waiting leaves, and takes nobody's turn") {
    fixture f;
    std::stop_source stop;
    for (const char name : std::string("abcd")) f.want(name);
    f.want('x', stop.get_token());
    f.want('y');
    while (f.some->waiting() < 2) f.context.run_one();
    stop.request_stop();
    f.settle();
    CHECK(f.done.size() == 6);  // it goes on, and learns from its token what is the matter
    CHECK(f.some->waiting() == 0);
}

TEST_CASE("turns: who waits gets his turn though the server that had them has gone") {
    fixture f;
    for (const char name : std::string("abcdef")) f.want(name);
    while (f.some->waiting() < 2) f.context.run_one();
    const std::weak_ptr<turns> left = std::exchange(f.some, nullptr);
    f.settle();
    CHECK(f.done == "abcdef");
    CHECK(left.expired());
}
