// bench_service: what following a Service's endpoints costs; bench/service_figures.py runs it.
//
// usage: bench_service changes KUBECONFIG SECONDS   beside serve_endpoints: from a change to its snapshot on another
// thread
//        bench_service reads                        reads of the newest snapshot by eight threads, without a server
// Prints rows, "phase TAB value TAB unit".
#include <kcontrol/service/connection.hpp>
#include <kcontrol/service/endpoints.hpp>

#include "measure.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace service = kcontrol::service;
using kcontrol_bench::print;
using steady = std::chrono::steady_clock;  // seam: ok, a program that measures

// From the loop to the thread that reads: the version, and when what it shows was written.
class mailbox {
public:
    struct letter {
        std::uint64_t version;
        std::vector<std::int64_t> written;  // ns
    };

    void put(letter one) {
        {
            const std::lock_guard lock(mutex_);
            letters_.push_back(std::move(one));
        }
        there_.notify_one();
    }
    /// False: nothing came until then.
    bool take(letter& into, steady::time_point until) {
        std::unique_lock lock(mutex_);
        if (!there_.wait_until(lock, until, [&] { return !letters_.empty(); })) return false;
        into = std::move(letters_.front());
        letters_.pop_front();
        return true;
    }

private:
    std::mutex mutex_;
    std::condition_variable there_;
    std::deque<letter> letters_;
};

std::int64_t now_ns() { return std::chrono::nanoseconds(steady::now().time_since_epoch()).count(); }

int changes(const char* kubeconfig, int seconds) {
    auto cluster = service::connection::open(service::connection_options().kubeconfig(kubeconfig));
    if (!cluster) return std::fprintf(stderr, "bench_service: %s\n", cluster.error().what().c_str()), 1;
    mailbox news;
    const service::endpoints_callback note = [&](const service::endpoints_change& change) {
        mailbox::letter one{change.snapshot->version, {}};
        for (const auto& endpoint : change.added) {
            std::int64_t at = 0;
            std::from_chars(endpoint.node.data(), endpoint.node.data() + endpoint.node.size(), at);
            if (at != 0) one.written.push_back(at);
        }
        news.put(std::move(one));
    };
    const auto followed = cluster->start<service::endpoints>(service::endpoints_target::service({"default", "web"}),
                                                             service::endpoints_options(), note);
    if (!followed) return std::fprintf(stderr, "bench_service: %s\n", followed.error().what().c_str()), 1;
    if (const auto live = cluster->run([&] { return (*followed)->wait_live(); }); !live) return 1;
    std::puts("live");
    std::fflush(stdout);

    auto reader = (*followed)->reader();
    std::vector<double> us;
    const auto end = steady::now() + std::chrono::seconds(seconds);
    for (mailbox::letter one; news.take(one, end);) {
        while (reader.read()->version < one.version) {
        }
        const auto now = now_ns();
        for (const auto at : one.written) us.push_back(static_cast<double>(now - at) / 1e3);
    }
    if (us.empty()) return std::fputs("bench_service: nothing changed\n", stderr), 1;
    std::sort(us.begin(), us.end());
    const auto at = [&](double q) { return us[static_cast<std::size_t>(q * static_cast<double>(us.size() - 1))]; };
    print("changes", static_cast<double>(us.size()), "changes seen");
    print("changes", at(0.50), "us p50");
    print("changes", at(0.99), "us p99");
    print("changes", kcontrol_bench::cpu_us() / static_cast<double>(us.size()), "us CPU/change");
    return 0;
}

// A machine with fewer cores runs them one after the other: CPU time is what counts.
int reads() {
    constexpr int readers = 8;
    constexpr std::uint64_t each = 20'000'000;
    const auto place = std::make_shared<service::detail::published<service::endpoints_snapshot>>(
        std::make_shared<const service::endpoints_snapshot>());
    std::atomic<std::uint64_t> sum{0};
    std::vector<std::thread> threads;
    const double before = kcontrol_bench::cpu_us();
    for (int i = 0; i < readers; ++i) {
        threads.emplace_back([&] {
            service::endpoints_reader reader(place);
            std::uint64_t seen = 0;
            for (std::uint64_t n = 0; n < each; ++n) seen += reader.read()->version + 1;
            sum += seen;
        });
    }
    for (auto& one : threads) one.join();
    if (sum.load() != each * readers) return 1;
    print("reads", (kcontrol_bench::cpu_us() - before) * 1e3 / static_cast<double>(each * readers), "ns CPU/read");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "";
    if (what == "changes" && argc == 4) return changes(argv[2], std::atoi(argv[3]));
    if (what == "reads" && argc == 2) return reads();
    std::fputs("usage: bench_service changes KUBECONFIG SECONDS | reads\n", stderr);
    return 2;
}
