// The configuration as it stands in the file, field by field; config.cpp makes sense of it.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/values/api_duration.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor::notices {

/// Feishu and Lark custom bots.
struct feishu_section {
    std::string url_file, secret_file, ca_file;
    bool card = false;
    static constexpr auto kcontrol_fields() {
        using self = feishu_section;
        return kcontrol::fields(kcontrol::field("urlFile", &self::url_file),
                                kcontrol::field("secretFile", &self::secret_file),
                                kcontrol::field("caFile", &self::ca_file), kcontrol::field("card", &self::card));
    }
};

/// Slack's incoming webhooks and what takes the same: Mattermost, Rocket.Chat, Discord's /slack.
struct slack_section {
    std::string url_file, token_file, channel, ca_file;
    bool allow_http = false;
    bool blocks = false;
    static constexpr auto kcontrol_fields() {
        using self = slack_section;
        return kcontrol::fields(
            kcontrol::field("urlFile", &self::url_file), kcontrol::field("tokenFile", &self::token_file),
            kcontrol::field("channel", &self::channel), kcontrol::field("caFile", &self::ca_file),
            kcontrol::field("allowHttp", &self::allow_http), kcontrol::field("blocks", &self::blocks));
    }
};

struct webhook_section {
    std::string url_file, secret_file, token_file, ca_file;
    bool allow_http = false;
    static constexpr auto kcontrol_fields() {
        using self = webhook_section;
        return kcontrol::fields(
            kcontrol::field("urlFile", &self::url_file), kcontrol::field("secretFile", &self::secret_file),
            kcontrol::field("tokenFile", &self::token_file), kcontrol::field("caFile", &self::ca_file),
            kcontrol::field("allowHttp", &self::allow_http));
    }
};

/// PagerDuty's Events API v2.
struct pagerduty_section {
    std::string routing_key_file, url_file, ca_file;
    static constexpr auto kcontrol_fields() {
        using self = pagerduty_section;
        return kcontrol::fields(kcontrol::field("routingKeyFile", &self::routing_key_file),
                                kcontrol::field("urlFile", &self::url_file), kcontrol::field("caFile", &self::ca_file));
    }
};

/// Microsoft Teams, by a workflow that takes webhook requests.
struct teams_section {
    std::string url_file, ca_file;
    static constexpr auto kcontrol_fields() {
        using self = teams_section;
        return kcontrol::fields(kcontrol::field("urlFile", &self::url_file), kcontrol::field("caFile", &self::ca_file));
    }
};

/// A mail server.
struct smtp_section {
    std::string host, from, tls, username_file, password_file, ca_file;
    std::optional<std::int32_t> port;
    std::vector<std::string> to;
    static constexpr auto kcontrol_fields() {
        using self = smtp_section;
        return kcontrol::fields(kcontrol::field("host", &self::host), kcontrol::field("port", &self::port),
                                kcontrol::field("tls", &self::tls), kcontrol::field("from", &self::from),
                                kcontrol::field("to", &self::to), kcontrol::field("usernameFile", &self::username_file),
                                kcontrol::field("passwordFile", &self::password_file),
                                kcontrol::field("caFile", &self::ca_file));
    }
};

struct command_section {
    std::vector<std::string> arguments;
    std::map<std::string, std::string> environment;
    static constexpr auto kcontrol_fields() {
        using self = command_section;
        return kcontrol::fields(kcontrol::field("arguments", &self::arguments),
                                kcontrol::field("environment", &self::environment));
    }
};

struct rate_section {
    std::optional<double> per_second, burst;
    static constexpr auto kcontrol_fields() {
        using self = rate_section;
        return kcontrol::fields(kcontrol::field("perSecond", &self::per_second),
                                kcontrol::field("burst", &self::burst));
    }
};

struct retry_section {
    std::optional<std::int32_t> attempts;
    std::optional<kcontrol::api_duration> max_age;
    static constexpr auto kcontrol_fields() {
        using self = retry_section;
        return kcontrol::fields(kcontrol::field("attempts", &self::attempts),
                                kcontrol::field("maxAge", &self::max_age));
    }
};

struct mention_section {
    std::string label;
    std::map<std::string, std::string> ids;
    static constexpr auto kcontrol_fields() {
        using self = mention_section;
        return kcontrol::fields(kcontrol::field("label", &self::label), kcontrol::field("ids", &self::ids));
    }
};

struct group_section {
    std::optional<std::vector<std::string>> by;
    std::optional<kcontrol::api_duration> wait, more;
    static constexpr auto kcontrol_fields() {
        using self = group_section;
        return kcontrol::fields(kcontrol::field("by", &self::by), kcontrol::field("wait", &self::wait),
                                kcontrol::field("more", &self::more));
    }
};

struct receiver_section {
    std::string name;
    std::string preset;
    std::optional<feishu_section> feishu;
    std::optional<slack_section> slack;
    std::optional<webhook_section> webhook;
    std::optional<command_section> command;
    std::optional<pagerduty_section> pagerduty;
    std::optional<teams_section> teams;
    std::optional<smtp_section> smtp;
    std::string text;
    std::optional<group_section> group;
    std::optional<std::int32_t> log_lines;
    std::optional<mention_section> mention;
    std::optional<kcontrol::api_duration> timeout;
    std::optional<std::int32_t> queue;
    std::optional<rate_section> rate;
    std::optional<retry_section> retry;
    std::optional<kcontrol::api_duration> repeat_after;
    static constexpr auto kcontrol_fields() {
        using self = receiver_section;
        return kcontrol::fields(
            kcontrol::field("name", &self::name), kcontrol::field("feishu", &self::feishu),
            kcontrol::field("slack", &self::slack), kcontrol::field("webhook", &self::webhook),
            kcontrol::field("command", &self::command), kcontrol::field("text", &self::text),
            kcontrol::field("mention", &self::mention), kcontrol::field("timeout", &self::timeout),
            kcontrol::field("queue", &self::queue), kcontrol::field("rate", &self::rate),
            kcontrol::field("retry", &self::retry), kcontrol::field("repeatAfter", &self::repeat_after),
            kcontrol::field("preset", &self::preset), kcontrol::field("pagerduty", &self::pagerduty),
            kcontrol::field("teams", &self::teams), kcontrol::field("group", &self::group),
            kcontrol::field("logLines", &self::log_lines), kcontrol::field("smtp", &self::smtp));
    }
};

struct quiet_hours_section {
    std::string from, to, utc_offset;
    static constexpr auto kcontrol_fields() {
        using self = quiet_hours_section;
        return kcontrol::fields(kcontrol::field("from", &self::from), kcontrol::field("to", &self::to),
                                kcontrol::field("utcOffset", &self::utc_offset));
    }
};

struct restarts_section {
    std::optional<std::int32_t> count;
    std::optional<kcontrol::api_duration> within;
    static constexpr auto kcontrol_fields() {
        using self = restarts_section;
        return kcontrol::fields(kcontrol::field("count", &self::count), kcontrol::field("within", &self::within));
    }
};

struct rule_section {
    std::vector<std::string> clusters, namespaces, kinds, from, to, receivers;
    std::string labels;
    bool silent = false;
    bool goes_on = false;
    bool incomplete = false, gpus_idle = false;
    std::vector<std::string> blocked_by;
    std::optional<kcontrol::api_duration> lasting;
    std::optional<restarts_section> restarts;
    std::string level, runbook;
    std::optional<quiet_hours_section> quiet;
    static constexpr auto kcontrol_fields() {
        using self = rule_section;
        return kcontrol::fields(
            kcontrol::field("clusters", &self::clusters), kcontrol::field("namespaces", &self::namespaces),
            kcontrol::field("kinds", &self::kinds), kcontrol::field("from", &self::from),
            kcontrol::field("to", &self::to), kcontrol::field("receivers", &self::receivers),
            kcontrol::field("labels", &self::labels), kcontrol::field("silent", &self::silent),
            kcontrol::field("continue", &self::goes_on), kcontrol::field("for", &self::lasting),
            kcontrol::field("restarts", &self::restarts), kcontrol::field("incomplete", &self::incomplete),
            kcontrol::field("gpusIdle", &self::gpus_idle), kcontrol::field("blockedBy", &self::blocked_by),
            kcontrol::field("severity", &self::level), kcontrol::field("runbook", &self::runbook),
            kcontrol::field("quietHours", &self::quiet));
    }
};

struct cluster_rule_section {
    std::vector<std::string> clusters, receivers;
    std::optional<kcontrol::api_duration> lasting;
    std::string level, runbook;
    std::optional<quiet_hours_section> quiet;
    static constexpr auto kcontrol_fields() {
        using self = cluster_rule_section;
        return kcontrol::fields(kcontrol::field("clusters", &self::clusters),
                                kcontrol::field("receivers", &self::receivers), kcontrol::field("for", &self::lasting),
                                kcontrol::field("severity", &self::level), kcontrol::field("runbook", &self::runbook),
                                kcontrol::field("quietHours", &self::quiet));
    }
};

struct notice_file {
    std::vector<receiver_section> receivers;
    std::vector<rule_section> rules;
    std::vector<cluster_rule_section> cluster_rules;
    static constexpr auto kcontrol_fields() {
        using self = notice_file;
        return kcontrol::fields(kcontrol::field("receivers", &self::receivers), kcontrol::field("rules", &self::rules),
                                kcontrol::field("clusterRules", &self::cluster_rules));
    }
};

/// The most bytes that the file may have.
inline constexpr std::size_t most_config_bytes = std::size_t{1} << 20;

/// Reads the text of the file: one YAML document with known fields only.
/// Errors: invalid_config, naming the field. They repeat no value: it may be a secret in the wrong place.
kcontrol::result<notice_file> decode_config_file(std::string_view text);

}  // namespace training_monitor::notices
