// What a reconcile is given beside its request: a stop token, a logger, the environment.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/workqueue/cause.hpp>

#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>

namespace kcontrol {

/// The circumstances of one reconcile.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class reconcile_context {
public:
    reconcile_context(environment& env, std::stop_token stop, logger log, std::string id, std::uint64_t retries)
        : env_(&env), stop_(std::move(stop)), log_(std::move(log)), id_(std::move(id)), retries_(retries) {}
    reconcile_context& causes(cause_set c) { return causes_ = std::move(c), *this; }
    reconcile_context& priority(int p) { return priority_ = p, *this; }
    // Not inline, and so compiled once: nearly every file of a user copies, moves and destroys some.
    KCONTROL_DECL reconcile_context(const reconcile_context&);
    KCONTROL_DECL reconcile_context(reconcile_context&&) noexcept;
    KCONTROL_DECL reconcile_context& operator=(const reconcile_context&);
    KCONTROL_DECL reconcile_context& operator=(reconcile_context&&) noexcept;
    KCONTROL_DECL ~reconcile_context();

    /// Triggered when the controller stops and when the reconcile's time is up. Pass it to everything that waits:
    /// `client.get<pod>(key, get_options().stop(ctx.stop()))`.
    const std::stop_token& stop() const noexcept { return stop_; }

    /// Its records carry the controller's name, the request, the reconcile id and the causes.
    const logger& log() const noexcept { return log_; }

    /// A UUID that only this reconcile has.
    const std::string& reconcile_id() const noexcept { return id_; }

    /// Failures of this request since its last success.
    std::uint64_t retries() const noexcept { return retries_; }

    /// What happened to make this reconcile due: up to four different events, and how many there were besides. For the
    /// log, and for people; a reconciler that decides by it misses what came when nobody listened.
    const cause_set& causes() const noexcept { return causes_; }

    /// The priority it had in the queue.
    int priority() const noexcept { return priority_; }

    environment& env() const noexcept { return *env_; }

private:
    environment* env_;
    std::stop_token stop_;
    logger log_;
    std::string id_;
    std::uint64_t retries_;
    cause_set causes_;
    int priority_ = 0;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controller/impl/reconcile_context.ipp>
#endif
