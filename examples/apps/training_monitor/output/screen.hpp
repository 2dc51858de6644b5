// Where the monitor's output goes: standard output, which must not hold up the monitor when nobody reads it.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace training_monitor {

/// Where output goes. The size is asked for anew at each drawing.
class screen {
public:
    virtual ~screen() = default;
    virtual bool is_terminal() const = 0;
    virtual std::size_t columns() const = 0;  ///< 0: unknown
    virtual std::size_t rows() const = 0;     ///< 0: unknown
    virtual void write(const std::string& text) = 0;
    /// True while text waits for a reader: then a new picture is not worth drawing.
    virtual bool behind() const { return false; }
    /// Waits until everything is read, for who has nothing else to do.
    virtual void flush() {}
};

/// When this many bytes wait for a reader that stands still (a pager, a stopped terminal), what comes on top is left
/// out, whole writes at a time, and the log says so.
inline constexpr std::size_t most_output_behind = std::size_t{8} << 20;

/// Writes to a file descriptor, as a rule STDOUT_FILENO, as fast as it is read. `write` never waits; the rest goes out
/// on the executor, where all calls belong, and at the latest in the destructor, which waits up to a second for the
/// reader. The descriptor stays blocking, for it is shared with other programs, and open.
std::unique_ptr<screen> make_screen(kcontrol::executor ex, int descriptor, kcontrol::logger log);

}  // namespace training_monitor
