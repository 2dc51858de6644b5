// --crds-of and --rbac-of: the program, and kcontrol-gen as a program that it tries, which lists definitions.
#include <kcontrol/testing/temporary_directory.hpp>

#include "served.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace kcontrol_apiserver::test;

namespace {

bool has(const std::string& text, std::string_view part) {
    if (text.find(part) != std::string::npos) return true;
    MESSAGE(text);
    return false;
}

std::string said_by(process& run) {
    std::string out;
    for (std::string line; !(line = run.line()).empty();) out += line + "\n";
    return out + "status " + std::to_string(run.wait());
}

std::string said_with(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), KCONTROL_APISERVER);
    process run(std::move(arguments));
    return said_by(run);
}

constexpr const char* role = R"(apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: lister
rules:
- apiGroups:
  - apiextensions.k8s.io
  resources:
  - customresourcedefinitions
  verbs:
  - list
)";

constexpr const char* definition = R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
)";

constexpr const char* thing = R"(apiVersion: example.com/v1
kind: Thing
metadata: {name: one}
)";

}  // namespace

TEST_CASE("the rights of a program that ends by itself, and that is told the kubeconfig by a flag") {
    kcontrol::testing::temporary_directory directory;
    directory.write("crd.yaml", definition);
    const std::string said = said_with({"--rbac-of", "--crds-of", "--name", "lister", "--load",
                                        directory.path("crd.yaml"), "--", KCONTROL_GEN, "--kubeconfig={kubeconfig}",
                                        "--out", directory.path("types.hpp"), "--namespace", "a"});
    CHECK(has(said, role));
    CHECK(has(said, "it made or changed no CustomResourceDefinition"));
    CHECK(has(said, "the rules allow what it did"));
    CHECK(said.ends_with("status 0"));
}

TEST_CASE("a signal of the user's ends the program's time, with SIGTERM for it") {
    const std::string said =
        said_with({"--rbac-of", "--for", "1h", "--name", "lister", "--", "sh", "-c",
                   "trap 'exit 4' TERM; " KCONTROL_GEN " --kubeconfig $KUBECONFIG --out - --namespace a; "
                   "kill -INT $PPID; sleep 100 & wait"});
    CHECK(has(said, role));
    CHECK(has(said, "sh ended with status 4 after SIGTERM; what it asked for counts"));
    CHECK(said.ends_with("status 0"));
}

TEST_CASE("objects wait for the kinds that a program brings") {
    kcontrol::testing::temporary_directory directory;
    directory.write("thing.yaml", thing);
    const std::string said = said_with({"--rbac-of", "--load", directory.path("thing.yaml"), "--", "sh", "-c",
                                        KCONTROL_GEN " --kubeconfig $KUBECONFIG --out - --namespace a; true"});
    CHECK(has(said, "thing.yaml was not created: its kind or namespace did not come; load that, too"));
    CHECK(said.ends_with("status 0"));
    // Without a program to wait for it is an error, as ever.
    CHECK(has(said_with({"--load", directory.path("thing.yaml")}), "serves no example.com/v1 Thing"));
}

TEST_CASE("a program that fails is quoted") {
    const std::string failed = said_with({"--crds-of", "--", "sh", "-c", "seq 1 30; echo no luck >&2; exit 3"});
    CHECK(has(failed, "sh ended with status 3\nIt said last:\n    12\n"));
    CHECK(has(failed, "    30\n    no luck\nstatus 1"));
    const std::string idle = said_with({"--rbac-of", "--for", "100ms", "--", "sh", "-c", "echo hm; sleep 100"});
    CHECK(has(idle, "sh asked nothing of this server: it must read KUBECONFIG, or be given the file"));
    CHECK(has(idle, "    hm\nstatus 1"));
    CHECK(has(said_with({"--rbac-of", "--", "./no/such"}), "\"./no/such\" can't be started: No such file"));
}
