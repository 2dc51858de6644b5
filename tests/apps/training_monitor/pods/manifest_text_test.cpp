#include "pods/manifest_text.hpp"

#include <kcontrol/documents/yaml.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace training_monitor;

namespace {

std::string whole_text_of(std::string_view json, std::size_t most = most_manifest_bytes) {
    const auto parsed = kcontrol::json::parse(json);
    REQUIRE_MESSAGE(parsed.has_value(), json);
    return manifest_text(*parsed, most);
}

// Without the two lines that say what it is not.
std::string text_of(std::string_view json) {
    const auto all = whole_text_of(json);
    const auto second = all.find('\n') + 1;
    return all.substr(all.find('\n', second) + 1);
}

}  // namespace

TEST_CASE("manifest: what only machines read is left out, and that is said") {
    CHECK(text_of(R"({"metadata":{"name":"j","managedFields":[{"manager":"x"}],"annotations":{
        "kubectl.kubernetes.io/last-applied-configuration":"{}"}},"kind":"Job"})") ==
          "kind: Job\nmetadata:\n  name: j\n");
    CHECK(text_of(R"({"metadata":{"annotations":{"a":"b"}}})") == "metadata:\n  annotations:\n    a: b\n");
    CHECK(text_of(R"({"metadata":3})") == "metadata: 3\n");
    const auto all = whole_text_of(R"({"kind":"Job"})");
    CHECK(all.starts_with("# Left out: metadata.managedFields,"));
    CHECK(all.find("# What looks like a secret is [masked].\n") != std::string::npos);
}

TEST_CASE("manifest: what is called or looks like a secret is masked, and what names one is not") {
    const auto text = text_of(R"({"spec":{"containers":[{
        "env":[{"name":"HF_TOKEN","value":"swordfish-1"},{"name":"EPOCHS","value":"3"},
               {"name":"DB_PASSWORD","valueFrom":{"secretKeyRef":{"name":"db","key":"pw"}}},
               {"name":"URL","value":"https://u:swordfish-2@host/x"}],
        "args":["--token","swordfish-3","--api-key=swordfish-4","--epochs","5"],
        "command":["sh","-c","export WANDB_API_KEY=swordfish-5\npython train.py --hub-token swordfish-8"]}],
        "password":"swordfish-6","imagePullSecrets":[{"name":"registry"}]},
        "metadata":{"annotations":{"note":"Bearer swordfish-77777"}}})");
    CAPTURE(text);
    CHECK(text.find("swordfish") == std::string::npos);
    for (const char* shown : {"value: \"3\"", "name: db", "key: pw", "- --epochs", "python train.py", "name: registry",
                              "https://u:[masked]@host/x", "password: '[masked]'", "name: HF_TOKEN"}) {
        CAPTURE(shown);
        CHECK(text.find(shown) != std::string::npos);
    }
}

TEST_CASE("manifest: a private key is masked over its lines, and only there") {
    const auto text = text_of(
        R"({"a":"-----BEGIN RSA PRIVATE KEY-----\nMIIswordfish\n-----END RSA PRIVATE KEY-----\nafter","b":"plain"})");
    CHECK(text.find("swordfish") == std::string::npos);
    CHECK(text.find("after") != std::string::npos);
    CHECK(text.find("b: plain") != std::string::npos);
}

TEST_CASE("manifest: a long one ends after a whole line, and says so at both ends") {
    const std::string object = R"({"a":"1","b":"22222222222222222222","c":"3"})";
    const auto text = whole_text_of(object, 12);  // "a: \"1\"\n" has 7
    CHECK(text.find("# Cut: it has 40 bytes, and at most 12 are shown; kubectl") < text.find("a: \"1\"\n"));
    CHECK(text.find("222") == std::string::npos);
    CHECK(text.ends_with(
        "\na: \"1\"\n# Cut: it has 40 bytes, and at most 12 are shown; kubectl get -o yaml has all of it.\n"));
    CHECK(whole_text_of(object, 40).find("Cut") == std::string::npos);
    CHECK(whole_text_of(object, 3).find("1") != 0);  // not even a line: comments only
    // It is YAML for all that.
    const auto read = kcontrol::json::parse_yaml(text);
    REQUIRE(read);
    CHECK(read->front().as_object().size() == 1);
}
