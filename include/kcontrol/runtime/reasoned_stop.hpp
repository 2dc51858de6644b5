// Stop tokens that say why: what ends a reconcile, a daemon, a controller.
#pragma once

#include <kcontrol/config.hpp>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Why something is to end.
enum class stop_reason : std::uint8_t {
    none,             ///< it is not
    stopped,          ///< what runs it stops: the controller, its manager, the program
    timeout,          ///< its time is up
    lost_leadership,  ///< another process leads now
    disengaged,       ///< its cluster leaves
    deleted,          ///< its object is gone
};

/// "lost leadership", and so on; of none "not stopped".
KCONTROL_DECL std::string_view to_string(stop_reason) noexcept;

namespace detail {
class stop_state;
class parent_links;
class parent_list;
}  // namespace detail

/// A stop token and why it was triggered. A handle: copies are the same.
///
/// Thread-safety: shared objects safe for const access.
class reasoned_token {
public:
    /// One that is never triggered.
    reasoned_token() = default;
    /// A token that says nothing else: triggered, it is `stopped`.
    explicit reasoned_token(std::stop_token plain) : token_(std::move(plain)) {}

    const std::stop_token& token() const noexcept { return token_; }  ///< for what asks for no reason
    /// The first reason that there was; none as long as the token is not triggered.
    KCONTROL_DECL stop_reason reason() const noexcept;

private:
    friend class reasoned_stop;
    std::stop_token token_;
    std::shared_ptr<const detail::stop_state> state_;  // null: nothing but the token
};

/// The tokens under which something runs, and what each of them means: it ends with the first that is triggered, and
/// for that reason. `stop_parents(manager_token).add(lease_token, stop_reason::lost_leadership)`.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class stop_parents {
public:
    // Not inline, and so compiled once: nearly every file of a user makes some.
    KCONTROL_DECL stop_parents();
    KCONTROL_DECL stop_parents(const stop_parents&);
    KCONTROL_DECL stop_parents(stop_parents&&) noexcept;
    KCONTROL_DECL stop_parents& operator=(stop_parents) noexcept;  ///< in place of those it has
    KCONTROL_DECL ~stop_parents();
    /// One that means `stopped`.
    KCONTROL_DECL stop_parents(std::stop_token token);  // NOLINT: meant to convert
    /// One that says itself what it means.
    KCONTROL_DECL stop_parents(reasoned_token token);  // NOLINT

    /// One more, and what it means. Of those that are triggered already the one added first counts.
    KCONTROL_DECL stop_parents& add(std::stop_token token, stop_reason meaning);
    KCONTROL_DECL stop_parents& add(reasoned_token token);  ///< one more, which says itself what it means

private:
    friend class reasoned_stop;
    std::unique_ptr<detail::parent_list> all_;  // null: none
};

/// Owns the stop state of something that ends once, under parents. Of several reasons the first counts.
///
/// Thread-safety: shared objects safe. Object lifetime: destruction stops it. Tokens may outlive it.
class reasoned_stop {
public:
    /// Without parents only stop() ends it. It is stopped from the start if one of them is triggered already.
    KCONTROL_DECL explicit reasoned_stop(const stop_parents& parents = {});
    KCONTROL_DECL ~reasoned_stop();
    reasoned_stop(const reasoned_stop&) = delete;
    reasoned_stop& operator=(const reasoned_stop&) = delete;

    const reasoned_token& token() const noexcept { return token_; }            ///< for what is to end
    bool stopped() const noexcept { return token_.token().stop_requested(); }  ///< from any thread
    stop_reason reason() const noexcept { return token_.reason(); }            ///< none as long as it is not stopped

    /// Triggers the token, if it is not. Idempotent; `why` is not none.
    KCONTROL_DECL void stop(stop_reason why = stop_reason::stopped);

private:
    std::shared_ptr<detail::stop_state> state_;
    reasoned_token token_;
    std::unique_ptr<detail::parent_links> from_parents_;  // null: it has none
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/runtime/impl/reasoned_stop.ipp>
#endif
