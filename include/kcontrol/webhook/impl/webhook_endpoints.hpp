// The paths of a webhook server, and the requests in progress on them.
#pragma once

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/controller/stats.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/values/api_duration.hpp>
#include <kcontrol/webhook/impl/review_answers.hpp>
#include <kcontrol/webhook/webhook_server.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace kcontrol::inline v0_1::detail {

inline constexpr duration longest_webhook_timeout = std::chrono::seconds(30);

// One path, and what was asked there.
class webhook_endpoint {
public:
    webhook_endpoint(std::string p, webhook_handler h) : path(std::move(p)), handler(std::move(h)) {
        codes[200] = 0, codes[500] = 0;
    }

    std::string path;
    webhook_handler handler;
    std::optional<webhook_registration> known_as;  // of an admission webhook
    std::map<int, std::uint64_t> codes;
    duration_histogram latency{queue_time_bounds()};  // as in controller-runtime
    std::size_t in_flight = 0;
};

// One request at work. Its function may go on when nobody waits for it any more.
class webhook_work {
public:
    std::optional<http::response> answer;
    async_event answered;
    std::stop_source stop;
};

inline bool is_json(std::string_view content_type) {
    std::string_view type = content_type.substr(0, content_type.find(';'));
    while (!type.empty() && type.back() == ' ') type.remove_suffix(1);
    return iequals(type, "application/json");
}

// The time that the API server gives, or the usual one.
inline result<duration> timeout_of(std::string_view query, duration usual) {
    for (const auto& [name, value] : http::parse_query(query)) {
        if (name != "timeout") continue;
        const auto given = parse_duration(value);
        if (!given) return given.error().with_context("timeout");
        if (*given > duration::zero()) return std::min<duration>(*given, longest_webhook_timeout);
    }
    return std::min(usual, longest_webhook_timeout);
}

// The paths of a webhook server: each request gets an answer in its time, and so many are at work at once.
class webhook_endpoints : public std::enable_shared_from_this<webhook_endpoints> {
public:
    using self_ptr = std::shared_ptr<webhook_endpoints>;
    using by_path = std::map<std::string, std::shared_ptr<webhook_endpoint>, std::less<>>;

    webhook_endpoints(environment& e, executor ex, const webhook_server_options& o, std::shared_ptr<webhook_faults> f,
                      const logger& log)
        : env_(e),
          usual_timeout_(o.default_timeout()),
          max_body_(o.max_body()),
          places_(std::max<std::size_t>(o.max_concurrent_requests(), 1)),
          faults_(std::move(f)),
          tasks_(env_, std::move(ex), log) {}

    result<webhook_endpoint*> add(std::string path, webhook_handler handler);
    const by_path& all() const noexcept { return by_path_; }
    // Answers 503 when the endpoints have gone.
    http::handler handler();
    // Whether each answer says from now on that its connection is at its end.
    void say_goodbye(bool yes) noexcept { goodbye_ = yes; }
    // The functions at work.
    task_group& tasks() noexcept { return tasks_; }
    void write_metrics(metrics_writer& out) const;

private:
    static awaitable<void> serve_if_there(std::weak_ptr<webhook_endpoints> weak, http::server_request asked,
                                          http::responder& out);
    static awaitable<void> serve(self_ptr self, http::server_request asked, http::responder& out);
    static awaitable<http::response> answer_at(self_ptr self, std::shared_ptr<webhook_endpoint> at,
                                               http::server_request asked, std::stop_token gone);
    static awaitable<http::response> answer_in_time(self_ptr self, std::shared_ptr<webhook_endpoint> at,
                                                    webhook_call call, std::stop_token gone);
    static awaitable<void> work(self_ptr self, std::shared_ptr<webhook_endpoint> at, webhook_call call,
                                std::shared_ptr<webhook_work> as);
    std::optional<http::response> refusal(const http::server_request& asked, std::string_view path) const;
    void leave_place();

    environment& env_;
    duration usual_timeout_;
    std::size_t max_body_;
    std::size_t places_;  // free ones; nobody waits while there are any
    async_event place_;
    std::shared_ptr<webhook_faults> faults_;
    by_path by_path_;
    bool goodbye_ = false;
    task_group tasks_;
};

inline result<webhook_endpoint*> webhook_endpoints::add(std::string path, webhook_handler handler) {
    if (!http::is_valid_target(path) || path.find('?') != std::string::npos) {
        return error(errc::invalid_argument, "webhook path \"" + path + "\": a path begins with / and has no ?");
    }
    const auto made = std::make_shared<webhook_endpoint>(path, std::move(handler));
    if (!by_path_.emplace(path, made).second) {
        return error(errc::invalid_argument, "webhook path \"" + path + "\" is taken; give each webhook its own");
    }
    return made.get();
}

inline std::optional<http::response> webhook_endpoints::refusal(const http::server_request& asked,
                                                                std::string_view path) const {
    if (asked.method != "POST") {
        auto out = failure_response(405, "MethodNotAllowed", "webhooks are asked with POST");
        out.headers.set("Allow", "POST");
        return out;
    }
    if (!is_json(asked.headers.get("Content-Type"))) {
        return failure_response(415, "UnsupportedMediaType", "Content-Type: expected application/json");
    }
    if (asked.body.size() > max_body_) {
        return failure_response(
            413, "RequestEntityTooLarge",
            "the body of " + std::string(path) + " is larger than " + std::to_string(max_body_) + " bytes");
    }
    return std::nullopt;
}

// It goes to who has waited the longest, so that nobody who comes later is before him.
inline void webhook_endpoints::leave_place() {
    if (place_.has_waiters()) return place_.notify_one();
    ++places_;
}

// Keeps its place as long as the function really runs.
inline awaitable<void> webhook_endpoints::work(self_ptr self, std::shared_ptr<webhook_endpoint> at, webhook_call call,
                                               std::shared_ptr<webhook_work> as) {
    const std::shared_ptr<void> at_end(nullptr, [self](void*) { self->leave_place(); });
    try {
        auto made = co_await at->handler(std::move(call));
        as->answer = std::move(made);
    } catch (...) {
        self->faults_->calls.caught("a webhook", [&at] { return at->path; });
        as->answer = failure_response(500, "InternalError", "the webhook's function threw an exception");
    }
    as->answered.notify_all();
}

inline awaitable<http::response> webhook_endpoints::answer_in_time(self_ptr self, std::shared_ptr<webhook_endpoint> at,
                                                                   webhook_call call, std::stop_token gone) {
    const time_point deadline = call.deadline;
    if (self->places_ > 0) {
        --self->places_;
    } else {
        const wake why = co_await self->place_.wait(self->env_, gone, deadline);
        if (why != wake::notified) {
            co_return failure_response(503, "ServiceUnavailable", "too many requests are in progress");
        }
    }
    const auto as = std::make_shared<webhook_work>();
    call.stop = as->stop.get_token();
    self->tasks_.spawn_user_task(work(self, std::move(at), std::move(call), as));
    while (!as->answer) {
        const wake why = co_await as->answered.wait(self->env_, gone, deadline);
        if (why == wake::notified || as->answer) continue;
        as->stop.request_stop();
        if (why == wake::stopped) {
            co_return failure_response(503, "ServiceUnavailable", "nobody waits for the answer any more");
        }
        co_return failure_response(504, "Timeout", "the webhook's function has not answered in time");
    }
    co_return std::move(*as->answer);
}

inline awaitable<http::response> webhook_endpoints::answer_at(self_ptr self, std::shared_ptr<webhook_endpoint> at,
                                                              http::server_request asked, std::stop_token gone) {
    const time_point begun = self->env_.now();
    ++at->in_flight;
    const std::shared_ptr<void> at_end(nullptr, [at](void*) { --at->in_flight; });
    const auto timeout = timeout_of(http::split_target(asked.target).second, self->usual_timeout_);
    http::response answer;
    if (auto refused = self->refusal(asked, at->path)) {
        answer = std::move(*refused);
    } else if (!timeout) {
        answer = failure_response(400, "BadRequest", timeout.error().message());
    } else {
        webhook_call call;
        call.request = std::move(asked);
        call.deadline = begun + *timeout;
        answer = co_await answer_in_time(self, at, std::move(call), std::move(gone));
    }
    at->latency.observe(self->env_.now() - begun);
    ++at->codes[answer.status];
    co_return answer;
}

inline awaitable<void> webhook_endpoints::serve(self_ptr self, http::server_request asked, http::responder& out) {
    const auto found = self->by_path_.find(http::split_target(asked.target).first);
    http::response answer;
    if (found == self->by_path_.end()) {
        answer = failure_response(404, "NotFound", "no webhook is served at this path");
    } else {
        answer = co_await answer_at(self, found->second, std::move(asked), out.disconnected());
    }
    if (self->goodbye_) answer.headers.set("Connection", "close");
    const auto sent = co_await out.send(std::move(answer));
    static_cast<void>(sent);  // who asked has gone, and is not waiting
}

inline awaitable<void> webhook_endpoints::serve_if_there(std::weak_ptr<webhook_endpoints> weak,
                                                         http::server_request asked, http::responder& out) {
    if (auto self = weak.lock()) {
        co_await serve(std::move(self), std::move(asked), out);
        co_return;
    }
    auto gone = failure_response(503, "ServiceUnavailable", "the webhook server is gone");
    const auto sent = co_await out.send(std::move(gone));
    static_cast<void>(sent);
}

inline http::handler webhook_endpoints::handler() {
    return [weak = weak_from_this()](http::server_request asked, http::responder& out) {
        return serve_if_there(weak, std::move(asked), out);
    };
}

inline void webhook_endpoints::write_metrics(metrics_writer& out) const {
    const std::string by = "controller_runtime_webhook_";
    for (const auto& [path, one] : by_path_) {
        const metric_labels labels{{"webhook", path}};
        for (const auto& [code, times] : one->codes) {
            out.counter(by + "requests_total", "Total number of admission requests by HTTP status code.",
                        {{"webhook", path}, {"code", std::to_string(code)}}, static_cast<double>(times));
        }
        out.histogram(by + "latency_seconds", "Histogram of the latency of processing admission requests", labels,
                      one->latency.bounds(), one->latency.counts(), one->latency.sum());
        out.gauge(by + "requests_in_flight", "Current number of admission requests being served.", labels,
                  static_cast<double>(one->in_flight));
    }
    out.counter(by + "panics_total", "Total number of webhook panics", {}, static_cast<double>(faults_->admission));
    out.counter("controller_runtime_conversion_webhook_panics_total", "Total number of conversion webhook panics", {},
                static_cast<double>(faults_->conversion));
}

}  // namespace kcontrol::detail
