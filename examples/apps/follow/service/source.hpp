// What is followed, whatever it is, as views.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "options.hpp"
#include "values/view.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace follow {

/// Endpoints or a leader.
///
/// Thread-safety: shared objects unsafe; all of it on one strand.
class source {
public:
    source() = default;
    source(const source&) = delete;
    source& operator=(const source&) = delete;
    virtual ~source() = default;

    /// `on_change` is called after each change of the value, of its state, and of what stands in the way.
    virtual kcontrol::result<void> start(std::function<void()> on_change) = 0;
    virtual kcontrol::awaitable<void> stop() = 0;

    virtual view current() const = 0;  ///< version 0: nothing is known yet
    /// For how long the server has not confirmed it; the longest time there is where nothing is known.
    virtual kcontrol::duration age() const = 0;
    /// What stands in the way.
    virtual std::optional<kcontrol::error> problem() const = 0;
};

/// By the options' command.
std::unique_ptr<source> make_source(kcontrol::environment& env, kcontrol::executor ex, kcontrol::client api,
                                    const options& o, kcontrol::logger log);

}  // namespace follow
