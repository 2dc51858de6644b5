// kcontrol-transcode as its user sees it: arguments, what comes in, what goes out, the exit status.
#include "transcode/program.hpp"

#include <kcontrol/documents/patch.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include <doctest/doctest.h>

#include <sstream>

namespace {

struct outcome {
    int status;
    std::string out;
    std::string log;
};

outcome run(const std::vector<std::string>& arguments, const std::string& input = {}) {
    std::istringstream in(input);
    std::ostringstream out;
    std::ostringstream log;
    const int status = transcode::run(arguments, in, out, log);
    return {status, out.str(), log.str()};
}

const std::string deployment = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, creationTimestamp: null}
spec:
  replicas: 0
  strategy: {}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: server
        image: example.com/server:1.2.3
        env: [{name: EMPTY, value: ""}]
        resources: {limits: {cpu: 2, memory: 1Gi}}
        livenessProbe: {httpGet: {port: http, path: /healthz}}
        readinessProbe: {tcpSocket: {port: 8080}}
      volumes: [{name: scratch, emptyDir: {}}]
status: {}
)";

const std::string deployment_json =
    R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop"},)"
    R"("spec":{"replicas":0,"selector":{"matchLabels":{"app":"web"}},)"
    R"("template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[)"
    R"({"env":[{"name":"EMPTY","value":""}],"image":"example.com/server:1.2.3",)"
    R"("livenessProbe":{"httpGet":{"path":"/healthz","port":"http"}},"name":"server",)"
    R"("readinessProbe":{"tcpSocket":{"port":8080}},"resources":{"limits":{"cpu":"2","memory":"1Gi"}}}],)"
    R"("volumes":[{"emptyDir":{},"name":"scratch"}]}}}})";

}  // namespace

TEST_CASE("transcode: a typed object survives; absent stays absent, empty stays empty, zero stays zero") {
    const auto done = run({"--check", "--strict"}, deployment);
    CHECK(done.log == "");
    CHECK(done.status == 0);
    const auto got = kcontrol::json::parse(done.out.substr(0, done.out.size() - 1));
    REQUIRE(got.has_value());
    CHECK(kcontrol::json::equal(*got, kcontrol::json::parse(deployment_json).value()));
    CHECK(run({"--check"}, done.out).out == done.out);
}

TEST_CASE("transcode: several documents, lists and lines, each on a line of its own") {
    const std::string config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {}\n";
    const std::string a = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{}})";
    const std::string b = R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"b"},"type":"Opaque"})";
    CHECK(run({}, "---\n" + config + "---\n---\n" + config).out == a + "\n" + a + "\n");
    CHECK(run({}, a + "\n\n" + b + "\n").out == a + "\n" + b + "\n");
    CHECK(run({}, R"({"apiVersion":"v1","kind":"List","items":[)" + a + "," + b + "]}").out == a + "\n" + b + "\n");
    // What a server answers to a list: the elements do not say what they are.
    CHECK(
        run({"--check"},
            R"({"apiVersion":"v1","kind":"ConfigMapList","metadata":{},"items":[{"metadata":{"name":"a"},"data":{}}]})")
            .out == a + "\n");
    const auto nothing = run({}, "\n");
    CHECK(nothing.status == 0);
    CHECK(nothing.out == "");
}

TEST_CASE("transcode: JSON objects one behind the other, as kubectl get -o json prints them twice") {
    const std::string a = "{\n \"apiVersion\": \"v1\",\n \"kind\": \"ConfigMap\",\n \"data\": {\"x\": \"}{\\\"\"}\n}\n";
    const std::string line = R"({"apiVersion":"v1","kind":"ConfigMap","data":{"x":"}{\""}})"
                             "\n";
    CHECK(run({}, a + a).out == line + line);
    CHECK(run({}, a + " " + line.substr(0, line.size() - 1) + "\r\n\t" + a).out == line + line + line);
    CHECK(run({}, a + "}").status == 1);
    CHECK(run({}, a + "x").status == 1);
    CHECK(run({}, "{apiVersion: v1, kind: ConfigMap}").out == "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\"}\n");
}

TEST_CASE("transcode: numbers in JSON and in YAML, as kubectl has them") {
    const auto number = [](const std::string& text, const std::string& after) {
        return run({"--as", "dynamic"}, after + R"({"apiVersion":"v1","kind":"X","x":)" + text + "}");
    };
    CHECK(number("1e400", "").status == 1);
    CHECK(number("1e400", "").log ==
          "kcontrol-transcode: standard input: JSON number 1e400 is too large for a double\n");
    CHECK(number("\"1e400\"", "").status == 0);
    CHECK(number("1e400", "---\n").out == R"({"apiVersion":"v1","kind":"X","x":"1e400"})"
                                          "\n");
    CHECK(number("1e-400", "").out == R"({"apiVersion":"v1","kind":"X","x":0})"
                                      "\n");
    CHECK(number("100000000000000000000", "").out.find("1e+20") != std::string::npos);
    CHECK(number("010", "").out.find(":8}") != std::string::npos);  // not JSON, so YAML
}

TEST_CASE("transcode: the elements of a list of one kind are of that kind, those of a List say theirs") {
    const auto typed =
        run({}, R"({"apiVersion":"v1","kind":"ConfigMapList","items":[{"metadata":{"name":"a"},"data":{"x":5}}]})");
    CHECK(typed.status == 1);
    CHECK(typed.log ==
          "kcontrol-transcode: standard input, items[0]: v1 ConfigMap a: data[x]: expected a string, "
          "found the integer 5\n");
    const auto mixed = run({}, R"({"apiVersion":"v1","kind":"List","items":[{"kind":"ConfigMap"}]})");
    CHECK(mixed.status == 1);
    CHECK(mixed.log.find("apiVersion: expected a string that is not empty") != std::string::npos);
}

TEST_CASE("transcode: an object that fails is named, and the others go on") {
    const std::string good = R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"x"}})";
    struct row {
        std::vector<std::string> arguments;
        std::string bad;
        std::string message;
    };
    const row rows[] = {
        {{},
         R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"n"},"spec":{"containers":[{"name":1}]}})",
         "v1 Pod n/p: spec.containers[0].name: expected a string, found the integer 1"},
        {{},
         R"({"apiVersion":"example.com/v1","kind":"Thing"})",
         ": example.com/v1 Thing: no type for this is compiled in; --as dynamic takes any kind\n"},
        {{}, R"({"kind":"Pod"})", ": Pod: apiVersion: expected a string that is not empty"},
        {{}, R"(["x"])", "expected an object with apiVersion and kind"},
        {{"--strict"}, R"({"apiVersion":"v1","kind":"Pod","spec":{"nodename":"x"}})", "unknown field spec.nodename;"},
        {{"--strict"}, R"({"apiVersion":"v1","kind":"Pod","spec":{"nodeName":"x","nodeName":"y"}})", "nodeName"},
        {{"--check"},
         R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"c","color":"red"}]}})",
         "did not survive: spec.containers[0].color"},
        {{"--check"},
         R"({"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"a.b/c":"x"},"selfLink":"y"}})",
         "did not survive: metadata.selfLink"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.bad);
        const auto done = run(row.arguments, row.bad + "\n" + good + "\n");
        CHECK(done.status == 1);
        CHECK_MESSAGE(done.log.find(row.message) != std::string::npos, done.log);
        CHECK(done.log.starts_with("kcontrol-transcode: standard input"));
        CHECK(done.out == good + "\n");
    }
}

TEST_CASE("transcode: dynamic keeps everything, metadata nothing but itself") {
    const std::string object =
        R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t","labels":{"a":"b"}},"spec":{"x":[1,{"y":null}],"big":9007199254740993}})";
    const auto dynamic = run({"--as", "dynamic", "--check", "--strict"}, object);
    CHECK(dynamic.status == 0);
    CHECK(dynamic.out == object + "\n");
    const auto metadata = run({"--as=metadata"}, object);
    CHECK(metadata.out == R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t","labels":{"a":"b"}}})"
                          "\n");
    CHECK(run({"--as=metadata", "--check"}, object).log.find("did not survive: spec") != std::string::npos);
}

TEST_CASE("transcode: patches lead from one to the other") {
    const kcontrol::testing::temporary_directory files;
    files.write("from", R"({"a":1,"list":[{"name":"x","v":1},{"name":"y"}],"gone":true})");
    files.write("to", R"({"a":2,"list":[{"name":"x","v":2}],"new":{"deep":["~/"]}})");
    const auto done = run({"--patch", files.path("from"), files.path("to")});
    CHECK(done.status == 0);
    CHECK(done.log == "");
    std::istringstream lines(done.out);
    std::string patch;
    std::string merge;
    REQUIRE(std::getline(lines, patch));
    REQUIRE(std::getline(lines, merge));
    const auto wanted = kcontrol::json::parse(R"({"a":2,"list":[{"name":"x","v":2}],"new":{"deep":["~/"]}})").value();
    auto value = kcontrol::json::parse(R"({"a":1,"list":[{"name":"x","v":1},{"name":"y"}],"gone":true})").value();
    auto merged = value;
    REQUIRE(kcontrol::json::apply_patch(value, kcontrol::json::parse(patch).value()).has_value());
    CHECK(kcontrol::json::equal(value, wanted));
    kcontrol::json::apply_merge_patch(merged, kcontrol::json::parse(merge).value());
    CHECK(kcontrol::json::equal(merged, wanted));
    files.write("null", R"({"a":null})");
    CHECK(run({"--patch", files.path("from"), files.path("null")}).log.find("a merge patch can't write") !=
          std::string::npos);
    CHECK(run({"--patch", files.path("from"), files.path("from")}).out == "[]\n{}\n");
}

TEST_CASE("transcode: Protocol Buffers in and out") {
    const auto bytes = run({"--output", "protobuf", "--check"}, deployment);
    CHECK(bytes.log.empty());
    REQUIRE(bytes.status == 0);
    CHECK(bytes.out.starts_with(std::string("k8s\0", 4)));
    const auto text = run({"--check"}, bytes.out);
    CHECK(text.status == 0);
    CHECK(text.out.starts_with(
        R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop")"));
    // What comes out of it is what went in.
    CHECK(run({"--output=protobuf"}, text.out).out == bytes.out);
    CHECK(run({"--as", "dynamic"}, bytes.out).out.find(R"("matchLabels":{"app":"web"})") != std::string::npos);
    CHECK(run({"--as", "metadata"}, bytes.out).out.find("matchLabels") == std::string::npos);

    const std::string two = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})"
                            "\n"
                            R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}})";
    const auto second = run({"--output", "protobuf"}, two);
    CHECK(second.status == 1);
    CHECK(second.log.find("document 2: a second object") != std::string::npos);
    CHECK(run({"--output", "protobuf", "--as", "dynamic"}, R"({"apiVersion":"a/v1","kind":"Own"})")
              .log.find("no Protocol Buffers of this are known") != std::string::npos);
    CHECK(run({}, bytes.out.substr(0, 40)).log.find("standard input: malformed Protocol Buffers") != std::string::npos);
}

TEST_CASE("transcode: arguments") {
    const std::pair<std::vector<std::string>, const char*> wrong[] = {
        {{"--nonsense"}, "unknown flag \"--nonsense\""},
        {{"--as"}, "--as needs a value"},
        {{"--as", "raw"}, "expected typed, dynamic or metadata"},
        {{"--patch", "x"}, "--patch takes two files"},
        {{"--patch", "-", "-"}, "only one of OLD and NEW"},
        {{"--patch", "--check", "x", "y"}, "exclude each other"},
        {{"--patch", "--output=protobuf", "x", "y"}, "exclude each other"},
        {{"--output", "yaml"}, "expected json or protobuf"},
        {{""}, "a file's name is empty"},
    };
    for (const auto& [arguments, message] : wrong) {
        const auto done = run(arguments);
        CHECK(done.status == 2);
        CHECK_MESSAGE(done.log.find(message) != std::string::npos, done.log);
    }
    CHECK(run({"--help"}).out.starts_with("usage: kcontrol-transcode"));
    CHECK(run({"--version"}).out.starts_with("kcontrol-transcode "));
    const auto missing = run({"/nonexistent/file"});
    CHECK(missing.status == 1);
    CHECK(missing.log.find("/nonexistent/file: can't be opened: No such file or directory") != std::string::npos);
    const auto broken = run({}, "a: [1, 2");
    CHECK(broken.status == 1);
    CHECK(broken.log.find("standard input: ") != std::string::npos);
}
