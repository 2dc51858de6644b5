// One list-watch of a kind in a scope, and the views that it fills: however many informers look at those objects, and
// as whatever C++ types, the server is asked once.
#pragma once

#include <kcontrol/cache/detail/joint_kind.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/runtime/failure_log.hpp>
#include <kcontrol/runtime/log_rate_limit.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/watch/reflector.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

class handler_lane;

/// What a shared watch fills: the store of one informer.
class watch_view {
public:
    virtual ~watch_view() = default;
    /// How it wants its objects decoded.
    virtual const resource_info& reads() const noexcept = 0;
    /// Whether it wants to be filled now.
    virtual bool wants() const noexcept = 0;
    /// The watch goes over to another client.
    virtual void begin_generation() = 0;
    virtual void replace(listed_objects all) = 0;
    /// What it stores of that object in the same version, or an empty one.
    virtual any_object held(const any_object& listed) const = 0;
    /// An object was added or modified, or `deleted`: then it is the last state.
    virtual void take(any_object object, bool deleted) = 0;
    /// The same of one that can't be decoded.
    virtual void take_invalid(invalid_object object, bool deleted) = 0;
    /// The watch took a step. Returns the view's status if it differs by what callbacks are notified of, or null.
    virtual const informer_status* refresh() = 0;
    /// Notifies callbacks of it.
    virtual void notify() = 0;
    /// A handler that nothing more may be given to; null, as usual, if there is none.
    virtual std::shared_ptr<const handler_lane> full_lane() const = 0;
};

/// The watch. It runs while a view wants it to, in turns: each begins with a client and a set of views, and ends when
/// one of these changes. The next turn resumes from the last version, unless a view in it has missed something: then it
/// lists, and the others' stores take of that what is news to them.
///
/// Thread-safety: shared objects unsafe; use it on its executor.
/// Object lifetime: its coroutine keeps it alive while it runs. Views are only observed.
class shared_watch final : public reflector_sink, public std::enable_shared_from_this<shared_watch> {
public:
    KCONTROL_DECL shared_watch(environment& env, executor ex, client cl, const resource_info& first,
                               informer_options options);

    /// The view wants to be filled from now on.
    KCONTROL_DECL void join(const std::shared_ptr<watch_view>& view);
    /// Some view does not want to be filled any more.
    KCONTROL_DECL void left();
    /// Waits until the turn that the last view left has ended (true), or until `deadline` (false). Returns at once
    /// while some view wants more.
    KCONTROL_DECL awaitable<bool> drained(std::optional<time_point> deadline);
    /// Goes over to another client, at once if it runs.
    KCONTROL_DECL void rebuild(client next, resume_mode mode);

    void probe_now() { source_.probe_now(); }
    /// Some handler may have room again.
    void go_on() { room_.notify_all(); }
    /// What to say of the handler that the watch waits for; empty if it reads.
    const std::string& waits_for() const noexcept { return waits_for_; }
    /// The options that it was made with.
    const informer_options& options() const noexcept { return options_; }

    /// Whether what the view shows is of the present turn.
    KCONTROL_DECL bool is_filling(const watch_view& view) const;
    /// Whether the view has missed nothing of what the reflector knows.
    KCONTROL_DECL bool has_filled(const watch_view& view) const;
    const reflector& source() const noexcept { return source_; }
    const client& get_client() const noexcept { return client_; }
    const std::optional<wall_time>& last_event() const noexcept { return last_event_; }
    const logger& log() const noexcept { return log_; }
    environment& env() const noexcept { return env_; }
    executor get_executor() const { return ex_; }

    /// Logs that an object can't be decoded, once however many views can't.
    KCONTROL_DECL void log_invalid(const invalid_object& object);

    // --- reflector_sink
    KCONTROL_DECL void replace(listed_objects all) override;
    KCONTROL_DECL any_object held(const any_object& listed) const override;
    void apply(any_object object) override { fill_parts(object, false); }
    void remove(any_object last) override { fill_parts(last, true); }
    void mark_invalid(invalid_object object) override { fill_invalid(object, false); }
    void remove_invalid(const invalid_object& last) override { fill_invalid(last, true); }
    KCONTROL_DECL void stepped() override;
    bool ready() const override { return full_lane() == nullptr; }
    KCONTROL_DECL awaitable<void> wait_ready(std::stop_token stop) override;

private:
    // A view's place.
    struct seat {
        explicit seat(const std::shared_ptr<watch_view>& v) : view(v) {}
        // The view if it wants to be filled now, or null.
        std::shared_ptr<watch_view> wanting() const {
            auto locked = view.lock();
            if (locked && !locked->wants()) locked.reset();
            return locked;
        }
        std::weak_ptr<watch_view> view;
        std::optional<std::size_t> part;  // of the present turn's objects; nothing if it is in none
        bool complete = false;            // it has missed nothing of what the reflector knows
    };
    using seat_list = std::vector<std::shared_ptr<seat>>;

    static awaitable<void> run(std::shared_ptr<shared_watch> self);
    KCONTROL_DECL bool begin_turn();
    KCONTROL_DECL bool is_wanted() const;
    KCONTROL_DECL bool only_metadata_wanted() const;
    KCONTROL_DECL std::shared_ptr<seat> seat_of(const watch_view& view) const;  // null if it has none
    KCONTROL_DECL void write_log(const informer_status& now);
    KCONTROL_DECL void log_streaming();
    KCONTROL_DECL std::shared_ptr<const handler_lane> full_lane() const;
    KCONTROL_DECL void report_waiting(const handler_lane& lane);
    template <class Fill>
    void fill(Fill fill);
    KCONTROL_DECL void fill_parts(const any_object& object, bool deleted);
    KCONTROL_DECL void fill_invalid(const invalid_object& object, bool deleted);

    environment& env_;
    executor ex_;
    client client_;
    const informer_options options_;
    logger log_;
    reflector source_;
    task_group tasks_;
    seat_list seats_;
    std::unique_ptr<scope> term_;        // from the first view that joins to the last that leaves
    std::unique_ptr<joint_kind> joint_;  // of a turn with several views
    bool reads_metadata_only_ = false;   // the present turn
    bool running_ = false;
    bool in_turn_ = false;
    std::stop_token turn_;     // the present one's
    std::uint64_t turns_ = 0;  // that ended
    async_event turn_ended_;
    async_event room_;  // a handler's queue may be full no more
    std::string waits_for_;
    log_rate_limit waits_logged_{std::chrono::minutes(1)};
    std::optional<wall_time> last_event_;
    failure_log<std::pair<informer_state, error_code>> journal_;
    std::uint64_t logged_changes_ = 0;  // of servers and versions
    std::string logged_refusal_;        // of streamed lists
    std::set<std::string> logged_;      // records about objects, of the call in progress
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cache/impl/shared_watch.ipp>
#endif
