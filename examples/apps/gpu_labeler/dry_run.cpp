#include "dry_run.hpp"

#include "service/gpu_marks.hpp"

namespace gpu_labeler {

kcontrol::awaitable<dry_run_report> dry_run(kcontrol::environment& env, kcontrol::executor ex, options o,
                                            std::stop_token stop) {
    gpu_marks gpus(env, ex, o);
    const auto answer = co_await gpus.read(std::move(stop));
    dry_run_report report;
    report.hanging = gpus.reader().hanging() > 0;
    if (!answer) {
        report.status = 1;
        report.notes = "error: " + answer.error().message() + "\n";
        co_return report;
    }
    const auto& found = answer->found;
    for (const auto& lost : found.lost) {
        report.notes += "warning: GPU " + std::to_string(lost.index) + " does not answer: " + lost.why + "\n";
    }
    if (found.gpus.empty()) report.notes += "warning: no GPU answers, so there is nothing to label\n";
    const auto print = [&report](const label_map& marks) {
        for (const auto& [key, value] : marks) report.labels += key + "=" + value + "\n";
    };
    print(answer->marks.labels);
    if (o.annotations()) print(answer->marks.annotations);
    co_return report;
}

}  // namespace gpu_labeler
