#include "memory/memory_report.hpp"

#include <kcontrol/base/log.hpp>
#include <kcontrol/metrics/exposition.hpp>

namespace training_monitor {
namespace {

void family(kcontrol::exposition& out, std::string_view name, std::string_view type, std::string_view help,
            std::uint64_t value) {
    out.family("training_monitor_state_" + std::string(name), type, help);
    out.sample({}, value);
}

}  // namespace

std::string memory_report(const memory_status& s) {
    std::string out = (s.failure.empty() ? "[+]" : "[-]") + ("state file " + kcontrol::escape_control(s.path));
    if (s.failure.empty()) return out + " written\n";
    return out + " not written, " + std::to_string(s.waiting) +
           " changes wait: " + kcontrol::escape_control(s.failure) + "\n";
}

std::string memory_metrics(const memory_status& s) {
    kcontrol::exposition out;
    family(out, "up", "gauge", "1 if the state file could be written last time.", s.failure.empty() ? 1 : 0);
    family(out, "writes_total", "counter", "Batches written to the state file.", s.writes);
    family(out, "write_failures_total", "counter", "Batches that could not be written; each is tried again.",
           s.failed_writes);
    family(out, "waiting_changes", "gauge", "Changes that are not in the state file yet.", s.waiting);
    family(out, "bytes", "gauge", "Bytes in use in the state file.", s.bytes);
    family(out, "remembered_jobs", "gauge", "Jobs that are remembered, in view or not.", s.jobs);
    family(out, "forgotten_jobs_total", "counter", "Jobs forgotten because of their age or the size of the file.",
           s.forgotten);
    return out.take();
}

}  // namespace training_monitor
