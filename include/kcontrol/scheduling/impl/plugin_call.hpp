// One call of a plugin: what it throws becomes its answer, and an observer gets to know of it.
#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/scheduling/plugin_point.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::scheduling::detail {

/// Code error: `running PreFilter plugin "VolumeBinding": REASONS`.
inline status failed_answer(std::string_view plugin, plugin_point point, const status& said) {
    std::string message = "running ";
    message.append(name_of(point)).append(" plugin \"").append(plugin).append("\": ");
    if (said.reason_count() == 0) message += "it gave no reason";
    for (std::size_t i = 0; i < said.reason_count(); ++i) {
        message.append(i == 0 ? "" : ", ").append(said.reason(i).view());
    }
    return status::error(message);
}

template <class F>
status call_plugin(std::string_view plugin, plugin_point point, plugin_observer* observer, F&& call) {
    const std::int64_t started = observer == nullptr ? 0 : observer->now();
    status said;
    try {
        said = call();
    } catch (...) {
        said = status::error(describe_thrown());
    }
    if (said.code() == status_code::error) said = failed_answer(plugin, point, said);
    if (observer != nullptr) observer->called(plugin, point, said.code(), observer->now() - started);
    return said;
}

}  // namespace kcontrol::scheduling::detail
