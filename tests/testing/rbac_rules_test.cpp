// The rules of a role, of what a server was asked for.
#include <kcontrol/testing/rbac_rules.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::testing;

namespace {

// `patched`: what the server answered to patches.
std::string rules_of(const std::vector<std::pair<std::string, std::string>>& requests, int patched = 200) {
    request_log log;
    for (const auto& [method, target] : requests) {
        http::request request;
        request.method = method;
        request.target = target;
        log.end(log.begin(request, parse_request(request).value()), method == "PATCH" ? patched : 200);
    }
    return rbac_rules(log);
}

}  // namespace

TEST_CASE("one rule for each group and resource, in order, and none for discovery") {
    CHECK(rules_of({{"GET", "/apis/example.com/v1/websites?watch=true"},
                    {"GET", "/apis/example.com/v1/websites?limit=500"},
                    {"PATCH", "/apis/example.com/v1/namespaces/default/websites/shop/status"},
                    {"PATCH", "/api/v1/namespaces/default/configmaps/shop"},
                    {"PATCH", "/api/v1/namespaces/other/configmaps/shop"},
                    {"DELETE", "/api/v1/namespaces/default/configmaps"},
                    {"GET", "/version"},
                    {"GET", "/apis"}}) ==
          "- apiGroups:\n"
          "  - \"\"\n"
          "  resources:\n"
          "  - configmaps\n"
          "  verbs:\n"
          "  - deletecollection\n"
          "  - patch\n"
          "- apiGroups:\n"
          "  - example.com\n"
          "  resources:\n"
          "  - websites\n"
          "  verbs:\n"
          "  - list\n"
          "  - watch\n"
          "- apiGroups:\n"
          "  - example.com\n"
          "  resources:\n"
          "  - websites/status\n"
          "  verbs:\n"
          "  - patch\n");
    CHECK(rules_of({{"GET", "/version"}}) == "");
}

TEST_CASE("an apply that makes its object needs both rights") {
    const std::pair<std::string, std::string> apply("PATCH", "/api/v1/namespaces/default/configmaps/shop");
    CHECK(rules_of({apply}, 201).find("  - create\n  - patch\n") != std::string::npos);
    CHECK(rules_of({apply}, 200).find("create") == std::string::npos);
}
