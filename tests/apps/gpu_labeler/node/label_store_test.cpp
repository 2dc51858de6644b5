#include "node/label_store.hpp"

#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include "client/fixture.hpp"

#include <fstream>
#include <sstream>
#include <sys/stat.h>

using namespace gpu_labeler;
using namespace kcontrol::test;
using kcontrol::testing::temporary_directory;

namespace {

const std::string look_target = "PATCH /api/v1/nodes/n?fieldManager=kcontrol-gpu-labeler&dryRun=All";
const std::string write_target = "PATCH /api/v1/nodes/n?fieldManager=kcontrol-gpu-labeler&force=true";
const node_marks one{{{"a", "1"}}, {}};

std::string status(int code, const std::string& reason, const std::string& message) {
    return R"({"kind":"Status","status":"Failure","reason":")" + reason + R"(","message":")" + message +
           R"(","code":)" + std::to_string(code) + "}";
}

const std::string ours = R"({"metadata":{"name":"n","uid":"u-1","labels":{"a":"1"},"managedFields":[{"manager":)"
                         R"("kcontrol-gpu-labeler","operation":"Apply","fieldsV1":{"f:metadata":{"f:labels":)"
                         R"({"f:a":{}}}}}]}})";

class store_fixture : public client_fixture {
public:
    auto look(label_store& at) { return await(at.look({})); }
    auto write(label_store& at, const node_marks& marks) { return await(at.write(marks, {})); }
    auto clear(label_store& at) { return await(at.clear({})); }

    std::unique_ptr<label_store> store = make_node_store(connect(), "n");
    std::unique_ptr<label_store> feature = make_node_feature_store(connect(), "n", "ns");
    kcontrol::system_environment files;
    temporary_directory folder;
    std::unique_ptr<label_store> file = make_file_store(files, folder.path("gfd"));

    std::string text() const {
        std::ostringstream out;
        out << std::ifstream(folder.path("gfd")).rdbuf();
        return out.str();
    }
};

}  // namespace

TEST_CASE_FIXTURE(store_fixture, "node store: looks by a patch that changes nothing, writes by server-side apply") {
    net->expect(look_target)
        .with_body("{}")
        .with_header("Content-Type", "application/merge-patch+json")
        .reply(200, ours);
    CHECK(look(*store).value() == one);
    net->expect(write_target)
        .with_body(R"({"metadata":{"labels":{"a":"1"},"name":"n","uid":"u-1"},"apiVersion":"v1","kind":"Node"})")
        .with_header("Content-Type", "application/apply-patch+yaml")
        .reply(200, ours);
    CHECK(write(*store, one).has_value());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(store_fixture, "node store: clearing applies nothing, and only to a Node that has something") {
    net->expect(look_target).reply(200, R"({"metadata":{"name":"n"}})");
    CHECK(clear(*store).has_value());
    net->expect(look_target).reply(200, ours);
    net->expect(write_target)
        .with_body(R"({"metadata":{"name":"n","uid":"u-1"},"apiVersion":"v1","kind":"Node"})")
        .reply(200, R"({"metadata":{"name":"n"}})");
    CHECK(clear(*store).has_value());
    net->expect(look_target).reply(404, status(404, "NotFound", "nodes \\\"n\\\" not found"));
    CHECK(clear(*store).error() == kcontrol::condition::not_found);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(store_fixture, "node store: errors say what to do") {
    struct row {
        int code;
        const char* reason;
        const char* part;
    };
    for (const auto& each : {
             row{403, "Forbidden", "Node n: no; this program needs the right to patch nodes"},
             row{404, "NotFound", "Node n: no; is --node-name (or NODE_NAME) right?"},
             row{409, "Conflict", "Node n: no"},
             row{422, "Invalid", "Node n: no"},
             row{500, "InternalError", "Node n: no"},
         }) {
        const auto& code = each.code;
        const auto& reason = each.reason;
        const auto& part = each.part;
        CAPTURE(code);
        net->expect(write_target).reply(code, status(code, reason, "no"));
        const auto done = write(*store, one);
        REQUIRE(!done.has_value());
        CHECK(done.error().message() == part);
    }
    net->expect(write_target).fail(kcontrol::errc::unknown_outcome, "the answer was lost");
    CHECK(write(*store, one).error() == kcontrol::errc::unknown_outcome);
    net->expect(write_target).hang();
    CHECK(write(*store, one).error() == kcontrol::errc::timeout);
    CHECK(net->deadlines().back() == std::chrono::seconds(10));
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(store_fixture, "NodeFeature store") {
    const std::string path = "/apis/nfd.k8s-sigs.io/v1alpha1/namespaces/ns/nodefeatures/kcontrol-gpu-labeler-n";
    net->expect("PATCH " + path + "?fieldManager=kcontrol-gpu-labeler&dryRun=All")
        .reply(404, status(404, "NotFound", "not found"));
    CHECK(look(*feature).value().empty());
    const auto target = "PATCH " + path + "?fieldManager=kcontrol-gpu-labeler&force=true";
    net->expect(target).reply(201, R"({"metadata":{"name":"kcontrol-gpu-labeler-n"}})");
    CHECK(write(*feature, one).has_value());
    net->expect(target).reply(404, status(404, "NotFound", "the server could not find the requested resource"));
    CHECK(write(*feature, one).error().message().find("is Node Feature Discovery installed") != std::string::npos);
    net->expect("DELETE " + path).reply(200, R"({"kind":"Status","status":"Success"})");
    CHECK(clear(*feature).has_value());
    net->expect("DELETE " + path).reply(404, status(404, "NotFound", "not found"));
    CHECK(clear(*feature).has_value());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(store_fixture, "file store: lines, replaced at once") {
    CHECK(look(*file).value().empty());
    CHECK(write(*file, {{{"b", "2"}, {"a", "1"}}, {{"left", "out"}}}).has_value());
    CHECK(text() == "a=1\nb=2\n");
    CHECK(look(*file).value() == node_marks{{{"a", "1"}, {"b", "2"}}, {}});
    struct stat before {};
    struct stat after {};
    REQUIRE(::stat(folder.path("gfd").c_str(), &before) == 0);
    CHECK(write(*file, one).has_value());
    REQUIRE(::stat(folder.path("gfd").c_str(), &after) == 0);
    CHECK(before.st_ino != after.st_ino);
    CHECK((after.st_mode & 0777) == 0644);
    CHECK(text() == "a=1\n");
    CHECK(files.list_directory(folder.path(""))->size() == 1);
    folder.write("gfd", "# +expiry-time=2030-01-01T00:00:00Z\nno equals sign\n\na=1\n");
    CHECK(look(*file).value() == one);
    CHECK(clear(*file).has_value());
    CHECK(look(*file).value().empty());
    CHECK(clear(*file).has_value());
}

TEST_CASE_FIXTURE(store_fixture, "file store: a directory that is not there") {
    const auto nowhere = make_file_store(files, folder.path("missing/gfd"));
    const auto done = write(*nowhere, one);
    REQUIRE(!done.has_value());
    CHECK(done.error().message().find("missing/.kcontrol-gfd: can't be written: No such file") != std::string::npos);
    CHECK(clear(*nowhere).has_value());
}
