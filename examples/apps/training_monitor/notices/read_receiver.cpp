#include "notices/read_receiver.hpp"

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/serve/host_name.hpp>

#include "notices/config_error.hpp"
#include "notices/read_limits.hpp"

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

result<void> read_slack(const credential_files& files, const slack_section& section, receiver_config& out) {
    out.kind = receiver_kind::slack;
    out.rich = section.blocks;
    return read_target(files, section, section.allow_http, out.http);
}

result<void> read_webhook(const credential_files& files, const webhook_section& section, receiver_config& out) {
    out.kind = receiver_kind::webhook;
    if (!section.secret_file.empty()) {
        auto key = files.secret(section.secret_file, "secretFile");
        if (!key) return key.error();
        out.http.secret = std::move(*key);
    }
    if (!section.token_file.empty()) {
        auto token = files.secret(section.token_file, "tokenFile");
        if (!token) return token.error();
        if (!kcontrol::http::is_valid_field("Authorization", token->reveal())) {
            return bad_config("tokenFile: " + section.token_file + " holds bytes that can't stand in a header");
        }
        out.http.token = std::move(*token);
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

bool is_mention_id(std::string_view id) {
    return !id.empty() && id.size() <= 128 &&
           id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-^") ==
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
    const int kinds =
        (section.feishu ? 1 : 0) + (section.slack ? 1 : 0) + (section.webhook ? 1 : 0) + (section.command ? 1 : 0);
    if (kinds != 1) return bad_config(out.name + ": exactly one of feishu, slack, webhook, command must be there");
    const auto done = section.feishu    ? in("feishu", read_feishu(files, *section.feishu, out))
                      : section.slack   ? in("slack", read_slack(files, *section.slack, out))
                      : section.webhook ? in("webhook", read_webhook(files, *section.webhook, out))
                                        : in("command", read_command(*section.command, out));
    if (!done) return done.error();
    if (section.mention) {
        const auto mention = in("mention", read_mention(*section.mention, out));
        if (!mention) return mention.error();
    }
    const auto limits = read_limits(section, out);
    if (!limits) return limits.error();
    if (section.text.empty()) {
        out.text = text_template::standard();
        return out;
    }
    auto text = text_template::parse(section.text);
    if (!text) return text.error().with_context("text");
    out.text = std::move(*text);
    out.own_text = true;
    return out;
}

}  // namespace training_monitor::notices
