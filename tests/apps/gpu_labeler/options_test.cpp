#include "options.hpp"

#include <kcontrol/testing/sim_environment.hpp>

#include "service/live_settings.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>

using namespace gpu_labeler;
using namespace std::chrono_literals;

namespace {

struct machine {
    kcontrol::testing::sim_context context{1};
    kcontrol::testing::sim_environment env{context};

    options read(const std::vector<std::string_view>& arguments) {
        const auto o = parse_options(arguments, env);
        REQUIRE_MESSAGE(o.has_value(), o.error().message());
        return *o;
    }
    std::string refuse(const std::vector<std::string_view>& arguments) {
        const auto o = parse_options(arguments, env);
        REQUIRE(!o.has_value());
        return o.error().message();
    }
    options with_file(std::string text, std::vector<std::string_view> arguments = {}) {
        env.write_file("/c.yaml", std::move(text));
        arguments.insert(arguments.end(), {"--config", "/c.yaml", "--node-name=n"});
        return read(arguments);
    }
    std::string refuse_file(std::string text) {
        env.write_file("/c.yaml", std::move(text));
        return refuse({"--config=/c.yaml", "--node-name=n"});
    }
};

}  // namespace

TEST_CASE_FIXTURE(machine, "options: defaults") {
    const auto o = read({"--node-name", "n"});
    CHECK(o.schedule() == "@every 60s");
    CHECK(o.sample_interval() == 10s);
    CHECK(o.output() == label_output::node);
    CHECK(!o.listen().enabled);
    CHECK(o.log_format() == kcontrol::log_format::json);
    CHECK(o.log_level() == kcontrol::log_level::info);
    CHECK(o.keep_labels() == 5min);
    CHECK(o.resync_interval() == 10h);
    CHECK(!o.no_timestamp());
}

TEST_CASE_FIXTURE(machine, "options: every flag") {
    const auto o = read({"--once",
                         "--schedule=*/5 * * * *",
                         "--sample-interval",
                         "1s",
                         "--start-jitter=0s",
                         "--resync-interval",
                         "0s",
                         "--keep-labels=1m",
                         "--mig-strategy",
                         "mixed",
                         "--no-timestamp",
                         "--output",
                         "nodefeature",
                         "--features-file=/f",
                         "--node-name=gpu-1.example",
                         "--namespace",
                         "ns",
                         "--kubeconfig",
                         "/k",
                         "--context",
                         "c",
                         "--listen",
                         ":9400",
                         "--health-probe-bind-address=:8081",
                         "--max-connections",
                         "9",
                         "--hostname",
                         "h",
                         "--log-format",
                         "text",
                         "--log-level",
                         "debug",
                         "--nvml",
                         "/n.so",
                         "--nvml-timeout",
                         "1s500ms",
                         "--machine-type-file",
                         "/m",
                         "--sysfs",
                         "/s"});
    CHECK(o.once());
    CHECK(o.schedule() == "*/5 * * * *");
    CHECK(o.sample_interval() == 1s);
    CHECK(o.start_jitter() == 0s);
    CHECK(o.resync_interval() == 0s);
    CHECK(o.keep_labels() == 1min);
    CHECK(o.strategy() == mig_strategy::mixed);
    CHECK(o.no_timestamp());
    CHECK(o.output() == label_output::node_feature);
    CHECK(o.features_file() == "/f");
    CHECK(o.node_name() == "gpu-1.example");
    CHECK(o.in_namespace() == "ns");
    CHECK(o.kubeconfig() == "/k");
    CHECK(o.context() == "c");
    CHECK(o.listen().text() == ":9400");
    CHECK(o.health_probe_bind_address().text() == ":8081");
    CHECK(o.max_connections() == 9);
    CHECK(o.hostname() == "h");
    CHECK(o.log_format() == kcontrol::log_format::text);
    CHECK(o.log_level() == kcontrol::log_level::debug);
    CHECK(o.nvml() == "/n.so");
    CHECK(o.nvml_timeout() == 1500ms);
    CHECK(o.machine_type_file() == "/m");
    CHECK(o.sysfs() == "/s");
    CHECK(read({"--output=features.d"}).output() == label_output::file);
    CHECK(read({"--output=none"}).output() == label_output::none);
    CHECK(read({"--dry-run"}).dry_run());
    CHECK(read({"--cleanup", "--node-name=n"}).cleanup());
    CHECK(read({"-h"}).help());
    CHECK(read({"--version"}).version());
}

TEST_CASE_FIXTURE(machine, "options: what --help names is a flag, and every flag is named there") {
    const std::string help(help_text());
    for (const auto* name : {"--dry-run",
                             "--once",
                             "--cleanup",
                             "--config",
                             "--schedule",
                             "--sample-interval",
                             "--start-jitter",
                             "--resync-interval",
                             "--keep-labels",
                             "--mig-strategy",
                             "--no-timestamp",
                             "--output",
                             "--features-file",
                             "--node-name",
                             "--namespace",
                             "--kubeconfig",
                             "--context",
                             "--listen",
                             "--health-probe-bind-address",
                             "--max-connections",
                             "--hostname",
                             "--log-format",
                             "--log-level",
                             "--nvml",
                             "--nvml-timeout",
                             "--machine-type-file",
                             "--sysfs",
                             "--version",
                             "--help"}) {
        CAPTURE(name);
        CHECK(help.find(name) != help.npos);
    }
    for (std::size_t at = help.find("  --"); at != help.npos; at = help.find("  --", at + 1)) {
        const auto name = help.substr(at + 2, help.find_first_of(" ,", at + 2) - at - 2);
        CAPTURE(name);
        const auto outcome = parse_options({name}, env);
        CHECK((outcome.has_value() || outcome.error().message().find("unknown flag") == std::string::npos));
    }
}

TEST_CASE_FIXTURE(machine, "options: each default that --help names is what the program does without the flag") {
    struct row {
        std::string_view flag, value;
    };
    const row rows[] = {
        {"--schedule", "@every 60s"},
        {"--sample-interval", "10s"},
        {"--start-jitter", "10s"},
        {"--resync-interval", "10h"},
        {"--keep-labels", "5m"},
        {"--mig-strategy", "none"},
        {"--output", "node"},
        {"--features-file", "/etc/kubernetes/node-feature-discovery/features.d/kcontrol-gpu-labeler"},
        {"--listen", "0"},
        {"--health-probe-bind-address", "0"},
        {"--max-connections", "128"},
        {"--health-unknown-after", "2m"},
        {"--health-known-after", "30s"},
        {"--health-well-after", "5m"},
        {"--log-format", "json"},
        {"--log-level", "info"},
        {"--nvml-timeout", "5s"},
        {"--machine-type-file", "/sys/class/dmi/id/product_name"},
        {"--sysfs", "/sys"},
        {"--pod-resources-socket", "/var/lib/kubelet/pod-resources/kubelet.sock"},
    };
    std::string help;  // without white space, as long values are wrapped
    for (const char c : help_text()) {
        if (c != ' ' && c != '\n' && c != '"') help += c;
    }
    for (const auto& r : rows) {
        CAPTURE(r.flag);
        std::string said = "(default" + std::string(r.value);
        said.erase(std::remove(said.begin(), said.end(), ' '), said.end());
        const auto begin = help.find(r.flag);
        CHECK(help.find(said, begin) < help.find("(default", begin) + 1);
        const auto difference = change_settings(read({"--node-name=n"}), read({"--node-name=n", r.flag, r.value}));
        CHECK(difference.taken + difference.left == "");
    }
    std::size_t values = 0;  // and prose begins with a colon
    for (auto at = help.find("(default"); at != help.npos; at = help.find("(default", at + 1)) {
        if (help[at + std::string_view("(default").size()] != ':') ++values;
    }
    CHECK(values == std::size(rows));
}

TEST_CASE_FIXTURE(machine, "options: what is wrong is named") {
    CHECK(refuse({}).find("NODE_NAME") != std::string::npos);
    CHECK(refuse({"--nod-name=n"}) == "unknown flag \"--nod-name\"; did you mean --node-name?");
    CHECK(refuse({"--sample-interval=99ms"}) == "--sample-interval: \"99ms\" is too short; use 100ms or more");
    CHECK(refuse({"--sample-interval=0s"}).find("too short") != std::string::npos);
    CHECK(refuse({"--nvml-timeout=1ms"}).find("use 10ms or more") != std::string::npos);
    CHECK(refuse({"--keep-labels=-1s"}).find("is no time to wait") != std::string::npos);
    CHECK(refuse({"polish"}) == "no such command: \"polish\"; see gpu_labeler --help");
    CHECK(refuse({"--once=yes"}) == "--once takes no value");
    CHECK(refuse({"--output"}) == "--output needs a value; see gpu_labeler --help");
    CHECK(refuse({"--mig-strategy=all"}) == "--mig-strategy: \"all\" is not a strategy; use none, single or mixed");
    CHECK(refuse({"--keep-labels=-1s"}).starts_with("--keep-labels: "));
    CHECK(refuse({"--max-connections=0"}) == "--max-connections: \"0\" is not a number from 1 to 100000");
    CHECK(refuse({"--health-probe-bind-address=x:y"}).starts_with("--health-probe-bind-address: "));
    CHECK(refuse({"--health-unknown-after=soon"}).starts_with("--health-unknown-after: "));
    CHECK(refuse({"--nvml-timeout=0s"}).starts_with("--nvml-timeout: "));
    CHECK(refuse({"--node-name=A"}).starts_with("--node-name: \"A\" is no node's name: "));
    CHECK(refuse({"--namespace=a.b"}).starts_with("--namespace: \"a.b\" is no namespace's name: "));
    CHECK(refuse({"--schedule=@sometimes"}).starts_with("--schedule: "));
    CHECK(refuse({"--dry-run", "--once"}).find("exclude each other") != std::string::npos);
    CHECK(refuse({"--report-health", "--output=none"}).find("which node is this") != std::string::npos);
    CHECK(refuse({"--report-health", "--node-name=n", "--once"}).find("leave out --once and --dry-run") !=
          std::string::npos);
    CHECK(refuse({"--cleanup", "--output=none"}).starts_with("--cleanup: "));
    CHECK(refuse({"--node-name=n", "--tls-cert-file=/c"}).find("go together") != std::string::npos);
    CHECK(refuse({"--node-name=n", "--client-ca-file=/c"}).find("needs --tls-cert-file") != std::string::npos);
    CHECK(refuse({"--node-name=n", "--trusted-origin=https://a.example/b"}).starts_with("--trusted-origin: \"https"));
    CHECK(refuse({"--node-name=n", "--listen=:9400", "--token-file=/t"})
              .starts_with("--token-file: beyond loopback a token can be read on its way"));
    env.set_variable("NODE_NAME", "a/b");
    CHECK(refuse({"--once"}).starts_with("NODE_NAME: "));
}

TEST_CASE_FIXTURE(machine, "options: the command line wins over the file, and that over the environment") {
    env.set_variable("NODE_NAME", "of-environment");
    CHECK(read({}).node_name() == "of-environment");
    env.write_file("/c.yaml", "nodeName: of-file\nmigStrategy: single\n");
    CHECK(read({"--config=/c.yaml"}).node_name() == "of-file");
    CHECK(read({"--mig-strategy=mixed", "--node-name=of-flag", "--config=/c.yaml"}).node_name() == "of-flag");
    CHECK(read({"--mig-strategy=mixed", "--config=/c.yaml"}).strategy() == mig_strategy::mixed);
}

TEST_CASE_FIXTURE(machine, "configuration file: flags in camelCase") {
    const auto o =
        with_file("schedule: \"@hourly\"\nnoTimestamp: true\nlisten: 0\nlogLevel: warning\nstartJitter: 1m\n");
    CHECK(o.schedule() == "@hourly");
    CHECK(with_file("healthUnknownAfter: 30s\n").health_unknown_after() == 30s);
    CHECK(o.no_timestamp());
    CHECK(!o.listen().enabled);
    CHECK(o.log_level() == kcontrol::log_level::warning);
    CHECK(o.start_jitter() == 1min);
    CHECK(with_file("").schedule() == "@every 60s");
    CHECK(with_file("{}").schedule() == "@every 60s");
}

TEST_CASE_FIXTURE(machine, "options: who may read") {
    const auto near = read({"--node-name=n", "--listen=127.0.0.1:0", "--token-file=/t"}).access();
    CHECK(near.login());
    CHECK_FALSE(near.tls());
    const auto far =
        read({"--node-name=n", "--listen=:9400", "--token-file=/t", "--tls-cert-file=/c", "--tls-private-key-file=/k",
              "--client-ca-file=/a", "--trusted-origin=https://Portal.corp:443,http://x"})
            .access();
    CHECK(far.tls_cert_file() == "/c");
    CHECK(far.tls_key_file() == "/k");
    CHECK(far.client_ca_file() == "/a");
    CHECK(far.trusted_origins() == std::vector<std::string>{"https://portal.corp", "http://x"});
    CHECK_FALSE(read({"--node-name=n", "--listen=:9400"}).access().login());
    env.write_file("/c.yaml", "trustedOrigin: https://a.example\n");
    CHECK(
        read({"--node-name=n", "--config=/c.yaml", "--trusted-origin=https://b.example"}).access().trusted_origins() ==
        std::vector<std::string>{"https://b.example"});
}

TEST_CASE_FIXTURE(machine, "configuration file: that of the device plugin") {
    const auto o = with_file(R"(
version: v1
flags:
  migStrategy: mixed
  failOnInitError: true
  plugin: {passDeviceSpecs: false}
  gfd: {oneshot: false, noTimestamp: true, machineTypeFile: /m}
resources: {gpus: []}
sharing:
  timeSlicing:
    renameByDefault: false
    resources:
    - {name: nvidia.com/gpu, replicas: 10}
    - {name: nvidia.com/mig-1g.5gb, replicas: 2, rename: nvidia.com/small}
)");
    CHECK(o.strategy() == mig_strategy::mixed);
    CHECK(o.no_timestamp());
    CHECK(o.machine_type_file() == "/m");
    CHECK(o.shared().kind == sharing_kind::time_slicing);
    REQUIRE(o.shared().resources.size() == 2);
    CHECK(o.shared().resources.at("nvidia.com/gpu").replicas == 10);
    CHECK(!o.shared().resources.at("nvidia.com/gpu").renamed);
    CHECK(o.shared().resources.at("nvidia.com/mig-1g.5gb").renamed);
    const auto mps =
        with_file("sharing: {mps: {renameByDefault: true, resources: [{name: nvidia.com/gpu, replicas: 4}]}}");
    CHECK(mps.shared().kind == sharing_kind::mps);
    CHECK(mps.shared().resources.at("nvidia.com/gpu").renamed);
    CHECK(with_file("sharing: {}").shared().kind == sharing_kind::none);
}

TEST_CASE_FIXTURE(machine, "configuration file: what is wrong is named") {
    const struct {
        const char* text;
        const char* part;
    } rows[] = {
        {"shedule: x", "shedule: not a key of this file"},
        {"once: true", "once: not a key of this file"},
        {"config: /c.yaml", "config: not a key of this file"},
        {"migStrategy: all", "migStrategy: \"all\" is not a strategy"},
        {"noTimestamp: maybe", "noTimestamp: \"maybe\" is neither true nor false"},
        {"listen: [1]", "listen: one value is expected here"},
        {"listen:", "listen: one value is expected here"},
        {"[1]", "keys with values are expected"},
        {"a: 1\n---\na: 2", "one document is expected"},
        {"version: v2", "version: only v1 is known"},
        {"flags: {migStrategy: all}", "flags.migStrategy: \"all\""},
        {"sharing: {timeSlicing: {}, mps: {}}", "timeSlicing and mps exclude each other"},
        {"sharing: {timeSlicing: {}}", "sharing.timeSlicing.resources: a list is expected"},
        {"sharing: {mps: {resources: [{replicas: 2}]}}", "sharing.mps.resources[0].name: missing"},
        {"sharing: {mps: {resources: [{name: a, replicas: 1}]}}", "sharing.mps.resources[0].replicas: "},
        {"sharing: {mps: {resources: [{name: a, replicas: many}]}}", "sharing.mps.resources[0].replicas: "},
        {"sharing: {mps: {resources: [{name: a, replicas: 2}, {name: a, replicas: 3}]}}", "\"a\" is there twice"},
        {"a: [", "--config /c.yaml: "},
    };
    for (const auto& one : rows) {
        const auto& text = one.text;
        const auto& part = one.part;
        CAPTURE(text);
        const auto said = refuse_file(text);
        CAPTURE(said);
        CHECK(said.find(part) != std::string::npos);
    }
    CHECK(refuse({"--config=/none.yaml"}).starts_with("--config: "));
}
