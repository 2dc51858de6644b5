// What schemas say of texts, patterns and formats, checked as the API server does it.
#pragma once

#include <kcontrol/config.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// Patterns (Go's syntax and meaning) and formats of OpenAPI schemas. Compiled patterns are kept.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class text_checks {
public:
    KCONTROL_DECL text_checks();
    KCONTROL_DECL ~text_checks();
    text_checks(const text_checks&) = delete;
    text_checks& operator=(const text_checks&) = delete;

    /// Whether some part of `text` matches; never, where the pattern is broken.
    KCONTROL_DECL bool matches(std::string_view pattern, std::string_view text);
    /// What is wrong with a pattern; empty: nothing.
    KCONTROL_DECL std::string problem_of(std::string_view pattern);

    /// Whether the server knows that format; it passes over others.
    static KCONTROL_DECL bool knows_format(std::string_view name);
    /// Whether `text` has it. Formats that are not checked here (see validate()) pass.
    KCONTROL_DECL bool has_format(std::string_view name, std::string_view text);

private:
    struct kept;
    std::unique_ptr<kept> kept_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/schema/impl/text_checks.ipp>
#endif
