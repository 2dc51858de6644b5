// The text of a notice: `{{ .name }} is {{ .state }}`. Fields are known when the template is read, or it is refused.
#pragma once

#include <kcontrol/base/result.hpp>

#include "notices/notice.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor::notices {

/// What can stand between the braces.
enum class template_field {
    cluster,
    namespace_,
    name,
    kind,
    uid,
    state,
    previous,
    reason,
    message,
    gpus,
    duration,
    time,
    changes,
    url,
    lasted,
    change,
    title,
    jobs,
    level,
    runbook,
};

/// The value of a field: one line of at most 1,000 bytes, control characters as spaces. The duration is empty where the
/// job has none, the link where there is none; `lasted` is " for 30 min" in a notice of a rule with `for:`, else empty;
/// `change` is "Running -> Failed", or "has been Pending for 30 min" where `lasted` is not empty; `jobs` is how many
/// the notice stands for.
std::string field_text(template_field field, const notice& n);

/// Thread-safety: distinct objects safe; shared objects safe for const access.
class text_template {
public:
    /// Errors: invalid_config, naming the field and those there are, or the brace that is not closed; also a text of
    /// more than 4,096 bytes.
    static kcontrol::result<text_template> parse(std::string_view text);

    /// The text with each value passed through `escape`; the template's own text is not. Line ends at its end are cut.
    std::string render(const notice& n, const std::function<std::string(std::string_view)>& escape) const;

private:
    struct piece {
        std::string literal;
        std::optional<template_field> field;  ///< after the literal
    };
    std::vector<piece> pieces_;
};

}  // namespace training_monitor::notices
