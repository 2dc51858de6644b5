#include "notices/read_receiver.hpp"

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/serve/host_name.hpp>

#include "notices/config_error.hpp"
#include "notices/presets.hpp"
#include "notices/read_limits.hpp"

#include <algorithm>
#include <array>

namespace training_monitor::notices {
namespace {

using kcontrol::result;
using kcontrol::secret_string;
using kcontrol::http::is_loopback;

bool is_receiver_name(std::string_view name) {
    return !name.empty() && name.size() <= 63 &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
               std::string_view::npos;
}

template <class Section>
constexpr bool offers_http = requires(Section s) {
    s.allow_http;
};

template <class Section>
result<void> read_target(const credential_files& files, const Section& section, bool allow_http, http_target& out) {
    auto url = files.secret(section.url_file, "urlFile");
    if (!url) return url.error();
    const std::string_view text = url->reveal();
    const auto scheme = text.find("://");
    const auto path = scheme == std::string_view::npos ? scheme : text.find_first_of("/?#", scheme + 3);
    const auto server = kcontrol::http::parse_base_url(text.substr(0, path));
    std::string target(path == std::string_view::npos ? "/" : text.substr(path));
    if (target.starts_with('?')) target.insert(0, "/");
    // Not the parser's own message: it may repeat a part of the URL.
    if (!server || !kcontrol::http::is_valid_target(target) || target.find('#') != std::string::npos) {
        return bad_config("urlFile: " + section.url_file + " does not hold a URL such as https://host/path");
    }
    out.server = server->endpoint;
    if (out.server.scheme != "https" && !allow_http && !is_loopback(out.server.host)) {
        return bad_config("urlFile: " + section.url_file +
                          " holds a URL with http, which anybody on the way can read; use https" +
                          (offers_http<Section> ? ", or say allowHttp: true" : ""));
    }
    out.target = secret_string(std::move(target));
    if (section.ca_file.empty()) return {};
    auto ca = files.text(section.ca_file, "caFile");
    if (!ca) return ca.error();
    out.tls.ca_pem(std::move(*ca) + "\n");
    return {};
}

result<void> read_feishu(const credential_files& files, const feishu_section& section, receiver_config& out) {
    out.kind = receiver_kind::feishu;
    // At most 5 a second and 100 a minute, in any second and any minute: a full bucket and what flows in.
    out.queue.limit(3, 2).limit(1, 40);
    if (!section.secret_file.empty()) {
        auto key = files.secret(section.secret_file, "secretFile");
        if (!key) return key.error();
        out.http.secret = std::move(*key);
    }
    out.rich = section.card;
    return read_target(files, section, false, out.http);
}

result<void> read_token(const credential_files& files, const std::string& file, http_target& out) {
    auto token = files.secret(file, "tokenFile");
    if (!token) return token.error();
    if (!kcontrol::http::is_valid_field("Authorization", token->reveal())) {
        return bad_config("tokenFile: " + file + " holds bytes that can't stand in a header");
    }
    out.token = std::move(*token);
    return {};
}

// A URL that need not be said.
void use_target(http_target& out, std::string host, std::string target) {
    out.server = kcontrol::http::endpoint("https", std::move(host), 443);
    out.target = secret_string(std::move(target));
}

template <class Section>
result<void> read_target_or(const credential_files& files, const Section& section, std::string host, std::string target,
                            http_target& out) {
    if (!section.url_file.empty()) return read_target(files, section, false, out);
    use_target(out, std::move(host), std::move(target));
    if (section.ca_file.empty()) return {};
    auto ca = files.text(section.ca_file, "caFile");
    if (!ca) return ca.error();
    out.tls.ca_pem(std::move(*ca) + "\n");
    return {};
}

// An incoming webhook, or with a token an app that posts to a channel and answers in threads.
result<void> read_slack(const credential_files& files, const slack_section& section, receiver_config& out) {
    out.kind = receiver_kind::slack;
    out.rich = section.blocks;
    if (section.token_file.empty() != section.channel.empty()) {
        return bad_config(section.channel.empty()
                              ? "channel: it is missing; an app needs the id of one, such as C012AB3CD"
                              : "channel: it goes with tokenFile; a webhook has its own");
    }
    if (section.token_file.empty()) return read_target(files, section, section.allow_http, out.http);
    const auto token = read_token(files, section.token_file, out.http);
    if (!token) return token.error();
    out.http.channel = section.channel;
    return read_target_or(files, section, "slack.com", "/api/chat.postMessage", out.http);
}

result<void> read_pagerduty(const credential_files& files, const pagerduty_section& section, receiver_config& out) {
    out.kind = receiver_kind::pagerduty;
    auto key = files.secret(section.routing_key_file, "routingKeyFile");
    if (!key) return key.error();
    out.http.key = std::move(*key);
    return read_target_or(files, section, "events.pagerduty.com", "/v2/enqueue", out.http);
}

result<void> read_teams(const credential_files& files, const teams_section& section, receiver_config& out) {
    out.kind = receiver_kind::teams;
    out.queue.limit(3, 2);  // four a second, in any second
    return read_target(files, section, false, out.http);
}

result<void> read_webhook(const credential_files& files, const webhook_section& section, receiver_config& out) {
    out.kind = receiver_kind::webhook;
    if (!section.secret_file.empty()) {
        auto key = files.secret(section.secret_file, "secretFile");
        if (!key) return key.error();
        out.http.secret = std::move(*key);
    }
    if (!section.token_file.empty()) {
        const auto token = read_token(files, section.token_file, out.http);
        if (!token) return token.error();
    }
    auto done = read_target(files, section, section.allow_http, out.http);
    if (done && !out.http.token.empty() && out.http.server.scheme != "https" && !is_loopback(out.http.server.host)) {
        return bad_config("tokenFile: a token is sent over https only; secretFile signs without being sent");
    }
    return done;
}

result<void> read_command(const command_section& section, receiver_config& out) {
    out.kind = receiver_kind::command;
    if (section.arguments.empty() || !section.arguments.front().starts_with('/')) {
        return bad_config("arguments: the first one is the program and must be an absolute path; there is no shell");
    }
    for (const auto& argument : section.arguments) {
        if (argument.find('\0') != std::string::npos) return bad_config("arguments: one holds a NUL");
    }
    for (const auto& [name, value] : section.environment) {
        if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != std::string::npos ||
            value.find('\0') != std::string::npos) {
            return bad_config("environment: " + kcontrol::in_quotes(name) +
                              " can't be the name of a variable, or its value holds NUL");
        }
    }
    out.arguments = section.arguments;
    out.environment = section.environment;
    return {};
}

bool is_mail_address(std::string_view text) {
    const auto at = text.find('@');
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
    return at != std::string_view::npos && at > 0 && at <= 64 && text.size() <= 254 && at + 1 < text.size() &&
           text.substr(0, at).find_first_not_of(std::string(letters) + "!#$%&'*+/=?^_`{|}~") ==
               std::string_view::npos &&
           text.substr(at + 1).find_first_not_of(letters) == std::string_view::npos;
}

result<void> read_smtp_login(const credential_files& files, const smtp_section& section, smtp_target& out) {
    if (section.username_file.empty() != section.password_file.empty()) {
        return bad_config("usernameFile and passwordFile go together");
    }
    if (section.password_file.empty()) return {};
    auto user = files.secret(section.username_file, "usernameFile");
    if (!user) return user.error();
    auto password = files.secret(section.password_file, "passwordFile");
    if (!password) return password.error();
    out.user = std::move(*user);
    out.password = std::move(*password);
    return {};
}

result<void> read_smtp(const credential_files& files, const smtp_section& section, receiver_config& out) {
    constexpr std::size_t most_recipients = 50;
    out.kind = receiver_kind::smtp;
    auto& to = out.smtp;
    if (section.tls != "" && section.tls != "starttls" && section.tls != "implicit" && section.tls != "none") {
        return bad_config("tls: " + kcontrol::in_quotes(section.tls) + " is not one of starttls, implicit, none");
    }
    const bool implicit = section.tls == "implicit", none = section.tls == "none";
    if (section.host.empty()) return bad_config("host: it is missing; name the mail server");
    if (section.port && (*section.port < 1 || *section.port > 65535)) {
        return bad_config("port: " + std::to_string(*section.port) + " is not between 1 and 65535");
    }
    const int port = section.port.value_or(implicit ? 465 : none ? 25 : 587);
    to.server = kcontrol::http::endpoint(implicit ? "tls" : "tcp", section.host, static_cast<std::uint16_t>(port));
    to.starts_tls = !implicit && !none;
    if (!is_mail_address(section.from)) {
        return bad_config("from: " + kcontrol::in_quotes(section.from) + " is no address such as monitor@example.com");
    }
    to.from = section.from;
    if (section.to.empty() || section.to.size() > most_recipients) {
        return bad_config("to: 1 to " + std::to_string(most_recipients) + " addresses are expected");
    }
    for (const auto& each : section.to) {
        if (!is_mail_address(each)) {
            return bad_config("to: " + kcontrol::in_quotes(each) + " is no address such as oncall@example.com");
        }
    }
    to.to = section.to;
    const auto login = read_smtp_login(files, section, to);
    if (!login) return login.error();
    if (none && !to.password.empty()) {
        return bad_config("tls: a password is sent over TLS only; say starttls or implicit, or give no passwordFile");
    }
    if (section.ca_file.empty()) return {};
    auto ca = files.text(section.ca_file, "caFile");
    if (!ca) return ca.error();
    to.tls.ca_pem(std::move(*ca) + "\n");
    return {};
}

bool is_mention_id(std::string_view id) {
    return !id.empty() && id.size() <= 128 &&
           id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-^.@") ==
               std::string_view::npos;
}

result<void> read_mention(const mention_section& section, receiver_config& out) {
    if (section.label.empty()) return bad_config("label: it is missing; name the label of jobs, such as owner");
    if (section.ids.empty()) return bad_config("ids: there is none; write VALUE: ID for each value of the label");
    for (const auto& [value, id] : section.ids) {
        if (is_mention_id(id)) continue;
        return bad_config(
            "ids: " + kcontrol::in_quotes(id) + " of " + kcontrol::in_quotes(value) +
            " is no id, such as U012AB3CD of Slack, ^S012AB3CD of a group there, ou_18eac85d35a2 of Feishu");
    }
    out.mention_label = section.label;
    out.mentions = section.ids;
    return {};
}

// On where people read, off where programs do; an empty `by` turns it off.
result<void> read_group(const receiver_section& section, receiver_config& out) {
    constexpr std::array<std::string_view, 4> names{"cluster", "node", "exitCode", "error"};
    group_options how;
    const bool for_people = out.kind != receiver_kind::webhook && out.kind != receiver_kind::command;
    if (!section.group) {
        if (for_people) out.group = how;
        return {};
    }
    const auto& group = *section.group;
    if (group.by) {
        how.by = {false, false, false, false};
        for (const auto& name : *group.by) {
            const auto found = std::find(names.begin(), names.end(), name);
            if (found == names.end()) {
                return bad_config("by: " + kcontrol::in_quotes(name) + " is not one of cluster, node, exitCode, error");
            }
            bool* parts[] = {&how.by.cluster, &how.by.node, &how.by.exit_code, &how.by.error};
            *parts[found - names.begin()] = true;
        }
    }
    const auto read = [](std::string_view field, const std::optional<kcontrol::api_duration>& said,
                         kcontrol::duration& to) -> result<void> {
        if (!said) return {};
        to = said->length();
        if (to >= std::chrono::seconds(1) && to <= std::chrono::hours(1)) return {};
        return bad_config(std::string(field) + ": " + to_string(*said) + " is not from 1s to 1h");
    };
    if (auto done = read("wait", group.wait, how.wait); !done) return done;
    if (auto done = read("more", group.more, how.more); !done) return done;
    if (!group.by || !group.by->empty()) out.group = how;
    return {};
}

result<void> in(std::string_view section, result<void> done) {
    if (!done) return done.error().with_context(section);
    return done;
}

}  // namespace

result<receiver_config> read_receiver(const credential_files& files, const receiver_section& section,
                                      const std::vector<receiver_config>& others) {
    receiver_config out;
    if (!is_receiver_name(section.name)) {
        return bad_config("name: " + kcontrol::in_quotes(section.name) +
                          " must be 1 to 63 letters, digits, '-', '_' or '.'");
    }
    out.name = section.name;
    for (const auto& other : others) {
        if (other.name == out.name) return bad_config("name: there are two receivers " + kcontrol::in_quotes(out.name));
    }
    const int kinds = (section.feishu ? 1 : 0) + (section.slack ? 1 : 0) + (section.webhook ? 1 : 0) +
                      (section.command ? 1 : 0) + (section.pagerduty ? 1 : 0) + (section.teams ? 1 : 0) +
                      (section.smtp ? 1 : 0);
    if (kinds != 1) {
        return bad_config(out.name +
                          ": exactly one of feishu, slack, webhook, command, pagerduty, teams, smtp must be there");
    }
    const auto done = section.feishu      ? in("feishu", read_feishu(files, *section.feishu, out))
                      : section.slack     ? in("slack", read_slack(files, *section.slack, out))
                      : section.webhook   ? in("webhook", read_webhook(files, *section.webhook, out))
                      : section.pagerduty ? in("pagerduty", read_pagerduty(files, *section.pagerduty, out))
                      : section.teams     ? in("teams", read_teams(files, *section.teams, out))
                      : section.smtp      ? in("smtp", read_smtp(files, *section.smtp, out))
                                          : in("command", read_command(*section.command, out));
    if (!done) return done.error();
    if (section.mention && section.smtp) return bad_config("mention: a mail mentions nobody; leave it out");
    if (section.mention) {
        const auto mention = in("mention", read_mention(*section.mention, out));
        if (!mention) return mention.error();
    }
    const auto grouped = in("group", read_group(section, out));
    if (!grouped) return grouped.error();
    if (!section.preset.empty() &&
        std::find(preset_names.begin(), preset_names.end(), section.preset) == preset_names.end()) {
        return bad_config("preset: " + kcontrol::in_quotes(section.preset) + " is not one of on-call, team, audit");
    }
    if (section.log_lines) {
        if (*section.log_lines < 0 || *section.log_lines > 20) {
            return bad_config("logLines: " + std::to_string(*section.log_lines) + " is not between 0 and 20");
        }
        out.log_lines = static_cast<std::size_t>(*section.log_lines);
    }
    const auto limits = read_limits(section, out);
    if (!limits) return limits.error();
    if (section.text.empty()) return out;
    auto text = text_template::parse(section.text);
    if (!text) return text.error().with_context("text");
    out.text = std::move(*text);
    out.own_text = true;
    return out;
}

}  // namespace training_monitor::notices
