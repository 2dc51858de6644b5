// Clusters from Secrets: what joins, is rebuilt and leaves, and what is refused, for strangers write these bytes.
#include <kcontrol/multicluster/detail/secret_object.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/multicluster/secret_source.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <map>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

constexpr const char* label = "sigs.k8s.io/multicluster-runtime-kubeconfig";
const testing::group_resource secrets{"", "secrets"};

std::string encode_base64(std::string_view text) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < text.size(); i += 3) {
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            bits = bits << 8 | (i + k < text.size() ? static_cast<std::uint8_t>(text[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            out += k > text.size() - i ? '=' : digits[bits >> (18 - 6 * k) & 63];
        }
    }
    return out;
}

std::string kubeconfig(const std::string& server, const std::string& user = "token: t1",
                       const std::string& cluster = "") {
    return "apiVersion: v1\nkind: Config\ncurrent-context: x\n"
           "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
           "clusters: [{name: c, cluster: {server: \"" +
           server + "\"" + cluster + "}}]\nusers: [{name: u, user: {" + user + "}}]\n";
}

struct fixture : widget_world {
    fixture() : at_home(add("home")) {
        source.emplace(env, home, at_home.config(), network.factory(), secret_source_options().in_namespace("default"));
    }
    ~fixture() {
        source.reset();
        context.run_for(1s);
    }

    void put(const std::string& name, const std::string& text, const std::string& key = "kubeconfig",
             const std::string& marked = "true", const std::string& ns = "default") {
        json::value object{{"apiVersion", "v1"},
                           {"kind", "Secret"},
                           {"metadata", {{"name", name}, {"namespace", ns}, {"labels", {{label, marked}}}}},
                           {"data", {{key, encode_base64(text)}}}};
        if (at_home.api.get(secrets, {ns, name})) {
            (void)at_home.api.update(std::move(object)).value();
        } else {
            (void)at_home.api.create(std::move(object)).value();
        }
        settle();
    }
    void remove(const std::string& name) {
        (void)at_home.api.remove(secrets, {"default", name});
        settle();
    }
    void start() {
        REQUIRE(source
                    ->start([this](std::vector<desired_cluster> clusters) {
                        ++told;
                        last.clear();
                        for (auto& c : clusters) last.emplace(c.name, std::move(c));
                    })
                    .has_value());
        settle();
    }
    void settle(duration d = 1s) { context.run_for(d); }
    std::string why(const std::string& name) {
        const auto& c = last.at(name);
        return c.config ? c.warning : c.config.error().message();
    }

    widget_server& at_home;
    std::optional<secret_source> source;
    std::map<std::string, desired_cluster> last;
    int told = 0;
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE_FIXTURE(fixture, "Secrets with the label are clusters: they join, are replaced and leave") {
    put("a", kubeconfig("https://a"));
    put("other", kubeconfig("https://o"), "kubeconfig", "false");
    put("elsewhere", kubeconfig("https://e"), "kubeconfig", "true", "kube-system");
    start();
    CHECK(told == 1);
    REQUIRE(last.size() == 1);
    CHECK(last.at("a").config->server_url() == "https://a:443");
    CHECK(last.at("a").config->token().reveal() == "t1");
    put("b", kubeconfig("https://b"));
    CHECK(last.size() == 2);
    put("a", kubeconfig("https://a", "token: t2"));
    CHECK(last.at("a").config->token().reveal() == "t2");
    put("a", kubeconfig("https://a", "token: t2") + "# a comment\n");
    CHECK(told == 3);  // nothing that matters changed
    put("b", kubeconfig("https://b"), "kubeconfig", "false");
    CHECK(last.size() == 1);
    remove("a");
    CHECK(last.empty());
}

TEST_CASE_FIXTURE(fixture, "without any Secret the empty set is told, once the home cluster was heard") {
    network.set_link("home", testing::link_state::refused);
    start();
    CHECK(told == 0);
    network.set_link("home", testing::link_state::up);
    settle(60s);
    CHECK(told == 1);
    CHECK(last.empty());
}

TEST_CASE_FIXTURE(fixture,
                  "while the home cluster is away the clusters stay, and what changed meanwhile is seen later") {
    put("a", kubeconfig("https://a"));
    put("b", kubeconfig("https://b"));
    start();
    network.set_link("home", testing::link_state::black_hole);
    network.break_connections("home");
    remove("b");
    settle(60s);
    CHECK(last.size() == 2);
    CHECK(told == 1);
    network.set_link("home", testing::link_state::up);
    settle(300s);
    CHECK(last.size() == 1);
    CHECK(told == 2);
}

TEST_CASE_FIXTURE(fixture, "what a stranger may not do is refused, with the secret's name and the field") {
    struct row {
        const char* name;
        std::string text;
        const char* why;
    };
    const std::string good = kubeconfig("https://a");
    const row rows[] = {
        {"exec", kubeconfig("https://a", "exec: {command: /bin/sh}"), "exec"},
        {"plugin", kubeconfig("https://a", "auth-provider: {name: gcp}"), "auth-provider"},
        {"token-file", kubeconfig("https://a", "tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token"),
         "tokenFile: an untrusted kubeconfig may not name files"},
        {"key-file", kubeconfig("https://a", "client-certificate: /c, client-key: /k"), "may not name files"},
        {"ca-file", kubeconfig("https://a", "token: t1", ", certificate-authority: /etc/passwd"),
         "certificate-authority: an untrusted kubeconfig may not name files"},
        {"proxy", kubeconfig("https://a", "token: t1", ", proxy-url: \"http://evil\""), "proxy-url"},
        {"insecure", kubeconfig("https://a", "token: t1", ", insecure-skip-tls-verify: true"),
         "insecure-skip-tls-verify"},
        {"impersonation", kubeconfig("https://a", "token: t1, as: root"),
         "as: an untrusted kubeconfig may not impersonate anybody (\"root\")"},
        {"http", kubeconfig("http://a", "token: t1"), "https"},
        {"http-loopback", kubeconfig("http://127.0.0.1:1", "token: t1"), "must name an https server"},
        {"http-anonymous", kubeconfig("http://a", ""), "must name an https server"},
        {"userinfo", kubeconfig("https://user:t1secret@a"), "server"},
        {"empty", "", "the file is empty"},
        {"binary", std::string("\0\1\2", 3), "not a kubeconfig"},
        {"large", good + std::string(300'000, '#'), "is larger than 262144 bytes"},
        {"no-context", "apiVersion: v1\nkind: Config\n", "current-context is not set"},
        {"two", good + "---\n" + good, "more than one YAML document"},
    };
    start();
    for (const auto& one : rows) {
        CAPTURE(one.name);
        put(one.name, one.text);
        REQUIRE(last.contains(one.name));
        CHECK_FALSE(last.at(one.name).config.has_value());
        CHECK_MESSAGE(has(why(one.name), one.why), why(one.name));
        CHECK(has(why(one.name), std::string("secret default/") + one.name + ", data.kubeconfig"));
        CHECK_FALSE(has(why(one.name), "t1"));
    }
    put("wrong-key", good, "value");
    CHECK(has(why("wrong-key"), "data.kubeconfig: not there"));
    put("good", good);
    CHECK(last.at("good").config.has_value());
}

TEST_CASE_FIXTURE(fixture, "a list is told as a whole: never a set that was not there") {
    put("a", kubeconfig("https://a"));
    start();
    network.set_link("home", testing::link_state::refused);
    network.break_connections("home");
    remove("a");
    for (const char* name : {"b", "c", "d"}) put(name, kubeconfig("https://b"));
    at_home.api.compact(at_home.api.resource_version());  // the watch can't go on from where it was
    network.set_link("home", testing::link_state::up);
    settle(300s);
    CHECK(told == 2);
    CHECK(last.size() == 3);
}

TEST_CASE_FIXTURE(fixture, "a Secret that is broken later leaves the configuration before it in use") {
    start();
    put("a", kubeconfig("https://a"));
    put("a", kubeconfig("https://a", "exec: {command: /bin/sh}"));
    CHECK(last.at("a").config.has_value());
    CHECK(has(why("a"), "the configuration before it stays in use"));
    put("a", kubeconfig("https://a", "token: t3"));
    CHECK(last.at("a").config->token().reveal() == "t3");
    CHECK(why("a").empty());
}

TEST_CASE_FIXTURE(fixture, "in all namespaces, names tell the namespace") {
    source.emplace(env, home, at_home.config(), network.factory());
    put("a", kubeconfig("https://a"));
    put("a", kubeconfig("https://b"), "kubeconfig", "true", "kube-system");
    start();
    CHECK(last.size() == 2);
    CHECK(last.at("default/a").config->server_url() == "https://a:443");
    CHECK(last.at("kube-system/a").config->server_url() == "https://b:443");
}

TEST_CASE_FIXTURE(fixture, "after stop nothing is told; started again, the present set is") {
    put("a", kubeconfig("https://a"));
    start();
    source->stop();
    put("b", kubeconfig("https://b"));
    CHECK(told == 1);
    start();
    CHECK(told == 2);
    CHECK(last.size() == 2);
}

TEST_CASE("with the manager: replacing one Secret rebuilds that cluster and touches no other") {
    fixture f;
    auto& a = f.add("a");
    auto& b = f.add("b");
    f.put("a", kubeconfig("https://a"));
    f.put("b", kubeconfig("https://b"));
    multicluster_options o;
    o.kinds({kind_choice(resource_of<widget>())}).transport(f.network.factory());
    std::map<std::string, cluster_status> statuses;
    std::string removed;
    o.on_status([&](const cluster_status& s) { statuses[s.name] = s; });
    o.on_removed([&](const std::string& name) { removed += name; });
    multicluster_manager manager(f.env, f.home, std::move(o));
    REQUIRE(f.source->start([&](std::vector<desired_cluster> d) { manager.set_desired(std::move(d)); }).has_value());
    f.settle(2s);
    CHECK(statuses.at("a").state == cluster_state::live);
    f.put("a", kubeconfig("https://a", "token: t2"));
    f.settle(2s);
    CHECK(statuses.at("a").generation == 2);
    CHECK(statuses.at("b").generation == 1);
    CHECK(a.lists() == 1);
    CHECK(b.lists() == 1);
    CHECK(b.watches() == 1);
    f.remove("a");
    f.settle(2s);
    CHECK(removed == "a");
    CHECK(b.watches() == 1);
    f.ends_within(5s, manager.stop());
}

TEST_CASE_FIXTURE(fixture, "a Secret's labels are the cluster's, to choose it by") {
    put("a", kubeconfig("https://a"));
    start();
    CHECK(last.at("a").labels == cluster_labels{{label, "true"}});
    (void)at_home.api.patch(secrets, {"default", "a"}, {{"metadata", {{"labels", {{"region", "east"}}}}}}).value();
    settle();
    CHECK(last.at("a").labels == cluster_labels{{label, "true"}, {"region", "east"}});
    CHECK(told == 2);
    (void)at_home.api.patch(secrets, {"default", "a"}, {{"metadata", {{"labels", {{"region", nullptr}}}}}}).value();
    settle();
    CHECK(last.at("a").labels == cluster_labels{{label, "true"}});
}

TEST_CASE("of a Secret, the local copy keeps nothing that is secret") {
    const std::string text =
        R"({"apiVersion":"v1","kind":"Secret","type":"Opaque","data":{"kubeconfig":"Y2FuYXJ5","other":"eA=="},
            "metadata":{"name":"a","namespace":"ns","uid":"u","resourceVersion":"7","labels":{"l":"east"},
            "annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{data: canary}"}}})";
    json::document document;
    const auto decoded = detail::secret_resource().decode(document.parse(text).value());
    REQUIRE(decoded.has_value());
    const object_meta& meta = decoded->meta();
    CHECK(meta.name == "a");
    CHECK(meta.namespace_ == "ns");
    CHECK(meta.uid == "u");
    CHECK(meta.resource_version == "7");
    CHECK(meta.annotations.empty());
    CHECK(meta.labels.at("l") == "east");
    const auto secret = decoded->as<detail::secret_object>();
    const auto data = secret->take_data();
    REQUIRE(data.size() == 2);
    CHECK(data.at("kubeconfig").reveal() == "Y2FuYXJ5");
    CHECK(secret->take_data().empty());
    CHECK_FALSE(detail::secret_resource().decode(document.parse(R"({"metadata":{"name":"a"},"data":7})").value()));
}

TEST_CASE("what the embedder allows a Secret's kubeconfig, and nothing beside it") {
    testing::manual_environment env;
    env.files["/pod/token"] = "t";
    const auto read = [&](const std::string& user, const auth::trust& level) {
        const auto config = parse_secret_kubeconfig(env, kubeconfig("https://a", user), "secret x/y", 4096, level);
        return config ? std::string("taken") : config.error().message();
    };
    using feature = auth::kubeconfig_feature;
    const auto none = auth::trust::untrusted;
    CHECK(has(read("token: t1, as: root", none), "as: an untrusted"));
    CHECK(read("token: t1, as: root", none.allow(feature::impersonation)) == "taken");
    CHECK(has(read("tokenFile: /pod/token", none.allow(feature::impersonation)), "tokenFile: an untrusted"));
    CHECK(read("tokenFile: /pod/token", none.allow(feature::files)) == "taken");
    const std::string exec =
        "exec: {apiVersion: client.authentication.k8s.io/v1, command: /bin/login, interactiveMode: Never}";
    CHECK(has(read(exec, none.allow(feature::files)), "exec: an untrusted kubeconfig may not run programs"));
    CHECK(read(exec, none.allow_programs({"/bin/login"})) == "taken");
    // The server must be https, whatever is allowed.
    const auto http =
        parse_secret_kubeconfig(env, kubeconfig("http://127.0.0.1:1"), "o", 4096, none.allow(feature::insecure_tls));
    CHECK(has(http.error().message(), "must name an https server"));
}
