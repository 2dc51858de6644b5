// The terminal that somebody sits at: its keys as they come, its signals, and its settings, which are put back whatever
// ends the program.
#pragma once

#include <kcontrol/runtime/executor.hpp>

#include <functional>
#include <memory>
#include <string_view>

namespace training_monitor {

/// To the terminal's other screen, where lines are cut rather than wrapped, without a cursor; and back. A terminal that
/// has no other screen ignores that. Source: "XTerm Control Sequences", DEC Private Mode Set.
inline constexpr std::string_view enter_screen = "\x1b[?1049h\x1b[?7l\x1b[?25l\x1b[2J";
inline constexpr std::string_view leave_screen = "\x1b[?25h\x1b[?7h\x1b[?1049l";

/// What a terminal tells, on the executor.
struct terminal_calls {
    std::function<void(std::string_view)> bytes;  ///< of keys
    std::function<void()> redraw;                 ///< its size changed (SIGWINCH), or the program goes on (SIGCONT)
    std::function<void()> leave;                  ///< the program is about to stop (SIGTSTP): give the terminal back
    std::function<void()> hung_up;                ///< the program is to end (SIGHUP)
};

/// Thread-safety: shared objects unsafe; use it on the executor given.
class terminal {
public:
    virtual ~terminal() = default;

    /// Somebody can press keys.
    virtual bool has_keys() const = 0;
    /// This program has the terminal, rather than another one that was started later, or a shell.
    virtual bool has_foreground() const = 0;
    /// Keys come one by one and are not echoed; Ctrl-C, Ctrl-Z and Ctrl-\ stay signals. Where a signal ends the program
    /// at once (SIGQUIT, SIGABRT, SIGSEGV…), the terminal gets its screen and settings back before it has its effect.
    virtual void take() = 0;
    /// The settings are as they were before take(). The screen is the caller's.
    virtual void give_back() = 0;
};

/// `in` is where keys come from, below 0 if nobody can press any; `out` is where pictures go to. They stay open. One at
/// a time, for signals are the process's. It is given back as it is destroyed.
std::unique_ptr<terminal> make_terminal(kcontrol::executor ex, int in, int out, terminal_calls calls);

}  // namespace training_monitor
