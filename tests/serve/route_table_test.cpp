// Which route a request belongs to, as a table.
#include <kcontrol/serve/route_table.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol::http;

namespace {

// "number", with " name=value" for each of these variables that took something; or "404", "405 ALLOW", "400".
std::string found(const route_table& table, std::string_view method, std::string_view path) {
    const auto match = table.find(method, path);
    switch (match.outcome) {
    case route_outcome::unknown_path: return "404";
    case route_outcome::wrong_method: return "405 " + match.allow;
    case route_outcome::malformed_path: return "400";
    case route_outcome::found: break;
    }
    std::string out = std::to_string(match.route);
    for (const char* name : {"cluster", "kind", "name", "rest"}) {
        const auto value = match.parameters.get(name);
        if (!value.empty()) out += std::string(" ") + name + "=" + std::string(value);
    }
    return out;
}

}  // namespace

TEST_CASE("routes by path and method") {
    route_table table;
    table.add("GET", "/");                                     // 0
    table.add("GET", "/api/v1/jobs");                          // 1
    table.add("HEAD", "/api/v1/jobs");                         // 2
    table.add("GET", "/api/v1/jobs/{cluster}/{kind}/{name}");  // 3
    table.add("GET", "/api/v1/jobs/{rest...}");                // 4
    table.add("GET", "/api/v1/jobs/{cluster}/Pod/{name}");     // 5
    table.add("", "/healthz/{rest...}");                       // 6
    table.add("POST", "/hooks/{name}");                        // 7
    table.add("PUT", "/hooks/{name}");                         // 8
    table.add("GET", "/hooks/all");                            // 9
    table.add("GET", "/{name}");                               // 10
    struct row {
        const char* method;
        const char* path;
        const char* expected;
    };
    const row rows[] = {
        {"GET", "/", "0"},
        {"HEAD", "/", "0"},
        {"POST", "/", "405 GET, HEAD"},
        {"get", "/", "405 GET, HEAD"},
        {"", "/", "405 GET, HEAD"},
        {"GET", "/api/v1/jobs", "1"},
        {"HEAD", "/api/v1/jobs", "2"},
        {"DELETE", "/api/v1/jobs", "405 GET, HEAD"},
        {"GET", "/api/v1/jobs/", "4"},
        {"GET", "/api/v1/jobs/a", "4 rest=a"},
        {"GET", "/api/v1/jobs/a/Job/b", "3 cluster=a kind=Job name=b"},
        {"HEAD", "/api/v1/jobs/a/Job/b", "3 cluster=a kind=Job name=b"},
        {"GET", "/api/v1/jobs/a%20b/Job/x%2fy", "3 cluster=a b kind=Job name=x/y"},
        {"GET", "/api/v1/jobs/a/Job/%zz", "400"},
        {"GET", "/api/v1/jobs/a/%zz", "4 rest=a/%zz"},
        {"GET", "/api/v1/jobs/a/Pod/b", "5 cluster=a name=b"},
        {"GET", "/api/v1/jobs/a//b", "4 rest=a//b"},
        {"GET", "/api/v1/jobs/a/Job/b/", "4 rest=a/Job/b/"},
        {"GET", "/api/v1", "404"},
        {"POST", "/api/v1", "404"},
        {"GET", "/healthz/ping", "6 rest=ping"},
        {"POST", "/healthz/", "6"},
        {"GET", "/healthz", "10 name=healthz"},
        {"GET", "/hooks/all", "9"},
        {"POST", "/hooks/all", "7 name=all"},
        {"DELETE", "/hooks/all", "405 POST, PUT, GET, HEAD"},
        {"DELETE", "/hooks/x", "405 POST, PUT"},
        {"GET", "//", "404"},
        {"GET", "", "404"},
        {"OPTIONS", "*", "404"},
    };
    for (const auto& one : rows) {
        CAPTURE(one.method);
        CAPTURE(one.path);
        CHECK(found(table, one.method, one.path) == one.expected);
    }
}

TEST_CASE("of two routes with the same method and pattern the later counts; braces elsewhere are text") {
    route_table table;
    CHECK(table.add("GET", "/a/{x}") == 0);
    CHECK(table.add("GET", "/a/{name}") == 1);
    CHECK(found(table, "GET", "/a/b") == "1 name=b");
    table.add("GET", "/{}/x{y}");
    CHECK(found(table, "GET", "/{}/x{y}") == "2");
    CHECK(found(table, "GET", "/1/x2") == "404");
    CHECK(found(route_table(), "GET", "/") == "404");
}
