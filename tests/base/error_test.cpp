#include <kcontrol/base/error.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;

TEST_CASE("what(): the server's words, with the reason unless they end with it") {
    struct row {
        int code;
        const char* reason;
        const char* message;
        const char* shown;
    };
    const row rows[] = {
        {404, "NotFound", "pods \"a\" not found", "pods \"a\" not found (NotFound)"},
        {401, "Unauthorized", "Unauthorized", "Unauthorized"},
        {403, "Forbidden", "Forbidden: no access", "Forbidden: no access (Forbidden)"},
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
    CHECK(error(errc::timeout, "the deadline passed").what() == "the deadline passed");
}
