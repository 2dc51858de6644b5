// The built-in kinds: the tree holds what the generator writes, and objects survive.
#include <kcontrol/api/kinds.hpp>
#include <kcontrol/documents/patch.hpp>

#include "support.hpp"
#include "support/folders.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <kcontrol_gen/protobuf_fields.hpp>
#include <set>
#include <sstream>

using namespace kcontrol_gen;

namespace {

const std::string root = kcontrol::test::source_file("");

std::string read_text(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::string round_trip(const std::string& text) {
    kcontrol::json::document document;
    const auto node = document.parse(text);
    REQUIRE(node.has_value());
    for (const auto* info : kcontrol::api::builtin_kinds()) {
        if ((*node)["apiVersion"].as_string() != info->gvk.api_version()) continue;
        if ((*node)["kind"].as_string() != info->gvk.kind) continue;
        const auto object = info->decode(*node);
        return object ? info->encode(*object).value() : object.error().what();
    }
    return "no such kind";
}

}  // namespace

TEST_CASE("include/kcontrol/api and src/api_*.cpp are what scripts/generate-api.sh writes") {
    input in;
    REQUIRE(in.add_path(root + "tools/kcontrol_gen/data/kubernetes.json").has_value());
    const auto all = in.finish();
    REQUIRE(all.has_value());
    for (const auto& file : emit_builtin(*all, compact_dialect())) {
        CAPTURE(file.first);
        CHECK((read_text(root + file.first) == file.second));
    }
}

TEST_CASE("include/kcontrol/api_beta and src/api_beta.cpp are what scripts/generate-api.sh writes") {
    input stable;
    input beta;
    REQUIRE(stable.add_path(root + "tools/kcontrol_gen/data/kubernetes.json").has_value());
    REQUIRE(beta.add_path(root + "tools/kcontrol_gen/data/kubernetes_beta.json").has_value());
    const auto below = stable.finish();
    const auto all = beta.finish();
    REQUIRE(below.has_value());
    REQUIRE(all.has_value());
    const auto files = emit_beta(*all, *below, compact_dialect());
    CHECK(files.contains("include/kcontrol/api_beta/scheduling/v1beta1.hpp"));
    CHECK_FALSE(files.contains("include/kcontrol/api_beta/core/v1.hpp"));  // api/ has what beta groups need of it
    for (const auto& file : files) {
        CAPTURE(file.first);
        CHECK((read_text(root + file.first) == file.second));
    }
}

TEST_CASE("the tables of Protocol Buffers are what scripts/generate-api.sh writes") {
    input in;
    REQUIRE(in.add_path(root + "tools/kcontrol_gen/data/kubernetes.json").has_value());
    const auto all = in.finish();
    REQUIRE(all.has_value());
    const std::string kept = read_text(root + "tools/kcontrol_gen/data/protobuf.tsv");
    const auto fields = read_protobuf_fields(kept, "protobuf.tsv");
    REQUIRE(fields.has_value());
    const auto files = emit_protobuf(*fields, *all);
    REQUIRE_MESSAGE(files.has_value(), (files ? "" : files.error().message()));
    for (const auto& file : *files) {
        CAPTURE(file.first);
        CHECK((read_text(root + file.first) == file.second));
    }
    CHECK((write_protobuf_fields(needed_protobuf_fields(*fields, *all)) == kept));
}

TEST_CASE("what is kept of the fields of Protocol Buffers is what the kinds need") {
    const std::string kept = read_text(root + "tools/kcontrol_gen/data/protobuf.tsv");
    input in;
    REQUIRE(in.add_path(root + "tools/kcontrol_gen/data/kubernetes.json").has_value());
    const auto all = in.finish();
    REQUIRE(all.has_value());
    const auto fields = read_protobuf_fields(kept + "k8s.io.api.core.v1.Other\tx\t1\tbytes\tstring\talways\n", "f");
    REQUIRE(fields.has_value());
    CHECK((write_protobuf_fields(needed_protobuf_fields(*fields, *all)) == kept));
}

TEST_CASE("fields of Protocol Buffers that can't be used are told by their place") {
    const auto read = [](const std::string& text) {
        const auto fields = read_protobuf_fields(text, "f");
        return fields ? std::to_string(fields->size()) : fields.error().message();
    };
    CHECK(read("") == "0");
    CHECK(read("# a\nA\tb\t2\tbytes\tstring\talways\nA\ta\t1\tvarint\t*bool\tomitempty\n") == "1");
    CHECK(read("A\tb\n") == "f:1: expected six columns, of which the first is a type");
    CHECK(read("#\nA\tb\tx\tbytes\tstring\talways\n") == "f:2: the third column is no field number");
    CHECK(read("A\tb\t0\tbytes\tstring\talways\n") == "f:1: the third column is no field number");
    CHECK(read("A\tb\t1\tbytes\tstring\talways\nA\tc\t1\tbytes\tstring\talways\n") ==
          "f: A has the field number 1 twice");

    schema kinds;
    kinds.origin = "Sample";
    kcontrol_gen::kind own;
    own.group = "g";
    own.version = "v1";
    own.name = "Sample";
    own.type = "io.k8s.Sample";
    kinds.kinds.push_back(own);
    const std::string meta = "k8s.io.apimachinery.pkg.apis.meta.v1.";
    std::string text = "Other\tx\t1\tbytes\tstring\talways\n";
    for (const char* common : {"DeleteOptions", "ListMeta", "ObjectMeta", "Status"}) {
        text += meta + common + "\tname\t1\tbytes\tstring\tomitempty\n";
    }
    const std::string sample = "k8s.io.Sample\tmetadata\t1\tbytes\t" + meta + "ObjectMeta\tomitempty\n" +
                               "k8s.io.Sample\tparts\t3\tbytes\t[]k8s.io.Part\talways\n" +
                               "k8s.io.Part\t\t1\tbytes\tk8s.io.Inner\talways\n" + "k8s.io.Inner\tat\t2\tbytes\t*" +
                               meta + "Time\tomitempty\n";
    const auto fields = read_protobuf_fields(text + sample, "f");
    REQUIRE(fields.has_value());
    const auto needed = needed_protobuf_fields(*fields, kinds);
    CHECK(needed.size() == 7);
    CHECK_FALSE(needed.contains("Other"));
    const auto files = emit_protobuf(needed, kinds);
    REQUIRE_MESSAGE(files.has_value(), (files ? "" : files.error().message()));
    const std::string& code = files->begin()->second;
    for (const char* part :
         {"{\"parts\", protobuf_tables::messages + 1, 3, protobuf_type::message, protobuf_form::list, true}",
          "{\"\", protobuf_tables::messages + 0, 1, protobuf_type::message, protobuf_form::value, true}",
          "protobuf_form::pointer, false}", "{\"Time\", nullptr, 0, protobuf_meaning::time}",
          "{\"g\", \"v1\", \"Sample\", messages + 2}"}) {
        CAPTURE(part);
        CHECK(code.find(part) != std::string::npos);
    }
    const auto odd = read_protobuf_fields(text + "k8s.io.Sample\ta\t1\tbytes\tchan int\talways\n", "f");
    REQUIRE(odd.has_value());
    const auto refused = emit_protobuf(*odd, kinds);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().message() == "k8s.io.Sample.a: the Go type chan int is not known");
}

TEST_CASE("every kind once") {
    std::set<std::string> names;
    for (const auto* info : kcontrol::api::builtin_kinds())
        names.insert(info->gvk.api_version() + " " + info->gvk.kind);
    CHECK(names.size() == kcontrol::api::builtin_kinds().size());
    CHECK(names.size() == 75);
    CHECK(names.contains("v1 Pod"));
    CHECK(names.contains("resource.k8s.io/v1 ResourceSlice"));
}

TEST_CASE("objects of built-in kinds survive reading and writing") {
    for (
        const char* text : {
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"500m"}},"env":[{"name":"A","value":""}],"securityContext":{"runAsUser":0},"livenessProbe":{"httpGet":{"port":"http"}}}],"overhead":{},"securityContext":{}}})",
            R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l"},"spec":{"acquireTime":"2024-05-01T12:00:00.123456Z","leaseTransitions":0}})",
            R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"s"},"spec":{"selector":{},"template":{"spec":{"containers":[{"name":"c"}]}},"volumeClaimTemplates":[{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"d"},"spec":{"storageClassName":""}}]},"status":{"replicas":0}})",
            R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"c"},"spec":{"group":"g","names":{"kind":"K","plural":"ks"},"scope":"Namespaced","versions":[{"name":"v1","schema":{"openAPIV3Schema":{"not":{"not":{"type":"string"}},"properties":{"a":{"default":{"x":[1,null]},"type":"object"}}}},"served":true,"storage":true,"subresources":{"status":{}}}]},"status":{"acceptedNames":{"kind":"","plural":""}}})",
            R"({"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"n"},"spec":{"ingress":[{}],"podSelector":{"matchLabels":{"a":""}},"policyTypes":[]}})",
        }) {
        const auto before = kcontrol::json::parse(text);
        const auto after = kcontrol::json::parse(round_trip(text));
        REQUIRE(before.has_value());
        CAPTURE(round_trip(text));
        REQUIRE(after.has_value());
        CHECK(kcontrol::json::serialize(kcontrol::json::diff(*before, *after)) == "[]");
    }
}
