#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/runtime/signals.hpp>

#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <cstdlib>
#include <utility>

namespace kcontrol::inline v0_1 {

struct signal_calls::impl : std::enable_shared_from_this<signal_calls::impl> {
    impl(executor ex, std::function<void()> c, logger l) : signals(ex), call(std::move(c)), log(std::move(l)) {}

    // A pending wait does not keep this alive; its call does, so that it may destroy the owner.
    void wait() {
        signals.async_wait([weak = weak_from_this()](boost::system::error_code failed, int) {
            const auto self = weak.lock();
            if (failed || !self || self->cancelled) return;
            try {
                self->call();
            } catch (...) {
                self->log.error("a function of the program threw",
                                {{"function", "a handler of signals"}, {"error", describe_thrown()}});
            }
            if (!self->cancelled) self->wait();
        });
    }

    boost::asio::signal_set signals;
    std::function<void()> call;
    logger log;
    bool cancelled = false;
};

KCONTROL_DECL signal_calls::signal_calls(executor ex, std::initializer_list<int> numbers, std::function<void()> call,
                                         logger log)
    : impl_(std::make_shared<impl>(std::move(ex), std::move(call), std::move(log))) {
    for (const int number : numbers) impl_->signals.add(number);
    impl_->wait();
}

KCONTROL_DECL signal_calls::~signal_calls() { cancel(); }

KCONTROL_DECL void signal_calls::cancel() {
    impl_->cancelled = true;
    boost::system::error_code ignored;
    impl_->signals.cancel(ignored);
}

KCONTROL_DECL signal_stop::signal_stop(executor ex, std::stop_source& stop, logger log)
    : signals_(std::move(ex), {SIGINT, SIGTERM}, [&stop, log = std::move(log)] {
          if (stop.stop_requested()) std::_Exit(1);
          log.info("stopping; a second signal ends the process at once");
          stop.request_stop();
      }) {}

}  // namespace kcontrol
