#include "outputs/file_output.hpp"

#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include "values/template_values.hpp"
#include "views.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

using namespace follow;
using namespace follow::tests;

namespace {

struct fixture {
    boost::asio::io_context context;
    kcontrol::system_environment env;
    kcontrol::testing::temporary_directory folder;
    std::string path = folder.path("web.conf");
    // The check refuses a text with "bad"; both write down their argument's text.
    std::string check =
        "grep -q 10.6.6.6 \"$1\" && { echo no good >&2; exit 1; }; cat \"$1\" >>" + folder.path("checked");
    std::string reload = "cat \"$1\" >>" + folder.path("loaded") + "; test ! -e " + folder.path("reload-fails");

    file_output make(std::string c, std::string r) {
        auto text =
            mustache::document::parse("{{#endpoints}}\nserver {{hostPort}};\n{{/endpoints}}", "t", template_names());
        REQUIRE(text);
        return {env, std::move(*text), path, std::move(c), std::move(r), {}};
    }
    kcontrol::result<void> put(output& to, std::vector<endpoint> endpoints) {
        return kcontrol::testing::run(context, to.put(of(std::move(endpoints)), {}));
    }
    std::string text_of(const std::string& name) {
        std::ifstream file(folder.path(name));
        return {std::istreambuf_iterator<char>(file), {}};
    }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "file_output: written, checked, replaced, loaded") {
    auto out = make(check, reload);
    REQUIRE(put(out, {ready("10.0.0.1"), terminating("10.0.0.2")}));
    CHECK(text_of("web.conf") == "server 10.0.0.1:80;\n");
    CHECK(text_of("checked") == "server 10.0.0.1:80;\n");
    CHECK(text_of("loaded") == "server 10.0.0.1:80;\n");
    // The same text again is no change.
    REQUIRE(put(out, {ready("10.0.0.1"), not_ready("10.0.0.2")}));
    CHECK(text_of("loaded") == "server 10.0.0.1:80;\n");
    REQUIRE(put(out, {}));
    CHECK(text_of("web.conf").empty());
    CHECK(text_of("loaded") == "server 10.0.0.1:80;\n");
}

TEST_CASE_FIXTURE(fixture, "file_output: where the check fails the old file stays") {
    auto out = make(check, reload);
    REQUIRE(put(out, {ready("10.0.0.1")}));
    const auto done = put(out, {ready("10.6.6.6")});
    REQUIRE(!done);
    CHECK(done.error().message().ends_with("\": exit status 1: no good"));
    CHECK(text_of("web.conf") == "server 10.0.0.1:80;\n");
    CHECK(text_of("loaded") == "server 10.0.0.1:80;\n");
    CHECK(text_of(".kcontrol-web.conf").empty());
    REQUIRE(put(out, {ready("10.0.0.3")}));
    CHECK(text_of("web.conf") == "server 10.0.0.3:80;\n");
}

TEST_CASE_FIXTURE(fixture, "file_output: a reload that failed is tried again, without another text") {
    auto out = make("", reload);
    folder.write("reload-fails", "");
    REQUIRE(!put(out, {ready("10.0.0.1")}));
    CHECK(text_of("web.conf") == "server 10.0.0.1:80;\n");
    REQUIRE(!put(out, {ready("10.0.0.1")}));
    std::remove(folder.path("reload-fails").c_str());
    REQUIRE(put(out, {ready("10.0.0.1")}));
    CHECK(text_of("loaded") == "server 10.0.0.1:80;\nserver 10.0.0.1:80;\nserver 10.0.0.1:80;\n");
    REQUIRE(put(out, {ready("10.0.0.1")}));
    CHECK(text_of("loaded") == "server 10.0.0.1:80;\nserver 10.0.0.1:80;\nserver 10.0.0.1:80;\n");
}

TEST_CASE_FIXTURE(fixture,
                  "file_output: a file that is right already is left alone; one that was changed is put right") {
    folder.write("web.conf", "server 10.0.0.1:80;\n");
    auto out = make(check, reload);
    REQUIRE(put(out, {ready("10.0.0.1")}));
    CHECK(text_of("loaded").empty());
    folder.write("web.conf", "by hand");
    REQUIRE(put(out, {ready("10.0.0.1")}));
    CHECK(text_of("loaded") == "server 10.0.0.1:80;\n");
}
