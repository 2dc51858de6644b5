// What a program does on signals.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/signal_set.hpp>

#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>

namespace examples {

/// Calls `call` for each of these signals, until it is cancelled or destroyed.
///
/// Thread-safety: none; it belongs to the executor's thread. Object lifetime: the executor's context outlives it.
class signal_calls {
public:
    signal_calls(boost::asio::any_io_executor ex, std::initializer_list<int> numbers, std::function<void()> call)
        : signals_(std::move(ex)), call_(std::make_shared<std::function<void()>>(std::move(call))) {
        for (const int number : numbers) signals_.add(number);
        wait();
    }
    void cancel() { signals_.cancel(); }

private:
    void wait() {
        signals_.async_wait([this, alive = std::weak_ptr(call_)](boost::system::error_code error, int) {
            const auto call = alive.lock();
            if (error || !call) return;
            (*call)();
            wait();
        });
    }

    boost::asio::signal_set signals_;
    std::shared_ptr<std::function<void()>> call_;
};

}  // namespace examples
