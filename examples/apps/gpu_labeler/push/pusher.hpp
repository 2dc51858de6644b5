// Pushes what the GPUs measure to a database that takes InfluxDB's line protocol.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "health/sample.hpp"
#include "push/push_queue.hpp"
#include "push/push_target.hpp"

#include <memory>
#include <stop_token>
#include <string>

namespace gpu_labeler {

/// Samples wait in at most 1 MiB while the database is away, 44 minutes of 8 GPUs at the usual interval; then
/// the oldest are dropped. After a failure the next try comes after 1 s, 2 s, … up to a minute, each stretched by a
/// random share. That it fails is logged when it begins and when it is over. The files of login and authority are read
/// again for each connection or request, so that they may change.
///
/// Thread-safety: shared objects unsafe; use it on the executor given. Object lifetime: the environment outlives it.
class pusher {
public:
    /// `host` is what the samples say as their host.
    pusher(kcontrol::environment& env, kcontrol::executor ex, push_options to, std::string host,
           kcontrol::http::transport_factory transport, kcontrol::logger log);

    void take(const node_sample& sample);

    /// Until it is stopped; what waits then is lost.
    kcontrol::awaitable<void> run(std::stop_token stop);

    /// Whole families of Prometheus' text.
    std::string metrics() const;

private:
    enum class outcome { taken, refused, failed };

    kcontrol::awaitable<outcome> push(std::stop_token stop);
    kcontrol::result<void> connect();
    void tell_failure(std::string why);
    void tell_success();

    kcontrol::environment& env_;
    kcontrol::executor ex_;
    push_options to_;
    std::string host_;
    kcontrol::http::transport_factory factory_;
    kcontrol::logger log_;
    std::shared_ptr<kcontrol::http::transport> transport_;
    kcontrol::async_event happened_;
    push_queue queue_;
    kcontrol::backoff backoff_;
    std::string complaint_;
    std::uint64_t dropped_before_ = 0;
    std::uint64_t failures_ = 0;
};

}  // namespace gpu_labeler
