// Asks pods for their metrics.
#pragma once

#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "scrape/pod_values.hpp"

#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace inference_autoscaler {

struct pod_address {
    std::string name, ip;
};

/// Asks many pods at once, 64 at most over all targets; each has 2 s and 1 MiB. Redirects are not followed.
///
/// Thread-safety: shared objects unsafe; use it on the executor given.
/// Object lifetime: outlives its look(); the environment outlives both.
class pod_scraper {
public:
    pod_scraper(kcontrol::environment& env, kcontrol::executor ex, kcontrol::http::transport_factory connect);

    /// One look at these pods: the samples of `wanted`. A pod that does not answer with metrics is `silent`.
    kcontrol::awaitable<pods_said> look(pods_source where, std::vector<pod_address> pods,
                                        std::set<std::string, std::less<>> wanted, std::stop_token stop);

private:
    struct look_state;
    kcontrol::awaitable<void> ask(std::shared_ptr<look_state> at, pod_address pod);

    kcontrol::environment& env_;
    kcontrol::executor ex_;
    kcontrol::http::transport_factory connect_;
    kcontrol::async_event freed_;
    std::size_t running_ = 0;
};

}  // namespace inference_autoscaler
