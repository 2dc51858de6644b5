#include <kcontrol/base/error.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;

TEST_CASE("what(): the server's words, with the reason unless they say it") {
    struct row {
        int code;
        const char* reason;
        const char* message;
        const char* shown;
    };
    const row rows[] = {
        {404, "NotFound", "pods \"a\" not found", "pods \"a\" not found"},
        {409, "AlreadyExists", "pods \"a\" already exists", "pods \"a\" already exists"},
        {409, "Conflict", "the object has been modified", "the object has been modified (Conflict)"},
        {409, "Conflict", "the object of the Conflicts test", "the object of the Conflicts test (Conflict)"},
        {422, "Invalid", "Job \"a\" is invalid: spec: Required value", "Job \"a\" is invalid: spec: Required value"},
        {429, "TooManyRequests", "Too many requests, please try again later.",
         "Too many requests, please try again later."},
        {504, "Timeout", "Timeout: Too large resource version: 5", "Timeout: Too large resource version: 5"},
        {401, "Unauthorized", "Unauthorized", "Unauthorized"},
        {403, "Forbidden", "pods is forbidden: User \"u\"", "pods is forbidden: User \"u\""},
        {403, "Forbidden", "no access", "no access (Forbidden)"},
        {404, "NotFound", "", "NotFound"},
    };
    for (const auto& row : rows) {
        api_status status;
        status.code = row.code;
        status.reason = row.reason;
        status.message = row.message;
        const error e(status);
        CHECK(e.what() == row.shown);
        CHECK(e.message() == row.message);
    }
    api_status status;
    status.code = 401;
    status.message = "Unauthorized";
    CHECK(error(status).with_context("cluster a").what() == "cluster a: Unauthorized");
    CHECK(error(errc::timeout).with_context("cluster a").what() == "cluster a: the deadline passed");
    CHECK(error(errc::timeout, "the deadline passed").what() == "the deadline passed");
}

TEST_CASE("with_context(): what a message begins with is not said again") {
    const error once = error(errc::timeout, "not synced").with_context("controller hello");
    CHECK(once.message() == "controller hello: not synced");
    CHECK(once.with_context("controller hello") == errc::timeout);
    CHECK(once.with_context("controller hello").message() == "controller hello: not synced");
    CHECK(once.with_context("controller").message() == "controller: controller hello: not synced");
    CHECK(once.with_context("cluster a").with_context("cluster a").message() ==
          "cluster a: controller hello: not synced");
}
