#include <kcontrol/runtime/staged_file.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

using namespace kcontrol;

namespace {

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}
unsigned mode_of(const std::string& path) {
    struct stat found {};
    REQUIRE(::stat(path.c_str(), &found) == 0);
    return found.st_mode & 07777;
}
std::size_t files_in(const kcontrol::testing::temporary_directory& folder) {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

struct fixture {
    kcontrol::testing::temporary_directory folder;
    std::string path = folder.path("web.conf");
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "staged_file: the old text stays until the new one takes its place") {
    folder.write("web.conf", "old");
    {
        auto fresh = staged_file::write(path, "new");
        REQUIRE_MESSAGE(fresh.has_value(), fresh.error().message());
        CHECK(text_of(path) == "old");
        CHECK(text_of(fresh->path()) == "new");
        // What includes *.conf does not see it; what looks at the ending does.
        CHECK(fresh->path() == folder.path(".kcontrol-web.conf"));
        REQUIRE(fresh->commit());
    }
    CHECK(text_of(path) == "new");
    CHECK(files_in(folder) == 1);
}

TEST_CASE_FIXTURE(fixture,
                  "staged_file: nothing stays of one that is dropped, or was left by a process that was killed") {
    folder.write(".kcontrol-web.conf", "of a run before, and longer");
    { REQUIRE(staged_file::write(path, "new")); }
    CHECK(files_in(folder) == 0);
}

TEST_CASE_FIXTURE(fixture, "replace_file: at once, and nothing beside it") {
    folder.write("web.conf", "old");
    REQUIRE(replace_file(path, "new"));
    CHECK(text_of(path) == "new");
    REQUIRE(replace_file(path, ""));
    CHECK(text_of(path).empty());
    CHECK(replace_file(folder.path("no/web.conf"), "x").error() == errc::file_failed);
    CHECK(files_in(folder) == 1);
}

TEST_CASE_FIXTURE(fixture, "staged_file: mode, and links") {
    REQUIRE(staged_file::write(path, "new")->commit());
    CHECK(mode_of(path) == 0644);
    REQUIRE(::chmod(path.c_str(), 0600) == 0);
    REQUIRE(staged_file::write(path, "newer")->commit());
    CHECK(mode_of(path) == 0600);
    const std::string link = folder.path("link");
    REQUIRE(::symlink("web.conf", link.c_str()) == 0);
    REQUIRE(staged_file::write(link, "newest")->commit());
    CHECK(text_of(path) == "newest");
    CHECK(std::filesystem::is_symlink(link));
}

TEST_CASE_FIXTURE(fixture, "staged_file: errors name the path and the remedy") {
    const auto none = staged_file::write(folder.path("no/web.conf"), "x");
    REQUIRE(!none);
    CHECK(none.error() == kcontrol::errc::file_failed);
    CHECK(none.error().message() == folder.path("no/.kcontrol-web.conf") +
                                        ": can't be written: No such file or directory; let this program write to "
                                        "that directory");
    std::filesystem::create_directory(path);
    const auto folder_there = staged_file::write(path, "x");
    REQUIRE(!folder_there);
    CHECK(folder_there.error().message() == path + ": it is no regular file; choose another path");
    REQUIRE(::mkfifo(folder.path("pipe").c_str(), 0600) == 0);  // as root, even /dev/null could be replaced
    REQUIRE(!staged_file::write(folder.path("pipe"), "x"));
    CHECK(files_in(folder) == 2);
}

TEST_CASE_FIXTURE(fixture, "staged_file: a file that can't take its place leaves nothing behind") {
    {
        auto fresh = staged_file::write(path, "x");
        REQUIRE(fresh);
        std::filesystem::create_directory(path);
        const auto done = fresh->commit();
        REQUIRE(!done);
        CHECK(done.error().message() ==
              path + ": can't be replaced: Is a directory; let this program write to its directory");
    }
    CHECK(files_in(folder) == 1);
}
