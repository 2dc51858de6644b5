// A channel that several threads fill while its executor works: nothing is lost, doubled or out of its sender's order.
#include <kcontrol/cluster/channel_source.hpp>
#include <kcontrol/runtime/system_environment.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

using namespace kcontrol;

TEST_CASE("four threads send through a small channel to a strand that two threads run") {
    constexpr int senders = 4, each = 2000;
    system_environment env;
    boost::asio::io_context context;
    const executor home = boost::asio::make_strand(context);
    const auto channel = std::make_shared<channel_source>(env, home, channel_options().capacity(64));
    std::map<std::string, int> last;
    std::atomic<int> told = 0, disordered = 0;
    std::atomic<std::uint64_t> refused = 0;
    subscription hold;
    boost::asio::post(home, [&] {
        hold = channel->subscribe([&](const any_event& e) {
            const int number = std::stoi(e.object().meta().name.str());
            int& before = last[e.object().meta().namespace_.str()];
            if (number != before + 1) ++disordered;
            before = number;
            if (++told == senders * each) boost::asio::post(home, [&] { hold.reset(); });
        });
    });

    auto work = boost::asio::make_work_guard(context);
    std::vector<std::thread> threads;  // seam: ok, a channel is promised to senders on any thread
    threads.reserve(senders + 2);
    for (int i = 0; i < 2; ++i) threads.emplace_back([&] { context.run(); });
    for (int i = 0; i < senders; ++i) {
        threads.emplace_back([&, from = "sender-" + std::to_string(i)] {
            for (int n = 1; n <= each;) {
                if (channel->send(namespaced_name(from, std::to_string(n)))) {
                    ++n;
                } else {
                    ++refused;
                    std::this_thread::yield();
                }
            }
        });
    }
    for (std::size_t i = 2; i < threads.size(); ++i) threads[i].join();
    work.reset();
    for (std::size_t i = 0; i < 2; ++i) threads[i].join();
    CHECK(told == senders * each);
    CHECK(disordered == 0);
    CHECK(channel->refused() == refused);
    CHECK(channel->waiting() == 0);
}
