#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::auth;

namespace {

// "Q0FOQVJZ" is base64 of CANARY: a secret that may turn up in no message, in neither form.
const std::string whole = R"(
apiVersion: v1
kind: Config
current-context: dev
preferences: {colors: true}
clusters:
- name: dev
  cluster:
    server: https://Dev.example.com:6443/k8s/
    certificate-authority-data: Q0EtUEVN
    tls-server-name: kubernetes
    extensions: [{name: x, extension: {y: 1}}]
- name: files
  cluster: {server: "https://[::1]", certificate-authority: pki/ca.crt}
users:
- name: cert
  user: {client-certificate-data: Q0VSVA==, client-key-data: Q0FOQVJZ}
- name: files
  user: {client-certificate: pki/tls.crt, client-key: /abs/tls.key}
- name: token
  user: {token: CANARY}
- name: tokenfile
  user: {tokenFile: ./token}
contexts:
- name: dev
  context: {cluster: dev, user: cert, namespace: jobs}
- name: files
  context: {cluster: files, user: files}
- name: token
  context: {cluster: dev, user: token}
- name: tokenfile
  context: {cluster: dev, user: tokenfile}
- name: anonymous
  context: {cluster: dev}
)";

class kubeconfig_fixture {
public:
    kubeconfig_fixture() {
        env.files = {{"/etc/kube/pki/ca.crt", "CA FILE"},
                     {"/etc/kube/pki/tls.crt", "CERT FILE"},
                     {"/abs/tls.key", "CANARY"},
                     {"/etc/kube/./token", "CANARY\n"}};
    }

    result<cluster_config> resolve(const std::string& text, std::string_view context = {},
                                   trust level = trust::trusted) {
        const auto file = kubeconfig::parse(text, "/etc/kube/config", level);
        if (!file) return file.error();
        return file->resolve(env, context);
    }

    /// The message of what must fail, without the path it must begin with.
    std::string failure(const std::string& text, const trust& level = trust::trusted,
                        errc code = errc::invalid_config) {
        const auto config = resolve(text, {}, level);
        if (config) return "(no failure)";
        const error& e = config.error();
        CHECK(e == code);
        CHECK(e.what().find("CANARY") == std::string::npos);
        CHECK(e.what().find("Q0FOQVJZ") == std::string::npos);
        CHECK(e.message().substr(0, 18) == "/etc/kube/config: ");
        return e.message().substr(18);
    }

    /// A file whose only cluster and user have these fields.
    static std::string with(const std::string& cluster, const std::string& user) {
        return "current-context: c\nclusters: [{name: k, cluster: {" + cluster + "}}]\nusers: [{name: u, user: {" +
               user + "}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n";
    }
    static std::string with_user(const std::string& user) { return with("server: https://x", user); }

    testing::manual_environment env;
};

#define CHECK_BEGINS(text, prefix)                                           \
    do {                                                                     \
        const std::string got = text;                                        \
        CAPTURE(got);                                                        \
        CHECK(got.compare(0, std::string_view(prefix).size(), prefix) == 0); \
    } while (false)

}  // namespace

TEST_CASE_FIXTURE(kubeconfig_fixture, "the current context, with data") {
    const auto config = resolve(whole);
    REQUIRE(config.has_value());
    CHECK(config->server() == http::endpoint("https", "dev.example.com", 6443));
    CHECK(config->base_path() == "/k8s");
    CHECK(config->server_url() == "https://dev.example.com:6443/k8s");
    CHECK(config->tls().ca_pem() == "CA-PEM");
    CHECK(config->tls().client_cert_pem() == "CERT");
    CHECK(config->tls().client_key_pem() == secret_string("CANARY"));
    CHECK(config->tls().server_name() == "kubernetes");
    CHECK(config->default_namespace() == "jobs");
    CHECK(config->token().empty());
}

TEST_CASE_FIXTURE(kubeconfig_fixture, "files, relative to the kubeconfig") {
    const auto config = resolve(whole, "files");
    REQUIRE(config.has_value());
    CHECK(config->server() == http::endpoint("https", "::1", 443));
    CHECK(config->tls().ca_pem() == "CA FILE");
    CHECK(config->tls().client_cert_pem() == "CERT FILE");
    CHECK(config->tls().client_key_pem() == secret_string("CANARY"));
}

TEST_CASE_FIXTURE(kubeconfig_fixture, "tokens and anonymous access") {
    CHECK(resolve(whole, "token")->token() == secret_string("CANARY"));
    const auto from_file = resolve(whole, "tokenfile");
    REQUIRE(from_file.has_value());
    CHECK(from_file->token_file() == "/etc/kube/./token");
    CHECK(from_file->token().empty());
    const auto anonymous = resolve(whole, "anonymous");
    REQUIRE(anonymous.has_value());
    CHECK(anonymous->token().empty());
    CHECK(anonymous->tls().client_cert_pem().empty());
}

TEST_CASE_FIXTURE(kubeconfig_fixture, "names, and the same content in another layout") {
    const auto file = kubeconfig::parse(whole, "x", trust::trusted);
    REQUIRE(file.has_value());
    CHECK(file->current_context() == "dev");
    CHECK(file->context_names() == std::vector<std::string>{"dev", "files", "token", "tokenfile", "anonymous"});
    CHECK(*resolve(with_user("token: a")) == *resolve("# comment\n" + with_user("'token': \"a\"")));
    CHECK(*resolve(with_user("token: a")) != *resolve(with_user("token: b")));
    const std::string json = R"({"current-context":"c","clusters":[{"name":"k","cluster":{"server":"https://x"}}],
        "users":[{"name":"u","user":{"token":"a"}}],"contexts":[{"name":"c","context":{"cluster":"k","user":"u"}}]})";
    CHECK(*resolve(json) == *resolve(with_user("token: a")));
}

TEST_CASE_FIXTURE(kubeconfig_fixture, "loading a file") {
    env.files["/etc/kube/config"] = whole;
    CHECK(kubeconfig::load(env, "/etc/kube/config", trust::trusted).has_value());
    const auto missing = kubeconfig::load(env, "/nowhere", trust::trusted);
    REQUIRE(!missing.has_value());
    CHECK(missing.error() == errc::file_failed);
    CHECK(missing.error().message().find("/nowhere") != std::string::npos);
    // Read when the context is resolved, and not before.
    env.files.erase("/etc/kube/pki/ca.crt");
    const auto config = kubeconfig::load(env, "/etc/kube/config", trust::trusted)->resolve(env, "files");
    REQUIRE(!config.has_value());
    CHECK(config.error() == errc::file_failed);
    CHECK_BEGINS(config.error().message(), "/etc/kube/config: cluster \"files\": certificate-authority: ");
    CHECK(config.error().message().find("/etc/kube/pki/ca.crt") != std::string::npos);
}

TEST_CASE_FIXTURE(kubeconfig_fixture, "files that are no kubeconfig") {
    CHECK(failure("") == "the file is empty");
    CHECK(failure("# nothing\n") == "the file is empty");
    CHECK_BEGINS(failure("CANARY"), "not a kubeconfig: a mapping is expected");
    CHECK_BEGINS(failure("- a\n"), "not a kubeconfig: a mapping is expected");
    CHECK_BEGINS(failure("a: 1\n---\nb: 2\n"), "holds more than one YAML document");
    CHECK_BEGINS(failure("kind: Pod\napiVersion: v1\n"), "not a kubeconfig: it says apiVersion v1, kind Pod");
    CHECK_BEGINS(failure("kind: Config\napiVersion: v2\n"), "not a kubeconfig: it says apiVersion v2");
    const std::string broken = failure("clusters:\n- name: x\n  cluster: {server: [CANARY}\n");
    CHECK_BEGINS(broken, "not a kubeconfig: ");
    CHECK(broken.find("line 3") != std::string::npos);
    CHECK_BEGINS(failure("users: [{name: u, user: {token: CANARY}, user: 1}]"), "not a kubeconfig: ");
    CHECK_BEGINS(failure(std::string(2 << 20, '#')), "not a kubeconfig: ");
}

TEST_CASE_FIXTURE(kubeconfig_fixture, "members of the wrong type are named, their value is not") {
    for (const char* user :
         {"user: CANARY", "user: [CANARY]", "user: {client-certificate-data: [CANARY]}",
          "user: {token: {CANARY: CANARY}}", "user: {client-key-data: [CANARY]}", "user: {tokenFile: {a: CANARY}}",
          "user: {exec: CANARY}", "user: {exec: [CANARY]}", "user: {exec: {args: CANARY}}",
          "user: {exec: {env: [{name: a, value: {b: CANARY}}]}}", "user: {as: {CANARY: 1}}", "user: {as: 7}",
          "user: {as-groups: CANARY}", "user: {as-user-extra: {a: CANARY}}", "user: {auth-provider: CANARY}"}) {
        CAPTURE(user);
        CHECK_BEGINS(failure("users: [{name: u, " + std::string(user) + "}]"), "users[0].user");
    }
    // A token of digits only is a number to YAML.
    const std::string digits = failure("users: [{name: u, user: {token: 31415926}}]");
    CHECK_BEGINS(digits, "users[0].user.token: expected a string; put it in quotes");
    CHECK(digits.find("31415926") == std::string::npos);
    CHECK_BEGINS(failure("clusters: [{name: k, cluster: {insecure-skip-tls-verify: 'CANARY'}}]"),
                 "clusters[0].cluster.insecure-skip-tls-verify: expected true or false");
    CHECK_BEGINS(failure("clusters: CANARY"), "clusters: expected");
}

TEST_CASE_FIXTURE(kubeconfig_fixture, "names that lead nowhere") {
    CHECK(failure("contexts: [{name: a}, {name: b}]") ==
          "current-context is not set: choose one of these contexts: a, b");
    CHECK(failure("clusters: []") == "current-context is not set: choose one of these contexts: none");
    CHECK(failure("current-context: x\ncontexts: [{name: a}, {name: \"b\\u001b\"}]") ==
          "there is no context \"x\"; the file has: a, b\\x1b");
    CHECK(failure("current-context: a\ncontexts: [{name: a}]") == "context \"a\": cluster is not set");
    CHECK(failure("current-context: a\nclusters: [{name: k}]\ncontexts: [{name: a, context: {cluster: q}}]") ==
          "context \"a\": there is no cluster \"q\"; the file has: k");
    CHECK(failure("current-context: a\nclusters: [{name: k, cluster: {server: https://x}}]\n"
                  "contexts: [{name: a, context: {cluster: k, user: q}}]") ==
          "context \"a\": there is no user \"q\"; the file has: none");
    CHECK(failure("clusters: [{name: k}, {name: k}]") == "cluster \"k\" is there twice: remove one of them");
    CHECK(failure("users: [{name: k}, {name: k}]") == "user \"k\" is there twice: remove one of them");
    CHECK(failure("contexts: [{name: k}, {name: k}]") == "context \"k\" is there twice: remove one of them");
    CHECK(failure("users: [{user: {token: CANARY}}]") == "user without a name");
    std::string many = "current-context: x\ncontexts:\n";
    for (int i = 0; i < 100; ++i) many += "- name: c" + std::to_string(i) + "\n";
    const std::string cut = failure(many);
    CHECK(cut.size() < 200);
    CHECK(cut.find("c19, …") != std::string::npos);
}

TEST_CASE_FIXTURE(kubeconfig_fixture, "servers") {
    CHECK(failure(with("", "token: CANARY")) == "cluster \"k\": server: empty: write https://host:port");
    CHECK(failure(with("server: ''", "")) == "cluster \"k\": server: empty: write https://host:port");
    for (const char* bad : {"x", "ftp://x", "https://", "https://a b", "https://x:0", "https://u:CANARY@x",
                            "https://x?token=CANARY", "https://x/../y"}) {
        CAPTURE(bad);
        CHECK_BEGINS(failure(with("server: '" + std::string(bad) + "'", "")), "cluster \"k\": server: ");
    }
    CHECK(resolve(with("server: http://x", "")).has_value());
}

TEST_CASE_FIXTURE(kubeconfig_fixture, "credentials are not for a plain http server, as in kubectl") {
    const std::string plugin = "exec: {apiVersion: client.authentication.k8s.io/v1, command: login, interactiveMode: ";
    for (const std::string& user :
         {std::string("token: CANARY"), std::string("tokenFile: /etc/kube/./token"), std::string("tokenFile: missing"),
          std::string("client-certificate-data: Q0VSVA==, client-key-data: Q0FOQVJZ"),
          std::string("username: admin, password: CANARY"), plugin + "Never, provideClusterInfo: true}",
          plugin + "Always}"}) {
        CAPTURE(user);
        for (const char* plain : {"http://x", "http://localhost:8001", "http://127.0.0.1:1", "http://[::1]:1"}) {
            const auto got = resolve(with("server: '" + std::string(plain) + "'", "as: jane, as-groups: [g], " + user));
            const std::string why = got ? "" : got.error().what();
            CAPTURE(why);
            REQUIRE(got.has_value());
            CHECK(!got->has_login());
            CHECK(got->files().empty());
            CHECK(got->impersonate().user() == "jane");
            CHECK(got->impersonate().groups() == std::vector<std::string>{"g"});
        }
    }
    const auto given = kubeconfig_overrides().token(secret_string("CANARY")).server("http://x");
    CHECK(!kubeconfig::parse(with_user(""), "/etc/kube/config", trust::trusted)->resolve(env, given)->has_login());
    // What is wrong with the entry is an error all the same.
    CHECK_BEGINS(failure(with("server: http://x", "token: CANARY, username: a")), "user \"u\": username: there is a");
    CHECK_BEGINS(failure(with("server: http://x", "client-certificate-data: Q0VSVA==")), "user \"u\": client-key: ");
    CHECK_BEGINS(failure(with("server: http://x", plugin + "Sometimes}")), "user \"u\": exec.interactiveMode: ");
    // There is nothing to verify, so that it is no contradiction.
    CHECK(resolve(with("server: http://x, insecure-skip-tls-verify: true, certificate-authority-data: QQ==", ""))
              .has_value());
}

TEST_CASE_FIXTURE(kubeconfig_fixture, "a field and its -data are a contradiction, as in kubectl") {
    const std::string both = "client-certificate-data: Q0VSVA==, client-key-data: Q0FOQVJZ, ";
    for (const char* path : {"pki/ca.crt", "missing"}) {
        CAPTURE(path);
        CHECK(failure(with(
                  "server: https://x, certificate-authority-data: QQ==, certificate-authority: " + std::string(path),
                  "")) == "cluster \"k\": certificate-authority-data: there is certificate-authority (\"" +
                              std::string(path) + "\"), too, and only one of them can be used: remove one");
        CHECK_BEGINS(failure(with_user(both + "client-certificate: " + path)),
                     "user \"u\": client-certificate-data: there is client-certificate (");
        CHECK_BEGINS(failure(with_user(both + "client-key: " + path)),
                     "user \"u\": client-key-data: there is client-key (");
    }
}

TEST_CASE_FIXTURE(kubeconfig_fixture, "the cluster's fields") {
    CHECK(resolve(with("server: https://x, insecure-skip-tls-verify: true", ""))->tls().insecure());
    CHECK(!resolve(with("server: https://x, insecure-skip-tls-verify: false", ""))->tls().insecure());
    for (const char* authority : {"certificate-authority-data: QQ==", "certificate-authority: pki/ca.crt"}) {
        CHECK_BEGINS(failure(with(std::string("server: https://x, insecure-skip-tls-verify: true, ") + authority, "")),
                     "cluster \"k\": insecure-skip-tls-verify: true beside certificate-authority");
    }
    CHECK(resolve(with("server: https://x, disable-compression: true", ""))->disable_compression());
    const auto proxied = resolve(with("server: https://x, proxy-url: 'http://u:CANARY@p:3128'", ""));
    REQUIRE(proxied.has_value());
    CHECK(proxied->server().via == http::proxy("http", "p", 3128).login("u", secret_string("CANARY")));
    CHECK(proxied->server_url() == "https://x:443");
    CHECK(*proxied != *resolve(with("server: https://x", "")));
    CHECK_BEGINS(failure(with("server: https://x, proxy-url: 'ftp://u:CANARY@p'", "")),
                 "cluster \"k\": proxy-url: proxy URL with scheme \"ftp\"");
    // The environment's proxy is for what names none, and not for this machine itself.
    env.variables["HTTPS_PROXY"] = "http://env:1";
    env.variables["NO_PROXY"] = "10.0.0.0/8,.internal";
    const auto via = [&](const std::string& server, const std::string& more = "", trust level = trust::trusted) {
        return resolve(with("server: '" + server + "'" + more, ""), {}, std::move(level))->server().via.text();
    };
    CHECK(via("https://x") == "http://env:1");
    CHECK(via("https://x", ", proxy-url: 'socks5://own'") == "socks5://own:1080");
    for (const char* direct : {"https://10.1.2.3:6443", "https://api.internal", "https://127.0.0.1:6443", "http://x"}) {
        CHECK(via(direct) == "://:0");
    }
    CHECK(via("https://x", "", trust::untrusted) == "://:0");
    CHECK(via("https://x", "", trust::untrusted.allow(kubeconfig_feature::environment_proxy)) == "http://env:1");
    env.variables["HTTPS_PROXY"] = "ftp://u:CANARY@env";
    const auto broken = resolve(with("server: https://x", ""));
    REQUIRE(!broken.has_value());
    CHECK_BEGINS(broken.error().message(), "environment variable HTTPS_PROXY: ");
    CHECK(broken.error().what().find("CANARY") == std::string::npos);
}

TEST_CASE_FIXTURE(kubeconfig_fixture, "basic authentication") {
    const auto both = resolve(with_user("username: admin, password: CANARY"));
    REQUIRE(both.has_value());
    CHECK(both->basic_user() == "admin");
    CHECK(both->basic_password() == secret_string("CANARY"));
    CHECK(both->has_login());
    CHECK(resolve(with_user("username: '', exec: null, token: a"))->basic_user().empty());
    CHECK_BEGINS(failure(with_user("username: admin, password: CANARY, token: CANARY")), "user \"u\": username: ");
    CHECK_BEGINS(failure(with_user("username: admin, tokenFile: ./token")), "user \"u\": username: ");
    CHECK_BEGINS(failure(with_user("username: 'a:b', password: CANARY")), "user \"u\": username: \"a:b\" holds a ':'");
}

TEST_CASE_FIXTURE(kubeconfig_fixture, "impersonation, and its headers") {
    const auto c = resolve(with_user(
        "token: a, as: jane, as-uid: '7', as-groups: [g, h], as-user-extra: {scopes: [view, edit], 'a/b%': [c]}"));
    REQUIRE(c.has_value());
    CHECK(c->impersonate().user() == "jane");
    http::fields headers;
    c->impersonate().add_to(headers);
    std::string text;
    for (const auto& one : headers) text += one.name + ": " + one.value + "\n";
    CHECK(text ==
          "Impersonate-User: jane\nImpersonate-Uid: 7\nImpersonate-Group: g\nImpersonate-Group: h\n"
          "Impersonate-Extra-a%2Fb%25: c\nImpersonate-Extra-scopes: view\nImpersonate-Extra-scopes: edit\n");
    http::fields own;
    own.set("Impersonate-User", "joe");
    c->impersonate().add_to(own);
    CHECK(own.size() == 1);
    CHECK(resolve(with_user("token: a, as: null"))->impersonate().empty());
    CHECK(*c != *resolve(with_user("token: a, as: jane")));
    CHECK_BEGINS(failure(with_user("as: \"jane\\r\\nX-Evil: 1\"")), "user \"u\": as: holds control characters");
    CHECK_BEGINS(failure(with_user("as: jane, as-groups: [\"g\\n\"]")), "user \"u\": as: holds control characters");
}

TEST_CASE_FIXTURE(kubeconfig_fixture, "providers that are no more are refused with what took their place") {
    struct row {
        const char* name;
        const char* plugin;
    };
    for (const auto& r : {row{"gcp", "gke-gcloud-auth-plugin"}, row{"azure", "kubelogin convert-kubeconfig"},
                          row{"oidc", "kubectl oidc-login"}, row{"other\x1b", "an exec plugin"}}) {
        const auto why = failure(with_user("auth-provider: {name: \"" + escape_control(r.name) +
                                           "\", config: {access-token: CANARY, cmd-path: /bin/sh}}"));
        CHECK_BEGINS(why, "user \"u\": auth-provider: \"");
        CHECK(why.find(r.plugin) != std::string::npos);
    }
    // Only of the context that is used.
    CHECK(kubeconfig::parse(with_user("auth-provider: {name: x}"), "o", trust::trusted).has_value());
}

TEST_CASE_FIXTURE(kubeconfig_fixture, "bad base64 and halves of a pair") {
    for (const char* bad : {"'CANARY!'", "CANARY", "QQ=", "QQ===", "Q===", "QQ==QQ==", "A=BC", "'===='"}) {
        CAPTURE(bad);
        const std::string data = bad;
        CHECK_BEGINS(failure(with("server: https://x, certificate-authority-data: " + data, "")),
                     "cluster \"k\": certificate-authority-data: not base64");
        CHECK_BEGINS(failure(with_user("client-certificate-data: " + data)),
                     "user \"u\": client-certificate-data: not base64");
        CHECK_BEGINS(failure(with_user("client-certificate-data: QQ==, client-key-data: " + data)),
                     "user \"u\": client-key-data: not base64");
    }
    CHECK(failure(with_user("client-certificate-data: ' '")) == "user \"u\": client-certificate-data: empty");
    CHECK(failure(with_user("client-certificate-data: QQ==")) ==
          "user \"u\": client-key: missing beside client-certificate");
    CHECK(failure(with_user("client-key-data: Q0FOQVJZ")) ==
          "user \"u\": client-certificate: missing beside client-key");
    // Line breaks inside are allowed.
    const auto broken = resolve(with("server: https://x, certificate-authority-data: \"Q0Et\\nUEVN\"", ""));
    REQUIRE(broken.has_value());
    CHECK(broken->tls().ca_pem() == "CA-PEM");
}

TEST_CASE_FIXTURE(kubeconfig_fixture, "files that are missing, empty or no token") {
    env.files["/empty"] = "";
    env.files["/binary"] = "CANARY\nCANARY";
    CHECK(failure(with("server: https://x, certificate-authority: /empty", "")) ==
          "cluster \"k\": certificate-authority: the file /empty is empty");
    CHECK_BEGINS(failure(with_user("client-certificate: /x, client-key: /y"), trust::trusted, errc::file_failed),
                 "user \"u\": client-certificate: ");
    CHECK_BEGINS(failure(with_user("client-certificate: /binary, client-key: /y"), trust::trusted, errc::file_failed),
                 "user \"u\": client-key: ");
    for (const char* path : {"/nowhere", "/empty", "/binary"}) {
        CHECK_BEGINS(failure(with_user("tokenFile: " + std::string(path)), trust::trusted, errc::file_failed),
                     "user \"u\": tokenFile: ");
    }
    CHECK(resolve(with_user("token: a, tokenFile: /nowhere")).has_value());
    CHECK(failure(with_user("token: \"CANARY\\r\\nX-Evil: 1\"")) ==
          "user \"u\": token: holds something else than visible ASCII");
}

TEST_CASE_FIXTURE(kubeconfig_fixture, "strangers' kubeconfigs may not name files") {
    struct row {
        const char* cluster;
        const char* user;
        const char* begin;
    };
    for (const auto& r :
         {row{"certificate-authority: pki/ca.crt", "", "cluster \"k\": certificate-authority: an untrusted"},
          row{"certificate-authority: x, certificate-authority-data: QQ==", "",
              "cluster \"k\": certificate-authority: "},
          row{"proxy-url: http://p", "", "cluster \"k\": proxy-url: "},
          row{"insecure-skip-tls-verify: true", "", "cluster \"k\": insecure-skip-tls-verify: "},
          row{"", "client-certificate: pki/tls.crt, client-key: /abs/tls.key",
              "user \"u\": client-certificate: an untr"},
          row{"", "client-certificate-data: QQ==, client-key: /abs/tls.key", "user \"u\": client-key: an untrusted"},
          row{"", "tokenFile: token", "user \"u\": tokenFile: an untrusted"},
          row{"", "token: a, tokenFile: token", "user \"u\": tokenFile: an untrusted"},
          row{"", "exec: {command: x}", "user \"u\": exec: "}, row{"", "as: root", "user \"u\": as: "}}) {
        CAPTURE(r.begin);
        CHECK_BEGINS(failure(with("server: https://x, " + std::string(r.cluster), r.user), trust::untrusted), r.begin);
    }
    // Each can be allowed by who embeds this, alone.
    const auto text = with("server: https://x, certificate-authority: pki/ca.crt", "as: root");
    CHECK_BEGINS(failure(text, trust::untrusted.allow(kubeconfig_feature::impersonation)),
                 "cluster \"k\": certificate-authority: ");
    CHECK_BEGINS(failure(text, trust::untrusted.allow(kubeconfig_feature::files)), "user \"u\": as: ");
    CHECK(resolve(text, {}, trust::untrusted.allow(kubeconfig_feature::files).allow(kubeconfig_feature::impersonation))
              .has_value());
    CHECK(resolve(with("server: https://x, insecure-skip-tls-verify: true", ""), {},
                  trust::untrusted.allow(kubeconfig_feature::insecure_tls))
              .has_value());
    CHECK(resolve(with("server: https://x, proxy-url: http://p", ""), {},
                  trust::untrusted.allow(kubeconfig_feature::proxy_url))
              .has_value());
    CHECK(resolve(whole, "dev", trust::untrusted).has_value());
    CHECK(resolve(whole, "token", trust::untrusted).has_value());
}
