#include "service/reports.hpp"

#include <kcontrol/metrics/metrics_registry.hpp>

#include <chrono>

namespace gpu_labeler {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

result<void> check_gpus(const labeler_status& status) {
    if (status.keeps_old) return error(errc::unavailable, status.read_error + "; their last labels are kept");
    if (status.reads == 0) return error(errc::unavailable, "not read yet");
    return {};
}

result<void> check_labels(const labeler_status& status) {
    if (!status.store_error.empty()) return error(errc::unavailable, status.store_error);
    if (!status.settled) return error(errc::unavailable, "not written yet");
    return {};
}

double seconds(const std::optional<kcontrol::wall_time>& at) {
    return at ? std::chrono::duration<double>(at->time_since_epoch()).count() : 0.0;
}

void write(const watch_status& s, kcontrol::metrics_writer& out) {
    out.gauge("gpu_labeler_events_watched", "1 while events of the GPUs are watched; XIDs are known by them only.", {},
              s.watching ? 1 : 0);
    out.counter("gpu_labeler_event_gaps_total", "Times that events were not watched, as NVML was started anew.", {},
                static_cast<double>(s.gaps));
    out.counter("gpu_labeler_event_gap_seconds_total", "How long those were together.", {},
                std::chrono::duration<double>(s.unwatched).count());
}

void write(const labeler_status& s, int hanging, kcontrol::metrics_writer& out) {
    const auto count = [&](const char* name, const char* help, std::uint64_t value) {
        out.counter(name, help, {}, static_cast<double>(value));
    };
    count("gpu_labeler_reads_total", "Times that the GPUs were looked at for labels.", s.reads);
    count("gpu_labeler_read_failures_total", "Those of them that failed.", s.read_failures);
    count("gpu_labeler_looks_total", "Questions what the labels are; they change nothing.", s.looks);
    count("gpu_labeler_writes_total", "Times that the labels were written.", s.writes);
    count("gpu_labeler_write_failures_total", "Questions and writes that failed.", s.store_failures);
    const std::string gpus = "gpu_labeler_gpus";
    const std::string gpus_help = "GPUs of the node, by whether they answer.";
    out.gauge(gpus, gpus_help, {{"state", "ok"}}, static_cast<double>(s.gpus));
    out.gauge(gpus, gpus_help, {{"state", "lost"}}, static_cast<double>(s.lost));
    out.gauge("gpu_labeler_labels", "Labels that the node should have.", {}, static_cast<double>(s.labels));
    out.gauge("gpu_labeler_labels_refused", "Labels that are left out, for they are refused; the log names them.", {},
              static_cast<double>(s.refused));
    out.gauge("gpu_labeler_labels_settled", "1 while the labels are what they should be.", {}, s.settled ? 1 : 0);
    out.gauge("gpu_labeler_last_read_timestamp_seconds", "When the GPUs were last read; 0: never.", {},
              seconds(s.last_read));
    out.gauge("gpu_labeler_last_write_timestamp_seconds", "When the labels were last written; 0: not by this process.",
              {}, seconds(s.last_write));
    out.gauge("gpu_labeler_last_read_duration_seconds", "How long that took, the driver's own time included.", {},
              std::chrono::duration<double>(s.last_read_took).count());
    out.gauge("gpu_labeler_last_write_duration_seconds", "How long that took, until it was answered.", {},
              std::chrono::duration<double>(s.last_write_took).count());
    out.gauge("gpu_labeler_hanging_threads", "Threads that are stuck in the driver.", {}, hanging);
}

}  // namespace

std::vector<kcontrol::named_check> readiness_checks(const labeler_status& status) {
    std::vector<kcontrol::named_check> out;
    out.emplace_back("gpus", [&status] { return check_gpus(status); });
    out.emplace_back("labels", [&status] { return check_labels(status); });
    return out;
}

std::string loop_metrics(const labeler_status& status, const watch_status& watching, int hanging_threads) {
    kcontrol::metrics_registry registry;
    registry.collect([&](kcontrol::metrics_writer& out) {
        write(status, hanging_threads, out);
        write(watching, out);
    });
    return registry.text();
}

}  // namespace gpu_labeler
