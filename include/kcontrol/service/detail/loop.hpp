// The loop of a connection: a context that its own thread runs, or whoever waits for something, one thread at a time.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/service/connection.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace kcontrol::inline v0_1::service::detail {

/// Thread-safety: shared objects safe. Object lifetime: outlives the client, the parts, and all executors it gave.
class loop : public std::enable_shared_from_this<loop> {
public:
    KCONTROL_DECL loop(bool own_thread, logger log);
    KCONTROL_DECL ~loop();
    loop(const loop&) = delete;
    loop& operator=(const loop&) = delete;

    /// Starts the thread, or opens what makes the descriptor readable.
    KCONTROL_DECL result<void> open();
    void set_client(client cl) { client_.emplace(std::move(cl)); }  // before any part is started

    environment& env() noexcept { return env_; }
    const executor& get_executor() const noexcept { return executor_; }
    const client& get_client() const noexcept { return *client_; }
    const logger& log() const noexcept { return log_; }
    KCONTROL_DECL bool inside() const noexcept;

    KCONTROL_DECL result<int> fd() const;
    KCONTROL_DECL result<std::size_t> dispatch(std::optional<duration> timeout);
    /// Begins the coroutine on the loop, and waits for its end. `step` outlives that.
    KCONTROL_DECL result<void> run(const std::function<awaitable<void>()>& step);

    KCONTROL_DECL result<void> start_part(const std::shared_ptr<loop_part>& part);
    KCONTROL_DECL void stop_part(const std::shared_ptr<loop_part>& part, bool destroy);
    KCONTROL_DECL void stop();

    /// Work has come: from outside of the loop it makes the descriptor readable.
    KCONTROL_DECL void poke() noexcept;

private:
    class context : public boost::asio::io_context {
    public:
        context() : io_context(1) {}
        // What is pending is destroyed; executors stay usable, and what they are given is dropped with the context.
        using boost::asio::execution_context::shutdown;
    };
    struct pending {
        bool done = false;  // guarded by mutex_
        std::exception_ptr failure;
    };

    // Of one operating system: impl/loop_linux.ipp.
    result<void> start_thread();
    result<void> open_waker();
    void close_waker() noexcept;
    void wake() noexcept;
    void await_wake();

    std::size_t run_one(const std::function<std::size_t()>& step);
    std::size_t run_ready();
    bool may_drive() const noexcept { return !driven_ && !closing_; }
    void run_until(const bool& done, std::unique_lock<std::mutex>& lock);
    awaitable<void> end_part(std::shared_ptr<loop_part> part);
    static awaitable<void> end_and_destroy(std::shared_ptr<loop> self, std::shared_ptr<loop_part> part);
    awaitable<void> end_all();

    const bool own_thread_;
    const logger log_;
    system_environment env_;
    context context_;
    const executor executor_;
    std::optional<boost::asio::executor_work_guard<executor>> work_;
    boost::asio::posix::stream_descriptor waker_;  // an eventfd; only without an own thread
    std::atomic<bool> woken_ = false;

    std::optional<client> client_;
    std::vector<std::shared_ptr<loop_part>> parts_;  // in the order of their start; touched on the loop
    async_event part_ended_;
    bool stopping_ = false;  // no part may be started any more; touched on the loop

    std::mutex mutex_;
    std::condition_variable changed_;
    bool driven_ = false;                // a thread runs the context
    bool closing_ = false;               // all parts have ended, and nothing is begun any more
    bool ended_ = false;                 // nothing runs any more, nor will
    std::optional<std::thread> thread_;  // seam: ok, the connection's own thread, if the program wants one
};

}  // namespace kcontrol::service::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/loop.ipp>
#endif
