// The reflector: mirrors the objects of one kind into a sink, driving reflector_fsm with a client.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/client/list_meter.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/watch/detail/bookmark_cadence.hpp>
#include <kcontrol/watch/detail/initial_objects.hpp>
#include <kcontrol/watch/listed_objects.hpp>
#include <kcontrol/watch/options.hpp>
#include <kcontrol/watch/reflector_fsm.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>

namespace kcontrol::inline v0_1 {

/// Receives what a reflector lists and watches, on the reflector's executor.
class reflector_sink {
public:
    virtual ~reflector_sink() = default;
    /// The whole content, after a list; empty if the kind is gone.
    virtual void replace(listed_objects all) = 0;
    /// What it holds already of an object that a list brings, in the same version, or an empty one: that goes into the
    /// list instead, so that a relist takes no memory for what did not change.
    virtual any_object held(const any_object&) const { return {}; }
    virtual void apply(any_object object) = 0;  ///< an object was added or modified
    virtual void remove(any_object last) = 0;   ///< an object was deleted; `last` is its last state
    /// An object was added or modified, and can't be decoded.
    virtual void mark_invalid(invalid_object object) = 0;
    /// An object was deleted whose last state can't be decoded.
    virtual void remove_invalid(const invalid_object& last) = 0;
    /// The reflector took a step: its state or its counters may differ.
    virtual void stepped() = 0;
    /// Whether the next event of a watch may be read; asked before each. If not, nothing is read, so that the server's
    /// sending stops, until wait_ready() has returned, with room or because of `stop`.
    virtual bool ready() const { return true; }
    virtual awaitable<void> wait_ready(std::stop_token) { co_return; }  ///< called only where ready() says no
};

/// Drives one reflector_fsm. run() may be called again after it returned: it resumes where it stopped.
///
/// Thread-safety: shared objects unsafe; one run() at a time.
/// Cancellation: run() returns soon after its stop token is triggered, and calls nothing of the sink from then on.
/// Object lifetime: environment, info and sink outlive it; it outlives run().
class reflector {
public:
    /// Asks nothing before run(), which is awaited on `ex`.
    KCONTROL_DECL reflector(environment& env, executor ex, const resource_info& info, reflector_options options,
                            reflector_sink& sink);

    /// Mirrors until `stop`; it asks the server itself, also where `cl` reads from a cache.
    KCONTROL_DECL awaitable<void> run(client cl, std::stop_token stop);

    /// The next run() lists the newest state instead of resuming; for another server under the same name.
    void forget_version() { fsm_.forget_version(); }

    /// The next run() decodes the objects so: another view of the same kind. `info` outlives it.
    void read_as(const resource_info& info) { info_ = &info; }
    /// The next run() lists before it watches.
    void list_at_start() { fsm_.list_at_start(); }

    /// Asks now for a kind that is not installed, instead of waiting for the probe period.
    void probe_now() {
        if (fsm_.state() == reflector_state::not_installed) hurry_.notify_all();
    }

    const reflector_fsm& fsm() const noexcept { return fsm_; }  ///< where it stands
    /// Lists asked for, page by page, or as a stream; those of one object are not counted.
    std::uint64_t lists() const noexcept { return lists_; }
    /// Watches asked for, and streamed lists that went on as one.
    std::uint64_t watches() const noexcept { return watches_; }
    /// What the server sent for the last complete list, in bytes.
    std::uint64_t list_bytes() const noexcept { return list_bytes_; }
    /// Of what the objects have in common, in memory.
    std::size_t pool_bytes() const noexcept { return pool_->bytes(); }

private:
    KCONTROL_DECL awaitable<reflector_action> take_step(client& cl, reflector_action step, std::stop_token stop);
    KCONTROL_DECL awaitable<reflector_action> identify(client& cl, std::stop_token stop);
    KCONTROL_DECL awaitable<reflector_action> list(client& cl, reflector_action step, std::stop_token stop);
    KCONTROL_DECL awaitable<reflector_action> watch(client& cl, reflector_action step, std::stop_token stop);
    KCONTROL_DECL awaitable<reflector_action> receive(std::stop_token stop);
    KCONTROL_DECL awaitable<reflector_action> read(client& cl, std::stop_token stop);
    KCONTROL_DECL awaitable<void> close_watch();
    KCONTROL_DECL void forget_list();
    KCONTROL_DECL awaitable<void> guard(client cl, std::stop_token stop);
    KCONTROL_DECL awaitable<result<std::string>> consistent_version(client& cl, std::stop_token stop);
    KCONTROL_DECL reflector_action replace(bool by_content);
    KCONTROL_DECL reflector_action take(watch_event event);
    KCONTROL_DECL void take_object(watch_event& event);
    KCONTROL_DECL std::optional<reflector_action> take_initial(watch_event event);
    KCONTROL_DECL std::optional<error> take_initial_object(watch_event& event);
    KCONTROL_DECL reflector_action take_page(any_list page);
    double unit() { return random_unit(*env_); }

    environment* env_;
    const resource_info* info_;
    reflector_options options_;
    reflector_sink* sink_;
    reflector_fsm fsm_;
    listed_objects listed_;            // pages of the list in progress
    detail::initial_objects initial_;  // of the streamed list in progress
    std::optional<list_meter> meter_;  // of either
    std::unique_ptr<watch_stream> stream_;
    detail::bookmark_cadence bookmarks_;
    bool behind_ = false;                      // what is read has waited, for the sink was not ready
    std::unique_ptr<scope> watching_;          // of the open watch and its guard
    std::optional<reflector_action> instead_;  // of reading on: what the guard found out
    task_group guards_;
    async_event hurry_;       // ends a sleep
    time_point failed_at_{};  // who answers is asked anew after this
    std::uint64_t lists_ = 0;
    std::uint64_t watches_ = 0;
    std::uint64_t list_bytes_ = 0;
    std::uint64_t page_bytes_ = 0;  // of the list in progress
    std::shared_ptr<share_pool> pool_ = std::make_shared<share_pool>();
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/watch/impl/reflector.ipp>
#endif
