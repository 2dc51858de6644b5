// Which exec plugins a kuberc lets run, and which files are read for it.
#include <kcontrol/auth/exec_provider.hpp>
#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/auth/plugin_policy.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::auth;
using paths = std::vector<std::string>;

namespace {

std::string kuberc(const std::string& rest, const std::string& version = "v1beta1") {
    return "apiVersion: kubectl.config.k8s.io/" + version + "\nkind: Preference\n" + rest;
}

struct fixture {
    fixture() { env.variables = {{"PATH", "/opt/bin:relative:/usr/bin"}, {"HOME", "/home/me"}}; }

    /// The programs that may run, with spaces between them; "any", or why it is refused.
    std::string allowed(const result<plugin_policy>& policy) const {
        if (!policy) return policy.error().message();
        const auto all = policy->programs(env);
        if (!all) return "any";
        std::string out;
        for (const auto& path : *all) out += (out.empty() ? "" : " ") + path;
        return out;
    }
    std::string of_text(const std::string& text) const { return allowed(plugin_policy::parse(text, "rc")); }
    std::string of_files(const std::string& path = {}) { return allowed(plugin_policy::load(env, path)); }

    testing::manual_environment env;
};

const std::string deny = kuberc("credentialPluginPolicy: DenyAll\n");
const std::string list = kuberc("credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: ");

}  // namespace

TEST_CASE_FIXTURE(fixture, "plugin_policy: what a kuberc says") {
    CHECK(of_text(kuberc("")) == "any");
    CHECK(of_text(kuberc("credentialPluginPolicy: \"\"\naliases: []\n")) == "any");
    CHECK(of_text(kuberc("credentialPluginPolicy: AllowAll\n", "v1alpha1")) == "any");
    CHECK(of_text(deny).empty());
    CHECK(of_text("kind: Other\n---\n" + deny).empty());
    CHECK(of_text(list + "[{command: /opt/x}, {command: login}]") == "/opt/x /opt/bin/login /usr/bin/login");
    CHECK(of_text(list + "[{name: /opt/x}, {name: /opt/y, command: /opt/y}]") == "/opt/x /opt/y");
}

TEST_CASE_FIXTURE(fixture, "plugin_policy: what makes no sense is refused, and never taken for any") {
    const std::string no_list =
        "rc: credentialPluginAllowlist: the policy Allowlist needs a list of commands; "
        "DenyAll allows none";
    const auto bad_path = [](const std::string& path) {
        return "rc: credentialPluginAllowlist[0]: \"" + path +
               "\" is neither a name nor a normal absolute path: write /usr/local/bin/my-plugin, or my-plugin for a "
               "program in $PATH";
    };
    CHECK(of_text("") == "rc: not a kuberc: there is no Preference of kubectl.config.k8s.io/v1beta1");
    CHECK(of_text(kuberc("", "v2")) == of_text(""));
    CHECK(of_text("a: [").starts_with("rc: not a kuberc: "));
    CHECK(of_text(kuberc("credentialPluginPolicy: denyall\n")) ==
          "rc: credentialPluginPolicy: \"denyall\": only AllowAll, DenyAll and Allowlist are possible");
    CHECK(of_text(kuberc("credentialPluginPolicy: [DenyAll]\n")).starts_with("rc: credentialPluginPolicy: \"\""));
    CHECK(of_text(kuberc("credentialPluginPolicy: Allowlist\n")) == no_list);
    CHECK(of_text(list + "[]") == no_list);
    CHECK(of_text(list + "{command: x}") == no_list);
    CHECK(of_text(kuberc("credentialPluginAllowlist: [{command: x}]\n")) ==
          "rc: credentialPluginAllowlist: it counts for the policy Allowlist alone: write that, or leave the list out");
    CHECK(of_text(deny + "credentialPluginAllowlist: []\n").find("Allowlist alone") != std::string::npos);
    CHECK(of_text(list + "[{command: x}, {}]") ==
          "rc: credentialPluginAllowlist[1]: empty: give it a command, such as /usr/local/bin/my-plugin");
    CHECK(of_text(list + "[x]").find("[0]: empty") != std::string::npos);
    CHECK(of_text(list + "[{name: a, command: b}]") ==
          "rc: credentialPluginAllowlist[0]: name \"a\" and command \"b\" differ: leave name out");
    for (const char* path : {"bin/x", "./x", "..", "/opt/../x", "/opt//x", "/opt/./x", "/opt/x/", "/"}) {
        CHECK(of_text(list + "[{command: '" + path + "'}]") == bad_path(path));
    }
}

TEST_CASE_FIXTURE(fixture, "plugin_policy: kubectl's file, or what names another one") {
    CHECK(of_files() == "any");  // there is none
    env.files["/home/me/.kube/kuberc"] = deny;
    env.files["/else"] = list + "[{command: /opt/x}]";
    CHECK(of_files().empty());
    CHECK(of_files("/else") == "/opt/x");
    env.variables["KUBERC"] = "/else";
    CHECK(of_files() == "/opt/x");
    env.variables["KUBERC"] = "off";
    CHECK(of_files() == "any");
    CHECK(of_files("/else") == "/opt/x");
    env.variables["KUBERC"] = "/gone";
    CHECK(of_files().find("/gone") != std::string::npos);
    env.variables.erase("KUBERC");
    env.variables["KUBECTL_KUBERC"] = "false";
    CHECK(of_files() == "any");
    env.variables["KUBECTL_KUBERC"] = "true";
    env.files["/home/me/.kube/kuberc"] = "kind: Other";
    CHECK(of_files().starts_with("/home/me/.kube/kuberc: not a kuberc"));
    env.variables.erase("HOME");
    CHECK(of_files() == "any");
}

TEST_CASE_FIXTURE(fixture, "plugin_policy: a trusted kubeconfig's plugin runs only if it is allowed") {
    const auto resolve = [this](const trust& level) {
        return kubeconfig::parse(
                   "current-context: c\nclusters: [{name: k, cluster: {server: https://x}}]\n"
                   "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1beta1, "
                   "command: login}}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n",
                   "/etc/kube/config", level)
            ->resolve(env)
            .value();
    };
    env.programs["/usr/bin/login"] = [](const process_command&) {
        return testing::fake_run(R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1",)"
                                 R"("status":{"token":"t"}})");
    };
    const auto run = [&](const trust& level, const std::string& text) {
        cluster_config config = resolve(level);
        plugin_policy::parse(text, "rc")->restrict(config, env);
        boost::asio::io_context context;
        exec_provider provider(env, *config.exec());
        const auto got = testing::run(context, env, provider.issue({}));
        return got ? std::string("runs") : got.error().message();
    };
    const std::string refused =
        "exec plugin \"login\" is not one of the programs that may run: the program allows "
        "them (trust::allow_programs), or a kuberc (credentialPluginAllowlist)";
    CHECK(run(trust::trusted, kuberc("")) == "runs");
    CHECK(run(trust::trusted, list + "[{command: login}]") == "runs");
    CHECK(run(trust::trusted, list + "[{command: /usr/bin/login}]") == "runs");
    CHECK(run(trust::trusted, list + "[{command: /bin/login}, {command: other}]") == refused);
    CHECK(run(trust::trusted, deny) == refused);
    // A kuberc allows nothing more than the program does.
    const trust one = trust::untrusted.allow_programs({"/usr/bin/login", "/bin/a"});
    CHECK(run(one, list + "[{command: login}]") == "runs");
    CHECK(run(one, list + "[{command: /bin/a}]") == refused);
    CHECK(run(trust::untrusted.allow_programs({"/bin/a"}), list + "[{command: login}]") == refused);
    cluster_config without;
    plugin_policy::parse(deny, "rc")->restrict(without, env);
    CHECK_FALSE(without.exec());
}
