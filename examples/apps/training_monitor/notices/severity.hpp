// How urgent a notice is, in PagerDuty's words.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace training_monitor::notices {

enum class severity { info, warning, error, critical };

inline constexpr std::array<std::string_view, 4> severity_names{"info", "warning", "error", "critical"};

constexpr std::string_view to_string(severity s) noexcept { return severity_names[static_cast<std::size_t>(s)]; }

}  // namespace training_monitor::notices
