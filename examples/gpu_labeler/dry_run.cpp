#include "dry_run.hpp"

#include <kcontrol/base/log.hpp>

#include "reader/gpu_reader.hpp"

#include <chrono>

namespace gpu_labeler {
namespace {

constexpr std::size_t small_file = 4096;

std::optional<std::string> read_small_file(kcontrol::environment& env, const std::string& path) {
    auto text = env.read_file(path, small_file);
    if (!text) return std::nullopt;
    return std::move(*text);
}

label_options label_options_of(kcontrol::environment& env, const options& o) {
    label_options out;
    out.strategy = o.strategy;
    out.machine = read_small_file(env, o.machine_type_file).value_or("unknown");
    if (o.timestamp) {
        out.started = std::chrono::floor<std::chrono::seconds>(env.wall_now().time_since_epoch()).count();
    }
    return out;
}

}  // namespace

kcontrol::awaitable<dry_run_report> dry_run(kcontrol::environment& env, kcontrol::executor ex, options o,
                                            std::stop_token stop) {
    const auto labels_as = label_options_of(env, o);
    const auto make_session = [&env, &o] {
        return std::make_shared<nvml_session>(env, o.nvml, o.sysfs,
                                              [&env](const std::string& path) { return read_small_file(env, path); });
    };
    reader_limits limits;
    limits.call = o.nvml_timeout;
    gpu_reader reader(env, ex, make_session, limits);
    const auto found = co_await reader.read(stop);
    dry_run_report report;
    report.hanging = reader.hanging() > 0;
    if (!found) {
        report.status = 1;
        report.notes = "error: " + found.error().message() + "\n";
        co_return report;
    }
    for (const auto& lost : found->lost) {
        report.notes += "warning: GPU " + std::to_string(lost.index) + " does not answer: " + lost.why + "\n";
    }
    if (found->gpus.empty()) report.notes += "warning: no GPU answers, so there is nothing to label\n";
    for (const auto& [key, value] : gpu_labels(*found, labels_as)) {
        report.labels += key;
        report.labels += '=';
        report.labels += value;
        report.labels += '\n';
    }
    co_return report;
}

}  // namespace gpu_labeler
