#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/log_rate_limit.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/tracing/otlp_exporter.hpp>
#include <kcontrol/tracing/otlp_json.hpp>
#include <kcontrol/tracing/sampler.hpp>
#include <kcontrol/version.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <deque>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {
namespace detail {

// https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes
inline bool is_otlp_retryable(int status) { return status == 429 || status == 502 || status == 503 || status == 504; }

// In seconds; a date, which HTTP allows too, is left to the backoff.
inline std::optional<duration> otlp_retry_after(const http::response& answer) {
    const std::string_view text = answer.headers.get("Retry-After");
    const bool digits = std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (text.empty() || text.size() > 6 || !digits) return std::nullopt;
    return std::chrono::seconds(std::stoi(std::string(text)));
}

/// What one try came to.
struct otlp_try {
    bool taken = false;
    bool again = false;
    std::optional<duration> after;  // which the collector asks for
    std::uint64_t rejected = 0;     // of one that was taken
    std::string why;
};

inline otlp_try judge_otlp_answer(const result<http::response>& answer) {
    otlp_try out;
    if (!answer) {
        out.again = answer.error() != errc::stopped && answer.error() != errc::invalid_argument;
        out.why = answer.error().what();
        return out;
    }
    if (answer->status >= 200 && answer->status < 300) {
        const otlp_partial_success partial = read_otlp_answer(answer->body);
        out.taken = true;
        out.rejected = partial.rejected;
        if (partial.rejected > 0) out.why = "the collector rejected some: " + escape_control(partial.message);
        return out;
    }
    out.again = is_otlp_retryable(answer->status);
    if (out.again) out.after = otlp_retry_after(*answer);
    out.why = "the collector answered " + std::to_string(answer->status);
    return out;
}

}  // namespace detail

struct otlp_exporter::impl : std::enable_shared_from_this<otlp_exporter::impl> {
    using self_ptr = std::shared_ptr<impl>;

    // From a start to the end of its work; a stop's may last into the next one.
    struct turn {
        std::optional<time_point> end_by;  // of a drain
        std::stop_source cut;              // at its end, or that of the exporter
    };
    using turn_ptr = std::shared_ptr<turn>;

    impl(environment& e, executor x, otlp_options o, std::shared_ptr<http::transport> t, logger l)
        : env(e), ex(x), options(std::move(o)), transport(std::move(t)), log(l), tasks(e, std::move(x), std::move(l)) {
        if (!options.sampler()) options.sampler(sampler_of("parentbased_always_on").value());
    }

    void take(const trace_span& span) {
        if (!span.context.is_valid() || !span.context.sampled) {
            const std::lock_guard lock(mutex);
            ++counts.unsampled;
            return;
        }
        std::string text = otlp_span(span);
        const std::lock_guard lock(mutex);
        if (closed || queue.size() >= options.max_queue()) {
            ++counts.dropped;
            return;
        }
        queue.push_back(std::move(text));
        if (queue.size() >= options.max_batch() && !std::exchange(woken, true)) wake_up();
    }

    void wake_up() {
        boost::asio::post(ex, [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->more.notify_all();
        });
    }

    std::vector<std::string> next_batch() {
        const std::lock_guard lock(mutex);
        woken = false;
        const std::size_t size = std::min(queue.size(), options.max_batch());
        std::vector<std::string> out;
        out.reserve(size);
        for (std::size_t i = 0; i < size; ++i) {
            out.push_back(std::move(queue.front()));
            queue.pop_front();
        }
        return out;
    }
    bool has_full_batch() const {
        const std::lock_guard lock(mutex);
        return queue.size() >= options.max_batch();
    }

    template <class Change>
    void count(Change change) {
        const std::lock_guard lock(mutex);
        change(counts);
    }

    void complain(const std::string& why, std::size_t lost) {
        if (const auto times = pace.count(env.now())) {
            log.warning("spans could not be sent", {{"collector", http::to_string(options.url().endpoint)},
                                                    {"error", why},
                                                    {"spans", std::to_string(lost)},
                                                    {"times", std::to_string(*times)}});
        }
    }

    static awaitable<void> run(self_ptr self, turn_ptr mine);
    static awaitable<void> send(self_ptr self, turn_ptr mine, std::vector<std::string> batch);
    static awaitable<result<http::response>> post(self_ptr self, turn_ptr mine, std::string body, duration most);
    static awaitable<bool> stop(self_ptr self, duration drain);

    environment& env;
    executor ex;
    otlp_options options;
    std::shared_ptr<http::transport> transport;
    logger log;
    task_group tasks;
    log_rate_limit pace{std::chrono::minutes(1)};
    async_event more;
    turn_ptr present;  // between start() and stop()

    mutable std::mutex mutex;  // guards what follows
    std::deque<std::string> queue;
    otlp_stats counts;
    bool closed = false;
    bool woken = false;
};

inline awaitable<result<http::response>> otlp_exporter::impl::post(self_ptr self, turn_ptr mine, std::string body,
                                                                   duration most) {
    http::request out("POST", self->options.target());
    out.headers.set("Content-Type", "application/json");
    out.headers.set("User-Agent", "kcontrol/" + std::string(library_version));
    for (const auto& [name, value] : self->options.headers()) out.headers.set(name, std::string(value.reveal()));
    out.body = std::move(body);
    http::exchange_options within;
    within.deadline(std::min(most, self->options.timeout()))
        .max_body(std::size_t{64} << 10)
        .stop(mine->cut.get_token());
    try {
        auto answer = co_await self->transport->round_trip(std::move(out), within);
        co_return answer;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) {
        co_return error_of_thrown("the transport");
    }
}

inline awaitable<void> otlp_exporter::impl::send(self_ptr self, turn_ptr mine, std::vector<std::string> batch) {
    const std::string body = otlp_request(self->options.resource_attributes(), batch);
    const std::size_t spans = batch.size();
    batch.clear();
    // Go's exporter: 5 s, half as much again, up to 30 s.
    backoff between(backoff_policy().initial(std::chrono::seconds(5)).factor(1.5).jitter(0.5));
    const time_point give_up = self->env.now() + self->options.retry_for();
    for (;;) {
        const time_point now = self->env.now();
        const time_point latest = std::min(give_up, mine->end_by.value_or(give_up));
        const auto answer = co_await post(self, mine, body, std::max(latest - now, duration::zero()));
        const detail::otlp_try came = detail::judge_otlp_answer(answer);
        if (came.taken) {
            const std::uint64_t rejected = std::min<std::uint64_t>(came.rejected, spans);
            self->count([&](otlp_stats& c) { c.exported += spans - rejected, c.rejected += rejected; });
            if (rejected > 0) self->complain(came.why, rejected);
            co_return;
        }
        if (!came.again) {
            const bool ended = mine->cut.stop_requested();
            self->count([&](otlp_stats& c) { (ended ? c.dropped : c.rejected) += spans; });
            self->complain(came.why, spans);
            co_return;
        }
        const duration computed = between.next(self->env.now(), random_unit(self->env));
        const time_point then = self->env.now() + came.after.value_or(computed);
        if (then >= std::min(give_up, mine->end_by.value_or(give_up))) {
            self->count([&](otlp_stats& c) { c.failed += spans; });
            self->complain(came.why, spans);
            co_return;
        }
        // A stop may come meanwhile, and then there is less time.
        const std::optional<time_point> ending = mine->end_by;
        while (self->env.now() < then && mine->end_by == ending) {
            const wake why = co_await self->more.wait(self->env, mine->cut.get_token(), then);
            if (why == wake::stopped) {
                self->count([&](otlp_stats& c) { c.dropped += spans; });
                co_return;
            }
        }
        self->count([](otlp_stats& c) { ++c.retries; });
    }
}

inline awaitable<void> otlp_exporter::impl::run(self_ptr self, turn_ptr mine) {
    while (!mine->cut.stop_requested()) {
        const time_point due = self->env.now() + self->options.schedule_delay();
        while (!mine->end_by && !self->has_full_batch() && self->env.now() < due) {
            const wake why = co_await self->more.wait(self->env, mine->cut.get_token(), due);
            if (why == wake::stopped) co_return;
        }
        auto batch = self->next_batch();
        if (!batch.empty()) {
            co_await send(self, mine, std::move(batch));
        } else if (mine->end_by) {
            co_return;
        }
    }
}

inline awaitable<bool> otlp_exporter::impl::stop(self_ptr self, duration drain) {
    const turn_ptr ending = std::exchange(self->present, nullptr);
    const time_point latest = self->env.now() + drain;
    if (ending) {
        ending->end_by = latest;
        self->more.notify_all();
    }
    const bool drained = co_await self->tasks.join_present(latest);
    if (!drained && ending) {
        ending->cut.request_stop();
        const bool ended = co_await self->tasks.join_present(self->env.now() + std::chrono::seconds(1));
        static_cast<void>(ended);
    }
    std::size_t left = 0;
    if (ending && !self->present) {
        self->count([&](otlp_stats& c) {
            left = self->queue.size();
            c.dropped += left;
            self->queue.clear();
        });
    }
    co_return drained&& left == 0;
}

KCONTROL_DECL otlp_exporter::otlp_exporter(std::shared_ptr<impl> i) : impl_(std::move(i)) {}

KCONTROL_DECL result<std::unique_ptr<otlp_exporter>> otlp_exporter::create(
    environment& env, executor ex, otlp_options options, const http::transport_factory& make_transport, logger log) {
    auto transport = make_transport(ex, options.url().endpoint, options.tls());
    if (!transport) return transport.error();
    auto made = std::make_shared<impl>(env, std::move(ex), std::move(options), std::move(*transport), std::move(log));
    return std::unique_ptr<otlp_exporter>(new otlp_exporter(std::move(made)));
}

KCONTROL_DECL otlp_exporter::~otlp_exporter() {
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->closed = true;
    }
    if (impl_->present) impl_->present->cut.request_stop();
    impl_->transport->close();
}

KCONTROL_DECL trace_sink otlp_exporter::sink() const {
    return [weak = std::weak_ptr(impl_)](const trace_span& span) {
        if (const auto self = weak.lock()) self->take(span);
    };
}

KCONTROL_DECL const trace_sampler& otlp_exporter::sampler() const noexcept { return impl_->options.sampler(); }

KCONTROL_DECL void otlp_exporter::start() {
    if (impl_->present) return;
    impl_->present = std::make_shared<impl::turn>();
    impl_->tasks.spawn(impl::run(impl_, impl_->present));
}

KCONTROL_DECL awaitable<bool> otlp_exporter::stop(duration drain) { return impl::stop(impl_, drain); }

KCONTROL_DECL otlp_stats otlp_exporter::stats() const {
    const std::lock_guard lock(impl_->mutex);
    otlp_stats out = impl_->counts;
    out.queued = impl_->queue.size();
    return out;
}

KCONTROL_DECL void write_trace_metrics(metrics_writer& out, const otlp_stats& of) {
    const auto total = [&](const char* outcome, std::uint64_t value) {
        out.counter("kcontrol_trace_spans_total", "Spans by what became of them.", {{"outcome", outcome}},
                    static_cast<double>(value));
    };
    total("exported", of.exported);
    total("dropped", of.dropped);
    total("rejected", of.rejected);
    total("failed", of.failed);
    total("unsampled", of.unsampled);
    out.gauge("kcontrol_trace_spans_queued", "Spans that wait to be sent.", {}, static_cast<double>(of.queued));
    out.counter("kcontrol_trace_export_retries_total", "Requests to the collector that were sent again.", {},
                static_cast<double>(of.retries));
}

}  // namespace kcontrol
