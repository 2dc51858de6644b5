// The one way in which a function of the embedding program is called: what it throws is told and counted, and ends
// there.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/thrown.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/log_rate_limit.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Calls functions of the embedding program. What one throws, of whatever type, is counted and logged as an error, with
/// what was called and about what; the next of the same `what` is told once a minute, with how often it happened.
///
/// Thread-safety: distinct objects safe; shared objects unsafe. Object lifetime: outlives the calls made through it, so
/// who may be destroyed by a function that it calls holds it by a shared pointer.
class guarded_calls {
public:
    KCONTROL_DECL guarded_calls(environment& env, logger log);  ///< the environment outlives it

    /// Calls f(); true if it returned. `what` says whose function it is ("an event handler"), in few words of which
    /// there are few. about() says which object or cluster it was about; it is called only when f threw. Neither its
    /// exceptions nor those of the log's sink get out.
    template <class F, class About>
    bool call(std::string_view what, F&& f, About&& about) {
        try {
            std::forward<F>(f)();
            return true;
        } catch (...) {
            caught(what, std::forward<About>(about));
            return false;
        }
    }
    /// The same where there is nothing to say about it.
    template <class F>
    bool call(std::string_view what, F&& f) {
        return call(what, std::forward<F>(f), [] { return std::string(); });
    }

    /// The same, but std::bad_alloc gets out, neither counted nor logged: for a caller that calls again once there is
    /// memory.
    template <class F, class About>
    bool call_or_exhaust(std::string_view what, F&& f, About&& about) {
        try {
            std::forward<F>(f)();
            return true;
        } catch (const std::bad_alloc&) {
            throw;
        } catch (...) {
            caught(what, std::forward<About>(about));
            return false;
        }
    }

    /// The same for a call that `call` can't make, a coroutine for one. To be called in a catch block.
    template <class About>
    void caught(std::string_view what, About&& about) noexcept {
        const auto describe = [&about] { return std::string(about()); };
        tell(
            what, [](const void* f) { return (*static_cast<decltype(describe)*>(f))(); }, &describe);
    }

    /// How often a function threw.
    std::uint64_t thrown() const noexcept { return thrown_; }
    /// What the last one was, about what, and what it said; empty as long as none threw.
    const std::string& last_thrown() const noexcept { return last_thrown_; }

private:
    using about_call = std::string (*)(const void*);
    KCONTROL_DECL void tell(std::string_view what, about_call about, const void* state) noexcept;

    environment& env_;
    logger log_;
    std::map<std::string, log_rate_limit, std::less<>> paces_;
    std::uint64_t thrown_ = 0;
    std::string last_thrown_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/runtime/impl/guarded_calls.ipp>
#endif
