// Credential plugins: what they are told, what is made of what they say, and where they are looked for.
#include <kcontrol/auth/exec_provider.hpp>
#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include <doctest/doctest.h>

#include <filesystem>

using namespace kcontrol;
using namespace kcontrol::auth;
using testing::fake_run;

namespace {

constexpr const char* v1 = "client.authentication.k8s.io/v1";
constexpr const char* v1beta1 = "client.authentication.k8s.io/v1beta1";

std::string credential(const std::string& status, const std::string& version = v1) {
    return R"({"kind":"ExecCredential","apiVersion":")" + version + R"(","status":)" + status + "}";
}

class plugin_fixture {
public:
    plugin_fixture() {
        env.variables = {{"PATH", "relative:/opt/bin::/usr/bin"}, {"HOME", "/home/me"}};
        env.programs["/usr/bin/login"] = [this](const process_command& c) {
            commands.push_back(c);
            return answer;
        };
    }

    result<issued_credentials> run(const exec_command& command, std::stop_token stop = {}) {
        exec_provider provider(env, command);
        return testing::run(context, env, provider.issue(std::move(stop)));
    }
    std::string failure(const exec_command& command) {
        const auto got = run(command);
        if (got) return "(no failure)";
        CHECK(got.error().what().find("CANARY") == std::string::npos);
        return got.error().message();
    }

    boost::asio::io_context context;
    testing::manual_environment env;
    fake_run answer{credential(R"({"token":"CANARY"})")};
    std::vector<process_command> commands;
};

const exec_command login(v1, "login");

}  // namespace

TEST_CASE_FIXTURE(plugin_fixture,
                  "what a plugin is given: its words as they are, the environment, and what it is for") {
    exec_command command(v1, "login");
    command.arguments({"get", "a b", "$(id); `x`", "", "*"}).variables({{"REGION", "eu"}, {"HOME", "/else"}});
    const auto got = run(command);
    REQUIRE(got.has_value());
    CHECK(got->token() == secret_string("CANARY"));
    CHECK(!got->expires());
    REQUIRE(commands.size() == 1);
    CHECK(commands[0].arguments() == std::vector<std::string>{"/usr/bin/login", "get", "a b", "$(id); `x`", "", "*"});
    auto variables = commands[0].variables();
    CHECK(variables["REGION"] == "eu");
    CHECK(variables["HOME"] == "/else");
    CHECK(variables["PATH"] == "relative:/opt/bin::/usr/bin");
    CHECK(variables["KUBERNETES_EXEC_INFO"] ==
          R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}})");
    CHECK(commands[0].input().empty());
    CHECK(commands[0].deadline() == std::chrono::minutes(1));
}

TEST_CASE_FIXTURE(plugin_fixture, "spec.cluster, where the kubeconfig asks for it, with the cluster's extension") {
    const auto resolved = [&](const std::string& cluster, const std::string& exec) {
        const auto file =
            kubeconfig::parse("current-context: c\nclusters: [{name: k, cluster: {" + cluster +
                                  "}}]\nusers: [{name: u, user: {exec: {apiVersion: " + v1beta1 + ", command: login" +
                                  exec + "}}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n",
                              "/etc/kube/config", trust::trusted);
        REQUIRE(file.has_value());
        return file->resolve(env).value();
    };
    const std::string all =
        "server: 'https://X:6443/k8s/', tls-server-name: t, certificate-authority-data: Q0E=, proxy-url: "
        "'http://u:p@q', disable-compression: true, extensions: [{name: other, extension: 1}, {name: "
        "client.authentication.k8s.io/exec, extension: {audience: [a, 1, true]}}]";
    const auto told = resolved(all, ", provideClusterInfo: true");
    REQUIRE(told.exec().has_value());
    CHECK(auth::detail::exec_info(*told.exec()) ==
          R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","spec":{"cluster":)"
          R"({"server":"https://X:6443/k8s/","tls-server-name":"t","certificate-authority-data":"Q0E=",)"
          R"("proxy-url":"http://u:p@q","disable-compression":true,"config":{"audience":["a",1,true]}},)"
          R"("interactive":false}})");
    CHECK(resolved(all, "").exec()->cluster_info().empty());
    CHECK(resolved("server: https://x, insecure-skip-tls-verify: true", ", provideClusterInfo: true")
              .exec()
              ->cluster_info() == R"({"server":"https://x","insecure-skip-tls-verify":true,"config":null})");
}

TEST_CASE_FIXTURE(plugin_fixture, "interactiveMode: who gets the terminal, and what is said where there is none") {
    // Without a terminal, then with one: whether the plugin is told of one and gets it, or why it is not run.
    const auto outcomes = [&](interactive_mode mode) {
        std::string out;
        for (const bool there : {false, true}) {
            env.has_terminal = there;
            commands.clear();
            exec_command command = login;
            const auto got = run(command.interactive(mode));
            if (!got) {
                CHECK(commands.empty());
                CHECK(got.error() == errc::invalid_config);
                out += got.error().message() + "; ";
                continue;
            }
            REQUIRE(commands.size() == 1);
            auto variables = commands[0].variables();
            const bool told = variables["KUBERNETES_EXEC_INFO"].find(R"("interactive":true)") != std::string::npos;
            CHECK(told == commands[0].terminal());
            CHECK(commands[0].deadline() == (told ? std::chrono::minutes(10) : std::chrono::minutes(1)));
            out += told ? "terminal; " : "none; ";
        }
        return out;
    };
    CHECK(outcomes(interactive_mode::never) == "none; none; ");
    CHECK(outcomes(interactive_mode::if_available) == "none; terminal; ");
    CHECK(outcomes(interactive_mode::always) ==
          "exec plugin \"login\": interactiveMode is Always, so it asks at a terminal, and standard input is not a "
          "terminal: start this program at a terminal, or log in with the plugin before and write IfAvailable; "
          "terminal; ");
}

TEST_CASE_FIXTURE(plugin_fixture, "interactiveMode in a kubeconfig, by version and trust") {
    const auto mode = [&](const std::string& exec, const trust& level = trust::trusted) {
        const auto file = kubeconfig::parse(
            "current-context: c\nclusters: [{name: k, cluster: {server: https://x}}]\n"
            "users: [{name: u, user: {exec: {command: /bin/x, apiVersion: " +
                exec + "}}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n",
            "/etc/kube/config", level);
        return file->resolve(env).value().exec()->interactive();
    };
    const std::string with = std::string(v1) + ", interactiveMode: ", old = v1beta1;
    CHECK(mode(with + "Never") == interactive_mode::never);
    CHECK(mode(with + "IfAvailable") == interactive_mode::if_available);
    CHECK(mode(with + "Always") == interactive_mode::always);
    CHECK(mode(old) == interactive_mode::if_available);  // v1 has no default
    CHECK(mode(old + ", interactiveMode: Never") == interactive_mode::never);
    CHECK(mode(old + ", interactiveMode: Always") == interactive_mode::always);
    const auto stranger = trust::untrusted.allow_programs({"/bin/x"});
    CHECK(mode(with + "IfAvailable", stranger) == interactive_mode::never);
    CHECK(mode(old, stranger) == interactive_mode::never);
}

TEST_CASE_FIXTURE(plugin_fixture, "where a plugin is looked for") {
    const auto program = [&](const std::string& command, const std::string& origin,
                             const trust& level = trust::trusted) {
        const auto file = kubeconfig::parse(
            std::string("current-context: c\nclusters: [{name: k, cluster: {server: https://x}}]\n") +
                "users: [{name: u, user: {exec: {apiVersion: " + v1 + ", interactiveMode: Never, " + "command: '" +
                command + "'}}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n",
            origin, level);
        const auto config = file->resolve(env);
        return config ? config->exec()->program() : config.error().message();
    };
    CHECK(program("login", "/etc/kube/config") == "login");
    CHECK(program("/opt/x", "/etc/kube/config") == "/opt/x");
    CHECK(program("bin/x", "/etc/kube/config") == "/etc/kube/bin/x");
    CHECK(program("../x", "/etc/kube/config") == "/etc/kube/../x");
    CHECK(program("./x", "kube/config").find("exec.command: \"./x\" is relative to a kubeconfig that has") !=
          std::string::npos);
    env.variables["PWD"] = "/work";
    CHECK(program("./x", "kube/config") == "/work/kube/./x");
    const auto candidates = [&](const std::string& name) {
        return auth::detail::program_candidates(exec_command(v1, name), env);
    };
    CHECK(candidates("/opt/x") == std::vector<std::string>{"/opt/x"});
    CHECK(candidates("login") == std::vector<std::string>{"/opt/bin/login", "/usr/bin/login"});

    const auto nowhere = failure(exec_command(v1, "gone").install_hint("get it at https://x\x1b[31m\nnow"));
    CHECK(nowhere == "exec plugin \"gone\": not found in $PATH: get it at https://x\\x1b[31m\\x0anow");
    CHECK(failure(exec_command(v1, "gone")) ==
          "exec plugin \"gone\": not found in $PATH: install it, or put its path into the kubeconfig");
    CHECK(failure(exec_command(v1, "/opt/gone")).find("exec plugin \"/opt/gone\": the program /opt/gone can't be") ==
          0);
    // What an embedder allows a stranger's kubeconfig.
    exec_command only = login;
    CHECK(run(only.only(std::vector<std::string>{"/usr/bin/login"})).has_value());
    CHECK(failure(only.only(std::vector<std::string>{"/bin/other"})) ==
          "exec plugin \"login\" is not one of the programs that may run: the program allows them "
          "(trust::allow_programs), or a kuberc (credentialPluginAllowlist)");
    CHECK(failure(exec_command(v1, "/usr/bin/login").only(std::vector<std::string>())).find("is not one of") !=
          std::string::npos);
}

TEST_CASE("what a plugin may say, and what of that is no credential") {
    const auto read = [](const std::string& text, const char* version = v1) {
        const auto got = auth::detail::read_exec_credential(text, version);
        if (got) return std::string("ok");
        CHECK(got.error() == errc::decode_failed);
        CHECK(got.error().what().find("CANARY") == std::string::npos);
        return got.error().message().substr(std::string_view("it did not print an ExecCredential: ").size());
    };
    const std::string pair = R"("clientCertificateData":"C","clientKeyData":"CANARY")";
    for (const std::string& good :
         {std::string(R"({"token":"t"})"), std::string(R"({"token":" t\n"})"), "{" + pair + "}",
          R"({"token":"t",)" + pair + "}", std::string(R"({"token":"t","expirationTimestamp":null})"),
          std::string(R"({"token":"t","expirationTimestamp":"2026-01-31T12:00:00Z","more":{}})")}) {
        CAPTURE(good);
        CHECK(read(credential(good)) == "ok");
    }
    CHECK(read(credential(R"({"token":"t"})", v1beta1), v1beta1) == "ok");
    struct row {
        std::string text;
        const char* why;
    };
    for (const auto& r :
         {row{"", "it is not JSON"},
          row{"CANARY", "it is not JSON"},
          row{"\"CANARY\"", "it is no JSON object"},
          row{credential("{}") + "CANARY", "it is not JSON"},
          row{"{}", "kind is something else"},
          row{R"({"kind":"CANARY"})", "kind is something else"},
          row{R"({"kind":["ExecCredential"]})", "kind is some"},
          row{credential(R"({"token":"CANARY"})", v1beta1),
              "apiVersion is client.authentication.k8s.io/v1beta1, and the kubeconfig has "
              "client.authentication.k8s.io/v1: write the plugin's into the kubeconfig, or update the plugin"},
          row{R"({"kind":"ExecCredential"})", "apiVersion is missing, and the kubeconfig has client."},
          row{R"({"kind":"ExecCredential","apiVersion":7})", "apiVersion is missing, and"},
          row{credential("{}", "CANARY"), "apiVersion is something else, and the kubeconfig has client."},
          row{credential("{}", "client.authentication.k8s.io/CANARY"), "apiVersion is something else, and"},
          row{credential("null"), "status is missing"},
          row{credential("[]"), "status is missing"},
          row{credential("{}"), "status has neither a token nor a client certificate with its key"},
          row{credential(R"({"token":""})"), "status has neither"},
          row{credential(R"({"token":7})"), "status.token is no string"},
          row{credential(R"({"token":"CANARY\r\nX: y"})"), "status.token is something else than visible ASCII"},
          row{credential(R"({"clientKeyData":"CANARY"})"), "status.clientCertificateData is missing"},
          row{credential(R"({"token":"t","clientCertificateData":"CANARY"})"), "status.clientKeyData is missing"},
          row{credential(R"({"token":"CANARY","expirationTimestamp":"CANARY"})"), "status.expirationTimestamp is no"},
          row{credential(R"({"token":"CANARY","expirationTimestamp":17})"), "status.expirationTimestamp is no str"},
          row{std::string(auth::detail::most_plugin_output + 1, ' '), "it is more than 1 MiB"}}) {
        CAPTURE(r.text.substr(0, 100));
        const auto why = read(r.text);
        CAPTURE(why);
        CHECK(why.find(r.why) == 0);
    }
    const auto with = auth::detail::read_exec_credential(
        credential("{" + pair + R"(,"expirationTimestamp":"2026-01-31T12:00:00.5+01:00"})"), v1);
    REQUIRE(with.has_value());
    CHECK(with->chain_pem() == "C");
    CHECK(with->key_pem() == secret_string("CANARY"));
    CHECK(with->expires() == wall_time(std::chrono::milliseconds(1769857200500)));
}

TEST_CASE_FIXTURE(plugin_fixture, "a plugin that fails, is killed, hangs, or talks without end") {
    answer = fake_run(credential(R"({"token":"CANARY"})")).status(3).errors("looking\nno session: run `login now`\n\n");
    CHECK(failure(login) == "exec plugin \"login\": it ended with status 3: no session: run `login now`");
    answer = fake_run("CANARY").status(1);
    CHECK(failure(login) == "exec plugin \"login\": it ended with status 1");
    answer = fake_run("CANARY").signal(9);
    CHECK(failure(login) == "exec plugin \"login\": it was ended by signal 9");
    answer = fake_run("CANARY");
    CHECK(failure(login) == "exec plugin \"login\": it did not print an ExecCredential: it is not JSON");
    answer = fake_run(std::string(std::size_t{2} << 20, 'x'));
    CHECK(failure(login) == "exec plugin \"login\": it did not print an ExecCredential: it is more than 1 MiB");
    answer = fake_run("CANARY").takes(std::chrono::hours(1));
    const auto begun = env.now();
    CHECK(failure(login).find("exec plugin \"login\": the program /usr/bin/login did not end in time") == 0);
    CHECK(env.now() - begun == std::chrono::minutes(1));
    std::stop_source stop;
    stop.request_stop();
    CHECK(run(login, stop.get_token()).error() == errc::stopped);
}

TEST_CASE_FIXTURE(plugin_fixture,
                  "what a plugin that succeeds writes to standard error is logged, once for each text") {
    std::vector<std::string> logged;
    const logger log([&](const log_record& r) {
        CHECK(r.level == log_level::info);
        std::string line(r.message);
        for (const auto& field : r.fields) {
            line.append(" ").append(field.name).append("=").append(field.value);
        }
        logged.push_back(std::move(line));
    });
    exec_provider provider(env, login, log);
    const auto issue = [&] { REQUIRE(testing::run(context, env, provider.issue({})).has_value()); };
    issue();
    CHECK(logged.empty());
    for (const char* text :
         {"enter the code WDJB at https://x\n", "enter the code WDJB at https://x\n", "v1 ends soon"}) {
        answer = fake_run(credential(R"({"token":"CANARY"})")).errors(text);
        issue();
    }
    CHECK(logged == std::vector<std::string>{
                        "an exec plugin wrote to standard error plugin=login text=enter the code WDJB at https://x",
                        "an exec plugin wrote to standard error plugin=login text=v1 ends soon"});
    answer = fake_run(credential(R"({"token":"CANARY"})")).errors("token=CANARYCANARYCANARY1234");
    issue();
    CHECK(logged.back().ends_with("text=token=…"));
}

TEST_CASE("what a plugin complains about: one line, short, printable, and without secrets") {
    const auto said = [](const std::string& errors) {
        exec_command command(v1, "x");
        command.variables({{"TOKEN", "hush CANARY"}, {"SHORT", "eu"}});
        return auth::detail::plugin_complaint(errors, command);
    };
    CHECK(said("") == "");
    CHECK(said(" \n\t\r\n") == "");
    CHECK(said("first\nsecond\nlast one\n\n") == "last one");
    CHECK(said("\x1b[31mred\x07") == "\\x1b[31mred\\x07");
    CHECK(said("bad token hush CANARY in eu") == "bad token … in eu");
    CHECK(said("token=eyJhbGciOiJSUzI1NiIsImtpZCI6IjEyMyJ9.e30.AAAA expired") == "token=… expired");
    CHECK(said("Authorization: Bearer abcdefghij0123456789") == "Authorization: Bearer …");
    CHECK(said("InvalidClientTokenId: The security token included in the request is invalid") ==
          "InvalidClientTokenId: The security token included in the request is invalid");
    CHECK(said(std::string(1000, 'a')).size() < 310);
}

TEST_CASE("a real program: found in $PATH, given its words without a shell, and its group killed with it") {
    const testing::temporary_directory directory;
    directory.write("plugin",
                    "#!/bin/sh\n"
                    "[ \"$1\" = '$(id)' ] || exit 4\n"
                    "case $KUBERNETES_EXEC_INFO in *'\"interactive\":false'*) ;; *) exit 5 ;; esac\n"
                    "[ -n \"$PATH\" ] && [ \"$OWN\" = 'a b' ] || exit 6\n"
                    "printf '{\"kind\":\"ExecCredential\",\"apiVersion\":\"%s\",\"status\":{\"token\":\"real\"}}' " +
                        std::string(v1) + "\n");
    std::filesystem::permissions(directory.path("plugin"), std::filesystem::perms::owner_all);
    system_environment env;
    boost::asio::io_context context;
    exec_command command(v1, directory.path("plugin"));
    command.arguments({"$(id)"}).variables({{"OWN", "a b"}});
    exec_provider provider(env, command);
    const auto got = testing::run(context, provider.issue({}));
    const std::string why = got ? "" : got.error().what();
    CAPTURE(why);
    REQUIRE(got.has_value());
    CHECK(got->token() == secret_string("real"));
    exec_provider missing(env, exec_command(v1, "no-such-plugin-anywhere"));
    CHECK(testing::run(context, missing.issue({})).error() == errc::file_failed);
}
