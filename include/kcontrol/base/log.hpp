// The logging facade: the library writes records to a sink the embedding program provides.
#pragma once

#include <kcontrol/config.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

enum class log_level { debug, info, warning, error };

KCONTROL_DECL std::string_view to_string(log_level) noexcept;

/// One named value of a record. Values are text by the time they get here; never a secret.
struct log_field {
    std::string_view name;  ///< not copied: a literal, or what outlives the record and each logger that has it
    std::string value;      ///< unescaped; see escape_control()
};

/// What a sink is given; it refers to text that may be gone when the call returns.
struct log_record {
    log_level level;                       ///< not below the logger's threshold
    std::string_view message;              ///< unescaped; see escape_control()
    const std::vector<log_field>& fields;  ///< the logger's own, then those that came with the record
};

/// Where records go. May be called from any thread that runs the library's executors. A record at which it throws is
/// lost, and disturbs nobody else; see logger::lost().
using log_sink = std::function<void(const log_record&)>;

/// A cheap handle on a sink, with fields that every record carries. Without a sink it drops everything.
/// There is no global logger: each object is given one.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access if the sink is.
class logger {
public:
    KCONTROL_DECL logger();
    /// `sink` gets the records of level `threshold` and above; an empty one is none.
    KCONTROL_DECL explicit logger(log_sink sink, log_level threshold = log_level::info);
    // Not inline, and so compiled once: nearly every file of a user copies, moves and destroys some.
    KCONTROL_DECL logger(const logger&);
    KCONTROL_DECL logger(logger&&) noexcept;
    KCONTROL_DECL logger& operator=(const logger&);
    KCONTROL_DECL logger& operator=(logger&&) noexcept;
    KCONTROL_DECL ~logger();

    /// The same sink with one more field on every record. `name` is not copied: a literal, or what outlives the logger
    /// that is returned and all that are made of it.
    KCONTROL_DECL logger with(std::string_view name, std::string value) const;

    /// Whether the sink gets a record of that level; false without a sink.
    KCONTROL_DECL bool enabled(log_level level) const noexcept;
    /// What the sink throws, of whatever type, does not get out.
    KCONTROL_DECL void write(log_level level, std::string_view message) const;
    /// The same with fields of its own, behind those that every record carries.
    KCONTROL_DECL void write(log_level level, std::string_view message, std::vector<log_field> fields) const;

    void debug(std::string_view m) const { write(log_level::debug, m); }      ///< writes at level debug
    void info(std::string_view m) const { write(log_level::info, m); }        ///< writes at level info
    void warning(std::string_view m) const { write(log_level::warning, m); }  ///< writes at level warning
    void error(std::string_view m) const { write(log_level::error, m); }      ///< writes at level error
    /// Writes at level debug, with fields of its own.
    void debug(std::string_view m, std::vector<log_field> f) const { write(log_level::debug, m, std::move(f)); }
    /// Writes at level info, with fields of its own.
    void info(std::string_view m, std::vector<log_field> f) const { write(log_level::info, m, std::move(f)); }
    /// Writes at level warning, with fields of its own.
    void warning(std::string_view m, std::vector<log_field> f) const { write(log_level::warning, m, std::move(f)); }
    /// Writes at level error, with fields of its own.
    void error(std::string_view m, std::vector<log_field> f) const { write(log_level::error, m, std::move(f)); }

    /// At how many records the sink threw, whoever wrote them. How many are lost is told, as a warning, after the next
    /// record that it takes.
    KCONTROL_DECL std::uint64_t lost() const noexcept;

private:
    struct target;
    std::shared_ptr<target> target_;
    log_level threshold_ = log_level::info;
    std::vector<log_field> fields_;
};

/// A copy of `text` in which control characters (CR, LF, ESC, DEL, those of U+0080 to U+009F) and bytes that are not
/// UTF-8 are written as \xNN, so that a name or a server's message can't forge a log line or steer a terminal.
KCONTROL_DECL std::string escape_control(std::string_view text);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/base/impl/log.ipp>
#endif
