// Which records a program's log takes, component by component, while it runs.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// A level for all, and others for components. A component is what records carry as a field: "controller=websites" are
/// those whose field `controller` is that, "lease" those that have a field `lease`. Of a record's components those with
/// a value come before those without, and of several of a sort the one that takes more counts. A handle: copies are the
/// same levels.
///
/// Records below the level of all are made before they are dropped: that costs little, as there are few of level debug.
///
/// Thread-safety: shared objects safe.
class log_levels {
public:
    /// `otherwise` is the level of all; no component has one of its own.
    KCONTROL_DECL explicit log_levels(log_level otherwise = log_level::info);
    /// "info", or "info,controller=websites:debug,lease:warning": one for all, or none, and components.
    /// Errors: invalid_argument naming the part.
    static KCONTROL_DECL result<log_levels> parse(std::string_view text);

    /// From the next record on. Idempotent.
    KCONTROL_DECL void set(log_level otherwise) const;
    /// `component` is "name" or "name=value"; from the next record on.
    KCONTROL_DECL void set(const std::string& component, log_level level) const;
    /// It has the level of all again.
    KCONTROL_DECL void reset(const std::string& component) const;
    /// Takes everything from such a text, or nothing: what was set before is forgotten. Errors: those of parse().
    KCONTROL_DECL result<void> assign(std::string_view text) const;

    /// Whether the record's level is at least the one that counts for its components.
    KCONTROL_DECL bool takes(const log_record& record) const;
    /// What parse() takes.
    KCONTROL_DECL std::string text() const;

    /// A logger that writes what these levels take: `options.log(levels.logger_to(standard_error_sink(env)))`.
    KCONTROL_DECL logger logger_to(log_sink sink) const;

private:
    struct shared;
    std::shared_ptr<shared> shared_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/logging/impl/log_levels.ipp>
#endif
