// Delivers one notice over HTTP, by mail or by running a program: the thin part that touches the world.
#pragma once

#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "notices/config.hpp"
#include "notices/delivery.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

namespace training_monitor::notices {

/// One receiver. Connections are made anew after a failure and kept otherwise; an answer of more than 64 KiB is
/// refused.
///
/// Thread-safety: shared objects unsafe; one send() at a time, on the executor given.
/// Object lifetime: the environment and the configuration outlive it.
class sender {
public:
    sender(kcontrol::environment& env, kcontrol::executor ex, const receiver_config& to,
           kcontrol::http::transport_factory transport)
        : env_(env), ex_(std::move(ex)), to_(to), factory_(std::move(transport)) {}

    /// What the receiver called the first message of a thread; empty: it did not say.
    std::string reference_of(const std::string& thread) const;
    /// An earlier run was told so.
    void restore_thread(const std::string& thread, std::string reference);

    /// One try. Ends within the receiver's timeout.
    kcontrol::awaitable<delivery> send(notice what, std::stop_token stop);

private:
    kcontrol::awaitable<delivery> post(const notice& what, std::stop_token stop);
    kcontrol::awaitable<delivery> mail(const notice& what, std::stop_token stop);
    kcontrol::awaitable<delivery> run(const notice& what, std::stop_token stop);

    kcontrol::environment& env_;
    kcontrol::executor ex_;
    const receiver_config& to_;
    kcontrol::http::transport_factory factory_;
    std::shared_ptr<kcontrol::http::transport> transport_;
    std::map<std::string, std::string> threads_;  ///< what the receiver calls the first message of each
    static constexpr std::size_t most_threads = 10'000;
};

/// What a program's end means: 0 is sent, 75 (EX_TEMPFAIL) wants another try.
delivery judge_exit(const kcontrol::result<kcontrol::process_result>& ended);

}  // namespace training_monitor::notices
