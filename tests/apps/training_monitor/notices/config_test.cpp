#include "notices/config.hpp"

#include <kcontrol/testing/manual_environment.hpp>

#include "notices/formats.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;
using namespace training_monitor::notices;
using training_monitor::notices::job_condition;

namespace {

constexpr std::string_view secret_url = "https://hooks.example.com/services/T0PSECRET?key=T0PSECRET";

struct fixture {
    fixture() {
        env.files["/etc/m/url"] = std::string(secret_url) + "\n";
        env.files["/etc/m/key"] = "T0PSECRET-key\n";
        env.files["/etc/m/plain-url"] = "http://hooks.example.com/T0PSECRET";
        env.files["/etc/m/local-url"] = "http://127.0.0.1:9999/T0PSECRET";
        env.files["/etc/m/bad-url"] = "hooks.example.com/T0PSECRET";
        env.files["/etc/m/space-url"] = "https://hooks.example.com/T0PSECRET x";
        env.files["/etc/m/two-lines"] = "T0PSECRET\nT0PSECRET";
        env.files["/etc/m/empty"] = "\n";
    }
    kcontrol::result<notice_config> load(std::string_view text) {
        env.files["/etc/m/notify.yaml"] = text;
        return load_config(env, "/etc/m/notify.yaml");
    }
    std::string why(std::string_view text) {
        const auto loaded = load(text);
        REQUIRE_MESSAGE(!loaded.has_value(), text);
        CHECK(loaded.error().message().find("T0PSECRET") == std::string::npos);
        return loaded.error().message();
    }
    std::string why_receiver(std::string fields) {
        return why("receivers: [{name: r, " + fields + "}]\nrules: [{receivers: [r]}]\n");
    }
    std::string why_rule(std::string fields) {
        return why("receivers: [{name: r, slack: {urlFile: url}}]\nrules: [{" + fields + "}]\n");
    }
    kcontrol::testing::manual_environment env;
};

}  // namespace

TEST_CASE("a mail server") {
    fixture f;
    const auto read = [&](const std::string& fields) {
        const auto loaded = f.load("receivers: [{name: r, smtp: {host: mx, from: m@x.org, to: [a@x.org]" + fields +
                                   "}}]\nrules: [{receivers: [r]}]\n");
        REQUIRE_MESSAGE(loaded.has_value(), (loaded ? std::string() : loaded.error().what()));
        return loaded->receivers[0];
    };
    auto r = read(", usernameFile: key, passwordFile: key");
    CHECK(r.kind == receiver_kind::smtp);
    CHECK(has_threads(r));
    CHECK(r.group);
    CHECK(r.smtp.server == kcontrol::http::endpoint("tcp", "mx", 587));
    CHECK(r.smtp.starts_tls);
    CHECK(r.smtp.password.reveal() == "T0PSECRET-key");
    r = read(", tls: implicit");
    CHECK(r.smtp.server == kcontrol::http::endpoint("tls", "mx", 465));
    CHECK_FALSE(r.smtp.starts_tls);
    r = read(", tls: none, port: 2525");
    CHECK(r.smtp.server == kcontrol::http::endpoint("tcp", "mx", 2525));
    const auto why = [&](const std::string& fields) { return f.why_receiver("smtp: {" + fields + "}"); };
    const std::string whole = "host: mx, from: m@x.org, to: [a@x.org]";
    for (const auto& each : {std::pair<std::string, std::string>{"from: m@x.org, to: [a@x.org]", "host: it is"},
                             {"host: mx, to: [a@x.org]", "from: "},
                             {"host: mx, from: m@x.org", "to: 1 to 50"},
                             {"host: mx, from: m@x.org, to: ['a@x.org>']", "is no address"},
                             {"host: mx, from: 'm@x.org\\r', to: [a@x.org]", "is no address"},
                             {whole + ", tls: ssl", "tls: \"ssl\" is not one of"},
                             {whole + ", port: 0", "port: 0"},
                             {whole + ", usernameFile: key", "go together"},
                             {whole + ", tls: none, usernameFile: key, passwordFile: key", "over TLS only"}}) {
        const auto& [fields, part] = each;
        CAPTURE(each.first);
        CHECK(why(fields).find(part) != std::string::npos);
    }
    CHECK(f.why_receiver("smtp: {" + whole + "}, mention: {label: owner, ids: {a: b}}").find("mention: a mail") !=
          std::string::npos);
}

TEST_CASE("a configuration with everything") {
    fixture f;
    const auto loaded = f.load(R"(
receivers:
- name: oncall
  feishu: {urlFile: url, secretFile: /etc/m/key}
- name: team
  slack: {urlFile: url}
  text: "{{ .name }} {{ .state }}"
- name: audit
  webhook: {urlFile: local-url, secretFile: key, tokenFile: key}
  timeout: 2s
  queue: 50
  rate: {perSecond: 500, burst: 1000}
  retry: {attempts: 3, maxAge: 1m}
- name: pager
  command:
    arguments: [/usr/local/bin/page, --from, monitor]
    environment: {TEAM: nlp}
rules:
- namespaces: [test-*]
  silent: true
- clusters: [prod-*]
  kinds: [pytorchjob]
  from: [running, New]
  to: [Failed, gone]
  labels: team=nlp
  receivers: [oncall, pager]
  continue: true
- receivers: [audit]
)");
    REQUIRE_MESSAGE(loaded.has_value(), (loaded ? std::string() : loaded.error().message()));
    REQUIRE(loaded->receivers.size() == 4);
    const auto& oncall = loaded->receivers[0];
    CHECK(oncall.kind == receiver_kind::feishu);
    CHECK(oncall.http.server == kcontrol::http::endpoint("https", "hooks.example.com", 443));
    CHECK(oncall.http.target.reveal() == "/services/T0PSECRET?key=T0PSECRET");
    CHECK(oncall.http.secret.reveal() == "T0PSECRET-key");
    CHECK(oncall.queue.limits().size() == 2);
    const auto& audit = loaded->receivers[2];
    CHECK(audit.http.server.port == 9999);
    CHECK(audit.timeout == std::chrono::seconds(2));
    CHECK(audit.queue.capacity() == 50);
    CHECK(audit.queue.retry().attempts() == 3);
    CHECK(audit.queue.retry().max_age() == std::chrono::minutes(1));
    CHECK(loaded->receivers[3].arguments.size() == 3);
    CHECK(loaded->receivers[3].environment.at("TEAM") == "nlp");
    REQUIRE(loaded->rules.size() == 3);
    CHECK(loaded->rules[0].receivers.empty());
    CHECK(loaded->rules[1].receivers == std::vector<std::size_t>{0, 3});
    CHECK(loaded->rules[1].kinds == std::vector<std::string>{"PyTorchJob"});
    CHECK(loaded->rules[1].from == std::vector<standing>{job_state::running, standing()});
    CHECK(loaded->rules[1].to == std::vector<standing>{job_state::failed, standing()});
    CHECK(loaded->rules[1].goes_on);
}

TEST_CASE("every mistake is named with its place and a remedy, and no secret") {
    fixture f;
    const std::string file = "/etc/m/notify.yaml: ";
    CHECK(load_config(f.env, "/nowhere").error().message() == "can't open /nowhere: No such file or directory");
    CHECK(f.why("a: [").starts_with(file + "not YAML: "));
    CHECK(f.why("") == file + "one YAML document with receivers and rules is expected");
    CHECK(f.why("receivers: []\nrules: []") == file + "receivers: there is none; name at least one");
    CHECK(f.why("receivers: [{name: r, slack: {urlFile: url}}]") ==
          file + "rules: there is none, so nothing would ever be sent; write at least one, or preset: team");
    CHECK(f.why_receiver("slack: {url: '" + std::string(secret_url) + "'}") ==
          file + "unknown field receivers[0].slack.url; docs/training_monitor/notices.md lists the fields");
    CHECK(f.why("receivers: T0PSECRET").find("receivers") != std::string::npos);
    const std::string at = file + "receivers[0]: ";
    CHECK(f.why_receiver("queue: 5") ==
          at + "r: exactly one of feishu, slack, webhook, command, pagerduty, teams, smtp must be there");
    CHECK(f.why("receivers: [{name: 'a b', slack: {urlFile: url}}]\nrules: [{silent: true}]") ==
          at + "name: \"a b\" must be 1 to 63 letters, digits, '-', '_' or '.'");
    CHECK(f.why("receivers: [{name: r, slack: {urlFile: url}}, {name: r, slack: {urlFile: url}}]\nrules: [{silent: "
                "true}]") == file + "receivers[1]: name: there are two receivers \"r\"");
    CHECK(f.why_receiver("slack: {}") == at + "slack: urlFile: is missing; name a file that holds it");
    CHECK(f.why_receiver("slack: {urlFile: nowhere}") ==
          at + "slack: urlFile: the file that it names can't be read (No such file or directory); it must be the name "
               "of a file that holds the value, not the value");
    f.why_receiver("slack: {urlFile: '" + std::string(secret_url) + "'}");  // does not repeat it
    f.why_receiver("webhook: {urlFile: url, secretFile: T0PSECRET}");
    CHECK(f.why_receiver("slack: {urlFile: empty}") == at + "slack: urlFile: /etc/m/empty is empty");
    CHECK(f.why_receiver("slack: {urlFile: two-lines}") == at + "slack: urlFile: two-lines has more than one line");
    for (const auto* bad : {"bad-url", "space-url"}) {
        CHECK(f.why_receiver("slack: {urlFile: " + std::string(bad) + "}") ==
              at + "slack: urlFile: " + bad + " does not hold a URL such as https://host/path");
    }
    CHECK(f.why_receiver("feishu: {urlFile: plain-url}") ==
          at + "feishu: urlFile: plain-url holds a URL with http, which anybody on the way can read; use https");
    CHECK(f.why_receiver("webhook: {urlFile: plain-url}").ends_with("use https, or say allowHttp: true"));
    CHECK(f.why_receiver("webhook: {urlFile: plain-url, allowHttp: true, tokenFile: key}") ==
          at + "webhook: tokenFile: a token is sent over https only; secretFile signs without being sent");
    CHECK(f.why_receiver("command: {arguments: [page]}") ==
          at + "command: arguments: the first one is the program and must be an absolute path; there is no shell");
    CHECK(f.why_receiver("command: {arguments: [/bin/true], environment: {'A=B': c}}").find("\"A=B\"") !=
          std::string::npos);
    CHECK(f.why_receiver("slack: {urlFile: url}, timeout: 1h") == at + "timeout: 1h0m0s is not between 100ms and 5m");
    CHECK(f.why_receiver("slack: {urlFile: url}, queue: 0") == at + "queue: 0 is not between 1 and 100000");
    CHECK(f.why_receiver("slack: {urlFile: url}, rate: {perSecond: 0}").starts_with(at + "rate: perSecond must"));
    CHECK(f.why_receiver("slack: {urlFile: url}, retry: {attempts: 0}").starts_with(at + "retry.attempts: must"));
    CHECK(f.why_receiver("slack: {urlFile: url}, retry: {maxAge: 25h}").starts_with(at + "retry.maxAge: 25h0m0s"));
    CHECK(f.why_receiver("slack: {urlFile: url}, text: '{{ .x }}'").starts_with(at + "text: {{ .x }} is not a field"));
    CHECK(f.why_receiver("slack: {urlFile: url}, mention: {ids: {a: U1}}") ==
          at + "mention: label: it is missing; name the label of jobs, such as owner");
    CHECK(f.why_receiver("slack: {urlFile: url}, mention: {label: owner}")
              .starts_with(at + "mention: ids: there is none"));
    CHECK(f.why_receiver("slack: {urlFile: url}, mention: {label: owner, ids: {a: '<!here>'}}")
              .starts_with(at + "mention: ids: \"<!here>\" of \"a\" is no id, such as U012AB3CD of Slack"));
    const std::string rule = file + "rules[0]: ";
    CHECK(f.why_rule("receivers: [x]") == rule + "receivers: there is no receiver \"x\"; there are r");
    CHECK(f.why_rule("to: [Failed]") ==
          rule + "receivers: there is none; for a rule that keeps notices back say silent: true");
    CHECK(f.why_rule("silent: true, receivers: [r]") == rule + "silent: true and receivers exclude each other");
    CHECK(f.why_rule("to: [broken], receivers: [r]").starts_with(rule + "to: \"broken\" is not one of Gone, Unknown"));
    CHECK(f.why_rule("from: [Gone], receivers: [r]").starts_with(rule + "from: \"Gone\" is not one of New, Unknown"));
    CHECK(f.why_rule("kinds: [Pod], receivers: [r]").starts_with(rule + "kinds: \"Pod\" is not one of"));
    CHECK(f.why_rule("to: [Pending], for: 500ms, receivers: [r]") == rule + "for: 500ms is not from 1s to 720h");
    CHECK(f.why_rule("for: 30m, silent: true").starts_with(rule + "for: a silent rule has none"));
    CHECK(f.why_rule("for: 30m, continue: true, receivers: [r]").starts_with(rule + "for: such a rule never ends"));
    CHECK(f.why_rule("for: 30m, to: [Gone], receivers: [r]").starts_with(rule + "for: a job that is Gone stays so"));
    CHECK(f.why_rule("restarts: {count: 1, within: 1m}, receivers: [r]") ==
          rule + "restarts.count: give a number from 2 to 32");
    CHECK(f.why_rule("restarts: {count: 3}, receivers: [r]").starts_with(rule + "restarts.within: it is missing"));
    CHECK(f.why_rule("restarts: {count: 3, within: 10m}, to: [Failed], receivers: [r]") ==
          rule + "restarts: to must be [Restarting], or be left out");
    CHECK(f.why_rule("incomplete: true, receivers: [r]") ==
          rule + "incomplete: for is missing; give a time, such as 15m");
    CHECK(f.why_rule("gpusIdle: true, for: 15m, to: [Failed], receivers: [r]") ==
          rule + "gpusIdle: it is of jobs that run; leave out from and to");
    CHECK(f.why_rule("gpusIdle: true, incomplete: true, for: 15m, receivers: [r]") ==
          rule + "incomplete and gpusIdle exclude each other: write a rule for each");
    CHECK(f.why_receiver("slack: {urlFile: url}, repeatAfter: 25h") ==
          at + "repeatAfter: 25h0m0s is not between 0s and 24h");
    CHECK(f.why_rule("labels: 'a=b=c', receivers: [r]").starts_with(rule + "labels: "));
}

TEST_CASE("all mistakes are named at once, a line each") {
    fixture f;
    CHECK(f.why(R"(
receivers:
- {name: r, slack: {urlFile: empty}}
- {name: s, slack: {urlFile: url}, queue: 0}
- {name: t, slack: {urlFile: url}}
rules:
- {to: [broken], receivers: [r]}
- {receivers: [r, s, t]}
- {receivers: [u]}
)") == "/etc/m/notify.yaml: receivers[0]: slack: urlFile: /etc/m/empty is empty\n"
       "/etc/m/notify.yaml: receivers[1]: queue: 0 is not between 1 and 100000\n"
       "/etc/m/notify.yaml: rules[0]: to: \"broken\" is not one of Gone, Unknown, Created, Queued, Pending, Running, "
       "Restarting, Suspended, Succeeded, Failed\n"
       "/etc/m/notify.yaml: rules[2]: receivers: there is no receiver \"u\"; there are r, s, t");
}

TEST_CASE("blocks, cards and who is mentioned") {
    fixture f;
    const auto loaded = f.load(R"(
receivers:
- {name: r, slack: {urlFile: url, blocks: true}, mention: {label: owner, ids: {ann: U1, ops: ^S2}}}
- {name: s, feishu: {urlFile: url, card: true}}
- {name: t, slack: {urlFile: url}}
rules: [{receivers: [r, s, t]}]
)");
    REQUIRE_MESSAGE(loaded.has_value(), (loaded ? std::string() : loaded.error().message()));
    CHECK(loaded->receivers[0].rich);
    CHECK(loaded->receivers[0].mention_label == "owner");
    CHECK(loaded->receivers[0].mentions.at("ops") == "^S2");
    CHECK(loaded->receivers[1].rich);
    CHECK_FALSE(loaded->receivers[2].rich);
    CHECK(loaded->receivers[2].mention_label.empty());
}

TEST_CASE("rules about clusters") {
    fixture f;
    const auto loaded = f.load(R"(
receivers: [{name: r, slack: {urlFile: url}}]
clusterRules:
- {clusters: [prod-*], for: 5m, receivers: [r]}
)");
    REQUIRE_MESSAGE(loaded.has_value(), (loaded ? std::string() : loaded.error().message()));
    CHECK(loaded->rules.empty());
    REQUIRE(loaded->cluster_rules.size() == 1);
    CHECK(loaded->cluster_rules[0].clusters == std::vector<std::string>{"prod-*"});
    CHECK(loaded->cluster_rules[0].receivers == std::vector<std::size_t>{0});
    CHECK(loaded->cluster_rules[0].lasting == std::chrono::minutes(5));
    CHECK(f.why(R"(
receivers: [{name: r, slack: {urlFile: url}}]
clusterRules: [{receivers: [r]}, {for: 5m}, {for: 1ms, receivers: [r]}, {for: 5m, receivers: [x]}]
)") == "/etc/m/notify.yaml: clusterRules[0]: for: it is missing; give a time, such as 5m\n"
       "/etc/m/notify.yaml: clusterRules[1]: receivers: there is none; name whom to tell\n"
       "/etc/m/notify.yaml: clusterRules[2]: for: 1ms is not from 1s to 720h\n"
       "/etc/m/notify.yaml: clusterRules[3]: receivers: there is no receiver \"x\"; there are r");
}

TEST_CASE("rules about what lasts or repeats itself") {
    fixture f;
    const auto loaded = f.load(R"(
receivers:
- {name: r, slack: {urlFile: url}}
- {name: s, slack: {urlFile: url}, repeatAfter: 0s}
- {name: t, slack: {urlFile: url}, repeatAfter: 1h}
rules:
- {to: [Pending, Queued], for: 30m, receivers: [r]}
- {restarts: {count: 3, within: 10m}, receivers: [r]}
- {incomplete: true, for: 10m, receivers: [r]}
- {gpusIdle: true, to: [Running], for: 1h, receivers: [r]}
- {blockedBy: [crashLoop, HoldsGPUs], for: 1m, receivers: [r]}
)");
    REQUIRE_MESSAGE(loaded.has_value(), (loaded ? std::string() : loaded.error().message()));
    CHECK(loaded->rules[0].lasting == std::chrono::minutes(30));
    CHECK(loaded->rules[1].restarts == 3);
    CHECK(loaded->rules[1].restarts_within == std::chrono::minutes(10));
    CHECK(loaded->rules[1].to == std::vector<standing>{job_state::restarting});
    CHECK(loaded->rules[1].conditions.empty());
    CHECK(loaded->rules[2].conditions == std::vector{job_condition::incomplete});
    CHECK(loaded->rules[2].lasting == std::chrono::minutes(10));
    CHECK(loaded->rules[3].conditions == std::vector{job_condition::gpus_idle});
    CHECK(loaded->rules[4].conditions == std::vector{condition_of(training_monitor::trouble::crash_loop),
                                                     condition_of(training_monitor::trouble::holds_gpus)});
    CHECK(f.why_rule("blockedBy: [Quota], receivers: [r]")
              .ends_with("blockedBy: for is missing; give a time, such as 1m"));
    CHECK(f.why_rule("blockedBy: [Quota], for: 1m, to: [Pending], receivers: [r]")
              .ends_with("blockedBy: leave out from and to"));
    CHECK(f.why_rule("blockedBy: [Quota], gpusIdle: true, for: 1m, receivers: [r]")
              .ends_with("blockedBy excludes incomplete and gpusIdle: write a rule for each"));
    CHECK(f.why_rule("blockedBy: [Hunger], for: 1m, receivers: [r]")
              .ends_with("blockedBy: \"Hunger\" is not one of CrashLoop, ImagePull, Configuration, Volume, Quota, "
                         "LimitRange, Webhook, Unschedulable, HoldsGPUs"));
    CHECK(loaded->receivers[0].repeat_after == default_repeat_after);
    CHECK(loaded->receivers[1].repeat_after == kcontrol::duration::zero());
    CHECK(loaded->receivers[2].repeat_after == std::chrono::hours(1));
}

TEST_CASE("receivers can be tested before there is any rule") {
    fixture f;
    f.env.files["/etc/m/notify.yaml"] = "receivers: [{name: r, slack: {urlFile: url}}]";
    CHECK(load_config(f.env, "/etc/m/notify.yaml", false).has_value());
    CHECK_FALSE(load_config(f.env, "/etc/m/notify.yaml").has_value());
    CHECK(f.why("receivers: []") == "/etc/m/notify.yaml: receivers: there is none; name at least one");
}

TEST_CASE("receivers of services, groups, logs and presets") {
    fixture f;
    const auto loaded = f.load(R"(
receivers:
- {name: pager, pagerduty: {routingKeyFile: key}, preset: on-call}
- {name: teams, teams: {urlFile: url}, preset: team, group: {wait: 30s, more: 10m, by: [node, error]}}
- {name: app, slack: {tokenFile: key, channel: C012AB3CD}, preset: audit, group: {by: []}, logLines: 0}
- {name: hook, webhook: {urlFile: url}}
- {name: both, webhook: {urlFile: url}, group: {}}
)");
    REQUIRE_MESSAGE(loaded.has_value(), (loaded ? std::string() : loaded.error().message()));
    const auto& all = loaded->receivers;
    CHECK(all[0].http.server == kcontrol::http::endpoint("https", "events.pagerduty.com", 443));
    CHECK(all[0].http.target.reveal() == "/v2/enqueue");
    CHECK(all[0].http.key.reveal() == "T0PSECRET-key");
    REQUIRE(all[0].group);
    CHECK(all[0].group->wait == std::chrono::seconds(10));
    CHECK(all[0].group->by == training_monitor::cause_parts());
    CHECK(all[0].log_lines == 5);
    REQUIRE(all[1].group);
    CHECK(all[1].group->wait == std::chrono::seconds(30));
    CHECK(all[1].group->more == std::chrono::minutes(10));
    CHECK(all[1].group->by == training_monitor::cause_parts{false, true, false, true});
    CHECK(all[1].queue.limits().size() == 1);
    CHECK_FALSE(all[2].group);
    CHECK(all[2].log_lines == 0);
    CHECK(all[2].http.server == kcontrol::http::endpoint("https", "slack.com", 443));
    CHECK(all[2].http.target.reveal() == "/api/chat.postMessage");
    CHECK(all[2].http.channel == "C012AB3CD");
    CHECK_FALSE(all[3].group);
    CHECK(all[4].group);
    CHECK(has_threads(all[0]));
    CHECK_FALSE(has_threads(all[1]));
    CHECK(has_threads(all[2]));
    // The presets' rules: three of on-call, four of team, one of audit.
    REQUIRE(loaded->rules.size() == 8);
    CHECK(loaded->rules[0].receivers == std::vector<std::size_t>{0});
    CHECK(loaded->rules[0].to == std::vector<standing>{job_state::failed});
    CHECK(loaded->rules[0].goes_on);
    CHECK(loaded->rules[1].is_about(condition_of(training_monitor::trouble::crash_loop)));
    CHECK(loaded->rules[3].receivers == std::vector<std::size_t>{1});
    CHECK(loaded->rules[7].receivers == std::vector<std::size_t>{2});
    CHECK(loaded->rules[7].to.empty());
    CHECK(loaded->cluster_rules.size() == 2);
}

TEST_CASE("severity, runbook and quiet hours of rules") {
    fixture f;
    const auto loaded = f.load(R"(
receivers: [{name: r, slack: {urlFile: url}}]
rules:
- {severity: critical, runbook: "https://wiki.example.com/x?y=1", receivers: [r]}
clusterRules:
- {for: 5m, severity: warning, quietHours: {from: "22:00", to: "07:00", utcOffset: "+08:00"}, receivers: [r]}
)");
    REQUIRE_MESSAGE(loaded.has_value(), (loaded ? std::string() : loaded.error().message()));
    CHECK(loaded->rules[0].manner.level == severity::critical);
    CHECK(loaded->rules[0].manner.runbook == "https://wiki.example.com/x?y=1");
    CHECK_FALSE(loaded->rules[0].manner.quiet);
    CHECK(loaded->cluster_rules[0].manner.level == severity::warning);
    CHECK(loaded->cluster_rules[0].manner.quiet ==
          quiet_hours{std::chrono::hours(22), std::chrono::hours(7), std::chrono::hours(8)});
    CHECK(f.why_rule("severity: loud, receivers: [r]")
              .ends_with("severity: \"loud\" is not one of info, warning, error, critical"));
    for (const auto* url : {"wiki", "javascript:alert(1)", "'https://x|y'", "'https://x y'"}) {
        CHECK(f.why_rule("runbook: " + std::string(url) + ", receivers: [r]")
                  .ends_with(" is not a URL such as https://wiki.example.com/gpu-faults"));
    }
    CHECK(f.why_rule("quietHours: {from: x, to: '07:00'}, receivers: [r]")
              .ends_with("quietHours: from: \"x\" is not a time of the day, such as \"22:00\""));
    CHECK(f.why_receiver("slack: {urlFile: url}, group: {by: [job]}")
              .ends_with("group: by: \"job\" is not one of cluster, node, exitCode, error"));
    CHECK(
        f.why_receiver("slack: {urlFile: url}, group: {wait: 1ms}").ends_with("group: wait: 1ms is not from 1s to 1h"));
    CHECK(f.why_receiver("slack: {urlFile: url}, group: {more: 2h}").find("more: ") != std::string::npos);
    CHECK(f.why_receiver("slack: {urlFile: url}, logLines: 21").ends_with("logLines: 21 is not between 0 and 20"));
    CHECK(f.why_receiver("slack: {urlFile: url}, preset: night")
              .ends_with("preset: \"night\" is not one of on-call, team, audit"));
    CHECK(f.why_receiver("slack: {tokenFile: key}")
              .ends_with("channel: it is missing; an app needs the id of one, such as C012AB3CD"));
    CHECK(f.why_receiver("slack: {urlFile: url, channel: C1}")
              .ends_with("channel: it goes with tokenFile; a webhook has its own"));
}
