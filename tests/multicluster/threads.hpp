// Clusters behind real sockets on a context that several threads run, and a board where they tell what they did.
#pragma once

#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/local_api_server.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_future.hpp>

#include <array>
#include <condition_variable>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

namespace kcontrol::test {

using namespace std::chrono_literals;

inline const testing::group_resource threaded_widgets{"test.kcontrol.dev", "widgets"};

// What the clusters told, from whatever thread; the test's own thread waits here.
class board {
public:
    void event(const std::string& cluster, const any_event& e) {
        const std::lock_guard lock(mutex_);
        auto& names = objects_[cluster];
        const auto& name = e.object().meta().name;
        const bool fits = e.type == event_type::added     ? names.insert(name).second
                          : e.type == event_type::deleted ? names.erase(name) == 1
                                                          : names.contains(name);
        faults_ += fits ? 0 : 1;
        changed_.notify_all();
    }
    void status(const cluster_status& s) {
        const std::lock_guard lock(mutex_);
        states_[s.name] = s.state;
        generations_[s.name] = s.generation;
        changed_.notify_all();
    }
    void removed(const std::string& cluster) {
        const std::lock_guard lock(mutex_);
        objects_.erase(cluster), states_.erase(cluster);
        changed_.notify_all();
    }
    void log() {
        const std::lock_guard lock(mutex_);
        ++records_;
    }

    // Whether the cluster is live (or gone, for -1) with that many objects within five minutes.
    bool wait_for(const std::string& cluster, int count) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, 5min, [&] {
            if (count < 0) return !states_.contains(cluster);
            return states_[cluster] == cluster_state::live &&
                   objects_[cluster].size() == static_cast<std::size_t>(count);
        });
    }
    int faults() {
        const std::lock_guard lock(mutex_);
        return faults_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, std::set<std::string>> objects_;
    std::map<std::string, cluster_state> states_;
    std::map<std::string, std::uint64_t> generations_;
    int faults_ = 0, records_ = 0;
};

// A context that four threads run.
class pool {
public:
    pool() : work_(context.get_executor()) {
        for (auto& t : threads_) t = std::thread([this] { context.run(); });  // seam: ok, strands are tried on threads
    }
    ~pool() {
        work_.reset();
        for (auto& t : threads_) t.join();
    }

    /// Calls f on the executor and waits for it.
    template <class F>
    void on(const executor& ex, F f) {
        std::promise<void> done;
        asio::post(ex, [&] {
            f();
            done.set_value();
        });
        done.get_future().get();
    }
    void run(const executor& ex, awaitable<void> work) {
        auto done = asio::co_spawn(ex, std::move(work), asio::use_future);
        done.get();
    }

    asio::io_context context;

private:
    asio::executor_work_guard<asio::io_context::executor_type> work_;
    std::array<std::thread, 4> threads_;  // seam: ok, as above
};

struct member {
    member(environment& env, pool& threads, bool tls)
        : strand(asio::make_strand(threads.context.get_executor())),
          threads_(threads),
          own_(std::make_unique<testing::local_api_server>(env, strand, testing::api_server_options(), tls)),
          server(*own_) {
        threads.on(strand, [this] {
            server.api().register_resource({"test.kcontrol.dev", "v1", "Widget", "widgets"});
            started = server.start().has_value();
        });
    }
    // Connections may be at work there.
    ~member() {
        threads_.on(strand, [this] { own_.reset(); });
    }
    member(const member&) = delete;
    member& operator=(const member&) = delete;
    void create(const std::string& name) {
        (void)server.api()
            .create({{"apiVersion", "test.kcontrol.dev/v1"},
                     {"kind", "Widget"},
                     {"metadata", {{"name", name}, {"namespace", "default"}}},
                     {"spec", {{"value", 1}}}})
            .value();
    }
    void set_value(const std::string& name, std::int64_t value) {
        (void)server.api().patch(threaded_widgets, {"default", name}, {{"spec", {{"value", value}}}}).value();
    }

    const executor strand;

private:
    pool& threads_;
    std::unique_ptr<testing::local_api_server> own_;

public:
    testing::local_api_server& server;
    bool started = false;
};

}  // namespace kcontrol::test
