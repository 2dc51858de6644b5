// Candidates in a simulated world, each a process of its own: with its clocks, its way to the server and its pauses.
#pragma once

#include <kcontrol/api/coordination/v1.hpp>
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/leader/leader_elector.hpp>
#include <kcontrol/runtime/timer.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "support/print.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::test {

using namespace std::chrono_literals;

/// The clocks of one machine: it may sleep, and its civil time may be wrong. All else is the world's.
class machine_environment final : public environment {
public:
    explicit machine_environment(testing::sim_environment& world) : world_(world) {}

    time_point now() const noexcept override { return world_.now() - slept; }
    time_point boot_now() const noexcept override { return world_.now(); }
    wall_time wall_now() const noexcept override { return world_.wall_now() + wall_error; }
    std::uint64_t random() override { return world_.random(); }
    std::unique_ptr<timer> make_timer(const executor& ex) override {
        return std::make_unique<machine_timer>(*this, world_.make_timer(ex));
    }
    result<std::string> read_file(const std::string& path, std::size_t max_bytes) override {
        return world_.read_file(path, max_bytes);
    }
    result<std::vector<std::string>> list_directory(const std::string& path) override {
        return world_.list_directory(path);
    }
    result<std::unique_ptr<directory_watch>> watch_directory(const executor& ex, const std::string& path) override {
        return world_.watch_directory(ex, path);
    }
    std::optional<std::string> variable(const std::string& name) const override { return world_.variable(name); }

    duration slept{}, wall_error{};

private:
    struct machine_timer final : timer {
        machine_timer(const machine_environment& o, std::unique_ptr<timer> t) : owner(o), below(std::move(t)) {}
        void async_wait(time_point when, asio::any_completion_handler<void(bool)> handler) override {
            below->async_wait(when + owner.slept, std::move(handler));
        }
        void cancel() override { below->cancel(); }
        const machine_environment& owner;
        std::unique_ptr<timer> below;
    };

    testing::sim_environment& world_;
};

/// An executor that runs nothing while its process is stopped (SIGSTOP), and all of it afterwards, in order.
class process_executor {
public:
    struct gate : std::enable_shared_from_this<gate> {
        explicit gate(testing::sim_context& c) : context(c), below(c.get_executor()) {}
        void resume() {
            stopped = false;
            for (auto& one : std::exchange(held, {})) post(std::move(one));
        }
        void post(std::function<void()> work) {
            asio::post(below, [self = shared_from_this(), work = std::move(work)]() mutable {
                if (self->stopped) return self->held.push_back(std::move(work));
                work();
            });
        }
        testing::sim_context& context;
        asio::strand<testing::sim_context::executor_type> below;
        std::deque<std::function<void()>> held;
        bool stopped = false;
    };
    explicit process_executor(std::shared_ptr<gate> g) noexcept : gate_(std::move(g)) {}

    testing::sim_context& query(asio::execution::context_t) const noexcept { return gate_->context; }
    static constexpr asio::execution::blocking_t query(asio::execution::blocking_t) noexcept {
        return asio::execution::blocking_t::never;
    }
    process_executor require(asio::execution::blocking_t::never_t) const noexcept { return *this; }
    template <class F>
    void execute(F f) const {
        auto shared = std::make_shared<F>(std::move(f));
        gate_->post([shared] { std::move (*shared)(); });
    }
    friend bool operator==(const process_executor&, const process_executor&) noexcept = default;

private:
    std::shared_ptr<gate> gate_;
};

class stage;

/// A process with a candidate. While it leads it writes into a ConfigMap, again and again, through its fence.
class process {
public:
    process(stage& world, int number);

    void start() { (void)elector->start().value(); }
    void stop_process() { gate->stopped = true; }
    void resume() { gate->resume(); }
    void link(testing::link_state state);
    bool leading() const { return elector->leading(); }
    void restart_elector();

    std::string name, host;
    stage& of;
    machine_environment env;
    std::shared_ptr<process_executor::gate> gate;
    executor ex;
    client direct;
    std::optional<leader_elector> elector;
    std::optional<client> fenced;
    leader_options options;
    duration pace = 200ms;  // between writes
    std::string told;       // what the callbacks were told
    std::vector<std::string> logged;
    std::function<awaitable<void>(std::stop_token)> work;  // instead of the writes
    int terms = 0;
    bool working = false, linger = false;

private:
    awaitable<void> lead(std::stop_token stop);
};

class stage {
public:
    explicit stage(std::size_t count, std::uint64_t seed = 1) : world(seed) {
        (void)server_api.create({{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "written"}}}})
            .value();
        for (std::size_t i = 0; i < count; ++i)
            processes.push_back(std::make_unique<process>(*this, static_cast<int>(i)));
    }
    ~stage() { stop_all(); }

    void stop_all() {
        for (auto& one : processes) {
            one->linger = false;
            one->resume();
        }
        for (auto& one : processes) {
            if (one->elector) world.run(drop(one->elector->stop(0s)));
        }
        // What was left behind returns.
        world.run_until([this] {
            for (auto& one : processes) {
                if (one->working) return false;
            }
            return true;
        });
        world.run_for(10min);
        for (auto& one : processes) one->elector.reset();
        world.run_for(1min);
    }

    process& operator[](std::size_t i) { return *processes[i]; }
    /// Looks after every step: two that lead at once are an error for good.
    void look() {
        int open = 0;
        for (auto& one : processes) open += one->leading() ? 1 : 0;
        most_open = std::max(most_open, open);
    }
    bool until(const std::function<bool()>& done, duration limit = 2min) {
        return world.run_until(
            [&] {
                look();
                return done();
            },
            limit);
    }
    void pass(duration d) {
        const auto end = world.context().now() + d;
        until([&] { return world.context().now() >= end; }, d);
        if (world.context().now() < end) world.context().run_for(end - world.context().now());
    }
    process* leader() {
        for (auto& one : processes) {
            if (one->leading()) return one.get();
        }
        return nullptr;
    }
    /// A write has arrived at the server: of a term that another one has followed, it is too late.
    void arrived(const std::string& term) {
        ++writes;
        if (term == last_term) return;
        if (!terms_seen.insert(term).second) late.push_back(term + " after " + last_term);
        last_term = term;
    }
    api::coordination::v1::lease lease() {
        return world.run(watcher.get<api::coordination::v1::lease>({"default", "l"})).value();
    }

    testing::sim_world world;
    testing::sim_server& server = world.add_server("server");
    testing::api_server& server_api = server.api();
    client watcher = world.connect(server);
    std::vector<std::unique_ptr<process>> processes;
    int most_open = 0;
    std::size_t writes = 0;
    std::string last_term;
    std::set<std::string> terms_seen;
    std::vector<std::string> late;

private:
    static awaitable<void> drop(awaitable<bool> work) { (void)co_await std::move(work); }
};

inline process::process(stage& world, int number)
    : name(std::string(1, static_cast<char>('a' + number))),
      host("via-" + name),
      of(world),
      env(world.world.env()),
      gate(std::make_shared<process_executor::gate>(world.world.context())),
      ex(process_executor(gate)),
      direct([&] {
          // A way of its own to the server, on which its writes are seen when they arrive.
          const auto inner = world.server_api.handler();
          world.world.network().listen(
              host, world.server_api.get_executor(), [&world, inner](http::server_request r, http::responder& out) {
                  if (r.method == "PATCH" && r.target.find("/configmaps/written") != std::string::npos) {
                      const auto at = r.body.find("term-");
                      if (at != std::string::npos) world.arrived(r.body.substr(at, r.body.find('"', at) - at));
                  }
                  return inner(std::move(r), out);
              });
          auth::cluster_config config;
          config.server(http::endpoint("https", host, 443));
          return client::connect(env, ex, config, world.world.network().factory()).value();
      }()),
      options({"default", "l"}) {
    options.identity(name);
    restart_elector();
}

inline void process::restart_elector() {
    leader_callbacks calls;
    calls.on_started_leading([this](std::stop_token stop) { return lead(std::move(stop)); });
    calls.on_stopped_leading([this] { told += " stopped"; });
    calls.on_new_leader([this](const std::string& who) { told += " leader:" + who; });
    elector.reset();
    elector.emplace(env, ex, direct, options, calls, logger([this](const log_record& r) {
                        logged.emplace_back(r.message);
                        for (const auto& f : r.fields) {
                            if (f.name != "lease" && f.name != "identity") {
                                logged.back() += " " + std::string(f.name) + "=" + f.value;
                            }
                        }
                    }));
    fenced.emplace(direct.guarded(elector->fence().guard()));
}

inline void process::link(testing::link_state state) { of.world.network().set_link(host, state); }

inline awaitable<void> process::lead(std::stop_token stop) {
    told += " started";
    working = true;
    if (work) co_await work(stop);
    const std::string term = "term-" + name + std::to_string(++terms);
    while (!work && (!stop.stop_requested() || linger)) {
        const std::string patch = R"({"data":{"by":")" + term + R"("}})";
        client to = *fenced;
        const namespaced_name key("default", "written");
        const auto written = co_await to.patch(resource_of<api::core::v1::config_map>(), key,
                                               "application/merge-patch+json", patch, write_options());
        (void)written;
        const std::stop_token heeded = linger ? std::stop_token() : stop;
        co_await sleep_for(env, pace, heeded);
    }
    working = false;
    told += " returned";
}

}  // namespace kcontrol::test
