#include "web/usage_json.hpp"

#include <kcontrol/json/members.hpp>
#include <kcontrol/values/time.hpp>

namespace training_monitor {
namespace {

using kcontrol::json::write_or_null;
using kcontrol::json::write_text_or_null;

void write_measured(kcontrol::json::writer& out, const job_usage& usage) {
    out.begin_object();
    out.member("state", to_string(usage.state));
    out.member("reason", usage.reason);
    out.member("gpus", usage.gpus);
    out.member("measured", usage.measured);
    begin_object(out, "utilization");
    write_or_null(out, "mean", usage.utilization_mean);
    write_or_null(out, "least", usage.utilization_least);
    out.end_object();
    begin_object(out, "memory");
    write_or_null(out, "usedBytes", usage.memory_used_bytes);
    write_or_null(out, "totalBytes", usage.memory_total_bytes);
    out.end_object();
    write_or_null(out, "powerW", usage.power_watts);
    begin_array(out, "xids");
    for (const auto& xid : usage.xids) {
        out.begin_object();
        out.member("node", xid.node);
        out.member("gpu", xid.gpu);
        out.member("xid", xid.number);
        write_text_or_null(out, "time", xid.time);
        out.end_object();
    }
    out.end_array();
    write_text_or_null(out, "idleSince", usage.idle_since ? kcontrol::format_time(*usage.idle_since) : "");
    out.member("at", kcontrol::format_time(usage.at));
    out.end_object();
}

}  // namespace

void write_usage(kcontrol::json::writer& out, const job_view& job, const usage_board& known) {
    out.key("gpuUsage");
    if (job.state != job_state::running || job.gpus == 0) return out.null();
    if (const auto* usage = known.find(job)) return write_measured(out, *usage);
    job_usage not_yet;
    not_yet.reason = "it has not been asked for yet";
    not_yet.gpus = job.gpus;
    write_measured(out, not_yet);
}

}  // namespace training_monitor
