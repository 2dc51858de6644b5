// PB-10: what the work queue takes for one key, with priorities and causes, and the clock read as the controller does.
//
// usage: workqueue      prints "variant TAB value TAB unit"; the variants are those of the peers' program
//        workqueue N    runs the first variant N times, to be counted by callgrind
#include <kcontrol/controller/request.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/workqueue/workqueue.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using queue = workqueue<std::string>;

std::vector<std::string> make_keys(int count) {
    std::vector<std::string> keys;
    for (int i = 0; i < count; ++i) keys.push_back("team-abcd-prod/payment-" + std::to_string(i) + "-xkcd9");
    return keys;
}

const cause pod_updated(cause_type::updated, "Pod");
const cause pod_listed(cause_type::initial, "Pod");

void drain(environment& env, queue& q, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) q.done(std::move(*q.get(env.now())));
}

/// Repeats `work` for half a second, as `go test -benchtime 0.5s` does, and prints the time for each of its items.
template <class F>
void measure(environment& env, const char* variant, std::size_t items, const F& work) {
    work();
    std::size_t passes = 0;
    const time_point start = env.now();
    duration took{};
    for (; took < 500ms; took = env.now() - start) work(), ++passes;
    std::printf("%s\t%.1f\tns/item\n", variant,
                static_cast<double>(took.count()) / static_cast<double>(passes) / static_cast<double>(items));
}

void add_get_done(environment& env, queue& q, const std::vector<std::string>& keys) {
    for (const auto& key : keys) q.add(key, env.now(), {}, pod_updated);
    drain(env, q, keys.size());
}

// Producers and consumers are coroutines, as controllers have them; each lets the others go on now and then.
class contended {
public:
    contended(environment& env, const std::vector<std::string>& keys) : env_(env), keys_(keys) {}
    void run() {
        left_ = keys_.size();
        for (std::size_t i = 0; i < workers; ++i) {
            boost::asio::co_spawn(context_, consume(), boost::asio::detached);
            boost::asio::co_spawn(context_, produce(i), boost::asio::detached);
        }
        context_.run();
        context_.restart();
    }
    static constexpr std::size_t workers = 4;
    std::vector<duration> add_times;

private:
    awaitable<void> produce(std::size_t worker) {
        const std::size_t each = keys_.size() / workers;
        for (std::size_t i = 0; i < each; ++i) {
            const time_point start = env_.now();
            queue_.add(keys_[worker * each + i], start, {}, pod_updated);
            if (i % 16 == 0) add_times.push_back(env_.now() - start);
            changed_.notify_one();
            if (i % 16 == 15) co_await boost::asio::post(context_, boost::asio::use_awaitable);
        }
    }
    awaitable<void> consume() {
        while (left_ > 0) {
            auto item = queue_.get(env_.now());
            if (item) {
                queue_.done(std::move(*item));
                if (--left_ == 0) changed_.notify_all();
            } else {
                co_await changed_.wait(env_, {});
            }
        }
    }

    environment& env_;
    const std::vector<std::string>& keys_;
    boost::asio::io_context context_;
    queue queue_;
    async_event changed_;
    std::size_t left_ = 0;
};

void measure_all(environment& env) {
    const auto keys = make_keys(1000), more_keys = make_keys(10'000), most_keys = make_keys(100'000);
    queue q;
    measure(env, "add, get, done of 1000 keys", keys.size(), [&] { add_get_done(env, q, keys); });
    measure(env, "add, get, done of 1000 keys in 3 priorities", keys.size(), [&] {
        static constexpr int priorities[] = {low_priority, 0, 100};
        for (std::size_t i = 0; i < keys.size(); ++i) {
            q.add(keys[i], env.now(), add_options().priority(priorities[i % 3]), i % 3 == 0 ? pod_listed : pod_updated);
        }
        drain(env, q, keys.size());
    });
    const auto by_team = [](const std::string& key) { return std::string_view(key).substr(0, key.find('/')); };
    queue fair(workqueue_options<std::string>().fair_by(by_team));
    measure(env, "add, get, done of 1000 keys, fair", keys.size(), [&] { add_get_done(env, fair, keys); });

    const auto four = make_keys(4000);
    contended c(env, four);
    measure(env, "4 producers and 4 consumers", four.size(), [&] { c.run(); });
    std::sort(c.add_times.begin(), c.add_times.end());
    std::printf("4 producers and 4 consumers\t%lld\tns p99 add\n",
                static_cast<long long>(c.add_times[c.add_times.size() * 99 / 100].count()));

    std::mt19937_64 random(1);
    measure(env, "AddAfter of 100000 keys within 10 min", most_keys.size(), [&] {
        queue delayed;
        for (const auto& key : most_keys) {
            const duration after(static_cast<duration::rep>(random() % 600'000'000'000U));
            delayed.add(key, env.now(), add_options().after(after), pod_updated);
        }
    });
    // The peers' queues are not freed within their time, but by their collector, partly beside it.
    std::vector<std::unique_ptr<queue>> full;
    const time_point begun = env.now();
    for (int pass = 0; pass < 5; ++pass) {
        full.push_back(std::make_unique<queue>());
        for (const auto& key : most_keys) {
            const duration after(static_cast<duration::rep>(random() % 600'000'000'000U));
            full.back()->add(key, env.now(), add_options().after(after), pod_updated);
        }
    }
    const duration adds = env.now() - begun;
    std::printf("AddAfter of 100000 keys within 10 min, without the queue's end\t%.1f\tns/item\n",
                static_cast<double>(adds.count()) / 5 / static_cast<double>(most_keys.size()));
    full.clear();
    measure(env, "AddRateLimited of 10000 keys", more_keys.size(), [&] {
        queue limited;
        for (const auto& key : more_keys) {
            limited.add(key, env.now(), add_options().rate_limited(), cause(cause_type::retry));
        }
    });
    measure(env, "1000000 adds of one key beside a worker", 1'000'000, [&] {
        for (int i = 0; i < 1'000'000; ++i) {
            q.add(keys.front(), env.now(), {}, pod_updated);
            if (i % 1000 == 999) drain(env, q, 1);
        }
    });
}

}  // namespace

int main(int argc, char** argv) {
    system_environment env;
    if (argc < 2) return measure_all(env), 0;
    const auto keys = make_keys(1000);
    queue q;
    for (int passes = std::atoi(argv[1]); passes > 0; --passes) add_get_done(env, q, keys);
}
