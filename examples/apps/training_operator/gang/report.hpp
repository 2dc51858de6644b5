// What a rank says of its progress, as JSON: in its termination message, or in its pod's annotation
// ai.kcontrol.dev/progress.
#pragma once

#include "job/checkpoint.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace training_operator {

class report {
public:
    std::optional<checkpoint> saved;      ///< {"checkpoint": {"step": 120, "uri": "…", "sha256": "…"}}
    std::optional<std::int64_t> refused;  ///< {"checkpointRefused": 120}

    std::optional<std::int64_t> step;  ///< {"step": 130}: the newest that is done

    std::map<std::string, double> metrics;  ///< {"metrics": {"loss": 0.3}}, as far as they are numbers

    friend bool operator==(const report&, const report&) = default;
};

/// Nothing if it is no JSON object. A checkpoint that can't be one (a negative step, no URI, a hash that is not 64
/// hexadecimal digits) is left out.
std::optional<report> read_report(std::string_view text);

/// Whether that may be a SHA-256, in hexadecimal digits.
bool is_hash(std::string_view text);

}  // namespace training_operator
