// The file of --notify-config: who is notified, of what, how often. Read once, when the program starts.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/base/secret_string.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "jobs/link_template.hpp"
#include "notices/cluster_vigils.hpp"
#include "notices/grouping.hpp"
#include "notices/notice_queue.hpp"
#include "notices/rules.hpp"
#include "notices/text_template.hpp"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace training_monitor::notices {

enum class receiver_kind { feishu, slack, webhook, command, pagerduty, teams, smtp };

std::string_view to_string(receiver_kind kind) noexcept;

struct receiver_config;
/// Whether what it is told later of a matter stands with what it was told before: in a thread, or in one alert.
bool has_threads(const receiver_config& to) noexcept;

/// Where an HTTP receiver is and what it takes to be believed there. All of it is a credential: nothing of it is shown.
struct http_target {
    kcontrol::http::endpoint server;
    kcontrol::secret_string target;  ///< path and query
    kcontrol::secret_string secret;  ///< signs the body; empty: no signature
    kcontrol::secret_string
        token;                    ///< Authorization: Bearer; empty: none. Slack's: of an app, which posts to `channel`
    kcontrol::secret_string key;  ///< PagerDuty's routing key
    std::string channel;          ///< Slack's, with a token
    kcontrol::http::tls_options tls;
};

/// A mail server, and who writes to whom.
struct smtp_target {
    kcontrol::http::endpoint server;  ///< "tls", or "tcp" with or without STARTTLS
    bool starts_tls = true;
    kcontrol::secret_string user, password;  ///< an empty password: no login
    std::string from;
    std::vector<std::string> to;
    kcontrol::http::tls_options tls;
};

struct receiver_config {
    std::string name;
    receiver_kind kind = receiver_kind::webhook;
    http_target http;                                ///< but for commands and mail
    smtp_target smtp;                                ///< of mail
    std::vector<std::string> arguments;              ///< of commands, the program first
    std::map<std::string, std::string> environment;  ///< of commands
    text_template text;
    bool rich = false;                            ///< Slack's blocks, Feishu's card
    std::string mention_label;                    ///< whose value says who is mentioned; empty: nobody
    std::map<std::string, std::string> mentions;  ///< by value of the label, Slack's or Feishu's id
    bool own_text = false;                        ///< the file has `text`; else message.hpp says what is sent
    std::optional<group_options> group;           ///< nothing: each failure is a notice
    std::size_t log_lines = 5;                    ///< at the end of a failure's text, where logs may be shown
    kcontrol::duration timeout = std::chrono::seconds(10);
    queue_options queue;
    kcontrol::duration repeat_after{};  ///< a state told again within that time is summed up; zero: each is told
};

/// Of a receiver that says nothing of it.
inline constexpr auto default_repeat_after = std::chrono::minutes(10);

struct notice_config {
    std::vector<receiver_config> receivers;
    std::vector<rule> rules;
    std::vector<cluster_rule> cluster_rules;
    std::string
        external_url;  ///< where people find the page, without a '/' at its end; empty: notices have no link to it
    std::vector<link_template> links;  ///< the first that fits a job stands in its place then
};

/// Reads the file at `path` and the files it names; relative names are relative to it. docs/training_monitor/notices.md
/// has its fields.
/// Without `rules_needed` it may have no rules: receivers are tested before there are any.
/// Errors: invalid_config or file_failed; the message names the file, the places in it and what would be right, a line
/// for each mistake, and repeats no value of a credential's.
kcontrol::result<notice_config> load_config(kcontrol::environment& env, const std::string& path,
                                            bool rules_needed = true);

}  // namespace training_monitor::notices
