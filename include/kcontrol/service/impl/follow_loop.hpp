// What all followed values have in common: the watch, signs of life, the state, the cache file, and who is notified.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/failure_log.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/service/detail/freshness_machine.hpp>
#include <kcontrol/service/detail/published.hpp>
#include <kcontrol/watch/reflector.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::service::detail {

/// What a reflector of this directory mirrors, for requests, logs and the rule that a Role needs.
class followed_objects {
public:
    followed_objects(const resource_info& i, reflector_options s) : info(&i), selection(std::move(s)) {}

    const resource_info* info;
    reflector_options selection;
    std::string name;  ///< of the one object, if it is one

    /// "endpointslices.discovery.k8s.io of namespace default".
    std::string to_string() const;
    /// The rule of a Role, as JSON.
    std::string rule() const;
    error refused() const;
};

/// A reflector and what is logged about it.
class followed_feed {
public:
    followed_feed(environment& env, const executor& ex, followed_objects w, reflector_sink& sink)
        : what(std::move(w)), source(env, ex, *what.info, what.selection, sink) {}

    /// Logs failures and recoveries, each once; `otherwise` says what a failure costs.
    void log_state(const logger& log, time_point now, std::string_view otherwise);
    /// Why it does not follow, if it doesn't.
    std::optional<error> failure() const;

    followed_objects what;
    reflector source;

private:
    failure_log<error_code> failures_;
};

/// The base of endpoints::impl and leader_follower::impl. It belongs to the executor, but for state(), age() and
/// problem().
class follow_loop : public reflector_sink, public std::enable_shared_from_this<follow_loop> {
public:
    follow_loop(environment& env, executor ex, client cl, followed_objects what, duration stale_after,
                std::string cache_file, logger log);

    void start(std::stop_token parent);
    static awaitable<void> stop(std::shared_ptr<follow_loop> self);
    /// Its handle is destroyed: it ends, and calls nothing any more.
    void abandon();

    freshness state() const { return facts().state(env_.boot_now(), stale_after_); }
    duration age() const { return facts().age(env_.boot_now()); }
    std::optional<error> problem() const;

    static awaitable<result<void>> wait(std::shared_ptr<follow_loop> self, std::uint64_t after, std::stop_token stop,
                                        std::optional<time_point> deadline);
    static awaitable<result<void>> wait_live(std::shared_ptr<follow_loop> self, std::stop_token stop,
                                             std::optional<time_point> deadline);

protected:
    // Of the value.
    virtual void take_list(std::vector<any_object> all) = 0;
    virtual void take(const any_object& object) = 0;
    virtual void drop(const std::string& name) = 0;
    /// Brings the published value up to date; whether it differs.
    virtual bool publish() = 0;
    virtual std::uint64_t version() const = 0;
    virtual std::optional<error> content_problem() const = 0;
    virtual void call_back(bool value_changed, freshness state, const std::optional<error>& problem) = 0;
    /// When the value may differ though nothing comes.
    virtual std::optional<time_point> due() const { return std::nullopt; }
    /// The list has come, and is not published yet.
    virtual bool is_held_back() const { return false; }
    // Of the cache file.
    virtual std::string subject() const = 0;
    virtual std::string to_cache() const = 0;
    virtual result<void> from_cache(std::string_view json) = 0;

    /// Another reflector that runs along; it outlives the loop's runs.
    void add_feed(followed_feed& feed) { feeds_.push_back(&feed); }
    void wake() { changed_.notify_all(); }
    time_point now() const { return env_.boot_now(); }
    bool abandoned() const noexcept { return abandoned_; }

    environment& env_;
    executor ex_;
    logger log_;
    std::shared_ptr<guarded_calls> calls_;

private:
    // From a start to the end of its run.
    struct turn {
        explicit turn(std::stop_token parent) : lifetime(std::move(parent)), mirroring(lifetime.token()) {}
        scope lifetime;
        scope mirroring;        // rebuilt where the watch is resumed
        std::size_t tasks = 0;  // that run along, and end with it
        bool ended = false;
        time_point due = time_point::max();  // when the run looks again, if nothing happens
        time_point armed = time_point::max();
        async_event is_due_earlier;  // than armed
    };

    // reflector_sink
    void replace(listed_objects all) final;
    void apply(any_object object) final;
    void remove(any_object last) final;
    void mark_invalid(invalid_object object) final;
    void remove_invalid(const invalid_object& last) final;
    void stepped() final;
    bool ready() const final;

    static awaitable<void> run(std::shared_ptr<follow_loop> self, std::shared_ptr<turn> mine,
                               std::shared_ptr<turn> before);
    static awaitable<void> mirror(std::shared_ptr<follow_loop> self, std::shared_ptr<turn> mine, followed_feed* feed);
    static awaitable<void> alarm(std::shared_ptr<follow_loop> self, std::shared_ptr<turn> mine);
    void end_task(turn& mine);
    static awaitable<void> ask(std::shared_ptr<follow_loop> self, std::shared_ptr<turn> mine, duration limit);
    time_point attend(const std::shared_ptr<turn>& mine);
    bool is_running() const { return present_ && !present_->ended && !present_->lifetime.stopped(); }
    std::optional<error> present_problem() const;
    void notify(bool value_changed);
    void publish_facts();
    freshness_facts facts() const;
    void load_cache();
    void save_cache();

    client cl_;
    duration stale_after_;
    std::string cache_file_;
    followed_feed main_;
    std::vector<followed_feed*> feeds_;
    task_group tasks_;
    std::shared_ptr<turn> present_;
    async_event changed_;   // for the run
    async_event advanced_;  // version, state or problem differ
    async_event finished_;
    // The reflector asks ready() before each event that it reads: that is where an open watch shows.
    mutable freshness_machine machine_;
    freshness notified_ = freshness::stale;
    bool loaded_ = false, abandoned_ = false;
    bool from_cache_ = false;  // its value was not notified yet
    bool unsaved_ = false, save_failed_ = false;
    time_point save_at_{};

    // Read on any thread.
    static constexpr std::int64_t never = INT64_MIN;
    std::atomic<bool> watched_{false};
    std::atomic<std::int64_t> sign_{never}, saved_{never};
    mutable std::mutex problem_mutex_;
    std::optional<error> problem_;
};

/// What a wait returns.
template <class Snapshot>
awaitable<result<std::shared_ptr<const Snapshot>>> then_snapshot(awaitable<result<void>> waited,
                                                                 std::shared_ptr<published<Snapshot>> from) {
    const result<void> done = co_await std::move(waited);
    if (!done) co_return done.error();
    co_return from->get();
}

}  // namespace kcontrol::service::detail
