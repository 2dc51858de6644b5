// A rebuildable stop token: a scope ends one generation of work and starts the next, and no other scope is affected.
#pragma once

#include <kcontrol/config.hpp>

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>

namespace kcontrol::inline v0_1 {

/// Owns the stop state of the current generation of some work. A stop state is one-shot, so each generation
/// gets a fresh one, linked to the parent: process → manager → cluster → (cluster, kind) → one reconcile.
///
/// Work takes `token()` when it begins and carries `generation()` with whatever it delivers, so that a late
/// delivery of an ended generation can be dropped.
///
/// Thread-safety: shared objects safe, but for rebuild(), which one thread at a time may call.
/// Object lifetime: destruction stops the current generation. Tokens may outlive the scope.
class scope {
public:
    /// A scope under `parent`; its first generation runs unless the parent is stopped already.
    KCONTROL_DECL explicit scope(std::stop_token parent = {}, std::uint64_t first_generation = 1);
    KCONTROL_DECL ~scope();
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;

    /// The stop token of the current generation.
    KCONTROL_DECL std::stop_token token() const;

    /// The number of the current generation.
    KCONTROL_DECL std::uint64_t generation() const;

    KCONTROL_DECL bool stopped() const;  ///< whether the current generation has ended

    /// Ends the current generation. Idempotent.
    KCONTROL_DECL void stop();

    /// Ends the current generation and starts the next. Under a stopped parent the new one is stopped, too.
    KCONTROL_DECL std::stop_token rebuild();

private:
    const std::stop_token parent_;
    mutable std::mutex mutex_;
    std::uint64_t generation_;
    std::stop_source source_;
    std::optional<std::stop_callback<std::function<void()>>> from_parent_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/runtime/impl/scope.ipp>
#endif
