#include "notices/formats.hpp"

#include <kcontrol/base/utf8.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/json/members.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/values/time.hpp>

#include "crypto/hmac.hpp"
#include "jobs/job_json.hpp"

#include <charconv>

namespace training_monitor::notices {
namespace {

using kcontrol::errc;
namespace json = kcontrol::json;

constexpr std::size_t most_slack_bytes = 16000;
constexpr std::size_t most_slack_section = 2800;  // of 3,000 characters, and a mention has room

std::string replaced(std::string_view text, std::string_view amp, std::string_view less, std::string_view greater) {
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        switch (c) {
        case '&': out += amp; break;
        case '<': out += less; break;
        case '>': out += greater; break;
        default: out += c;
        }
    }
    return out;
}

std::string seconds_text(kcontrol::wall_time at) {
    return std::to_string(std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count());
}

// The text, cut between characters so that `json_of` makes at most that many bytes of it.
template <class JsonOf>
std::string fitting(std::string text, std::size_t most, JsonOf json_of) {
    for (std::string out = json_of(text);; out = json_of(text)) {
        if (out.size() <= most || text.size() < 8) return out;
        // What is cut may have been escaped to up to six times its size, so this may take some rounds.
        const std::size_t excess = out.size() - most;
        std::size_t size = text.size() - std::min(text.size() - 4, std::max<std::size_t>(excess / 6, 1) + 3);
        while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0U) == 0x80U) --size;
        text.resize(size);
        text += "\u2026";
    }
}

// As the service reads it; no text of a cluster's is in it.
std::string mention_text(const receiver_config& to, const notice& n) {
    const std::string id = mentioned(to, n);
    if (id.empty()) return {};
    if (to.kind == receiver_kind::slack) return id.starts_with('^') ? "<!subteam" + id + ">" : "<@" + id + ">";
    if (to.kind != receiver_kind::feishu) return {};
    return to.rich ? "<at id=" + id + "></at>" : "<at user_id=\"" + id + "\"></at>";
}

// Whether somebody should look: it failed, or is gone, or can't be seen.
enum class tone { bad, good, plain };
tone tone_of(const notice& n) {
    if (n.is_of_cluster()) return n.cluster_to == "Live" ? tone::good : tone::bad;
    if (n.condition != job_condition::none) return tone::bad;
    if (!n.to.state()) return tone::plain;
    switch (*n.to.state()) {
    case job_state::failed:
    case job_state::restarting: return tone::bad;
    case job_state::succeeded: return tone::good;
    default: return tone::plain;
    }
}

std::string title_of(const notice& n) {
    if (n.is_of_cluster()) return "Cluster " + field_text(template_field::cluster, n) + " " + std::string(n.to_text());
    return field_text(template_field::kind, n) + " " + field_text(template_field::name, n) + " " +
           field_text(template_field::state, n);
}

// At most so many bytes, cut between characters.
std::string shortened(std::string text, std::size_t most) {
    if (text.size() <= most) return text;
    return std::string(kcontrol::utf8_prefix(text, most - 3)) + "\u2026";
}

void write_text(json::writer& out, std::string_view name, std::string_view tag, std::string_view type,
                std::string_view content, std::string_view text) {
    begin_object(out, name);
    out.member(tag, type);
    out.member(content, text);
    out.end_object();
}

// A header in the colour of the state, the text, which is plain so that nothing of a cluster's is a link, who is
// mentioned, a button to the page.
void write_card(json::writer& out, const notice& n, std::string_view text, std::string_view mention) {
    out.member("msg_type", "interactive");
    begin_object(out, "card");
    begin_object(out, "header");
    const auto tone = tone_of(n);
    out.member("template", tone == tone::bad ? "red" : tone == tone::good ? "green" : "blue");
    write_text(out, "title", "tag", "plain_text", "content", shortened(title_of(n), 200));
    out.end_object();
    begin_array(out, "elements");
    out.begin_object();
    out.member("tag", "div");
    write_text(out, "text", "tag", "plain_text", "content", text);
    out.end_object();
    if (!mention.empty()) {
        out.begin_object();
        out.member("tag", "div");
        write_text(out, "text", "tag", "lark_md", "content", mention);
        out.end_object();
    }
    if (!n.link.empty()) {
        out.begin_object();
        out.member("tag", "action");
        begin_array(out, "actions");
        out.begin_object();
        out.member("tag", "button");
        write_text(out, "text", "tag", "plain_text", "content", "Open");
        out.member("type", "primary");
        out.member("url", n.link);
        out.end_object();
        out.end_array();
        out.end_object();
    }
    out.end_array();
    out.end_object();
}

// A header, the text, a link to the page (a button would want an answer). What Slack's blocks may hold is less than
// what its text may.
void write_blocks(json::writer& out, const notice& n, const std::string& text) {
    begin_array(out, "blocks");
    out.begin_object();
    out.member("type", "header");
    write_text(out, "text", "type", "plain_text", "text", shortened(title_of(n), 150));
    out.end_object();
    out.begin_object();
    out.member("type", "section");
    write_text(out, "text", "type", "mrkdwn", "text", text);
    out.end_object();
    if (!n.link.empty()) {
        out.begin_object();
        out.member("type", "section");
        write_text(out, "text", "type", "mrkdwn", "text", "<" + n.link + "|Open>");
        out.end_object();
    }
    out.end_array();
}

// The mention stands behind what may be cut.
std::string with_mention(const std::string& text, const std::string& mention) {
    return mention.empty() ? text : text + "\n" + mention;
}

std::string feishu_json(const receiver_config& to, const notice& n, kcontrol::wall_time now) {
    const std::string timestamp = seconds_text(now), mention = mention_text(to, n);
    return fitting(render_text(to, n), most_feishu_bytes, [&](const std::string& said) {
        json::writer out;
        out.begin_object();
        if (!to.http.secret.empty()) {
            out.member("timestamp", timestamp);
            out.member("sign", feishu_sign(to.http.secret.reveal(), timestamp));
        }
        if (to.rich) {
            write_card(out, n, said, mention);
        } else {
            out.member("msg_type", "text");
            begin_object(out, "content");
            out.member("text", with_mention(said, mention));
            out.end_object();
        }
        out.end_object();
        return out.take();
    });
}

std::string slack_json(const receiver_config& to, const notice& n) {
    const std::string mention = mention_text(to, n);
    return fitting(render_text(to, n), most_slack_bytes, [&](const std::string& said) {
        json::writer out;
        out.begin_object();
        out.member("text", with_mention(said, mention));
        if (to.rich) write_blocks(out, n, with_mention(shortened(said, most_slack_section), mention));
        out.end_object();
        return out.take();
    });
}

std::optional<kcontrol::duration> seconds_of(std::string_view header) {
    std::uint32_t seconds = 0;
    const auto [end, failure] = std::from_chars(header.data(), header.data() + header.size(), seconds);
    // Retry-After may be a date, too; the pause is then our own.
    if (header.empty() || failure != std::errc() || end != header.data() + header.size()) return std::nullopt;
    return std::chrono::seconds(seconds);
}

std::optional<kcontrol::duration> wanted_pause(const kcontrol::http::response_head& head) {
    if (const auto after = seconds_of(head.headers.get("Retry-After"))) return after;
    return seconds_of(head.headers.get("x-ogw-ratelimit-reset"));  // Feishu's gateway
}

// Feishu answers 200 whatever it thinks of the message; what counts is in the body.
delivery judge_feishu(const kcontrol::http::response& answer) {
    json::document document;
    const auto body = document.parse(answer.body);
    if (!body || !body->is_object() || (*body)["code"].kind() != json::kind::integer) {
        return delivery::refused("the answer is not Feishu's: is urlFile the URL of a bot?");
    }
    const auto code = (*body)["code"].as_int64();
    if (code == 0) return delivery::sent();
    const std::string text = "Feishu code " + std::to_string(code);
    switch (code) {
    case 11232: return delivery::try_again(text + ": too many messages", wanted_pause(answer));
    case 9499: return delivery::refused(text + ": it does not take the message");
    case 19001: return delivery::refused(text + ": no such bot; check urlFile");
    case 19021: return delivery::refused(text + ": wrong signature or time; check secretFile and the clock");
    case 19022: return delivery::refused(text + ": the bot does not take messages from this address");
    case 19024: return delivery::refused(text + ": the text holds none of the bot's keywords");
    default: return delivery::refused(text);
    }
}

// Only what is known to be harmless: an error's own text names hosts.
delivery judge_failure(const kcontrol::error& failure) {
    const auto is = [&](errc code) { return failure == code; };
    if (is(errc::timeout)) return delivery::try_again("no answer in time");
    if (is(errc::connection_refused)) return delivery::try_again("connection refused");
    if (is(errc::connection_lost) || is(errc::unknown_outcome) || is(errc::truncated)) {
        return delivery::try_again("the connection broke before the answer was complete");
    }
    if (is(errc::name_not_found)) return delivery::try_again("the host name can't be resolved");
    if (is(errc::stopped) || is(errc::unavailable)) return delivery::try_again("stopped");
    if (is(errc::tls_failed)) {
        return delivery::refused("TLS failed: the certificate is not trusted or not for this host; see caFile");
    }
    if (is(errc::too_large)) return delivery::refused("the answer is too large; it may have been delivered");
    if (is(errc::protocol_error)) return delivery::refused("the answer is not HTTP");
    if (is(errc::invalid_config) || is(errc::invalid_argument)) return delivery::refused("its settings can't be used");
    return delivery::try_again("the exchange failed");
}

}  // namespace

std::string render_text(const receiver_config& to, const notice& n) {
    const auto& text = n.is_of_cluster() && !to.own_text ? text_template::of_clusters() : to.text;
    return text.render(n, [&](std::string_view value) {
        switch (to.kind) {
        case receiver_kind::feishu: return replaced(value, "&", "\uff1c", "\uff1e");
        case receiver_kind::slack: return replaced(value, "&amp;", "&lt;", "&gt;");
        case receiver_kind::webhook:
        case receiver_kind::command: break;
        }
        return std::string(value);
    });
}

std::string mentioned(const receiver_config& to, const notice& n) {
    if (to.mention_label.empty()) return {};
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

kcontrol::http::request make_request(const receiver_config& to, const notice& n, kcontrol::wall_time now) {
    kcontrol::http::request out("POST", std::string(to.http.target.reveal()));
    out.headers.set("Content-Type", "application/json; charset=utf-8");
    out.headers.set("User-Agent", "training_monitor");
    if (to.kind == receiver_kind::feishu) {
        out.body = feishu_json(to, n, now);
    } else if (to.kind == receiver_kind::slack) {
        out.body = slack_json(to, n);
    } else {
        out.body = notice_json(to, n);
        out.headers.set("X-Training-Monitor-Id", n.id);
        if (!to.http.secret.empty()) {
            const std::string timestamp = seconds_text(now);
            out.headers.set("X-Training-Monitor-Timestamp", timestamp);
            out.headers.set("X-Training-Monitor-Signature",
                            webhook_signature(to.http.secret.reveal(), timestamp, out.body));
        }
        if (!to.http.token.empty()) out.headers.set("Authorization", "Bearer " + std::string(to.http.token.reveal()));
    }
    return out;
}

delivery judge(receiver_kind kind, const kcontrol::result<kcontrol::http::response>& answer) {
    if (!answer) return judge_failure(answer.error());
    const int status = answer->status;
    const std::string text = "HTTP " + std::to_string(status);
    if (status >= 200 && status < 300) return kind == receiver_kind::feishu ? judge_feishu(*answer) : delivery::sent();
    if (status >= 300 && status < 400) {
        return delivery::refused(text + ": redirects are not followed; put the final URL into urlFile");
    }
    if (status == 429) return delivery::try_again(text + ": too many messages", wanted_pause(*answer));
    if (status == 408 || status == 425 || status >= 500) return delivery::try_again(text, wanted_pause(*answer));
    return delivery::refused(text);
}

}  // namespace training_monitor::notices
