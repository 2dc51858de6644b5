// One monitor a state file: the lock that says so.
#pragma once

#include <kcontrol/base/result.hpp>

#include <memory>
#include <string>

namespace training_monitor {

/// SQLite's own locks are held for a transaction only, and a second monitor would interleave with the first. The kernel
/// releases this one when the program ends, however it ends.
class state_lock {
public:
    /// Takes the lock of the state file `state`, a file beside it. Errors: file_failed: the lock can't be made, or
    /// another process holds it; the message names that and the remedy.
    static kcontrol::result<std::unique_ptr<state_lock>> take(const std::string& state);
    ~state_lock();
    state_lock(const state_lock&) = delete;
    state_lock& operator=(const state_lock&) = delete;

private:
    explicit state_lock(int fd) : fd_(fd) {}
    int fd_;
};

}  // namespace training_monitor
