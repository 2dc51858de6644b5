// kcontrol-apiserver as its user sees it: what it prints, what it keeps when it is killed, how it ends.
#include <kcontrol/testing/temporary_directory.hpp>

#include "kcontrol_apiserver/served.hpp"

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <random>
#include <sys/stat.h>

using namespace kcontrol_apiserver::test;
namespace json = kcontrol::json;

namespace {

std::vector<std::string> command(std::vector<std::string> flags) {
    flags.insert(flags.begin(), KCONTROL_APISERVER);
    return flags;
}

// What a run says that fails to start, with its status at the end: "...: status 1".
std::string failure_of(std::vector<std::string> flags) {
    process run(command(std::move(flags)));
    const std::string said = run.line();
    return said + ": status " + std::to_string(run.wait());
}

bool has(const std::string& text, std::string_view part) {
    if (text.find(part) != std::string::npos) return true;
    MESSAGE(text);
    return false;
}

constexpr const char* maps = "/api/v1/namespaces/default/configmaps";

std::string config_map(const std::string& name, int value) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + R"("},"data":{"n":")" +
           std::to_string(value) + "\"}}";
}

// What was answered for, and the one write of which nobody knows.
class ledger {
public:
    std::map<std::string, std::string> kept;  // name → value
    std::optional<std::string> doubtful;
    std::uint64_t version = 0;

    void expect(plain_client& client) {
        const json::value list = client.ask("GET", maps).json();
        CHECK(std::stoull(std::string(json::get_string(list, {"metadata", "resourceVersion"}))) >= version);
        std::map<std::string, std::string> there;
        for (const auto& item : list.at("items").as_array()) {
            there[std::string(json::get_string(item, {"metadata", "name"}))] = json::get_string(item, {"data", "n"});
        }
        if (doubtful) {
            kept.erase(*doubtful);
            if (const auto found = there.find(*doubtful); found != there.end()) kept.insert(*found);
        }
        CHECK(there == kept);
    }
};

}  // namespace

TEST_CASE("a server that is killed has kept every write that it answered for") {
    kcontrol::testing::temporary_directory directory;
    const std::vector<std::string> flags = {"--plain-http", "--data", directory.path("data")};
    std::mt19937 random(1);
    ledger known;
    for (int round = 0; round < 10; ++round) {
        process server(command(flags));
        plain_client client(server.line());
        known.expect(client);
        for (int i = 0;; ++i) {
            const std::string name = "m" + std::to_string(random() % 20);
            const bool there = known.kept.contains(name);
            const bool removes = there && random() % 3 == 0;
            const int value = static_cast<int>(random() % 1000);
            client.send(removes ? "DELETE"
                        : there ? "PUT"
                                : "POST",
                        there ? maps + ("/" + name) : maps, removes ? "" : config_map(name, value));
            if (i == 30 + round) {
                known.doubtful = name;
                break;
            }
            const auto answer = client.receive();
            REQUIRE(answer.code < 300);
            if (removes) {
                known.kept.erase(name);
                continue;
            }
            known.kept[name] = std::to_string(value);
            const json::value written = answer.json();
            known.version = std::stoull(std::string(json::get_string(written, {"metadata", "resourceVersion"})));
        }
        CHECK(server.end(SIGKILL) == -SIGKILL);
    }
    process server(command(flags));
    plain_client client(server.line());
    known.expect(client);
    // Its own kinds and namespaces are there once, and watches resume after what is known only.
    CHECK(client.ask("GET", "/api/v1/namespaces/default").code == 200);
    CHECK(client.ask("GET", "/api/v1/namespaces/kube-system").code == 200);
}

TEST_CASE("custom kinds and namespaces that were being deleted go on after a restart") {
    kcontrol::testing::temporary_directory directory;
    const std::vector<std::string> flags = {"--plain-http", "--data", directory.path("data")};
    {
        process server(command(flags));
        plain_client client(server.line());
        CHECK(client
                  .ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", R"({
            "apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},
            "spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},
            "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
            "properties":{"spec":{"type":"object","properties":{"size":{"type":"integer","default":3}}}}}}}]}})")
                  .code == 201);
        CHECK(client
                  .ask("POST", "/apis/example.com/v1/namespaces/default/things",
                       R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"one"},"spec":{}})")
                  .code == 201);
        CHECK(client.ask("POST", "/api/v1/namespaces", R"({"metadata":{"name":"lab"}})").code == 201);
        CHECK(client
                  .ask("POST", "/api/v1/namespaces/lab/configmaps",
                       R"({"metadata":{"name":"held","finalizers":["example.com/held"]}})")
                  .code == 201);
        CHECK(client.ask("DELETE", "/api/v1/namespaces/lab").code == 200);
        server.end(SIGKILL);
    }
    process server(command(flags));
    plain_client client(server.line());
    const auto thing = client.ask("GET", "/apis/example.com/v1/namespaces/default/things/one");
    CHECK(thing.code == 200);
    CHECK(has(thing.body, R"("size":3)"));
    CHECK(has(client.ask("GET", "/api/v1/namespaces/lab").body, "Terminating"));
    CHECK(client.ask("PUT", "/api/v1/namespaces/lab/configmaps/held", R"({"metadata":{"name":"held"}})").code == 200);
    CHECK(client.ask("GET", "/api/v1/namespaces/lab").code == 404);
    // A watch from before the restart is told to begin anew.
    CHECK(has(client.ask("GET", "/api/v1/namespaces?resourceVersion=1&resourceVersionMatch=Exact").body, "Expired"));
}

TEST_CASE("one line with the address, and an end in good order") {
    kcontrol::testing::temporary_directory directory;
    process server(command({"--kubeconfig", directory.path("kubeconfig")}));
    CHECK(server.line().starts_with("https://127.0.0.1:"));
    struct stat found {};
    REQUIRE(::stat(directory.path("kubeconfig").c_str(), &found) == 0);
    CHECK((found.st_mode & 0777) == 0600);
    CHECK(server.end(SIGTERM) == 0);
    CHECK(server.line() == "");
}

TEST_CASE("what can't be started says why, and what to do") {
    kcontrol::testing::temporary_directory directory;
    directory.write("text",
                    "this is no database, and longer than a header of a hundred bytes has to be, so that SQLite "
                    "looks at it, and says that it is none");
    CHECK(has(failure_of({"--data", directory.path("text")}), "it is no data file of kcontrol-apiserver: give --data"));
    CHECK(has(failure_of({"--data", directory.path("no/such")}), "it can't be opened: the directory must exist"));
    CHECK(has(failure_of({"--data", directory.path("")}), "it is no file"));
    CHECK(has(failure_of({"--kubeconfig", directory.path("no/such")}), "--kubeconfig"));
    CHECK(has(failure_of({"--load", directory.path("text")}), "text"));
    CHECK(has(failure_of({"--openapi", directory.path("")}), "no document of a group that is served is there"));
    CHECK(has(failure_of({"--faults", directory.path("text")}), "status 1"));
    CHECK(has(failure_of({"--bogus"}), "status 2"));

    process first(command({"--plain-http", "--data", directory.path("data")}));
    const std::string url = first.line();
    const std::string port = url.substr(url.rfind(':') + 1);
    CHECK(has(failure_of({"--data", directory.path("data")}), "another program uses it: end that one"));
    const std::string taken = failure_of({"--listen", "127.0.0.1:" + port});
    CHECK(has(taken, "--listen 127.0.0.1:" + port));
    CHECK(has(taken, "status 1"));
}

TEST_CASE("with controllers each namespace has a service account from the start") {
    process server(command({"--plain-http", "--controllers"}));
    plain_client client(server.line());
    for (const char* ns : {"default", "kube-system"}) {
        const std::string accounts = std::string("/api/v1/namespaces/") + ns + "/serviceaccounts/default";
        CHECK(client.ask("GET", accounts).code == 200);
    }
}

TEST_CASE("kubectl reads the kubeconfig that is written" * doctest::skip(::access("/usr/bin/kubectl", X_OK) != 0)) {
    kcontrol::testing::temporary_directory directory;
    directory.write("web.yaml", R"(apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: web}]}}
)");
    process server(command({"--kubeconfig", directory.path("kubeconfig"), "--controllers"}));
    REQUIRE(server.line().starts_with("https://"));
    const auto kubectl = [&directory](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"/usr/bin/kubectl", "--kubeconfig", directory.path("kubeconfig"),
                                             "--cache-dir", directory.path("cache"), "--request-timeout=20s"});
        process run(std::move(arguments));
        const std::string said = run.line();
        return said + ": status " + std::to_string(run.wait());
    };
    CHECK(kubectl({"apply", "-f", directory.path("web.yaml")}) == "deployment.apps/web created: status 0");
    CHECK(kubectl({"rollout", "status", "deployment/web", "--timeout=30s"}).ends_with(": status 0"));
    CHECK(kubectl({"delete", "deployment", "web"}) == "deployment.apps \"web\" deleted: status 0");
    CHECK(kubectl({"wait", "--for=delete", "pods", "-l", "app=web", "--timeout=30s"}).ends_with(": status 0"));
}

TEST_CASE("kubectl logs, and what others may not" * doctest::skip(::access("/usr/bin/kubectl", X_OK) != 0)) {
    kcontrol::testing::temporary_directory directory;
    directory.write("pod.yaml", R"(apiVersion: v1
kind: Pod
metadata: {name: talks, annotations: {sim/log: "hello\nworld", sim/run-ms: "200", sim/start-ms: "0"}}
spec: {restartPolicy: Never, containers: [{name: main, image: talks}]}
)");
    process server(command({"--kubeconfig", directory.path("kubeconfig"), "--controllers", "--rbac", "--load",
                            directory.path("pod.yaml")}));
    REQUIRE(server.line().starts_with("https://"));
    const auto kubectl = [&directory](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"/usr/bin/kubectl", "--kubeconfig", directory.path("kubeconfig"),
                                             "--cache-dir", directory.path("cache"), "--request-timeout=20s"});
        process run(std::move(arguments));
        std::string said = run.line();
        for (std::string next; !(next = run.line()).empty();) said += "|" + next;
        return said + ": status " + std::to_string(run.wait());
    };
    CHECK(has(kubectl({"wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/talks", "--timeout=30s"}), "status 0"));
    CHECK(kubectl({"logs", "talks"}) == "hello|world: status 0");
    CHECK(kubectl({"logs", "-f", "talks", "--tail=1"}) == "world: status 0");
    // From a file.
    directory.write("may.yaml", R"(apiVersion: authorization.k8s.io/v1
kind: SelfSubjectAccessReview
spec: {resourceAttributes: {verb: list, resource: pods, namespace: default}}
)");
    const std::string file = directory.path("may.yaml");
    CHECK(kubectl({"create", "-f", file, "-o", "jsonpath={.status.allowed}"}) == "true: status 0");
    // As at a real server: to validate a kind that can't be patched, kubectl asks whether it is a custom one.
    CHECK(has(kubectl({"create", "-f", file, "--as", "bob"}),
              "User \"bob\" cannot list resource \"customresourcedefinitions\""));
    CHECK(kubectl({"create", "-f", file, "-o", "jsonpath={.status.allowed}", "--as", "bob", "--validate=false"}) ==
          "false: status 0");
    CHECK(has(kubectl({"get", "pods", "--as", "bob"}), "User \"bob\" cannot list resource \"pods\""));
}

TEST_CASE("faults come and go while the server runs") {
    kcontrol::testing::temporary_directory directory;
    directory.write("faults.yaml", "faults:\n- match: {path: /version}\n  times: 1\n  answer: {code: 503}\n");
    process server(command({"--plain-http", "--faults", directory.path("faults.yaml")}));
    plain_client client(server.line());
    CHECK(client.ask("GET", "/version").code == 503);
    CHECK(client.ask("GET", "/version").code == 200);
    CHECK(client.ask("PUT", "/kcontrol/faults", R"({"faults":[{"answer":{"code":429,"retryAfter":1}}]})").code == 200);
    CHECK(client.ask("GET", maps).code == 429);
    CHECK(has(client.ask("GET", "/kcontrol/faults").body, "\"hits\":[1]"));
    const auto refused = client.ask("PUT", "/kcontrol/faults", R"({"faults":[{"dely":"1s"}]})");
    CHECK(refused.code == 400);
    CHECK(has(refused.body, "dely"));
    CHECK(client.ask("GET", maps).code == 429);
    CHECK(client.ask("DELETE", "/kcontrol/faults").code == 200);
    CHECK(client.ask("GET", maps).code == 200);
    CHECK(client.ask("GET", "/kcontrol/other").code == 404);
    // A stale replica shows what was there when the rules came, to those who accept that.
    CHECK(client.ask("PUT", "/kcontrol/faults", R"({"faults":[{"staleReplica":true}]})").code == 200);
    CHECK(client.ask("POST", maps, config_map("late", 1)).code == 201);
    CHECK(client.ask("GET", maps + std::string("?resourceVersion=0")).body.find("\"late\"") == std::string::npos);
    CHECK(has(client.ask("GET", maps).body, "\"late\""));
}
