#include <kcontrol/auth/token_source.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::auth;

namespace {

class token_fixture {
public:
    token_fixture() { config.token_file("/token"); }
    std::string read(token_source& source) {
        const auto token = source.token();
        return token ? std::string(token->reveal()) : "error: " + token.error().message();
    }
    void pass(duration d) { env.advance(d, context); }

    boost::asio::io_context context;
    testing::manual_environment env;
    cluster_config config;
};

}  // namespace

TEST_CASE_FIXTURE(token_fixture, "no token and a fixed token") {
    config.token_file({});
    token_source none(env, config);
    CHECK(read(none).empty());
    CHECK(!none.invalidate());
    config.token(secret_string("fixed"));
    token_source fixed(env, config);
    CHECK(read(fixed) == "fixed");
    CHECK(!fixed.invalidate());
}

TEST_CASE_FIXTURE(token_fixture, "a file is read again after a minute") {
    env.files["/token"] = " one \n";
    token_source source(env, config);
    CHECK(read(source) == "one");
    env.files["/token"] = "two";
    pass(std::chrono::seconds(59));
    CHECK(read(source) == "one");
    pass(std::chrono::seconds(1));
    CHECK(read(source) == "two");
}

TEST_CASE_FIXTURE(token_fixture, "a file is read again after invalidate, once") {
    env.files["/token"] = "one";
    token_source source(env, config);
    CHECK(read(source) == "one");
    env.files["/token"] = "two";
    CHECK(source.invalidate());
    CHECK(read(source) == "two");
    env.files["/token"] = "three";
    CHECK(read(source) == "two");
}

TEST_CASE_FIXTURE(token_fixture, "what is no token keeps the last good one") {
    for (const std::string& text :
         {std::string(), std::string(" \n"), std::string("a\r\nX-Evil: 1"), std::string("a b"), std::string("a\0b", 3),
          std::string("\xff"), std::string(2 << 20, 'x')}) {
        env.files["/token"] = "good";
        token_source source(env, config);
        CHECK(read(source) == "good");
        CHECK(!source.failure().has_value());
        env.files["/token"] = text;
        CHECK(source.invalidate());
        CHECK(read(source) == "good");
        CHECK(source.failure().has_value());
        env.files.erase("/token");
        CHECK(source.invalidate());
        CHECK(read(source) == "good");
        env.files["/token"] = "better";
        CHECK(read(source) == "good");  // the failed read counts: the next one is in a minute
        pass(std::chrono::minutes(1));
        CHECK(read(source) == "better");
        CHECK(!source.failure().has_value());
    }
}

TEST_CASE_FIXTURE(token_fixture, "no token was ever read") {
    token_source source(env, config);
    CHECK(read(source).find("/token") != std::string::npos);
    env.files["/token"] = "CANARY CANARY";
    CHECK(read(source).find("error: token file /token holds no token") == 0);
    CHECK(read(source).find("CANARY") == std::string::npos);
    env.files["/token"] = "good";
    CHECK(read(source) == "good");
}

TEST_CASE_FIXTURE(token_fixture, "a token beside a token file is what is sent until the file can be read") {
    config.token(secret_string("initial"));
    token_source source(env, config);
    CHECK(read(source) == "initial");
    env.files["/token"] = "from file";
    CHECK(source.invalidate());
    CHECK(read(source) == "initial");
    env.files["/token"] = "from-file";
    CHECK(source.invalidate());
    CHECK(read(source) == "from-file");
}
