// A source that is a coroutine of the program: it listens to something else, and tells what concerns which object.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/cluster/generic_event.hpp>
#include <kcontrol/cluster/source.hpp>
#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// What a source function tells its events to. A copy tells the same subscriber. Once he is gone it does nothing.
///
/// Thread-safety: distinct objects safe on the source's executor, where it is used.
class event_sink {
public:
    /// An event has an object; one without is ignored.
    KCONTROL_DECL void emit(const any_event& event) const;
    /// A generic event about the object, or about that of the name.
    void emit(any_object object) const { emit(generic_event(std::move(object))); }
    /// A generic event about the object of that name, of which nothing else is known.
    void emit(const namespaced_name& key) const { emit(generic_event(key)); }

    /// All that existed at the start has been emitted; see function_options::reports_synced().
    KCONTROL_DECL void set_synced() const;

private:
    friend class function_source;
    struct run;
    explicit event_sink(std::weak_ptr<run> of) : of_(std::move(of)) {}

    std::weak_ptr<run> of_;
};

/// Runs on the source's executor until `stop` is triggered, and is called again with backoff if it fails: by an error,
/// or by an exception. After a success it is not. The function object lives as long as its coroutines.
using source_function = std::function<awaitable<result<void>>(event_sink, std::stop_token stop)>;

/// Options of a function_source.
class function_options {
public:
    function_options() = default;
    /// The controller's first reconcile waits until the function says set_synced(). Default: it does not wait.
    function_options& reports_synced(bool yes) { return reports_synced_ = yes, *this; }
    /// After a failure. Default: 0.8 s, doubled up to 30 s, with jitter.
    function_options& restart(backoff_policy p) { return restart_ = p, *this; }
    /// What messages and the causes of reconciles call it. Default "function".
    function_options& name(std::string n) { return name_ = std::move(n), *this; }
    /// Failures are told: each reason once, and again after the function has run for the quiet time of the backoff.
    function_options& log(logger l) { return log_ = std::move(l), *this; }

    bool reports_synced() const noexcept { return reports_synced_; }
    const backoff_policy& restart() const noexcept { return restart_; }
    const std::string& name() const noexcept { return name_; }
    const logger& log() const noexcept { return log_; }

private:
    bool reports_synced_ = false;
    backoff_policy restart_;
    std::string name_ = "function";
    logger log_;
};

/// Calls a function for each who subscribes, with a sink that leads to him and a token that is triggered when he goes.
///
/// Thread-safety: shared objects unsafe; use it on the executor given, a strand or a single-threaded context.
/// Cancellation: the end of the subscription. Nobody waits for the function to return then, so what it uses it holds
/// itself, or that lives on. Object lifetime: the environment outlives it and its functions.
class function_source final : public event_source {
public:
    /// `ex`: where `f` runs and handlers are called. `f` is not called before somebody subscribes.
    KCONTROL_DECL function_source(environment& env, executor ex, source_function f, function_options options = {});
    KCONTROL_DECL ~function_source() override;

    [[nodiscard]] KCONTROL_DECL subscription subscribe(any_event_handler handler) override;
    KCONTROL_DECL awaitable<bool> wait_synced(std::stop_token stop, std::optional<time_point> deadline) override;
    KCONTROL_DECL std::string describe() const override;
    KCONTROL_DECL std::string kind() const override;

private:
    friend class event_sink;
    struct state;
    static awaitable<void> call(std::shared_ptr<state> self, std::weak_ptr<event_sink::run> of, std::stop_token stop);

    std::shared_ptr<state> state_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/function_source.ipp>
#endif
