// A manager on a context that several threads run refuses to run, before it corrupts memory; on a strand it runs.
#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/transport/client.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <doctest/doctest.h>

#include <string>
#include <support/overlay_environment.hpp>
#include <thread>
#include <vector>

using namespace kcontrol;

namespace {

struct pod {
    static constexpr resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    object_meta metadata;
    static constexpr auto kcontrol_fields() { return fields(); }
};

auth::cluster_config nowhere() {
    auth::cluster_config out;
    out.server(http::endpoint("http", "127.0.0.1", 1));  // nothing listens there
    return out;
}

// A clock so many times slower than the real one. With 1000, the manager's look at who runs its executor takes 2 s at
// most, in which each thread that was woken gets its turn, however busy the machine is.
class slow_clock final : public test::overlay_environment {
public:
    explicit slow_clock(int times) : times_(times) {}
    time_point now() const noexcept override { return start_ + (test::overlay_environment::now() - start_) / times_; }

private:
    int times_;
    time_point start_ = test::overlay_environment::now();
};

// A manager with a controller, on an executor.
class host {
public:
    explicit host(const executor& ex, int slower = 1)
        : env(slower), m(env, ex, client::connect(env, ex, nowhere(), http::make_transport_factory(env)).value()) {
        const auto nothing = [](reconcile_context, request) { return reconcile_result::done(); };
        REQUIRE(controller_builder(m, "pods").for_<pod>().complete(nothing).has_value());
    }

    slow_clock env;
    manager m;
};

awaitable<result<void>> run_and_stop(manager& m) {
    m.start();
    co_await m.stop();
    co_return m.last_error() ? result<void>(*m.last_error()) : result<void>();
}

result<void> run_on(boost::asio::io_context& context, std::size_t threads, const executor& ex) {
    host h(ex);
    auto outcome = boost::asio::co_spawn(ex, run_and_stop(h.m), boost::asio::use_future);
    std::vector<std::thread> others;  // seam: ok, what is tested
    for (std::size_t i = 0; i < threads; ++i) others.emplace_back([&] { context.run(); });
    for (auto& one : others) one.join();
    return outcome.get();
}

}  // namespace

TEST_CASE("a manager on a context that four threads run says so, and does not run") {
    boost::asio::io_context context;
    auto work = boost::asio::make_work_guard(context);
    host h(context.get_executor(), 1000);
    std::vector<std::thread> threads;  // seam: ok, what is tested
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { context.run(); });
    auto outcome = boost::asio::co_spawn(context, h.m.run(), boost::asio::use_future);
    const auto ended = outcome.get();
    work.reset();
    for (auto& one : threads) one.join();
    REQUIRE(!ended.has_value());
    CHECK(ended.error() == errc::invalid_argument);
    const std::string said = ended.error().what();
    CHECK(said.find("several threads run the manager's executor at once") != std::string::npos);
    CHECK(said.find("make_strand") != std::string::npos);
    CHECK(h.m.state() == manager_state::idle);
    CHECK(h.m.last_error().has_value());
}

TEST_CASE("a manager on a thread pool itself says so as well") {
    boost::asio::thread_pool pool(4);
    host h(pool.get_executor(), 1000);
    const auto ended = boost::asio::co_spawn(pool, h.m.run(), boost::asio::use_future).get();
    pool.join();
    REQUIRE(!ended.has_value());
    CHECK(ended.error() == errc::invalid_argument);
}

TEST_CASE("a manager on a strand of a context that four threads run, or on one thread, runs") {
    boost::asio::io_context four;
    CHECK(run_on(four, 4, boost::asio::make_strand(four)).has_value());
    boost::asio::io_context one;
    CHECK(run_on(one, 1, one.get_executor()).has_value());
}
