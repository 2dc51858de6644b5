#include "terminal.hpp"

#include <kcontrol/runtime/run_program.hpp>

#include <boost/asio/signal_set.hpp>
#include <boost/asio/this_coro.hpp>

#include <chrono>
#include <csignal>
#include <functional>
#include <stop_token>
#include <unistd.h>
#include <utility>

namespace kc {
namespace {

// nohup and shells without job control have them ignored.
bool is_ignored(int number) {
    struct sigaction now {};
    return ::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

// A plugin without the terminal leads a process group of its own, so a Ctrl-C does not reach it: the signals of the
// user end it first, then kc, as they do without a plugin.
awaitable<result<process_result>> terminal_environment::run_process(process_command command) {
    const executor ex = co_await boost::asio::this_coro::executor;
    std::stop_source over;
    const std::function<void()> stop_too = [over]() mutable { over.request_stop(); };
    const std::stop_callback<std::function<void()>> linked(command.stop(), stop_too);
    const auto ended_by = std::make_shared<int>(0);
    boost::asio::signal_set signals(ex);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        if (!is_ignored(number)) signals.add(number);
    }
    signals.async_wait([ended_by, over](const boost::system::error_code& failure, int number) mutable {
        if (failure) return;
        *ended_by = number;
        over.request_stop();
    });
    command.stop(over.get_token()).deadline(std::chrono::hours(24));
    const auto how = program_options().shown_errors(STDERR_FILENO).in_place(true);
    auto outcome = co_await run_program(*this, std::move(command), how);
    signals.clear();
    if (*ended_by != 0) ::raise(*ended_by);
    co_return outcome;
}

}  // namespace kc
