#include "notices/formats.hpp"

#include <kcontrol/json/members.hpp>
#include <kcontrol/values/time.hpp>

#include "crypto/hmac.hpp"
#include "jobs/job_json.hpp"
#include "notices/message.hpp"
#include "notices/payloads.hpp"

#include <chrono>

namespace training_monitor::notices {

namespace json = kcontrol::json;

std::string render_text(const receiver_config& to, const notice& n) {
    const auto form = form_of(to);
    return to.own_text ? to.text.render(n, form.escape) : message_text(n, form);
}

std::string mentioned(const receiver_config& to, const notice& n) {
    if (to.mention_label.empty() || n.earlier > 0 || n.resolved) return {};
    const auto value = n.job->labels.find(to.mention_label);
    const auto found = value ? to.mentions.find(std::string(*value)) : to.mentions.end();
    return found == to.mentions.end() ? std::string() : found->second;
}

std::string notice_json(const receiver_config& to, const notice& n) {
    const job_view& job = *n.job;
    json::writer out;
    out.begin_object();
    out.member("id", n.id);
    out.member("time", kcontrol::format_time(n.at));
    write_identity(out, job);
    out.member("previousState", n.from_text());
    out.member("state", n.to_text());
    if (n.condition != job_condition::none) out.member("condition", to_string(n.condition));
    out.member("changes", n.changes);
    out.member("reason", field_text(template_field::reason, n));
    out.member("message", field_text(template_field::message, n));
    out.member("gpus", job.gpus);
    write_times(out, job, n.at);
    write_labels(out, job.labels);
    if (!n.link.empty()) out.member("url", n.link);
    if (const auto id = mentioned(to, n); !id.empty()) out.member("mention", id);
    if (n.lasted > kcontrol::duration::zero()) {
        out.member("lastedSeconds", std::chrono::duration_cast<std::chrono::seconds>(n.lasted).count());
    }
    out.member("severity", to_string(severity_of(n)));
    if (!n.runbook.empty()) out.member("runbook", n.runbook);
    if (!n.thread.empty()) out.member("thread", n.thread);
    if (n.resolved) out.member("resolved", true);
    if (!n.members.empty() || n.earlier > 0) {
        out.member("earlierJobs", n.earlier);
        begin_array(out, "moreJobs");
        for (const auto& each : n.members) {
            out.begin_object();
            write_identity(out, *each.job);
            out.end_object();
        }
        out.end_array();
    }
    if (!n.log.empty()) write_values(out, "log", n.log);
    out.member("text", render_text(to, n));
    out.end_object();
    return out.take();
}

std::string webhook_signature(std::string_view secret, std::string_view timestamp, std::string_view body) {
    std::string signed_text = "v1:";
    signed_text.append(timestamp).append(":").append(body);
    return "v1=" + crypto::to_hex(crypto::hmac_sha256(secret, signed_text));
}

std::string feishu_sign(std::string_view secret, std::string_view timestamp) {
    std::string key(timestamp);
    key.append("\n").append(secret);
    return crypto::to_base64(crypto::hmac_sha256(key, ""));
}

kcontrol::http::request make_request(const receiver_config& to, const notice& n, kcontrol::wall_time now,
                                     std::string_view in_thread) {
    kcontrol::http::request out("POST", std::string(to.http.target.reveal()));
    out.headers.set("Content-Type", "application/json; charset=utf-8");
    out.headers.set("User-Agent", "training_monitor");
    if (to.kind == receiver_kind::feishu) {
        out.body = feishu_json(to, n, now);
    } else if (to.kind == receiver_kind::slack) {
        out.body = slack_json(to, n, in_thread);
        if (!to.http.token.empty()) out.headers.set("Authorization", "Bearer " + std::string(to.http.token.reveal()));
    } else if (to.kind == receiver_kind::teams) {
        out.body = teams_json(to, n);
    } else if (to.kind == receiver_kind::pagerduty) {
        out.body = pagerduty_json(to, n);
    } else {
        out.body = notice_json(to, n);
        out.headers.set("X-Training-Monitor-Id", n.id);
        if (!to.http.secret.empty()) {
            const std::string timestamp =
                std::to_string(std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count());
            out.headers.set("X-Training-Monitor-Timestamp", timestamp);
            out.headers.set("X-Training-Monitor-Signature",
                            webhook_signature(to.http.secret.reveal(), timestamp, out.body));
        }
        if (!to.http.token.empty()) out.headers.set("Authorization", "Bearer " + std::string(to.http.token.reveal()));
    }
    return out;
}

}  // namespace training_monitor::notices
