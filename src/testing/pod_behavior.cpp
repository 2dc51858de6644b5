#include <kcontrol/testing/pod_behavior.hpp>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

// Entry `run` of "1,1,0", or the last one.
std::string_view entry_of_run(std::string_view list, std::size_t run) {
    for (; run > 0; --run) {
        const std::size_t comma = list.find(',');
        if (comma == std::string_view::npos) break;
        list.remove_prefix(comma + 1);
    }
    return list.substr(0, list.find(','));
}

std::optional<int> number_of_annotation(std::string_view text) {
    int number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<duration> milliseconds_of_annotation(std::string_view text) {
    const auto number = number_of_annotation(text);
    if (!number) return std::nullopt;
    return std::chrono::milliseconds(std::max(*number, 0));
}

}  // namespace
}  // namespace detail

pod_behavior pod_behavior_of(const json::value& pod, std::size_t run) {
    const auto said = [&pod](std::string_view name) { return json::find(pod, {"metadata", "annotations", name}); };
    const auto text = [&pod](std::string_view name) {
        return json::get_string(pod, {"metadata", "annotations", name});
    };
    pod_behavior behavior;
    const std::string_view policy = json::get_string(pod, {"spec", "restartPolicy"});
    const bool ends = policy == "Never" || policy == "OnFailure";
    if (ends) behavior.run_for(std::chrono::seconds(2));
    const std::string_view run_for = detail::entry_of_run(text("sim/run-ms"), run);
    if (run_for == "forever") behavior.run_for(std::nullopt);
    if (const auto d = detail::milliseconds_of_annotation(run_for)) behavior.run_for(*d);
    if (const auto code = detail::number_of_annotation(detail::entry_of_run(text("sim/exit-code"), run))) {
        behavior.exit_code(*code);
    }
    behavior.message(std::string(text("sim/message"))).reason(std::string(text("sim/reason")));
    if (const auto d = detail::milliseconds_of_annotation(text("sim/start-ms"))) behavior.start_after(*d);
    if (const auto d = detail::milliseconds_of_annotation(text("sim/evict-ms"))) behavior.evict_after(*d);
    if (const auto d = detail::milliseconds_of_annotation(text("sim/node-lost-ms"))) behavior.lose_node_after(*d);
    if (said("sim/unschedulable") != nullptr) behavior.unschedulable(std::string(text("sim/unschedulable")));
    if (said("sim/image-error") != nullptr) behavior.image_error(std::string(text("sim/image-error")));
    return behavior;
}

}  // namespace kcontrol::testing
