// The interface between the part of a controller that knows the type of its requests and the part that does not.
#pragma once

#include <kcontrol/controller/event_handler.hpp>
#include <kcontrol/controller/reconciler.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/workqueue/workqueue.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace kcontrol::detail {

/// A request that is being processed, its type hidden.
class work_item {
public:
    virtual ~work_item() = default;
    virtual reconciliation reconcile(reconcile_context ctx) const = 0;
    virtual logger name_in(const logger& log) const = 0;
    virtual std::uint64_t retries() const = 0;
    virtual void requeue_after(time_point when) const = 0;
    virtual duration requeue_rate_limited(time_point now, double unit) const = 0;
    virtual void forget() const = 0;
    virtual void done() const = 0;
};

/// A work queue, its type hidden. `changed` is notified whenever there may be more to take.
class work_queue {
public:
    virtual ~work_queue() = default;
    virtual std::shared_ptr<const work_item> take(time_point now) = 0;
    virtual std::optional<time_point> next_deadline() const = 0;
    virtual std::size_t size() const = 0;
    virtual std::size_t delayed() const = 0;
    virtual duration last_wait() const = 0;
    virtual workqueue_counters counters() const = 0;
    virtual void shut_down() = 0;
    virtual void restart() = 0;

    async_event changed;
};

/// The queue and the reconciler of one type of request. Items keep it alive.
template <class Request>
class typed_work final : public work_queue,
                         public request_sink<Request>,
                         public std::enable_shared_from_this<typed_work<Request>> {
public:
    typed_work(environment& env, reconciler<Request> f, backoff_policy rate_limit)
        : env_(env), reconcile_(std::move(f)), queue_(rate_limit) {}

    void add(Request req) override {
        queue_.add(req, env_.now());
        changed.notify_one();
    }

    std::shared_ptr<const work_item> take(time_point now) override {
        std::optional<Request> next = queue_.get(now);
        if (!next) return nullptr;
        return std::make_shared<const item>(this->shared_from_this(), std::move(*next));
    }
    std::optional<time_point> next_deadline() const override { return queue_.next_deadline(); }
    std::size_t size() const override { return queue_.size(); }
    std::size_t delayed() const override { return queue_.delayed(); }
    duration last_wait() const override { return queue_.last_wait(); }
    workqueue_counters counters() const override { return queue_.counters(); }
    void shut_down() override { queue_.shut_down(); }
    void restart() override { queue_.restart(); }

private:
    class item final : public work_item {
    public:
        item(std::shared_ptr<typed_work> w, Request r) : work_(std::move(w)), request_(std::move(r)) {}
        reconciliation reconcile(reconcile_context ctx) const override {
            return work_->reconcile_(std::move(ctx), request_);
        }
        logger name_in(const logger& log) const override { return add_log_fields(log, request_); }
        std::uint64_t retries() const override { return work_->queue_.num_requeues(request_); }
        void requeue_after(time_point when) const override { work_->queue_.add_after(request_, when); }
        duration requeue_rate_limited(time_point now, double unit) const override {
            return work_->queue_.add_rate_limited(request_, now, unit);
        }
        void forget() const override { work_->queue_.forget(request_); }
        void done() const override { work_->queue_.done(request_); }

    private:
        std::shared_ptr<typed_work> work_;
        Request request_;
    };

    environment& env_;
    reconciler<Request> reconcile_;
    workqueue<Request> queue_;
};

/// A typed_work, by both of its interfaces.
template <class Request>
struct work_sides {
    std::shared_ptr<work_queue> queue;
    std::shared_ptr<request_sink<Request>> sink;
};

// Not inline, here and in basic_controller: of what is inline g++ makes every file's own copy, in spite of the
// explicit instantiation.
template <class Request>
work_sides<Request> make_work(environment& env, reconciler<Request> f, backoff_policy rate_limit) {
    auto work = std::make_shared<typed_work<Request>>(env, std::move(f), rate_limit);
    return {work, work};
}

#ifdef KCONTROL_SEPARATE_COMPILATION
extern template work_sides<request> make_work<request>(environment&, reconciler<request>, backoff_policy);
#endif

}  // namespace kcontrol::detail
