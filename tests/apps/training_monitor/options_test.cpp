#include "options.hpp"

#include <kcontrol/testing/manual_environment.hpp>

#include <doctest/doctest.h>

#include <set>

using namespace training_monitor;

namespace {

using arguments = std::vector<std::string_view>;

std::string refusal(const arguments& given) {
    const auto parsed = parse_options(given);
    REQUIRE_FALSE(parsed.has_value());
    CHECK(parsed.error() == kcontrol::errc::invalid_argument);
    return parsed.error().message();
}

}  // namespace

TEST_CASE("without flags the defaults are those of --help") {
    const auto o = parse_options({});
    REQUIRE(o.has_value());
    CHECK(o->kinds().size() == 4);
    CHECK(o->listen().text() == "127.0.0.1:8080");
    CHECK(o->output() == output_format::table);
    CHECK(o->log() == log_format::text);
    CHECK_FALSE(o->once());
}

// What the help text says about a flag, without line breaks.
std::string help_of(std::string_view flag) {
    const std::string help(all_help_text());
    const auto begin = help.find("\n  " + std::string(flag) + " ");
    REQUIRE(begin != help.npos);
    std::string out;
    const std::string one = help.substr(begin, help.find("\n  --", begin + 1) - begin);
    for (const char c : one) {
        if (c != '\n' && !(c == ' ' && out.ends_with(' '))) out += c;
    }
    return out;
}

std::string lower(std::string text) {
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
}

TEST_CASE("each default that --help names is what the program does without the flag") {
    struct row {
        std::string_view flag, value;
        const char* said;
        bool (*same)(const options& a, const options& b);
    };
    const row rows[] = {
        {"--kinds", "pytorchjob,mpijob,trainjob,job", "the first four",
         [](const options& a, const options& b) { return a.kinds() == b.kinds(); }},
        {"--shard-weight", "1", "1",
         [](const options& a, const options& b) { return a.fleet().shard_weight() == b.fleet().shard_weight(); }},
        {"--output", "table", "table", [](const options& a, const options& b) { return a.output() == b.output(); }},
        {"--listen", "127.0.0.1:8080", "127.0.0.1:8080",
         [](const options& a, const options& b) { return a.listen().text() == b.listen().text(); }},
        {"--log-format", "text", "text", [](const options& a, const options& b) { return a.log() == b.log(); }},
        {"--retain-for", "30d", "30d",
         [](const options& a, const options& b) { return a.state().retain_for() == b.state().retain_for(); }},
        {"--health-probe-bind-address", "0", "0",
         [](const options& a, const options& b) {
             return !a.serving().health_probe_bind_address().enabled &&
                    !b.serving().health_probe_bind_address().enabled;
         }},
        {"--max-connections", "512", "512",
         [](const options& a, const options& b) {
             return a.serving().max_connections() == b.serving().max_connections();
         }},
        {"--max-connections-per-address", "0", "0",
         [](const options& a, const options& b) {
             return a.serving().max_connections_per_address() == b.serving().max_connections_per_address();
         }},
        {"--max-event-streams", "256", "256",
         [](const options& a, const options& b) {
             return a.serving().max_event_streams() == b.serving().max_event_streams();
         }},
        {"--gpu-usage-interval", "30s", "30s",
         [](const options& a, const options& b) { return a.usage().interval() == b.usage().interval(); }},
        {"--labeler-namespace", "gpu-labeler", "gpu-labeler",
         [](const options& a, const options& b) {
             return a.usage().labeler_namespace() == b.usage().labeler_namespace();
         }},
        {"--labeler-selector", "app.kubernetes.io/name=gpu-labeler", "app.kubernetes.io/name=gpu-labeler",
         [](const options& a, const options& b) {
             return a.usage().labeler_selector() == b.usage().labeler_selector();
         }},
        {"--labeler-port", "9400", "9400",
         [](const options& a, const options& b) { return a.usage().labeler_port() == b.usage().labeler_port(); }},
        {"--retain-size", "1GiB", "1GiB",
         [](const options& a, const options& b) { return a.state().retain_size() == b.state().retain_size(); }},
    };
    for (const auto& r : rows) {
        CAPTURE(r.flag);
        CHECK(help_of(r.flag).find("(default: " + std::string(r.said)) != std::string::npos);
        const bool of_usage = r.flag.starts_with("--gpu-usage-") || r.flag.starts_with("--labeler-");
        auto all = arguments{r.flag, r.value};
        if (of_usage) all.emplace_back("--gpu-usage");
        const auto given = parse_options(all);
        REQUIRE(given.has_value());
        CHECK(r.same(*given, *parse_options({})));
    }
}

TEST_CASE("links and acknowledgements") {
    const auto o = parse_options({"--link", "a=https://h/{name}", "--link=job/b=http://h"});
    REQUIRE(o.has_value());
    REQUIRE(o->links().size() == 2);
    CHECK(o->links()[1].name() == "b");
    const auto link = parse_options({"--link", "x=javascript:1"});
    CHECK(link.error().message().starts_with("--link: \"x=javascript:1\": a URL with http or https"));
    CHECK_FALSE(parse_options({"--acknowledgements"}));
    CHECK_FALSE(parse_options({"--acknowledgements", "--state", "s"}));
    CHECK(parse_options({"--acknowledgements", "--token-file", "t"}).error().message().find("needs --state") !=
          std::string::npos);
    CHECK(parse_options({"--acknowledgements", "--state", "s", "--token-file", "t"})->acknowledgements());
}

TEST_CASE("values come after a space or an equals sign, and some flags again and again") {
    const auto o = parse_options({"--kubeconfig", "a/config", "--context=one", "--context", "two", "--namespace=x,y",
                                  "--namespace", "x", "--kinds", "MPIJobs,job", "--listen=[::1]:9000", "--output=wide",
                                  "--log-format", "json", "--once"});
    REQUIRE(o.has_value());
    CHECK(o->kubeconfig() == "a/config");
    CHECK(o->contexts() == std::vector<std::string>{"one", "two"});
    CHECK(o->namespaces() == std::vector<std::string>{"x", "y"});
    CHECK(o->kinds() == std::vector<std::string>{"MPIJob", "Job"});
    CHECK(o->listen().host == "::1");
    CHECK(o->listen().port == 9000);
    CHECK(o->output() == output_format::wide);
    CHECK(o->log() == log_format::json);
    CHECK(o->once());
    const auto limits = parse_options({"--health-probe-bind-address=:8081", "--max-connections=9",
                                       "--max-event-streams", "8", "--max-connections-per-address", "3"});
    REQUIRE(limits.has_value());
    CHECK(limits->serving().health_probe_bind_address().text() == ":8081");
    CHECK(limits->serving().max_connections() == 9);
    CHECK(limits->serving().max_connections_per_address() == 3);
    CHECK(limits->serving().max_event_streams() == 8);
    const auto fleet = parse_options({"--shard-group=monitoring/jobs", "--shard-weight=3", "--home-kubeconfig", "h",
                                      "--cluster-rate-limit", "50", "--cluster-max-concurrent-requests=8",
                                      "--cluster-max-consecutive-failures=5", "--cluster-max-objects=200000"});
    REQUIRE(fleet.has_value());
    CHECK(to_string(fleet->fleet().shard_group()) == "monitoring/jobs");
    CHECK(fleet->fleet().shard_weight() == 3);
    CHECK(fleet->fleet().rate_limit() == 50);
    CHECK(fleet->fleet().max_concurrent_requests() == 8);
    CHECK(fleet->fleet().max_consecutive_failures() == 5);
    CHECK(fleet->fleet().max_objects() == 200'000);
    const auto usage = parse_options({"--labeler-namespace=gpus", "--labeler-selector", "app=labeler", "--gpu-usage",
                                      "--labeler-port=80", "--gpu-usage-interval=1m"});
    REQUIRE(usage.has_value());
    CHECK(usage->usage().on());
    CHECK(usage->usage().labeler_namespace() == "gpus");
    CHECK(usage->usage().labeler_selector() == "app=labeler");
    CHECK(usage->usage().labeler_port() == 80);
    CHECK(usage->usage().interval() == std::chrono::minutes(1));
}

TEST_CASE("wrong usage is refused with the flag, the value and the remedy") {
    struct row {
        arguments given;
        const char* message;
    };
    const row rows[] = {
        {{"--cluster", "x"}, R"(unknown flag "--cluster"; did you mean --clusters?)"},
        {{"--ouput=json"}, R"(unknown flag "--ouput"; did you mean --output?)"},
        {{"--frobnicate"}, R"(unknown flag "--frobnicate"; see --help)"},
        {{"\x1b[31m"}, R"(unexpected argument "\x1b[31m"; this program takes flags only, see --help)"},
        {{"--clusters"}, "--clusters needs a value; see --help"},
        {{"--clusters="}, "--clusters needs a value; see --help"},
        {{"--once=yes"}, "--once takes no value"},
        {{"--kinds", "pods"},
         R"(--kinds: "pods" is not a kind this program knows; use all, or a list of PyTorchJob, MPIJob, TrainJob, TrainingJob, Job, )"
         "TFJob, XGBoostJob, PaddleJob, JAXJob, JobSet, RayJob, RayCluster, LeaderWorkerSet; --kind-rules FILE adds "
         "others"},
        {{"--kinds", "job,"},
         R"(--kinds: "" is not a kind this program knows; use all, or a list of PyTorchJob, MPIJob, TrainJob, TrainingJob, Job, )"
         "TFJob, XGBoostJob, PaddleJob, JAXJob, JobSet, RayJob, RayCluster, LeaderWorkerSet; --kind-rules FILE adds "
         "others"},
        {{"--namespace", "A_b"},
         R"(--namespace: "A_b" is not the name of a namespace (lower case letters, digits and '-'))"},
        {{"--output", "yaml"}, R"(--output: "yaml" is not one of table, wide, json, none)"},
        {{"--log-format", "xml"}, R"(--log-format: "xml" is not one of text, json)"},
        {{"--clusters", "a", "--kubeconfig", "b"}, "--clusters and --kubeconfig exclude each other: give one"},
        {{"--context", "a", "--demo"},
         "--context chooses from one kubeconfig: leave out --clusters, --clusters-from-secrets and --demo, and give "
         "--kubeconfig FILE beside --state"},
        {{"--context", "a", "--state", "s"},
         "--context chooses from one kubeconfig: leave out --clusters, --clusters-from-secrets and --demo, and give "
         "--kubeconfig FILE beside --state"},
        {{"--state", "s", "--once"}, "--state is for a monitor that goes on: leave out --once and --demo"},
        {{"--key-file", "k"}, "--key-file needs --state FILE"},
        {{"--retain-for", "5"}, R"(--retain-for: "5": give a time such as 30d, 12h, 90m or 45s, at most 36500d)"},
        {{"--retain-size", "5"},
         R"(--retain-size: "5": give a size such as 500MiB or 1GiB, at least 1MiB and at most 1024TiB)"},
        {{"--clusters-from-secrets", "n", "--demo"},
         "--clusters-from-secrets excludes --clusters, --kubeconfig and --demo: give one"},
        {{"--clusters-from-secrets", "n", "--once"},
         "--clusters-from-secrets is for a monitor that goes on: leave out --once"},
        {{"--home-kubeconfig", "f"},
         "--home-kubeconfig needs --clusters-from-secrets NAMESPACE or --shard-group NAMESPACE/NAME"},
        {{"--shard-group", "jobs"},
         R"(--shard-group: "jobs" is not NAMESPACE/NAME, each of lower case letters, digits and '-', such as monitoring/jobs)"},
        {{"--shard-group", "a/B"},
         R"(--shard-group: "a/B" is not NAMESPACE/NAME, each of lower case letters, digits and '-', such as monitoring/jobs)"},
        {{"--shard-group", "a/b", "--once"},
         "--shard-group is for a monitor that goes on and watches clusters: leave out --once and --demo"},
        {{"--shard-weight", "2"}, "--shard-weight needs --shard-group"},
        {{"--shard-weight", "1001"}, R"(--shard-weight: "1001" is not a number from 1 to 1000)"},
        {{"--cluster-rate-limit", "0"}, R"(--cluster-rate-limit: "0" is not a number from 1 to 100000)"},
        {{"--cluster-max-concurrent-requests", "x"},
         R"(--cluster-max-concurrent-requests: "x" is not a number from 1 to 10000)"},
        {{"--cluster-max-consecutive-failures", "1001"},
         R"(--cluster-max-consecutive-failures: "1001" is not a number from 1 to 1000)"},
        {{"--cluster-max-objects", "-1"}, R"(--cluster-max-objects: "-1" is not a number from 1 to 1000000000)"},
        {{"--test-notify"}, "--test-notify needs --notify-config FILE"},
        {{"--once", "--notify-config", "n"},
         "--once prints what is there and ends; --notify-config is for a program that keeps watching"},
        {{"--notify-config="}, "--notify-config needs a value; see --help"},
        {{"--notify-config", "n", "--test-notify="}, "--test-notify needs a value; see --help"},
        {{"--max-connections", "many"}, R"(--max-connections: "many" is not a number from 2 to 1000000)"},
        {{"--max-connections", "1"}, R"(--max-connections: "1" is not a number from 2 to 1000000)"},
        {{"--max-event-streams", "0"}, R"(--max-event-streams: "0" is not a number from 1 to 1000000)"},
        {{"--max-connections-per-address", "-1"},
         R"(--max-connections-per-address: "-1" is not a number from 0 to 1000000)"},
        {{"--max-connections", "256"},
         "--max-event-streams 256 must be less than --max-connections 256, so that there are some left for other "
         "requests"},
        {{"--labeler-port", "9401", "--no-gpu-usage"}, "--gpu-usage-interval and --labeler-... exclude --no-gpu-usage"},
        {{"--gpu-usage", "--once"}, "--gpu-usage is for a monitor that goes on: leave out --once"},
        {{"--gpu-usage", "--labeler-port", "0"}, R"(--labeler-port: "0" is not a port, a number from 1 to 65535)"},
        {{"--gpu-usage", "--labeler-port=65536"}, R"(--labeler-port: "65536" is not a port, a number from 1 to 65535)"},
        {{"--gpu-usage", "--gpu-usage-interval=1s"},
         R"(--gpu-usage-interval: "1s" is not a time from 5s to 1h, such as 30s)"},
        {{"--gpu-usage", "--labeler-namespace=A"},
         R"(--labeler-namespace: "A" is not the name of a namespace (lower case letters, digits and '-'))"},
        {{"--gpu-usage", "--labeler-selector=a=b=c"},
         R"(--labeler-selector: "a=b=c" is not a selector of labels, such as app.kubernetes.io/name=gpu-labeler)"},
        {{"--demo", "--clusters", "a"}, "--demo brings its own clusters: leave out --clusters and --kubeconfig"},
    };
    for (const auto& [given, message] : rows) CHECK(refusal(given) == message);
    CHECK(refusal({"--listen", "nowhere:x"}).starts_with("--listen: "));
    CHECK(refusal({"--health-probe-bind-address", "nowhere:x"}).starts_with("--health-probe-bind-address: "));
}

TEST_CASE("--kinds all names every kind there is, each once") {
    const auto o = parse_options({"--kinds", "jobset,all", "--kind-rules", "more.yaml"});
    REQUIRE(o.has_value());
    CHECK(o->kinds().size() == 13);
    CHECK(o->kinds().front() == "JobSet");
    CHECK(o->kind_rules() == "more.yaml");
    for (const auto& kind : o->kinds()) CHECK(help_of("--kinds").find(lower(kind)) != std::string::npos);
}

TEST_CASE("--test-notify may name a receiver") {
    for (const auto& given :
         {arguments{"--notify-config=n", "--test-notify"}, arguments{"--test-notify", "--notify-config", "n"}}) {
        const auto o = parse_options(given);
        REQUIRE(o.has_value());
        CHECK(o->test_notify() == "");
        CHECK(o->notify_config() == "n");
    }
    CHECK(parse_options({"--notify-config=n", "--test-notify", "team"})->test_notify() == "team");
    CHECK(parse_options({"--notify-config=n", "--test-notify=team"})->test_notify() == "team");
    CHECK_FALSE(parse_options({"--notify-config=n"})->test_notify().has_value());
}

TEST_CASE("--external-url is where the page is, without a slash at its end") {
    CHECK(parse_options({"--external-url=https://m.example.com/base//"})->external_url() ==
          "https://m.example.com/base");
    for (const char* bad :
         {"m.example.com", "ftp://m", "https://m/?a", "https://m/#a", "https://<m>", "https://a:b@m"}) {
        CAPTURE(bad);
        CHECK(refusal({"--external-url", bad}).starts_with("--external-url: "));
    }
}

TEST_CASE("--help has the flags that most people need, each of which --help-all has, too") {
    std::set<std::string> named;
    const std::string help(help_text());
    for (std::size_t at = help.find("\n  --"); at != help.npos; at = help.find("\n  --", at + 1)) {
        for (std::size_t flag = at; flag < help.find('\n', at + 1); flag = help.find(" --", flag + 1)) {
            if (flag == help.npos) break;
            const auto begin = help.find("--", flag), end = help.find_first_of(" ,;\n", begin);
            named.insert(help.substr(begin, end - begin));
        }
    }
    named.erase("--version");
    named.erase("--help");
    named.erase("--help-all");
    CHECK(named.size() == 15);
    for (const auto& flag : named) {
        CAPTURE(flag);
        CHECK(all_help_text().find(flag + " ") != std::string_view::npos);
    }
    for (std::string_view rest = help; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
        CHECK(rest.find('\n') <= 120);
    }
    CHECK(parse_options({"--help-all", "--labeler-port=1", "--no-gpu-usage"})->help_all());
}

TEST_CASE("logs, YAML and GPU usage are on unless a flag turns them off") {
    const auto o = parse_options({});
    CHECK((o->logs() && o->yaml() && o->usage().on() && !o->usage().is_asked_for()));
    const auto off = parse_options({"--no-logs", "--no-yaml", "--no-gpu-usage"});
    CHECK_FALSE((off->logs() || off->yaml() || off->usage().on()));
    CHECK(parse_options({"--no-logs", "--logs"})->logs());
    CHECK_FALSE(parse_options({})->logs_in_messages());
    CHECK(parse_options({"--logs"})->logs_in_messages());
    CHECK_FALSE(parse_options({"--logs", "--no-logs"})->logs_in_messages());
    CHECK(parse_options({"--gpu-usage"})->usage().is_asked_for());
    // Where nothing goes on, nothing is measured.
    CHECK_FALSE(parse_options({"--once"})->usage().on());
    CHECK(parse_options({"--demo"})->usage().on());
}

TEST_CASE("the file of --config has the flags as keys, and the command line wins") {
    kcontrol::testing::manual_environment env;
    const auto read = [&](const std::string& text, arguments more = {}) {
        env.files["/m.yaml"] = text;
        more.emplace_back("--config=/m.yaml");
        return parse_options(more, &env);
    };
    const std::string all =
        "listen: 127.0.0.1:9000\nkubeconfig: a/config\ncontext: [one, two]\nlogs: false\n"
        "noYaml: true\noutput: wide\nmaxConnections: 400\nlabelerPort: 9401\n";
    const auto o = read(all);
    REQUIRE(o.has_value());
    CHECK(o->listen().port == 9000);
    CHECK(o->contexts() == std::vector<std::string>{"one", "two"});
    CHECK_FALSE((o->logs() || o->yaml()));
    CHECK(o->serving().max_connections() == 400);
    CHECK(o->usage().labeler_port() == 9401);
    const auto over = read(all, {"--listen=127.0.0.1:1", "--context=three", "--logs"});
    REQUIRE(over.has_value());
    CHECK(over->listen().port == 1);
    CHECK(over->contexts() == std::vector<std::string>{"three"});
    CHECK((over->logs() && over->output() == output_format::wide));
    CHECK(read("").has_value());
    const std::pair<const char*, const char*> refused[] = {
        {"lisen: x", R"(--config: /m.yaml: lisen: unknown flag "--lisen"; did you mean --listen?)"},
        {"output: xml", R"(--config: /m.yaml: output: --output: "xml" is not one of table, wide, json, none)"},
        {"listen: {a: b}", "--config: /m.yaml: listen: one value, or a list of them, is expected here"},
        {"config: b", "--config: /m.yaml: config: a file can't name another one"},
        {"- a", "--config: /m.yaml: keys with values are expected, such as `listen: 127.0.0.1:8080`"},
        {"a: b\n---\na: b", "--config: /m.yaml: one document is expected, and there are several"},
    };
    for (const auto& [text, message] : refused) {
        const auto bad = read(text);
        REQUIRE_FALSE(bad.has_value());
        CHECK(bad.error().message() == message);
    }
    CHECK_FALSE(parse_options({"--config=/none"}, &env).has_value());
}

TEST_CASE("--help-all names every flag") {
    for (const char* flag :
         {"--clusters",     "--kubeconfig",       "--context",    "--namespace", "--kinds",       "--kind-rules",
          "--gpu-usage",    "--labeler-selector", "--listen",     "--output",    "--once",        "--notify-config",
          "--external-url", "--test-notify",      "--log-format", "--demo",      "--version",     "--help",
          "--help-all",     "--config",           "--no-logs",    "--no-yaml",   "--no-gpu-usage"}) {
        CAPTURE(flag);
        CHECK(all_help_text().find(flag) != std::string_view::npos);
    }
    CHECK(parse_options({"-h"})->help());
    CHECK(parse_options({"--version", "--context", "a"})->version());
}

TEST_CASE("beyond loopback, TLS and a login are asked for, or a word that they are not wanted") {
    for (const char* listen : {":8080", "0.0.0.0:8080", "10.1.2.3:8080", "[::]:8080"}) {
        CAPTURE(listen);
        const auto why = refusal({"--listen", listen});
        CHECK(why.find("--tls-cert-file") != std::string::npos);
        CHECK(why.find("--token-file") != std::string::npos);
        CHECK(why.find("--insecure-listen") != std::string::npos);
        refusal({"--listen", listen, "--tls-cert-file=c", "--tls-private-key-file=k"});
        refusal({"--listen", listen, "--token-file=t"});
        CHECK(parse_options({"--listen", listen, "--tls-cert-file=c", "--tls-private-key-file=k", "--token-file=t"}));
        CHECK(
            parse_options({"--listen", listen, "--tls-cert-file=c", "--tls-private-key-file=k", "--client-ca-file=a"}));
        CHECK(parse_options({"--listen", listen, "--insecure-listen"}));
        CHECK(parse_options({"--listen", listen, "--once"}));
    }
    CHECK(parse_options({"--listen", "127.0.0.1:1", "--token-file=t"}));
    CHECK(refusal({"--tls-cert-file=c"}) == "--tls-cert-file and --tls-private-key-file go together: give both");
    CHECK(refusal({"--client-ca-file=c"}).find("--client-ca-file needs --tls-cert-file") == 0);
    CHECK(parse_options({"--trusted-origin", "https://Portal.corp:443"})->access().trusted_origins().at(0) ==
          "https://portal.corp");
    CHECK(refusal({"--trusted-origin", "portal.corp"}).find("https://HOST") != std::string::npos);
}

TEST_CASE("where clusters come from is said in words, with the flag") {
    const auto text = [](std::vector<std::string_view> arguments) {
        const auto o = parse_options(arguments);
        REQUIRE(o);
        return source_text(*o);
    };
    CHECK(text({"--clusters", "/c"}) == "the directory /c (--clusters)");
    CHECK(text({"--kubeconfig", "k"}) == "the file k (--kubeconfig)");
    CHECK(text({"--clusters-from-secrets", "fleet"}) ==
          "the namespace fleet of the home cluster (--clusters-from-secrets)");
    CHECK(text({"--state", "s.db"}) == "the state file s.db (--state)");
    CHECK(text({"--state", "s.db", "--clusters", "/c"}) == "the directory /c (--clusters)");
    CHECK(text({}) == "the kubeconfig ($KUBECONFIG or ~/.kube/config)");
}
