// The flags of a command line by which whoever deploys a program says that it is one of several, for its own table of
// flags: `--leader-elect --leader-election-id website-operator`.
#pragma once

#include <kcontrol/base/flags.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/leader/options.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// What was said by these flags; names and durations ("15s") as in programs made with controller-runtime. A program
/// adds shapes() to its own for split_arguments(), hands each flag whose name begins with `--leader-elect` to take(),
/// and asks for options() in the end.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class leader_flags {
public:
    static KCONTROL_DECL std::span<const flag_shape> shapes() noexcept;  ///< of all these flags, for split_arguments()
    /// Lines for a --help, each indented by two spaces.
    static KCONTROL_DECL std::string_view usage() noexcept;

    /// Whether it is one of these.
    static KCONTROL_DECL bool knows(std::string_view flag) noexcept;
    /// Errors: invalid_argument naming the flag and its value.
    KCONTROL_DECL result<void> take(std::string_view flag, std::string_view value);

    /// What the program says, changed by what the command line says; nothing if there is to be no election: neither
    /// of them asked for one, or `--leader-elect=false`. Without a namespace it is the pod's own.
    /// Errors: invalid_argument (no name for the Lease; durations that leader_options::validate() refuses).
    result<std::optional<leader_options>> options(const std::optional<leader_options>& program) const {
        return options(program, program.has_value());
    }
    /// The same where the program says how, and only if `always`, that there is one without the flag.
    KCONTROL_DECL result<std::optional<leader_options>> options(const std::optional<leader_options>& program,
                                                                bool always) const;

private:
    std::optional<bool> elect_;
    std::string namespace_, id_;
    std::optional<duration> lease_duration_, renew_deadline_, retry_period_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/leader/impl/leader_flags.ipp>
#endif
