// Several kubeconfigs as one: client-go's rules, by a table of our own and, where there is kubectl, by its own results.
#include <kcontrol/auth/find_config.hpp>
#include <kcontrol/base/base64.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/timer.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <unistd.h>

using namespace kcontrol;
using namespace kcontrol::auth;

namespace {

const std::string one = R"(apiVersion: v1
kind: Config
current-context: red
clusters:
- {name: east, cluster: {server: "https://east-one", certificate-authority: pki/ca.crt}}
users:
- {name: u, user: {token: token-one}}
contexts:
- {name: red, context: {cluster: east, user: u}}
)";

const std::string two = R"(current-context: blue
clusters:
- {name: east, cluster: {server: "https://east-two", tls-server-name: two}}
- {name: west, cluster: {server: "https://west", certificate-authority: pki/ca.crt}}
users:
- {name: u, user: {token: token-two}}
- {name: v, user: {token: token-v}}
contexts:
- {name: red, context: {cluster: west, user: v, namespace: red-of-two}}
- {name: blue, context: {cluster: west, user: v, namespace: blue-of-two}}
- {name: mixed, context: {cluster: east, user: v}}
)";

// No current context, and an entry for the context of others.
const std::string three = R"(
users:
- {name: w, user: {token: token-w}}
contexts:
- {name: green, context: {cluster: west, user: w}}
)";

const std::map<std::string, std::string>& tree() {
    static const std::map<std::string, std::string> files{{"a/one", one},
                                                          {"b/two", two},
                                                          {"c/three", three},
                                                          {"empty", ""},
                                                          {"blank", "\n\n"},
                                                          {"broken", "a: ["},
                                                          {"a/pki/ca.crt", "CA a"},
                                                          {"b/pki/ca.crt", "CA b"},
                                                          {"home/.kube/config", two},
                                                          {"home/.kube/pki/ca.crt", "CA home"}};
    return files;
}

struct row {
    const char* list;     // $KUBECONFIG; '~' before a name is the directory
    const char* file;     // --kubeconfig
    const char* context;  // --context
    const char* result;   // server, CA, token, namespace
};

const row rows[] = {
    {"~a/one", "", "", "https://east-one CA a token-one -"},
    {"~b/two", "", "", "https://west CA b token-v blue-of-two"},
    {"~a/one:~b/two", "", "", "https://east-one CA a token-one -"},
    {"~b/two:~a/one", "", "", "https://west CA b token-v blue-of-two"},
    {"~a/one:~b/two", "", "blue", "https://west CA b token-v blue-of-two"},
    {"~b/two:~a/one", "", "red", "https://west CA b token-v red-of-two"},
    {"~a/one:~b/two", "", "red", "https://east-one CA a token-one -"},  // whole entries, never halves
    {"~a/one:~b/two", "", "mixed", "https://east-one CA a token-v -"},
    {"~b/two:~a/one", "", "mixed", "https://east-two - token-v -"},
    {"~missing:~empty:~blank:~b/two", "", "", "https://west CA b token-v blue-of-two"},
    {"~c/three:~a/one", "", "", "https://east-one CA a token-one -"},  // the first that has a current context
    {"~c/three:~b/two", "", "green", "https://west CA b token-w -"},
    {"::~a/one:~a/one:", "", "", "https://east-one CA a token-one -"},
    {"~b/two", "~a/one", "", "https://east-one CA a token-one -"},  // one that is named stands alone
    {"~b/two", "~a/one", "blue", "error"},
    {"~b/two", "~missing", "", "error"},
    {"~b/two:~broken", "", "", "error"},
    {"~a/one", "", "nowhere", "error"},
    {"~missing", "", "", "error"},
    {"", "", "", "https://west CA home token-v blue-of-two"},
};

std::string expand(std::string text, const std::string& directory) {
    for (auto at = text.find('~'); at != std::string::npos; at = text.find('~')) text.replace(at, 1, directory + "/");
    return text;
}

std::string shown(const cluster_config& c) {
    const auto or_none = [](std::string_view text) { return text.empty() ? std::string("-") : std::string(text); };
    return "https://" + c.server().host + " " + or_none(c.tls().ca_pem()) + " " + or_none(c.token().reveal()) + " " +
           or_none(c.default_namespace());
}

std::string ours(environment& env, const row& r, const std::string& directory) {
    config_search how;
    how.file(expand(r.file, directory)).overrides(kubeconfig_overrides().context(r.context));
    const auto found = find_config(env, how);
    return found ? shown(*found) : "error";
}

std::string find_program(const char* name) {
    system_environment env;
    const std::string path = env.variable("PATH").value_or("/usr/bin:/bin");
    for (std::string_view rest = path; !rest.empty();) {
        const auto directory = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(rest.size(), directory.size() + 1));
        const std::string candidate = std::string(directory) + "/" + name;
        if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return {};
}

/// What kubectl makes of the same, with the contents of the files that it names.
std::string kubectls(const std::string& kubectl, const row& r, const std::string& directory) {
    std::vector<std::string> words{kubectl, "config", "view", "--minify", "--flatten", "--raw", "-o", "json"};
    if (*r.file) words.push_back("--kubeconfig=" + expand(r.file, directory));
    if (*r.context) words.push_back(std::string("--context=") + r.context);
    process_command command(words);
    command.variable("HOME", directory + "/home").variable("KUBECONFIG", expand(r.list, directory));
    system_environment env;
    boost::asio::io_context context;
    const auto ended = testing::run(context, env.run_process(command));
    REQUIRE(ended.has_value());
    if (ended->exit_status != 0) return "error";
    const auto view = json::parse(ended->output);
    REQUIRE(view.has_value());
    const auto entry = [&](const char* list, const char* what, const char* member) {
        const auto* found = json::find(*view, {list});
        if (!found || !found->is_array() || found->get_array().empty()) return std::string();
        return std::string(json::get_string(found->get_array().front(), {what, member}));
    };
    cluster_config c;
    c.server({"https", entry("clusters", "cluster", "server").substr(8), 443});
    const auto ca = decode_base64(entry("clusters", "cluster", "certificate-authority-data"));
    c.tls(http::tls_options().ca_pem(ca.value_or("?")));
    c.token(secret_string(entry("users", "user", "token")));
    c.default_namespace(entry("contexts", "context", "namespace"));
    return shown(c);
}

}  // namespace

TEST_CASE("the files of $KUBECONFIG as one: whole entries of the first that has them, each beside its own file") {
    for (const auto& r : rows) {
        CAPTURE(std::string(r.list));
        CAPTURE(std::string(r.file));
        CAPTURE(std::string(r.context));
        testing::manual_environment env;
        for (const auto& [name, text] : tree()) env.files["/d/" + name] = text;
        env.variables = {{"HOME", "/d/home"}, {"KUBECONFIG", expand(r.list, "/d")}};
        CHECK(ours(env, r, "/d") == r.result);
    }
}

namespace {

/// The system's, with variables of its own.
class with_variables final : public environment {
public:
    explicit with_variables(std::map<std::string, std::string> own) : own_(std::move(own)) {}
    time_point now() const noexcept override { return real_.now(); }
    wall_time wall_now() const noexcept override { return real_.wall_now(); }
    std::uint64_t random() override { return real_.random(); }
    std::unique_ptr<timer> make_timer(const executor& ex) override { return real_.make_timer(ex); }
    result<std::string> read_file(const std::string& path, std::size_t most) override {
        return real_.read_file(path, most);
    }
    result<std::vector<std::string>> list_directory(const std::string& path) override {
        return real_.list_directory(path);
    }
    result<std::vector<directory_entry>> list_entries(const std::string& path) override {
        return real_.list_entries(path);
    }
    result<std::unique_ptr<directory_watch>> watch_directory(const executor& ex, const std::string& path) override {
        return real_.watch_directory(ex, path);
    }
    std::optional<std::string> variable(const std::string& name) const override {
        const auto found = own_.find(name);
        return found == own_.end() ? std::nullopt : std::optional(found->second);
    }

private:
    system_environment real_;
    std::map<std::string, std::string> own_;
};

}  // namespace

TEST_CASE("the same files on a disk, before us and before kubectl" * doctest::skip(find_program("kubectl").empty())) {
    const std::string kubectl = find_program("kubectl");
    const testing::temporary_directory directory;
    for (const char* folder : {"a/pki", "b/pki", "c", "home/.kube/pki"}) {
        std::filesystem::create_directories(directory.path(folder));
    }
    for (const auto& [name, text] : tree()) directory.write(name, text);
    for (const auto& r : rows) {
        CAPTURE(std::string(r.list));
        CAPTURE(std::string(r.file));
        CAPTURE(std::string(r.context));
        with_variables env({{"HOME", directory.path("home")}, {"KUBECONFIG", expand(r.list, directory.path())}});
        CHECK(ours(env, r, directory.path()) == r.result);
        CHECK(kubectls(kubectl, r, directory.path()) == r.result);
    }
}

TEST_CASE("a file of the list that is there and can't be read is an error, and one that is not there is none") {
    const testing::temporary_directory directory;
    directory.write("good", one);
    std::filesystem::create_directory(directory.path("folder"));
    std::filesystem::create_directory(directory.path("pki"));
    directory.write("pki/ca.crt", "CA");
    const auto load = [&](const std::string& list) {
        system_environment env;
        const auto found = kubeconfig::load_list(env, list, trust::trusted);
        return found ? found->current_context() : found.error().message();
    };
    const std::string good = directory.path("good");
    CHECK(load(directory.path("none") + ":" + good) == "red");
    CHECK(load(directory.path("no/folder/none") + ":" + good) == "red");
    CHECK(load(directory.path("folder") + ":" + good).find(directory.path("folder")) != std::string::npos);
    if (::geteuid() == 0) return;  // who may read everything
    directory.write("closed", two);
    std::filesystem::permissions(directory.path("closed"), std::filesystem::perms::none);
    CHECK(load(directory.path("closed") + ":" + good).find("closed") != std::string::npos);
}

TEST_CASE("overrides: another entry, another address, another user") {
    testing::manual_environment env;
    for (const auto& [name, text] : tree()) env.files["/d/" + name] = text;
    const auto file = kubeconfig::load_list(env, "/d/a/one:/d/b/two", trust::trusted).value();
    const auto with = [&](const kubeconfig_overrides& o) {
        const auto got = file.resolve(env, o);
        return got ? shown(*got) : got.error().message();
    };
    using over = kubeconfig_overrides;
    CHECK(with(over()) == "https://east-one CA a token-one -");
    CHECK(with(over().cluster("west")) == "https://west CA b token-one -");
    CHECK(with(over().user("v").default_namespace("mine")) == "https://east-one CA a token-v mine");
    CHECK(with(over().context("blue").default_namespace("mine")) == "https://west CA b token-v mine");
    CHECK(with(over().context("nowhere")).find("there is no context \"nowhere\"; the file has: red, blue, mixed") !=
          std::string::npos);
    CHECK(with(over().user("nobody")).find("there is no user \"nobody\"; the file has: u, v") != std::string::npos);
    CHECK(with(over().token(secret_string("given"))) == "https://east-one CA a given -");
    CHECK(with(over().server("https://other:8443/base")) == "https://other CA a token-one -");
    CHECK(file.resolve(env, over().server("https://other:8443/base"))->base_path() == "/base");
    // A name to verify is for the address beside it.
    const auto second = kubeconfig::load(env, "/d/b/two", trust::trusted).value();
    CHECK(second.resolve(env, over().cluster("east"))->tls().server_name() == "two");
    CHECK(second.resolve(env, over().cluster("east").server("https://x"))->tls().server_name().empty());
    CHECK(second.resolve(env, over().cluster("east").server("https://x").tls_server_name("y"))->tls().server_name() ==
          "y");
    const auto insecure = file.resolve(env, over().insecure_skip_tls_verify(true)).value();
    CHECK(insecure.tls().insecure());
    CHECK(insecure.tls().ca_pem().empty());
    CHECK(file.resolve(env, over().proxy_url(secret_string("socks5://p")))->server().via.text() == "socks5://p:1080");
    CHECK(file.resolve(env, over().impersonate(impersonation("jane").groups({"g"})))->impersonate() ==
          impersonation("jane").groups({"g"}));
    CHECK(with(over().impersonate(impersonation())).find("as: empty") != std::string::npos);
    // Without any file.
    for (const kubeconfig& none : {kubeconfig::merge({}), kubeconfig(), kubeconfig::merge({kubeconfig()})}) {
        CHECK(none.empty());
        CHECK(none.context_names().empty());
        CHECK(none.resolve(env).error() == errc::invalid_config);
        const auto given = none.resolve(env, over().server("https://x").token(secret_string("t"))).value();
        CHECK(shown(given) == "https://x - t -");
    }
}

TEST_CASE("what is overridden is trusted, though the file is not") {
    testing::manual_environment env;
    env.files["/d/a/pki/ca.crt"] = "CA";
    const auto file = kubeconfig::parse(two, "secret x/y", trust::untrusted).value();
    using over = kubeconfig_overrides;
    CHECK(file.resolve(env, over().cluster("east")).has_value());
    CHECK(file.resolve(env, over().cluster("west")).error().message().find("may not name files") != std::string::npos);
    CHECK(file.resolve(env, over().cluster("east").insecure_skip_tls_verify(true)).has_value());
    CHECK(file.resolve(env, over().cluster("east").impersonate(impersonation("jane"))).has_value());
    CHECK(file.resolve(env, over().cluster("east").proxy_url(secret_string("http://p"))).has_value());
}

TEST_CASE("entries of merged files keep the trust of their own") {
    testing::manual_environment env;
    env.files["/d/a/pki/ca.crt"] = "CA";
    const auto mine = kubeconfig::parse(one, "/d/a/one", trust::trusted).value();
    const auto theirs = kubeconfig::parse(
                            "users: [{name: u, user: {as: root}}, {name: x, user: {exec: {command: /bin/sh}}}]\n"
                            "contexts: [{name: c, context: {cluster: east, user: x}}]",
                            "secret x/y", trust::untrusted)
                            .value();
    const auto both = kubeconfig::merge({mine, theirs});
    CHECK(shown(both.resolve(env).value()) == "https://east-one CA token-one -");
    const auto why = both.resolve(env, "c").error().message();
    CHECK(why.find("secret x/y: user \"x\": exec: an untrusted kubeconfig may not run programs (\"/bin/sh\")") == 0);
}

TEST_CASE("where a cluster is looked for, and whose namespace it is") {
    testing::manual_environment env;
    const std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount/";
    const auto find = [&](search_order order, const kubeconfig_overrides& with = {}) {
        const auto found = find_config(env, config_search().order(order).overrides(with));
        return found ? found->server().host + " " + found->default_namespace() : found.error().message();
    };
    const auto both = [&](const kubeconfig_overrides& with = {}) {
        return find(search_order::kubectl, with) + ", " + find(search_order::controller, with);
    };
    CHECK(find(search_order::kubectl) == "no cluster to talk to: use --kubeconfig FILE, or set KUBECONFIG");
    env.variables["HOME"] = "/d/home";
    CHECK(find(search_order::kubectl) ==
          "no cluster to talk to: use --kubeconfig FILE, or set KUBECONFIG; there is no kubeconfig at "
          "/d/home/.kube/config");
    // A pod, with nothing else.
    env.variables["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
    env.variables["KUBERNETES_SERVICE_PORT"] = "443";
    env.files = {{folder + "token", "t"}, {folder + "ca.crt", "ca"}, {folder + "namespace", "pods\n"}};
    CHECK(both() == "10.0.0.1 pods, 10.0.0.1 pods");
    CHECK(both(kubeconfig_overrides().default_namespace("mine")) == "10.0.0.1 mine, 10.0.0.1 mine");
    CHECK(both(kubeconfig_overrides().context("red")).find("no cluster to talk to") == 0);
    env.variables["POD_NAMESPACE"] = "told";
    CHECK(both() == "10.0.0.1 told, 10.0.0.1 told");
    // A kubeconfig at home: kubectl takes it first, a controller its own cluster.
    for (const auto& [name, text] : tree()) env.files["/d/" + name] = text;
    CHECK(both() == "west blue-of-two, 10.0.0.1 told");
    env.variables["KUBERNETES_SERVICE_PORT"] = "";
    CHECK(both() == "west blue-of-two, west blue-of-two");  // a host alone is no pod
    env.variables["KUBERNETES_SERVICE_PORT"] = "443";
    CHECK(both(kubeconfig_overrides().context("mixed")) == "east-two told, east-two told");
    // One that is named comes before both; nothing at its place is as if it were not named.
    env.variables["KUBECONFIG"] = "/d/a/one";
    CHECK(both() == "east-one told, east-one told");
    env.variables["KUBECONFIG"] = "/d/missing:/d/empty";
    CHECK(both() == "10.0.0.1 told, 10.0.0.1 told");
    env.variables["KUBECONFIG"] = "/d/broken:/d/a/one";
    CHECK(both().find("/d/broken: not a kubeconfig") == 0);
}

TEST_CASE("what is overridden counts for a pod's own account, too") {
    testing::manual_environment env;
    const std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount/";
    env.variables = {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
    env.files = {{folder + "token", "t"}, {folder + "ca.crt", "ca"}, {folder + "namespace", "pods\n"}};
    using over = kubeconfig_overrides;
    for (const auto order : {search_order::kubectl, search_order::controller}) {
        const auto find = [&](const over& with) {
            return find_config(env, config_search().order(order).overrides(with));
        };
        const cluster_config own = in_cluster_config(env).value();
        CHECK(find(over()).value() == own);
        CHECK(find(over().default_namespace("mine")).value() == cluster_config(own).default_namespace("mine"));
        CHECK(find(over().token(secret_string("given"))).value() ==
              cluster_config(own).token(secret_string("given")).token_file({}));
        const auto jane = impersonation("jane").groups({"g"});
        CHECK(find(over().impersonate(jane)).value() == cluster_config(own).impersonate(jane));
        CHECK(find(over().tls_server_name("api")).value() ==
              cluster_config(own).tls(http::tls_options().ca_pem("ca").server_name("api")));
        CHECK(find(over().insecure_skip_tls_verify(true)).value() ==
              cluster_config(own).tls(http::tls_options().insecure(true)).files({}));
        CHECK(find(over().proxy_url(secret_string("socks5://p"))).value().server().via.text() == "socks5://p:1080");
        // What can't be sent is refused as a kubeconfig's is.
        const auto refused = [&](const over& with) { return find(with).error().message(); };
        CHECK(refused(over().proxy_url(secret_string("ftp://p")))
                  .starts_with("service account: cluster \"in-cluster\": proxy-url: "));
        CHECK(refused(over().token(secret_string("a b")))
                  .starts_with("service account: user \"in-cluster\": token: holds"));
        CHECK(refused(over().impersonate(impersonation()))
                  .starts_with("service account: user \"in-cluster\": as: empty"));
    }
}
