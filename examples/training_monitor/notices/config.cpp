#include "notices/config.hpp"

#include <kcontrol/base/log.hpp>
#include <kcontrol/codec/known_fields.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/documents/yaml.hpp>
#include <kcontrol/http/url.hpp>

#include "notices/config_file.hpp"
#include "shared/host_name.hpp"
#include "table/job_query.hpp"

#include <algorithm>

namespace training_monitor::notices {
namespace {

using examples::is_loopback;
using kcontrol::duration;
using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;
using kcontrol::secret_string;

constexpr std::size_t most_file_bytes = std::size_t{1} << 20;
constexpr std::size_t most_secret_bytes = std::size_t{64} << 10;
constexpr std::size_t most_receivers = 32;
constexpr std::size_t most_rules = 256;

error bad(std::string text) { return error(errc::invalid_config, std::move(text)); }

std::string quoted(std::string_view text) { return "\"" + kcontrol::escape_control(text.substr(0, 200)) + "\""; }

std::string list_of(const std::vector<std::string>& names) {
    std::string out;
    for (const auto& name : names) out += (out.empty() ? "" : ", ") + name;
    return out;
}

bool is_receiver_name(std::string_view name) {
    return !name.empty() && name.size() <= 63 &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
               std::string_view::npos;
}

// The decoder's messages end with what was found, and that may be a secret in the wrong place.
std::string without_value(std::string_view message) { return std::string(message.substr(0, message.find(", found"))); }

result<notice_file> decode_file(std::string_view text) {
    auto documents = kcontrol::json::parse_yaml(text, most_file_bytes);
    if (!documents) return bad("not YAML: " + documents.error().message());
    if (documents->size() != 1 || !documents->front().is_object()) {
        return bad("one YAML document with receivers and rules is expected");
    }
    kcontrol::json::document parsed;
    const auto root = parsed.parse(kcontrol::json::serialize(documents->front()));
    if (!root) return bad(without_value(root.error().message()));
    const auto known = kcontrol::check_known_fields(kcontrol::describe<notice_file>(), *root, false);
    if (!known) {
        const auto& text_of = known.error().message();
        return bad(text_of.substr(0, text_of.find(';')) + "; docs/training_monitor/notices.md lists the fields");
    }
    notice_file out;
    const auto decoded = kcontrol::decode(kcontrol::describe<notice_file>(), *root, &out);
    if (!decoded) return bad(without_value(decoded.error().message()));
    return out;
}

// Turns the file into what the program works with. Every error names the place.
class reader {
public:
    reader(kcontrol::environment& env, const std::string& path) : env_(env) {
        const auto slash = path.rfind('/');
        directory_ = slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
    }

    result<notice_config> read(const notice_file& file) {
        notice_config out;
        if (file.receivers.empty()) return bad("receivers: there is none; name at least one");
        if (file.rules.empty()) return bad("rules: there is none, so nothing would ever be sent; write at least one");
        if (file.receivers.size() > most_receivers) return bad("receivers: more than 32");
        if (file.rules.size() > most_rules) return bad("rules: more than 256");
        for (std::size_t i = 0; i < file.receivers.size(); ++i) {
            auto made = receiver(file.receivers[i], out.receivers);
            if (!made) return made.error().with_context("receivers[" + std::to_string(i) + "]");
            out.receivers.push_back(std::move(*made));
        }
        for (std::size_t i = 0; i < file.rules.size(); ++i) {
            auto made = read_rule(file.rules[i], out.receivers);
            if (!made) return made.error().with_context("rules[" + std::to_string(i) + "]");
            out.rules.push_back(std::move(*made));
        }
        return out;
    }

private:
    result<std::string> file_text(const std::string& name, std::string_view field) {
        if (name.empty()) return bad(std::string(field) + ": is missing; name a file that holds it");
        const std::string path = name.starts_with('/') ? name : directory_ + name;
        auto text = env_.read_file(path, most_secret_bytes);
        if (!text) return unreadable(text.error(), field);
        const auto end = text->find_last_not_of(" \t\r\n");
        if (end == std::string::npos) return bad(std::string(field) + ": " + path + " is empty");
        text->resize(end + 1);
        return text;
    }

    // Without the name: who writes the URL or the secret here by mistake must not read it in a log.
    static error unreadable(const error& failure, std::string_view field) {
        const std::string& text = failure.message();
        const auto colon = text.rfind(": ");
        const std::string why = failure == errc::too_large   ? "it is larger than 64 KiB"
                                : colon == std::string::npos ? "no reason given"
                                                             : text.substr(colon + 2);
        return bad(std::string(field) + ": the file that it names can't be read (" + why +
                   "); it must be the name of a file that holds the value, not the value");
    }

    // A file with one line, such as a secret.
    result<secret_string> secret(const std::string& name, std::string_view field) {
        auto text = file_text(name, field);
        if (!text) return text.error();
        if (text->find_first_of("\r\n") != std::string::npos) {
            return bad(std::string(field) + ": " + name + " has more than one line");
        }
        return secret_string(std::move(*text));
    }

    template <class Section>
    result<void> read_target(const Section& section, bool allow_http, http_target& out) {
        auto url = secret(section.url_file, "urlFile");
        if (!url) return url.error();
        const std::string_view text = url->reveal();
        const auto scheme = text.find("://");
        const auto path = scheme == std::string_view::npos ? scheme : text.find_first_of("/?#", scheme + 3);
        const auto server = kcontrol::http::parse_base_url(text.substr(0, path));
        std::string target(path == std::string_view::npos ? "/" : text.substr(path));
        if (target.starts_with('?')) target.insert(0, "/");
        // Not the parser's own message: it may repeat a part of the URL.
        if (!server || !kcontrol::http::is_valid_target(target) || target.find('#') != std::string::npos) {
            return bad("urlFile: " + section.url_file + " does not hold a URL such as https://host/path");
        }
        out.server = server->endpoint;
        if (out.server.scheme != "https" && !allow_http && !is_loopback(out.server.host)) {
            return bad("urlFile: " + section.url_file +
                       " holds a URL with http, which anybody on the way can read; use https" +
                       (offers_http<Section> ? ", or say allowHttp: true" : ""));
        }
        out.target = secret_string(std::move(target));
        if (section.ca_file.empty()) return {};
        auto ca = file_text(section.ca_file, "caFile");
        if (!ca) return ca.error();
        out.tls.ca_pem = std::move(*ca) + "\n";
        return {};
    }
    template <class Section>
    static constexpr bool offers_http = requires(Section s) {
        s.allow_http;
    };

    result<void> read_feishu(const feishu_section& section, receiver_config& out) {
        out.kind = receiver_kind::feishu;
        // At most 5 a second and 100 a minute, in any second and any minute: a full bucket and what flows in.
        out.queue.limit(3, 2).limit(1, 40);
        if (!section.secret_file.empty()) {
            auto key = secret(section.secret_file, "secretFile");
            if (!key) return key.error();
            out.http.secret = std::move(*key);
        }
        return read_target(section, false, out.http);
    }

    result<void> read_slack(const slack_section& section, receiver_config& out) {
        out.kind = receiver_kind::slack;
        return read_target(section, section.allow_http, out.http);
    }

    result<void> read_webhook(const webhook_section& section, receiver_config& out) {
        out.kind = receiver_kind::webhook;
        if (!section.secret_file.empty()) {
            auto key = secret(section.secret_file, "secretFile");
            if (!key) return key.error();
            out.http.secret = std::move(*key);
        }
        if (!section.token_file.empty()) {
            auto token = secret(section.token_file, "tokenFile");
            if (!token) return token.error();
            if (!kcontrol::http::is_valid_field("Authorization", token->reveal())) {
                return bad("tokenFile: " + section.token_file + " holds bytes that can't stand in a header");
            }
            out.http.token = std::move(*token);
        }
        auto done = read_target(section, section.allow_http, out.http);
        if (done && !out.http.token.empty() && out.http.server.scheme != "https" &&
            !is_loopback(out.http.server.host)) {
            return bad("tokenFile: a token is sent over https only; secretFile signs without being sent");
        }
        return done;
    }

    static result<void> read_command(const command_section& section, receiver_config& out) {
        out.kind = receiver_kind::command;
        if (section.arguments.empty() || !section.arguments.front().starts_with('/')) {
            return bad("arguments: the first one is the program and must be an absolute path; there is no shell");
        }
        for (const auto& argument : section.arguments) {
            if (argument.find('\0') != std::string::npos) return bad("arguments: one holds a NUL");
        }
        for (const auto& [name, value] : section.environment) {
            if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != std::string::npos ||
                value.find('\0') != std::string::npos) {
                return bad("environment: " + quoted(name) + " can't be the name of a variable, or its value holds NUL");
            }
        }
        out.arguments = section.arguments;
        out.environment = section.environment;
        return {};
    }

    static result<void> read_limits(const receiver_section& section, receiver_config& out) {
        if (section.timeout) {
            out.timeout = section.timeout->length();
            if (out.timeout < std::chrono::milliseconds(100) || out.timeout > std::chrono::minutes(5)) {
                return bad("timeout: " + to_string(*section.timeout) + " is not between 100ms and 5m");
            }
        }
        if (section.queue) {
            if (*section.queue < 1 || *section.queue > 100000) {
                return bad("queue: " + std::to_string(*section.queue) + " is not between 1 and 100000");
            }
            out.queue.capacity(static_cast<std::size_t>(*section.queue));
        }
        // What Slack allows; a program's start costs something; one's own webhook is one's own business.
        double per_second = out.kind == receiver_kind::webhook ? 50 : out.kind == receiver_kind::command ? 5 : 1;
        double burst = out.kind == receiver_kind::webhook ? 100 : 10;
        const bool own_rate = section.rate.has_value();
        if (own_rate) per_second = section.rate->per_second.value_or(per_second);
        if (own_rate) burst = section.rate->burst.value_or(std::max(burst, per_second));
        if (!(per_second >= 0.001 && per_second <= 10000 && burst >= 1 && burst <= 100000)) {
            return bad("rate: perSecond must be between 0.001 and 10000, and burst between 1 and 100000");
        }
        // A Feishu bot has limits that are not ours to change; a slower rate comes on top.
        if (own_rate || out.kind != receiver_kind::feishu) out.queue.limit(per_second, burst);
        if (!section.retry) return {};
        retry_policy retry;
        if (section.retry->attempts) {
            if (*section.retry->attempts < 1 || *section.retry->attempts > 1000) {
                return bad("retry.attempts: must be between 1 and 1000");
            }
            retry.attempts(static_cast<std::uint32_t>(*section.retry->attempts));
        }
        if (section.retry->max_age) {
            const auto age = section.retry->max_age->length();
            if (age < duration::zero() || age > std::chrono::hours(24)) {
                return bad("retry.maxAge: " + to_string(*section.retry->max_age) + " is not between 0s and 24h");
            }
            retry.max_age(age);
        }
        out.queue.retry(retry);
        return {};
    }

    result<receiver_config> receiver(const receiver_section& section, const std::vector<receiver_config>& others) {
        receiver_config out;
        if (!is_receiver_name(section.name)) {
            return bad("name: " + quoted(section.name) + " must be 1 to 63 letters, digits, '-', '_' or '.'");
        }
        out.name = section.name;
        for (const auto& other : others) {
            if (other.name == out.name) return bad("name: there are two receivers " + quoted(out.name));
        }
        const int kinds =
            (section.feishu ? 1 : 0) + (section.slack ? 1 : 0) + (section.webhook ? 1 : 0) + (section.command ? 1 : 0);
        if (kinds != 1) return bad(out.name + ": exactly one of feishu, slack, webhook, command must be there");
        const auto done = section.feishu    ? in("feishu", read_feishu(*section.feishu, out))
                          : section.slack   ? in("slack", read_slack(*section.slack, out))
                          : section.webhook ? in("webhook", read_webhook(*section.webhook, out))
                                            : in("command", read_command(*section.command, out));
        if (!done) return done.error();
        const auto limits = read_limits(section, out);
        if (!limits) return limits.error();
        if (section.text.empty()) {
            out.text = text_template::standard();
            return out;
        }
        auto text = text_template::parse(section.text);
        if (!text) return text.error().with_context("text");
        out.text = std::move(*text);
        return out;
    }

    static result<void> in(std::string_view section, result<void> done) {
        if (!done) return done.error().with_context(section);
        return done;
    }

    static result<std::vector<standing>> states(const std::vector<std::string>& names, std::string_view field,
                                                std::string_view absent) {
        std::vector<standing> out;
        for (const auto& name : names) {
            const auto state = parse_job_state(name);
            if (!state && name != absent) {
                std::string text = std::string(field) + ": " + quoted(name) + " is not one of " + std::string(absent);
                for (const auto each : job_state_names) text.append(", ").append(each);
                return bad(std::move(text));
            }
            out.push_back(state ? standing(*state) : standing());
        }
        return out;
    }

    static result<rule> read_rule(const rule_section& section, const std::vector<receiver_config>& receivers) {
        rule out;
        out.clusters = section.clusters;
        out.namespaces = section.namespaces;
        for (const auto& name : section.kinds) {
            const auto kind = find_kind(name);
            if (kind.empty()) return bad("kinds: " + quoted(name) + " is not one of PyTorchJob, MPIJob, TrainJob, Job");
            out.kinds.emplace_back(kind);
        }
        auto from = states(section.from, "from", new_state);
        if (!from) return from.error();
        auto to = states(section.to, "to", gone_state);
        if (!to) return to.error();
        out.from = std::move(*from);
        out.to = std::move(*to);
        auto labels = kcontrol::label_selector::parse(section.labels);
        if (!labels) return labels.error().with_context("labels");
        out.labels = std::move(*labels);
        for (const auto& name : section.receivers) {
            const auto found = std::find_if(receivers.begin(), receivers.end(),
                                            [&](const receiver_config& each) { return each.name == name; });
            if (found == receivers.end()) {
                std::vector<std::string> names;
                for (const auto& each : receivers) names.push_back(each.name);
                return bad("receivers: there is no receiver " + quoted(name) + "; there are " + list_of(names));
            }
            out.receivers.push_back(static_cast<std::size_t>(found - receivers.begin()));
        }
        if (section.silent != out.receivers.empty()) {
            return bad(section.silent
                           ? "silent: true and receivers exclude each other"
                           : "receivers: there is none; for a rule that keeps notices back say silent: true");
        }
        out.goes_on = section.goes_on;
        return out;
    }

    kcontrol::environment& env_;
    std::string directory_;
};

}  // namespace

std::string_view to_string(receiver_kind kind) noexcept {
    switch (kind) {
    case receiver_kind::feishu: return "feishu";
    case receiver_kind::slack: return "slack";
    case receiver_kind::webhook: return "webhook";
    case receiver_kind::command: return "command";
    }
    return "";
}

result<notice_config> load_config(kcontrol::environment& env, const std::string& path) {
    const auto text = env.read_file(path, most_file_bytes);
    if (!text) return text.error();
    const auto file = decode_file(*text);
    if (!file) return file.error().with_context(path);
    auto out = reader(env, path).read(*file);
    if (!out) return out.error().with_context(path);
    return out;
}

}  // namespace training_monitor::notices
