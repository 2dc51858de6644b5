// Writes Events about objects, for `kubectl describe`: never in the way of a reconcile, and never too many.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/record/event_correlator.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// How Events are written. The defaults of numbers are client-go's.
class event_recorder_options {
public:
    /// `controller` is who reports: "example.com/website-operator", at most 128 bytes.
    explicit event_recorder_options(std::string controller) : controller_(std::move(controller)) {}

    /// Which of its replicas: the name of the pod or host. By default $POD_NAME, else $HOSTNAME, else the controller.
    event_recorder_options& instance(std::string name) { return instance_ = std::move(name), *this; }
    /// Writes Events of core/v1 instead of events.k8s.io/v1: for servers and readers that know no others, and for
    /// roles that grant no others.
    event_recorder_options& core_v1(bool yes = true) { return core_v1_ = yes, *this; }
    event_recorder_options& limits(event_limits l) { return limits_ = l, *this; }  ///< by default those of client-go
    /// Notes that wait to be written; further ones are dropped, counted and told.
    event_recorder_options& queue(std::size_t notes) { return queue_ = notes, *this; }
    /// While no server answers: so many tries, so far from each other, the first pause random.
    event_recorder_options& retries(std::uint32_t tries, duration pause) {
        return tries_ = tries, pause_ = pause, *this;
    }

    const std::string& controller() const noexcept { return controller_; }  ///< who reports; at most 128 bytes
    const std::string& instance() const noexcept { return instance_; }
    bool core_v1() const noexcept { return core_v1_; }
    const event_limits& limits() const noexcept { return limits_; }
    std::size_t queue() const noexcept { return queue_; }
    std::uint32_t tries() const noexcept { return tries_; }  ///< of one note, while no server answers; default 12
    duration pause() const noexcept { return pause_; }       ///< between two tries; default 10 s

private:
    std::string controller_, instance_;
    bool core_v1_ = false;
    event_limits limits_;
    std::size_t queue_ = 1000;
    std::uint32_t tries_ = 12;
    duration pause_ = std::chrono::seconds(10);
};

/// What became of the notes so far.
class event_recorder_stats {
public:
    std::uint64_t recorded = 0;  ///< notes given
    std::uint64_t created = 0;   ///< Events made
    std::uint64_t repeated = 0;  ///< Events whose count was raised
    std::uint64_t spam = 0;      ///< notes too many about one object
    std::uint64_t dropped = 0;   ///< notes for which the queue had no room, or left in it at the end
    std::uint64_t failed = 0;    ///< notes that the server refused, or that nobody answered
    std::size_t queued = 0;      ///< notes that wait now
};

/// Takes notes at once and writes them one after the other, as event_correlator decides. A note that the server refuses
/// is told in the log and lost; while nobody answers, it is tried again. Events of cluster-scoped objects are written
/// into the namespace "default", which is where kubectl looks for them.
///
/// It needs the rights to create and patch `events` of the group events.k8s.io (of the core group with core_v1()).
///
/// Source: client-go tools/record and tools/events; https://kubernetes.io/docs/reference/kubernetes-api/.
/// Thread-safety: record(), normal(), warning() and stats() may be called from any thread; the rest belongs to the
/// executor, a strand or a single-threaded context.
/// Cancellation: see stop(). Object lifetime: destruction ends it without a drain; the environment outlives that.
class event_recorder {
public:
    /// Writes nothing before start(). An instance that `options` leave open is found out here.
    KCONTROL_DECL event_recorder(environment& env, executor ex, client cl, event_recorder_options options,
                                 logger log = {});
    KCONTROL_DECL ~event_recorder();
    event_recorder(const event_recorder&) = delete;
    event_recorder& operator=(const event_recorder&) = delete;

    /// Records that something went as it should: event_note::normal().
    template <resource T>
    void normal(const T& about, std::string reason, std::string message) {
        record(reference_to(about), event_note::normal(std::move(reason), std::move(message)));
    }
    /// Records that somebody may have to do something: event_note::warning().
    template <resource T>
    void warning(const T& about, std::string reason, std::string message) {
        record(reference_to(about), event_note::warning(std::move(reason), std::move(message)));
    }
    /// Never waits and never throws away what is waiting. Before start() notes are kept; after stop() they are dropped.
    KCONTROL_DECL void record(object_reference about, event_note note);

    /// Begins to write. Idempotent; after a stop() it begins again. Ends, without a drain, when `parent` is triggered.
    KCONTROL_DECL void start(std::stop_token parent = {});
    /// Begins to end: takes no more notes and writes those that wait. stop() waits for the end.
    KCONTROL_DECL void close();
    /// Takes no more notes, writes those that wait, each with one try, for at most `drain`, and returns when its work
    /// has. True if all were written or decided upon. Idempotent.
    KCONTROL_DECL awaitable<bool> stop(duration drain = std::chrono::seconds(5));
    /// Writes through another client from now on, as after a rotation of credentials.
    KCONTROL_DECL void rebuild(client next);

    KCONTROL_DECL event_recorder_stats stats() const;  ///< so far, and how many notes wait now

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/record/impl/event_recorder.ipp>
#endif
