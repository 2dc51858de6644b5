// Settings that are read again while the program runs.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "options.hpp"

#include <functional>
#include <stop_token>
#include <string>

namespace gpu_labeler {

/// What a new reading of the settings changes.
struct settings_change {
    options now;        ///< those that hold from now on
    std::string taken;  ///< the flags that differ and hold at once, with commas; empty: none
    std::string left;   ///< the flags that differ and wait for a restart
};

/// Of all that --help lists, these hold at once: when GPUs are looked at, which labels they get, the name in the
/// metrics, and the log's level.
settings_change change_settings(const options& old, const options& fresh);

/// Asks a running program to read its settings again.
///
/// Thread-safety: none; use it on the program's executor.
class reload_request {
public:
    explicit reload_request(std::function<kcontrol::result<options>()> read) : read_(std::move(read)) {}

    void ask() {
        asked_ = true;
        happened_.notify_all();
    }

    /// Waits until it is asked; false: stopped.
    kcontrol::awaitable<bool> asked(kcontrol::environment& env, std::stop_token stop);

    kcontrol::result<options> read() const { return read_(); }

private:
    std::function<kcontrol::result<options>()> read_;
    kcontrol::async_event happened_;
    bool asked_ = false;
};

/// Until `stop`: reads the settings again whenever that is asked for, changes `o`, and calls `take_over`. Settings that
/// can't be read are logged, and change nothing. Object lifetime: the references outlive the coroutine.
kcontrol::awaitable<void> follow_settings(kcontrol::environment& env, reload_request& reloads, options& o,
                                          std::function<void()> take_over, kcontrol::logger log, std::stop_token stop);

}  // namespace gpu_labeler
