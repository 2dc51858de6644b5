// The interface between the part of a controller that knows the type of its requests and the part that does not.
#pragma once

#include <kcontrol/controller/detail/event_cause.hpp>
#include <kcontrol/controller/detail/object_daemons.hpp>
#include <kcontrol/controller/event_handler.hpp>
#include <kcontrol/controller/options.hpp>
#include <kcontrol/controller/reconciler.hpp>
#include <kcontrol/runtime/reasoned_stop.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/workqueue/workqueue.hpp>

#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// A request that is being processed, its type hidden. done() is the last call.
class work_item {
public:
    virtual ~work_item() = default;
    virtual reconciliation reconcile(reconcile_context ctx) const = 0;
    virtual logger name_in(const logger& log) const = 0;
    virtual std::uint64_t retries() const = 0;
    virtual int priority() const = 0;
    virtual const cause_set& causes() const = 0;
    virtual duration waited() const = 0;
    /// The object of the request as it is known; empty where it is gone, or nobody knows.
    virtual any_object object() const = 0;
    /// What is stopped when the object of the request goes during the reconcile.
    virtual void stop_when_gone(std::weak_ptr<reasoned_stop> running) = 0;
    /// The daemons of the object, made at the first call; null if the object is gone.
    virtual std::shared_ptr<object_daemons> daemons() const = 0;
    virtual duration add_again(const add_options& how, cause_type why) const = 0;
    virtual void forget() const = 0;
    virtual void done() = 0;
};

/// A work queue, its type hidden. `changed` is notified whenever there may be more to take.
class work_queue {
public:
    virtual ~work_queue() = default;
    virtual std::shared_ptr<work_item> take(admission let) = 0;
    virtual std::optional<time_point> next_deadline(admission let) const = 0;
    virtual std::size_t size() const = 0;
    virtual std::size_t delayed() const = 0;
    virtual workqueue_counters counters() const = 0;
    virtual std::vector<priority_counters> counters_by_priority() const = 0;
    virtual std::vector<unfinished_work> unfinished(time_point now) const = 0;
    virtual void shut_down() = 0;
    virtual void restart() = 0;
    /// Ends the daemons of all objects: the run is over.
    virtual void end_daemons() = 0;

    async_event changed;
};

/// Where requests of one type go in.
template <class Request>
class work_intake {
public:
    virtual ~work_intake() = default;
    virtual void add(const Request& req, const add_options& how, const cause& why) = 0;
    /// The object of the request is gone.
    virtual void gone(const Request& req) = 0;
    /// How to find the object of a request; an empty one: it is not there.
    virtual void look_up_with(std::function<any_object(const Request&)> find) = 0;
    /// What each request is completed by before anything is done with it. Throws nothing.
    virtual void complete_with(std::function<void(Request&)> complete) = 0;
    /// Sees each request before it is queued, and takes those that belong elsewhere (true). Throws nothing.
    virtual void route_with(std::function<bool(const Request&, const add_options&)> route) = 0;
};

/// What an event handler adds to, for one event: it knows what follows from the event.
template <class Request>
class event_sink final : public request_sink<Request> {
public:
    event_sink(work_intake<Request>& to, const any_event& e, std::string_view kind)
        : to_(to), why_(cause_of(e, kind)), priority_(priority_of(e)) {}

protected:
    void enqueue(Request req, const add_options& how) override {
        add_options with = how;
        if (!with.priority()) with.priority(priority_);
        to_.add(req, with, cause_for(req, why_));
    }

private:
    work_intake<Request>& to_;
    cause why_;
    int priority_;
};

/// The queue and the reconciler of one type of request. Items keep it alive.
template <class Request>
class typed_work final : public work_queue,
                         public work_intake<Request>,
                         public std::enable_shared_from_this<typed_work<Request>> {
public:
    typed_work(environment& env, reconciler<Request> f, const controller_options& options)
        : env_(env),
          reconcile_(std::move(f)),
          daemon_backoff_(options.daemon_backoff()),
          most_daemons_(options.max_daemons_per_object()),
          queue_(queue_options(options)) {}

    void add(const Request& req, const add_options& how, const cause& why) override {
        if (!complete_) return add_completed(req, how, why);
        Request completed = req;
        complete_(completed);
        if (!route_ || !route_(completed, how)) add_completed(completed, how, why);
    }

    void gone(const Request& of) override {
        Request req = of;
        if (complete_) complete_(req);
        for (item* const one : running_) {
            if (one->key() == req) one->gone();
        }
        const auto with_daemons = daemons_.find(req);
        if (with_daemons == daemons_.end()) return;
        const auto ending = with_daemons->second;
        ending->stop_all(stop_reason::deleted);
    }
    void look_up_with(std::function<any_object(const Request&)> find) override { find_ = std::move(find); }
    void complete_with(std::function<void(Request&)> complete) override { complete_ = std::move(complete); }
    void route_with(std::function<bool(const Request&, const add_options&)> route) override {
        route_ = std::move(route);
    }
    void end_daemons() override {
        std::vector<std::shared_ptr<object_daemons>> all;
        for (const auto& [req, of] : daemons_) all.push_back(of);
        for (const auto& of : all) of->stop_all(stop_reason::stopped);
    }

    std::shared_ptr<work_item> take(admission let) override {
        std::optional<typename workqueue<Request>::item> next = queue_.get(env_.now(), let);
        if (!next) return nullptr;
        return std::make_shared<item>(this->shared_from_this(), std::move(*next));
    }
    std::optional<time_point> next_deadline(admission let) const override { return queue_.next_deadline(let); }
    std::size_t size() const override { return queue_.size(); }
    std::size_t delayed() const override { return queue_.delayed(); }
    workqueue_counters counters() const override { return queue_.counters(); }
    std::vector<priority_counters> counters_by_priority() const override { return queue_.counters_by_priority(); }
    std::vector<unfinished_work> unfinished(time_point now) const override { return queue_.unfinished(now); }
    void shut_down() override { queue_.shut_down(); }
    void restart() override { queue_.restart(); }

private:
    class item final : public work_item {
    public:
        item(std::shared_ptr<typed_work> w, typename workqueue<Request>::item taken)
            : work_(std::move(w)), taken_(std::move(taken)) {
            work_->running_.push_back(this);
        }
        ~item() override { std::erase(work_->running_, this); }
        item(const item&) = delete;
        item& operator=(const item&) = delete;
        const Request& key() const { return taken_.key(); }
        void gone() {
            gone_ = true;
            if (const auto running = stop_when_gone_.lock()) running->stop(stop_reason::deleted);
        }
        void stop_when_gone(std::weak_ptr<reasoned_stop> running) override { stop_when_gone_ = std::move(running); }
        reconciliation reconcile(reconcile_context ctx) const override {
            return work_->reconcile_(std::move(ctx), taken_.key());
        }
        logger name_in(const logger& log) const override { return add_log_fields(log, taken_.key()); }
        std::uint64_t retries() const override { return taken_.failures(); }
        int priority() const override { return taken_.priority(); }
        const cause_set& causes() const override { return taken_.causes(); }
        duration waited() const override { return taken_.waited(); }
        any_object object() const override {
            return gone_ || !work_->find_ ? any_object() : work_->find_(taken_.key());
        }
        duration add_again(const add_options& how, cause_type why) const override {
            typed_work& w = *work_;
            return w.queue_.add(taken_.key(), w.env_.now(), how, cause(why),
                                how.rate_limited() ? random_unit(w.env_) : 0);
        }
        std::shared_ptr<object_daemons> daemons() const override {
            return gone_ ? nullptr : work_->daemons_of(taken_.key());
        }
        void forget() const override { work_->queue_.forget(taken_.key()); }
        void done() override { work_->queue_.done(std::move(taken_)); }

    private:
        std::shared_ptr<typed_work> work_;
        typename workqueue<Request>::item taken_;
        std::weak_ptr<reasoned_stop> stop_when_gone_;
        bool gone_ = false;
    };

    void add_completed(const Request& req, const add_options& how, const cause& why) {
        queue_.add(req, env_.now(), how, why, how.rate_limited() ? random_unit(env_) : 0);
        changed.notify_one();
    }

    std::shared_ptr<object_daemons> daemons_of(const Request& req) {
        if (find_ && !find_(req)) return nullptr;
        auto& slot = daemons_[req];
        if (slot) return slot;
        const std::weak_ptr<typed_work> weak = this->weak_from_this();
        const auto reconcile = [weak, req] {
            if (const auto self = weak.lock()) self->add(req, add_options(), cause(cause_type::generic, "daemon"));
        };
        const auto emptied = [weak, req] {
            if (const auto self = weak.lock()) self->daemons_.erase(req);
        };
        slot = std::make_shared<object_daemons>(env_, daemon_backoff_, most_daemons_, reconcile, emptied);
        return slot;
    }

    static workqueue_options<Request> queue_options(const controller_options& options) {
        workqueue_options<Request> out;
        out.limiter(options.rate_limit());
        out.starvation_limit(options.starvation_limit());
        out.priorities(options.priorities());
        if (options.fair() != fairness::none) {
            out.fair_by([by = options.fair()](const Request& req) { return fairness_key(req, by); });
        }
        return out;
    }

    environment& env_;
    reconciler<Request> reconcile_;
    backoff_policy daemon_backoff_;
    std::size_t most_daemons_;
    std::function<any_object(const Request&)> find_;
    std::function<void(Request&)> complete_;
    std::function<bool(const Request&, const add_options&)> route_;
    std::unordered_map<Request, std::shared_ptr<object_daemons>> daemons_;
    workqueue<Request> queue_;
    std::vector<item*> running_;  // few: as many as may run at a time, and what is late of earlier runs
};

/// A typed_work, by both of its interfaces.
template <class Request>
struct work_sides {
    std::shared_ptr<work_queue> queue;
    std::shared_ptr<work_intake<Request>> intake;
};

// Not inline, here and in basic_controller: of what is inline g++ makes every file's own copy, in spite of the
// explicit instantiation.
template <class Request>
work_sides<Request> make_work(environment& env, reconciler<Request> f, const controller_options& options) {
    auto work = std::make_shared<typed_work<Request>>(env, std::move(f), options);
    return {work, work};
}

#ifdef KCONTROL_SEPARATE_COMPILATION
extern template work_sides<request> make_work<request>(environment&, reconciler<request>, const controller_options&);
#endif

}  // namespace kcontrol::detail
