#include "notices/payloads.hpp"

#include <kcontrol/base/utf8.hpp>
#include <kcontrol/json/members.hpp>
#include <kcontrol/values/time.hpp>

#include "notices/formats.hpp"
#include "notices/message.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace training_monitor::notices {
namespace {

namespace json = kcontrol::json;

std::string seconds_text(kcontrol::wall_time at) {
    return std::to_string(std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count());
}

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

// The reader's own time: https://docs.slack.dev/messaging/formatting-message-text#date-formatting
std::string slack_time(kcontrol::wall_time at) {
    return "<!date^" + seconds_text(at) + "^{date_short_pretty} {time}|" + kcontrol::format_time(at) + ">";
}

std::string slack_link(std::string_view url, std::string_view name) {
    return "<" + std::string(url) + "|" + std::string(name) + ">";
}

// No link of a cluster's, nor a function of the card's: https://learn.microsoft.com/en-us/adaptive-cards/
std::string teams_escaped(std::string_view text) {
    std::string out = replaced(text, "&", "\uff1c", "\uff1e");
    std::string made;
    for (std::size_t i = 0; i < out.size(); ++i) {
        switch (out[i]) {
        case '[': made += "\uff3b"; break;
        case ']': made += "\uff3d"; break;
        case '{': made += out.compare(i, 2, "{{") == 0 ? "{ " : "{"; break;
        default: made += out[i];
        }
    }
    return made;
}

// As the service reads it; no text of a cluster's is in it.
std::string mention_text(const receiver_config& to, const notice& n) {
    const std::string id = mentioned(to, n);
    if (id.empty()) return {};
    if (to.kind == receiver_kind::slack) return id.starts_with('^') ? "<!subteam" + id + ">" : "<@" + id + ">";
    if (to.kind == receiver_kind::teams) return "<at>" + id + "</at>";
    if (to.kind != receiver_kind::feishu) return {};
    return to.rich ? "<at id=" + id + "></at>" : "<at user_id=\"" + id + "\"></at>";
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
    if (!n.link.empty() || !n.runbook.empty()) {
        out.begin_object();
        out.member("tag", "action");
        begin_array(out, "actions");
        const auto button = [&](const std::string& url, std::string_view name, std::string_view type) {
            if (url.empty()) return;
            out.begin_object();
            out.member("tag", "button");
            write_text(out, "text", "tag", "plain_text", "content", name);
            out.member("type", type);
            out.member("url", url);
            out.end_object();
        };
        button(n.link, "Open", "primary");
        button(n.runbook, "Runbook", "default");
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
    const std::string links = (n.link.empty() ? "" : slack_link(n.link, "Open")) +
                              (n.link.empty() || n.runbook.empty() ? "" : "  ") +
                              (n.runbook.empty() ? "" : slack_link(n.runbook, "Runbook"));
    if (!links.empty()) {
        out.begin_object();
        out.member("type", "section");
        write_text(out, "text", "type", "mrkdwn", "text", links);
        out.end_object();
    }
    out.end_array();
}

// The mention stands behind what may be cut.
std::string with_mention(const std::string& text, const std::string& mention) {
    return mention.empty() ? text : text + "\n" + mention;
}

// The whole text, or what stands beside the title and the buttons.
std::string text_for(const receiver_config& to, const notice& n) {
    if (to.own_text) return render_text(to, n);
    message_form form = form_of(to);
    form.title = form.links = !to.rich && to.kind != receiver_kind::teams;
    return message_text(n, form);
}

void write_block(json::writer& out, std::string_view text, bool first, std::string_view color, bool monospace = false) {
    out.begin_object();
    out.member("type", "TextBlock");
    out.member("text", text);
    out.member("wrap", true);
    if (first) {
        out.member("weight", "Bolder");
        out.member("size", "Medium");
        out.member("color", color);
    } else {
        out.member("spacing", "None");
    }
    if (monospace) out.member("fontType", "Monospace");
    out.end_object();
}

void write_card_action(json::writer& out, const std::string& url, std::string_view title) {
    if (url.empty()) return;
    out.begin_object();
    out.member("type", "Action.OpenUrl");
    out.member("title", title);
    out.member("url", url);
    out.end_object();
}

}  // namespace

message_form form_of(const receiver_config& to) {
    message_form out;
    out.escape = [](std::string_view value) { return std::string(value); };
    out.time = [](kcontrol::wall_time at) { return kcontrol::format_time(at); };
    out.link = [](std::string_view url, std::string_view name) {
        return name == "Open" ? std::string(url) : std::string(name) + ": " + std::string(url);
    };
    switch (to.kind) {
    case receiver_kind::feishu:
        out.escape = [](std::string_view value) { return replaced(value, "&", "\uff1c", "\uff1e"); };
        break;
    case receiver_kind::slack:
        out.escape = [](std::string_view value) { return replaced(value, "&amp;", "&lt;", "&gt;"); };
        out.time = slack_time;
        out.link = slack_link;
        out.log_begin = out.log_end = "```";
        break;
    case receiver_kind::teams:
        out.escape = teams_escaped;
        out.time = [](kcontrol::wall_time at) {
            const std::string text = kcontrol::format_time(std::chrono::floor<std::chrono::seconds>(at));
            return "{{DATE(" + text + ",SHORT)}} {{TIME(" + text + ")}}";
        };
        break;
    case receiver_kind::webhook:
    case receiver_kind::command:
    case receiver_kind::smtp:
    case receiver_kind::pagerduty: break;
    }
    return out;
}

std::string feishu_json(const receiver_config& to, const notice& n, kcontrol::wall_time now) {
    const std::string timestamp = seconds_text(now), mention = mention_text(to, n);
    return fitting(text_for(to, n), most_feishu_bytes, [&](const std::string& said) {
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

std::string slack_json(const receiver_config& to, const notice& n, std::string_view in_thread) {
    const std::string mention = mention_text(to, n);
    const std::string section = to.rich ? text_for(to, n) : std::string();
    return fitting(render_text(to, n), most_slack_bytes, [&](const std::string& said) {
        json::writer out;
        out.begin_object();
        if (!to.http.channel.empty()) out.member("channel", to.http.channel);
        if (!in_thread.empty()) out.member("thread_ts", in_thread);
        out.member("text", with_mention(said, mention));
        if (to.rich) write_blocks(out, n, with_mention(shortened(section, most_slack_section), mention));
        out.end_object();
        return out.take();
    });
}

std::string teams_json(const receiver_config& to, const notice& n) {
    const std::string mention = mentioned(to, n), at = mention_text(to, n);
    const auto tone = tone_of(n);
    const std::string_view color = tone == tone::bad ? "Attention" : tone == tone::good ? "Good" : "Default";
    const message_form form = form_of(to);
    return fitting(text_for(to, n), most_teams_bytes, [&](const std::string& said) {
        json::writer out;
        out.begin_object();
        out.member("type", "message");
        begin_array(out, "attachments");
        out.begin_object();
        out.member("contentType", "application/vnd.microsoft.card.adaptive");
        begin_object(out, "content");
        out.member("$schema", "http://adaptivecards.io/schemas/adaptive-card.json");
        out.member("type", "AdaptiveCard");
        out.member("version", "1.4");
        begin_array(out, "body");
        if (!to.own_text) write_block(out, form.escape(shortened(title_of(n), 300)), true, color);
        bool first = to.own_text;
        for (std::string_view rest = said; !rest.empty();) {  // a line feed breaks no line there
            const auto end = std::min(rest.find('\n'), rest.size());
            write_block(out, rest.substr(0, end), std::exchange(first, false), color);
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        if (!at.empty()) write_block(out, at, false, color);
        out.end_array();
        if (!n.link.empty() || !n.runbook.empty()) {
            begin_array(out, "actions");
            write_card_action(out, n.link, "Open");
            write_card_action(out, n.runbook, "Runbook");
            out.end_array();
        }
        if (!at.empty()) {
            begin_object(out, "msteams");
            begin_array(out, "entities");
            out.begin_object();
            out.member("type", "mention");
            out.member("text", at);
            begin_object(out, "mentioned");
            out.member("id", mention);
            out.member("name", mention);
            out.end_object();
            out.end_object();
            out.end_array();
            out.end_object();
        }
        out.end_object();
        out.end_object();
        out.end_array();
        out.end_object();
        return out.take();
    });
}

std::string pagerduty_json(const receiver_config& to, const notice& n) {
    const bool over = tone_of(n) == tone::good || (tone_of(n) == tone::plain && !n.level);
    const job_view& job = *n.job;
    json::writer out;
    out.begin_object();
    out.member("routing_key", to.http.key.reveal());
    out.member("event_action", over ? "resolve" : "trigger");
    out.member("dedup_key", n.thread.empty() ? n.id : n.thread);
    if (over) {
        out.end_object();
        return out.take();
    }
    out.member("client", "training_monitor");
    if (!n.link.empty()) out.member("client_url", n.link);
    begin_object(out, "payload");
    const std::string summary = to.own_text ? render_text(to, n) : title_of(n);
    out.member("summary", shortened(one_line(summary), most_pagerduty_summary));
    out.member("source", one_line(job.failure->node.empty() ? job.cluster : job.failure->node));
    out.member("severity", to_string(severity_of(n)));
    out.member("timestamp", kcontrol::format_time(n.at));
    out.member("component", one_line(job.namespace_.empty() ? job.name : job.namespace_ + "/" + job.name));
    out.member("group", one_line(job.cluster));
    out.member("class", n.condition == job_condition::none ? n.to_text() : to_string(n.condition));
    begin_object(out, "custom_details");
    std::string why, log;
    for (const auto& each : lines_of(n)) why += (why.empty() ? "" : "\n") + each;
    for (const auto& each : n.log) log += (log.empty() ? "" : "\n") + one_line(each);
    out.member("why", why);
    if (!log.empty()) out.member("log", log);
    out.member("jobs", n.members.size() + 1 + n.earlier);
    out.member("gpus", job.gpus);
    out.end_object();
    out.end_object();
    if (!n.runbook.empty()) {
        begin_array(out, "links");
        out.begin_object();
        out.member("href", n.runbook);
        out.member("text", "Runbook");
        out.end_object();
        out.end_array();
    }
    out.end_object();
    return out.take();
}

}  // namespace training_monitor::notices
