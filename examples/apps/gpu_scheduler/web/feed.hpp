// What the interface serves: the page, the answers, the past, and changes as server-sent events.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/serve/event_stream.hpp>
#include <kcontrol/serve/router.hpp>

#include "web/answers.hpp"
#include "web/history.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace gpu_scheduler {

/// Events: `nodes` (all items, first), then `node` (an item that has changed), `gone` ({"name"}), `tenants` (the body
/// of /api/v1/tenants), `pending` ({"pods"}: ask for /api/v1/pending again), `minute` (ask for the history again).
///
/// Thread-safety: shared objects unsafe; use it on the scheduler's executor. Object lifetime: the environment outlives
/// it, and it outlives the requests.
class feed {
public:
    feed(kcontrol::environment& env, std::shared_ptr<answers> says, std::shared_ptr<board> known,
         kcontrol::logger log = {});

    /// Sends what has changed since the last look, and notes the minute. Nothing while the scheduler does not lead.
    void look(kcontrol::wall_time now);
    /// Adds "/" and /api/v1/…. These answer 503 once the last pointer to `self` is gone.
    static void add_routes(const std::shared_ptr<feed>& self, kcontrol::http::router& to);

private:
    kcontrol::http::response past(const kcontrol::http::routed_request& asked) const;
    kcontrol::awaitable<void> follow(kcontrol::http::responder& out);
    kcontrol::awaitable<kcontrol::result<void>> open(kcontrol::http::responder& out);
    void publish(std::string_view event, std::string_view data);

    std::shared_ptr<answers> answers_;
    std::shared_ptr<board> board_;
    kcontrol::http::event_stream stream_;
    history past_;
    std::uint64_t events_ = 0;
    std::map<std::string, std::string> nodes_;  // by name, as they were sent last
    std::map<std::string, std::uint64_t> versions_;
    std::string tenants_;
    std::uint64_t waiting_ = 0;  // a version of the queue
    std::int64_t minute_ = 0;
};

}  // namespace gpu_scheduler
