#include <kcontrol/service/detail/cache_text.hpp>
#include <kcontrol/service/detail/private_file.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include "support/has.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::service;
using namespace kcontrol::service::detail;

endpoint_list two() {
    endpoint a, b;
    a.address = "10.0.0.1";
    a.port = 80;
    a.ready = a.serving = true;
    a.zone = "z\"1";
    a.pod = "p";
    b.address = "10.0.0.2";
    b.port = 80;
    b.terminating = true;
    b.node = "n";
    return endpoint_list({std::make_shared<const endpoint>(a), std::make_shared<const endpoint>(b)});
}

std::string text() {
    cache_text out;
    out.subject = "endpoints of service default/web";
    out.confirmed = wall_time(std::chrono::seconds(1'700'000'000));
    out.value = write_endpoints(two());
    return out.to_json();
}

std::string replaced(std::string in, const std::string& what, const std::string& by) {
    const auto at = in.find(what);
    REQUIRE(at != std::string::npos);
    return in.replace(at, what.size(), by);
}

}  // namespace

TEST_CASE("cache_text: what is written is read") {
    const auto read = cache_text::parse(text(), "endpoints of service default/web");
    REQUIRE(read);
    CHECK(read->confirmed == wall_time(std::chrono::seconds(1'700'000'000)));
    const auto endpoints = read_endpoints(read->value);
    REQUIRE(endpoints);
    REQUIRE(endpoints->size() == 2);
    CHECK((*endpoints)[0] == two()[0]);
    CHECK((*endpoints)[1] == two()[1]);
    cached_leader leader;
    leader.holder = "a";
    leader.address = "b:1";
    leader.lasts = std::chrono::seconds(15);
    const auto same = cached_leader::parse(leader.to_json());
    REQUIRE(same);
    CHECK(same->holder == "a");
    CHECK(same->address == "b:1");
    CHECK(same->lasts == std::chrono::seconds(15));
}

TEST_CASE("cache_text: a text that is cut anywhere is refused") {
    const std::string whole = text();
    for (std::size_t n = 0; n + 1 < whole.size(); ++n) {
        CAPTURE(n);
        REQUIRE(cache_text::parse(whole.substr(0, n), "endpoints of service default/web").has_error());
    }
}

TEST_CASE("cache_text: wrong and foreign texts are refused") {
    struct {
        std::string text;
        const char* part;
    } const table[] = {
        {"hello", "it is no JSON"},
        {"[]", "no file of this program"},
        {"{}", "no file of this program"},
        {replaced(text(), "kcontrol-service/1", "kcontrol-service/2"), "no file of this program"},
        {replaced(text(), "default/web", "default/db"), "it is of \"endpoints of service default/db\""},
        {replaced(text(), "10.0.0.1", "10.0.0.7"), "checksum"},
        {replaced(text(), "2023-", "2023_"), "\"confirmed\""},
    };
    for (const auto& row : table) {
        CAPTURE(row.text);
        const auto read = cache_text::parse(row.text, "endpoints of service default/web");
        REQUIRE(read.has_error());
        CHECK(test::has(read.error().what(), row.part));
    }
    for (const char* const value : {"{}", "[1]", "[{}]", R"([{"address":"","port":1}])",
                                    R"([{"address":"a","port":-1}])", R"([{"address":"a","port":65536}])",
                                    R"([{"address":"a","port":1,"ready":1,"serving":true,"terminating":false}])"}) {
        CAPTURE(value);
        CHECK(read_endpoints(value).has_error());
    }
    const std::string one = R"({"address":"a","port":1,"ready":true,"serving":true,"terminating":false})";
    CHECK(read_endpoints("[" + one + "]").has_value());
    CHECK(read_endpoints("[" + one + "," + one + "]").has_error());  // each once
    CHECK(cached_leader::parse("[]").has_error());
    CHECK(cached_leader::parse(R"({"holder":"a","address":"b","seconds":-1})").has_error());
}

TEST_CASE("private_file: mode 0600, replaced as a whole") {
    const testing::temporary_directory folder;
    const std::string path = folder.path("cache");
    CHECK_FALSE(read_private_file(path, 100).value());
    REQUIRE(replace_private_file(path, "one"));
    struct stat about {};
    REQUIRE(::stat(path.c_str(), &about) == 0);
    CHECK((about.st_mode & 07777) == 0600);
    CHECK(*read_private_file(path, 100).value() == "one");
    const auto first = about.st_ino;
    REQUIRE(replace_private_file(path, "two"));
    REQUIRE(::stat(path.c_str(), &about) == 0);
    CHECK(about.st_ino != first);  // a reader that has it open reads the old one to its end
    CHECK(*read_private_file(path, 100).value() == "two");
    CHECK(read_private_file(path, 2).error() == errc::too_large);
    std::size_t files = 0;
    for (const auto& one : std::filesystem::directory_iterator(folder.path())) files += one.exists() ? 1 : 0;
    CHECK(files == 1);
    CHECK(replace_private_file(folder.path("missing/cache"), "x").error() == errc::file_failed);
}

TEST_CASE("private_file: what another user may have planted is refused") {
    const testing::temporary_directory folder;
    folder.write("plain", "text");
    REQUIRE(::chmod(folder.path("plain").c_str(), 0644) == 0);
    CHECK(read_private_file(folder.path("plain"), 100).has_value());
    REQUIRE(::chmod(folder.path("plain").c_str(), 0622) == 0);
    CHECK(test::has(read_private_file(folder.path("plain"), 100).error().what(), "other users may write it"));
    REQUIRE(::symlink(folder.path("plain").c_str(), folder.path("link").c_str()) == 0);
    CHECK(test::has(read_private_file(folder.path("link"), 100).error().what(), "it is a link"));
    REQUIRE(::mkfifo(folder.path("pipe").c_str(), 0600) == 0);
    CHECK(test::has(read_private_file(folder.path("pipe"), 100).error().what(), "no regular file"));
    CHECK(test::has(read_private_file(folder.path(), 100).error().what(), "no regular file"));
    if (::geteuid() != 0) return;
    REQUIRE(::chmod(folder.path("plain").c_str(), 0600) == 0);
    REQUIRE(::chown(folder.path("plain").c_str(), 12345, 12345) == 0);
    CHECK(test::has(read_private_file(folder.path("plain"), 100).error().what(), "belongs to another user"));
}
