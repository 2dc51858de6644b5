#include "crypto/seal.hpp"

#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include "../memory/temporary.hpp"

#include <doctest/doctest.h>

#include <set>
#include <sys/stat.h>

using namespace training_monitor;
using namespace training_monitor::tests;
using crypto::seal_key;

namespace {

seal_key key_of(char fill) {
    kcontrol::testing::manual_environment env;
    env.files["/key"] = std::string(32, fill);
    return std::move(*seal_key::load(env, "/key"));
}

bool has(const kcontrol::error& e, std::string_view part) { return e.message().find(part) != std::string::npos; }

}  // namespace

TEST_CASE("seal: what was sealed opens with the same key and name, and never twice looks the same") {
    const auto key = key_of('k');
    for (const std::string& plain : {std::string(), std::string("token: hunter2"), std::string(100'000, 'x')}) {
        const auto sealed = key.seal(plain, "prod");
        CHECK(sealed.find("hunter2") == std::string::npos);
        CHECK(sealed.size() == plain.size() + 37);
        CHECK(sealed != key.seal(plain, "prod"));
        const auto opened = key.open(sealed, "prod");
        REQUIRE(opened.has_value());
        CHECK(opened->reveal() == plain);
    }
}

TEST_CASE("seal: any changed byte, another name and another key are refused") {
    const auto key = key_of('k');
    const auto sealed = key.seal("token: hunter2", "prod");
    for (std::size_t i = 0; i < sealed.size(); ++i) {
        auto changed = sealed;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        CAPTURE(i);
        const auto opened = key.open(changed, "prod");
        REQUIRE_FALSE(opened.has_value());
        CHECK_FALSE(has(opened.error(), "hunter2"));
    }
    for (std::size_t size = 0; size < sealed.size(); ++size) {
        CHECK_FALSE(key.open(std::string_view(sealed).substr(0, size), "prod").has_value());
    }
    CHECK(has(key.open(sealed, "test").error(), "damaged, or was changed or moved"));
    CHECK(has(key_of('x').open(sealed, "prod").error(), "sealed with another key"));
}

TEST_CASE("seal: keys are files of 32 bytes, made once and for their owner only") {
    kcontrol::system_environment env;
    temporary_directory dir;
    const auto path = dir.path("key");
    REQUIRE(seal_key::make(path).has_value());
    struct stat info {};
    REQUIRE(::stat(path.c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
    CHECK(read_bytes(path).size() == 32);
    REQUIRE(seal_key::load(env, path).has_value());
    const auto before = read_bytes(path);
    CHECK(has(seal_key::make(path).error(), "is there already"));
    CHECK(read_bytes(path) == before);
    REQUIRE(seal_key::make(dir.path("other")).has_value());
    CHECK(read_bytes(dir.path("other")) != before);
    CHECK(has(seal_key::make(dir.path("no/key")).error(), "No such file"));
    CHECK(has(seal_key::load(env, dir.path("none")).error(), "key file"));
    write_bytes(dir.path("short"), std::string(31, 'x'));
    CHECK(has(seal_key::load(env, dir.path("short")).error(), "holds 31 bytes, not 32"));
    write_bytes(dir.path("long"), std::string(5000, 'x'));
    CHECK_FALSE(seal_key::load(env, dir.path("long")).has_value());
}
