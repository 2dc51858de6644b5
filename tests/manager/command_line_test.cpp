// The command line of run(), and where it looks for a cluster.
#include <kcontrol/manager/find_config.hpp>
#include <kcontrol/manager/run.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include "support/throws.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace kcontrol;
using kcontrol::testing::manual_environment;

namespace {

std::string message_of(const std::vector<std::string>& arguments) {
    const auto parsed = command_line::parse(arguments);
    return parsed ? "" : parsed.error().message();
}

std::string kubeconfig_for(const std::string& host) {
    return "apiVersion: v1\nkind: Config\ncurrent-context: a\n"
           "clusters: [{name: c, cluster: {server: 'https://" +
           host +
           ":6443'}}]\n"
           "users: [{name: u, user: {}}]\n"
           "contexts: [{name: a, context: {cluster: c, user: u}}]\n";
}

}  // namespace

TEST_CASE("flags with their values, in both forms") {
    const auto parsed =
        command_line::parse({"--kubeconfig", "/k", "--context=c=d", "--namespace", "ns", "--listen=:8080",
                             "--health-probe-bind-address", ":8081", "--log-level", "debug", "--ready-when=live"});
    REQUIRE(parsed.has_value());
    CHECK(parsed->kubeconfig == "/k");
    CHECK(parsed->context == "c=d");
    CHECK(parsed->namespace_ == "ns");
    CHECK(parsed->listen == ":8080");
    CHECK(parsed->health_probe_bind_address == ":8081");
    CHECK(parsed->levels.text() == "debug");
    CHECK(parsed->ready_when == readiness::live);
    CHECK_FALSE(command_line::parse({})->ready_when);
    CHECK_FALSE(parsed->help);
    CHECK(command_line::parse({"-h"})->help);
    CHECK_FALSE(parsed->version);
    CHECK(command_line::parse({"--version"})->version);
    CHECK_FALSE(command_line::parse({})->listen);
    CHECK(command_line::parse({})->health_probe_bind_address == "0");
}

TEST_CASE("whoever deploys a program says whether it is one of several") {
    const auto parsed = command_line::parse({"--leader-elect", "--leader-election-id=op", "--leader-election-namespace",
                                             "ns", "--leader-election-lease-duration=1m"});
    REQUIRE(parsed.has_value());
    const auto leader = parsed->leader.options(std::nullopt);
    REQUIRE(leader);
    REQUIRE(*leader);
    CHECK((*leader)->lease() == namespaced_name("ns", "op"));
    CHECK((*leader)->lease_duration() == std::chrono::minutes(1));
    CHECK_FALSE(*command_line::parse({})->leader.options(std::nullopt));
    CHECK(message_of({"--leader-elect=maybe"}) == "--leader-elect maybe: not true or false");
    CHECK(command_line::usage().find("  --leader-election-retry-period DURATION\n") != std::string::npos);
    // What is refused when all is known ends the program, too, before it asks for a cluster.
    const auto status_of = [](std::vector<std::string> arguments) {
        std::vector<char*> argv{arguments.emplace(arguments.begin(), "program")->data()};
        for (std::size_t i = 1; i < arguments.size(); ++i) argv.push_back(arguments[i].data());
        return run(static_cast<int>(argv.size()), argv.data(), [](manager&) {});
    };
    CHECK(status_of({"--leader-elect"}) == 2);
    CHECK(status_of({"--leader-elect", "--leader-election-id", "op", "--leader-election-renew-deadline=20s"}) == 2);
}

TEST_CASE("the format of the log, and controller-runtime's name for --listen") {
    const auto parsed = command_line::parse({"--metrics-bind-address=:8080", "--log-format=json"});
    REQUIRE(parsed.has_value());
    CHECK(parsed->listen == ":8080");
    CHECK(parsed->format == log_format::json);
    CHECK_FALSE(command_line::parse({})->format);
    CHECK(message_of({"--kube-api-content-type=cbor"}) ==
          "--kube-api-content-type cbor: not one of application/json, application/vnd.kubernetes.protobuf");
    const std::string protobuf = "application/vnd.kubernetes.protobuf";
    CHECK(command_line::parse({"--kube-api-content-type", protobuf})->kube_api_content_type == protobuf);
    CHECK(command_line::parse({"--kube-api-content-type=application/json"})->kube_api_content_type ==
          "application/json");
    CHECK(parsed->kube_api_content_type == protobuf);
    CHECK(message_of({"--log-format=xml"}) == "--log-format xml: not one of text, json");
}

TEST_CASE("who may ask at --listen, by kubebuilder's flags") {
    const auto secure = [](const std::vector<std::string>& arguments, const run_options& options = {}) -> std::string {
        const auto parsed = command_line::parse(arguments);
        if (!parsed) return parsed.error().message();
        const auto decided = kcontrol::detail::is_secure(*parsed, options);
        return decided ? *decided ? "secure" : "open" : decided.error().message();
    };
    CHECK(secure({}) == "open");
    CHECK(secure({"--metrics-secure"}) == "secure");
    CHECK(secure({"--metrics-secure=false"}, run_options().metrics_secure(true)) == "open");
    CHECK(secure({}, run_options().metrics_secure(true)) == "secure");
    CHECK(secure({"--metrics-cert-path=/certs"}) == "secure");
    CHECK(secure({"--metrics-cert-path=/certs", "--metrics-secure=false"}) == "open");
    CHECK(secure({"--metrics-secure=yes"}) == "--metrics-secure yes: not true or false");
    CHECK(secure({"--metrics-cert-name=a.crt"}) ==
          "--metrics-cert-name and --metrics-cert-key are files in a directory: give --metrics-cert-path DIR");
    const auto parsed =
        command_line::parse({"--metrics-cert-path=/c", "--metrics-cert-name", "a", "--metrics-cert-key=b"});
    REQUIRE(parsed);
    CHECK(parsed->metrics_cert_path == "/c");
    CHECK(parsed->metrics_cert_name == "a");
    CHECK(parsed->metrics_cert_key == "b");
    CHECK(command_line::parse({})->metrics_cert_name == "tls.crt");
    CHECK(command_line::parse({})->metrics_cert_key == "tls.key");
}

TEST_CASE("the Lease is that of the flags, else that of the options; without either it is an error") {
    const auto lease = [](const std::vector<std::string>& arguments, const run_options& options) -> std::string {
        const auto made = kcontrol::detail::manager_options_of(*command_line::parse(arguments), options);
        if (!made) return made.error().message();
        return made->leader_election() ? to_string(made->leader_election()->lease()) : "none";
    };
    const auto own = run_options().leader_election(leader_options({"", "op"}).identity("me"));
    CHECK(lease({}, own) == "none");
    CHECK(lease({"--leader-elect"}, own) == "op");
    CHECK(lease({"--leader-elect", "--leader-election-namespace=ops"}, own) == "ops/op");
    CHECK(lease({"--leader-elect", "--leader-election-namespace=ops", "--leader-election-id=x"}, {}) == "ops/x");
    CHECK(lease({"--leader-elect"}, {}) == "--leader-elect: the Lease has no name; give --leader-election-id NAME");
    // Always, by the manager's options: with the Lease of the flags all the same.
    const run_options always(manager_options().leader_election(leader_options({"ops", "op"}).identity("me")));
    CHECK(lease({}, always) == "ops/op");
    CHECK(lease({"--leader-election-id=x"}, always) == "ops/x");
    CHECK(lease({"--leader-elect=false"}, always) == "none");
    const auto made = kcontrol::detail::manager_options_of(*command_line::parse({"--leader-elect"}), own);
    CHECK(made->leader_election()->identity() == "me");
}

TEST_CASE("flags of the program's own") {
    bool install = false;
    std::vector<std::string> allowed;
    const auto allow = [&](std::string_view value) -> result<void> {
        if (value == "bad") return error(errc::invalid_argument, "bad: no address");
        allowed.emplace_back(value);
        return {};
    };
    const auto options = run_options()
                             .flag("--install", "installs the kinds first", install)
                             .flag("--allow", "ADDRESS", "may be there several times", allow);
    const auto parse = [&](const std::vector<std::string>& arguments) {
        return command_line::parse(arguments, options.user_flags());
    };
    REQUIRE(parse({"--allow", "a", "--kubeconfig=/k", "--install", "--allow=b"}).has_value());
    CHECK(parse({"--allow", "a", "--kubeconfig=/k"})->kubeconfig == "/k");
    CHECK(install);
    CHECK(allowed == std::vector<std::string>{"a", "b", "a"});
    CHECK(parse({"--allow=bad"}).error().message() == "--allow: bad: no address");
    CHECK(parse({"--allow"}).error().message() == "--allow needs a value; see --help");
    CHECK(parse({"--instal"}).error().message() == "unknown flag \"--instal\"; did you mean --install?");
    const auto usage = command_line::usage(options);
    CHECK(
        usage.starts_with("  --install            installs the kinds first\n"
                          "  --allow ADDRESS      may be there several times\n"
                          "  --kubeconfig FILE"));
    CHECK(usage.ends_with(command_line::usage()));
    const auto says_grace = [](const std::string& text, const std::string& length) {
        return text.find("not while an informer is not live for " + length + "\n") != std::string::npos;
    };
    CHECK(says_grace(usage, "30s"));
    CHECK(says_grace(command_line::usage(manager_options().ready_when(readiness::live, std::chrono::seconds(90))),
                     "1m30s"));
    const auto twice = run_options().flag("--context", "another one", install);
    CHECK(command_line::parse({}, twice.user_flags()).error().message() ==
          "--context: the program has two flags of that name");
}

TEST_CASE("run: a value that the program refuses, and leadership without a Lease, end it with status 2") {
    const auto ends_with = [](const char* word, const run_options& options) {
        std::string program = "p", flag = word;
        char* arguments[] = {program.data(), flag.data()};
        return run(
            2, arguments, [](manager&) {}, options);
    };
    const auto refuse = [](std::string_view) -> result<void> { return error(errc::invalid_argument, "no"); };
    CHECK(ends_with("--allow=x", run_options().flag("--allow", "ADDRESS", "", refuse)) == 2);
    CHECK(ends_with("--leader-elect", {}) == 2);
}

TEST_CASE("what is wrong with a command line") {
    CHECK(message_of({"--verbose"}) == "unknown flag \"--verbose\"; see --help");
    CHECK(message_of({"file\x1b"}) == "unexpected argument \"file\\x1b\": only flags are known; see --help");
    CHECK(message_of({"--kubeconfig"}) == "--kubeconfig needs a value; see --help");
    CHECK(message_of({"--kubeconfig", "--context"}) == "--kubeconfig needs a value; see --help");
    CHECK(message_of({"--context="}) == "--context needs a value; see --help");
    CHECK(message_of({"--log-level=loud"}) ==
          "--log-level: log level \"loud\": not one of debug, info, warning, error, and not a component like "
          "controller=websites:debug");
    CHECK(command_line::parse({"--log-level", "info,lease:error"})->levels.text() == "info,lease:error");
    CHECK(message_of({"--ready-when=now"}) == "--ready-when now: not one of synced-once, live");
}

TEST_CASE("the given file comes before $KUBECONFIG, then the service account, then the home directory") {
    manual_environment env;
    const auto host = [&](const std::string& file = {}, const std::string& context = {}) -> std::string {
        const auto found = find_cluster_config(env, file, context);
        return found ? found->server().host : found.error().message();
    };
    CHECK(host().find("--kubeconfig FILE") != std::string::npos);
    env.variables["HOME"] = "/home/me";
    CHECK(host().find("--kubeconfig FILE") != std::string::npos);
    CHECK(host().find("/home/me/.kube/config") != std::string::npos);

    env.files["/home/me/.kube/config"] = kubeconfig_for("home");
    CHECK(host() == "home");
    env.variables["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
    env.variables["KUBERNETES_SERVICE_PORT"] = "443";
    env.files["/var/run/secrets/kubernetes.io/serviceaccount/token"] = "t";
    env.files["/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"] = "ca";
    CHECK(host() == "10.0.0.1");
    CHECK(host("", "a") == "home");  // a context is of a file
    env.variables["KUBECONFIG"] = "/named";
    env.files["/named"] = kubeconfig_for("named");
    CHECK(host() == "named");
    env.files["/given"] = kubeconfig_for("given");
    CHECK(host("/given") == "given");

    CHECK(host("/missing").find("/missing") != std::string::npos);
    CHECK(host("/given", "b").find("b") != std::string::npos);
    env.variables["KUBECONFIG"] = "/missing:/given:/named";
    CHECK(host() == "given");
}

TEST_CASE("a Lease without a namespace is where the configuration says, and one with a namespace stays") {
    const auto where = [](const std::string& lease, const std::string& config) {
        manager_options options;
        options.leader_election(leader_options(namespaced_name(lease, "l")));
        detail::own_namespace_for_lease(options, auth::cluster_config().default_namespace(config));
        return options.leader_election()->lease().namespace_;
    };
    CHECK(where("", "jobs") == "jobs");
    CHECK(where("own", "jobs") == "own");
    CHECK(where("", "").empty());  // the pod's, or an error that says so
    manager_options none;
    detail::own_namespace_for_lease(none, auth::cluster_config().default_namespace("jobs"));
    CHECK(!none.leader_election());
}

TEST_CASE("run: a setup that throws ends the program with a message and status 1, whatever it throws") {
    const testing::temporary_directory directory;
    directory.write("config", kubeconfig_for("127.0.0.1"));
    std::string program = "p", flag = "--kubeconfig=" + directory.path("config");
    for (const test::thrown what : test::all_thrown) {
        char* arguments[] = {program.data(), flag.data()};
        const auto setup = [what](manager&) { test::throw_it(what); };
        const int status = run(2, arguments, setup, manager_options().log(logger([](const log_record&) {})));
        CHECK(status == 1);
    }
}
