// What caused a reconcile: a small, bounded set of events for each key of a work queue.
#pragma once

#include <kcontrol/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// What happened. to_string() has the words of the log.
enum class cause_type : std::uint8_t {
    none,
    added,
    updated,
    deleted,
    initial,        ///< "listed": the object was there when its watch began
    resync,         ///< nothing changed, the resync period passed
    retry,          ///< a reconcile failed
    requeue,        ///< a reconcile asked for another one
    requeue_after,  ///< "timer": a reconcile asked for another one at a time
    by_hand,        ///< "enqueued": by the program
    generic,        ///< "signalled": a source of the program said so
};

KCONTROL_DECL std::string_view to_string(cause_type) noexcept;

/// One cause: what happened, and to which object. It refers to its text and does not keep it.
class cause {
public:
    cause() = default;
    /// Type, kind, namespace and name; the texts are not copied.
    cause(cause_type t, std::string_view k = {}, std::string_view ns = {}, std::string_view n = {})
        : type(t), kind(k), namespace_(ns), name(n) {}

    cause_type type = cause_type::none;  ///< none: no cause at all, which a cause_set does not take
    std::string_view kind;               ///< of the object, where its source says it
    std::string_view namespace_;         ///< of the object
    std::string_view name;  ///< of the object; empty, as the namespace, where they are those of the request

    friend bool operator==(const cause&, const cause&) = default;
};

/// "Pod team-a/web updated", or "Pod updated" where the names are those of the request.
KCONTROL_DECL std::string to_string(const cause&);

/// Up to four different causes, in the order in which they came, in one piece of memory. What comes when it is full is
/// counted only.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class cause_set {
public:
    static constexpr std::size_t max_size = 4;  ///< causes; others are counted by more()

    /// Of text that is longer than 253 bytes, Kubernetes' longest name, the rest is lost; so is what follows a NUL.
    /// A cause of type none changes nothing.
    KCONTROL_DECL void add(cause c);
    void clear() noexcept { packed_.clear(), size_ = 0, more_ = 0; }  ///< forgets the causes and more()

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    /// The cause refers to the set, which must outlive it and not change. `at` is below size().
    KCONTROL_DECL cause operator[](std::size_t at) const;
    /// How often something else was added when the set was full.
    std::uint32_t more() const noexcept { return more_; }

private:
    // Each cause: its type, then kind, namespace and name, each ended by a NUL.
    std::string packed_;
    std::array<std::uint16_t, max_size> ends_{};
    std::uint8_t size_ = 0;
    std::uint32_t more_ = 0;
};

/// The causes separated by "; ", and how many there were besides: "Pod updated; retry; and 3 more".
KCONTROL_DECL std::string to_string(const cause_set&);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/workqueue/impl/cause.ipp>
#endif
