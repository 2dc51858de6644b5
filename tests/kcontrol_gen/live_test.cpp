// CRDs that come from a cluster.
#include "client/fixture.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <kcontrol_gen/live.hpp>
#include <kcontrol_gen/program.hpp>
#include <sstream>

using namespace kcontrol;
using kcontrol::test::client_fixture;

namespace {

constexpr const char* first_page = "GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions?limit=50";

std::string crd(const std::string& name, const std::string& group, const std::string& kind) {
    return R"({"metadata":{"name":")" + name + R"("},"spec":{"group":")" + group + R"(","scope":"Namespaced",)" +
           R"("names":{"kind":")" + kind + R"(","plural":"x"},"versions":[{"name":"v1","served":true,"storage":true,)" +
           R"("schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":)" +
           R"({"a":{"type":"string"}}}}}}}]}})";
}

std::string page(const std::string& items, const std::string& token = "") {
    return R"({"kind":"CustomResourceDefinitionList","metadata":{"continue":")" + token + R"("},"items":[)" + items +
           "]}";
}

std::vector<std::string> kinds_of(kcontrol_gen::input& in) {
    std::vector<std::string> out;
    const auto made = in.finish();
    if (!made) return {made.error().message()};
    for (const auto& k : made->kinds) out.push_back(k.name);
    return out;
}

result<void> ask(client_fixture& f, const std::vector<std::string>& wanted, kcontrol_gen::input& in) {
    return f.await(kcontrol_gen::add_cluster(f.connect(), wanted, "https://api.test:6443", in));
}

}  // namespace

TEST_CASE("all CRDs of a cluster, page by page") {
    client_fixture f;
    f.net->expect(first_page).reply(200, page(crd("as.one.com", "one.com", "A"), "t/1"));
    f.net->expect(std::string(first_page) + "&continue=t%2F1").reply(200, page(crd("bs.two.com", "two.com", "B")));
    kcontrol_gen::input in;
    CHECK(ask(f, {}, in).has_value());
    CHECK(f.net->verify());
    CHECK(kinds_of(in) == std::vector<std::string>{"A", "B"});
}

TEST_CASE("chosen by name and by group") {
    const auto items = crd("as.one.com", "one.com", "A") + "," + crd("bs.two.com", "two.com", "B") + "," +
                       crd("cs.two.com", "two.com", "C");
    const std::pair<std::vector<std::string>, std::vector<std::string>> table[] = {
        {{"as.one.com"}, {"A"}}, {{"two.com"}, {"B", "C"}}, {{"cs.two.com", "one.com"}, {"A", "C"}}};
    for (const auto& [wanted, kinds] : table) {
        client_fixture f;
        f.net->expect(first_page).reply(200, page(items));
        kcontrol_gen::input in;
        CHECK(ask(f, wanted, in).has_value());
        CHECK(kinds_of(in) == kinds);
    }
}

TEST_CASE("what the cluster lacks or refuses is said") {
    client_fixture f;
    f.net->expect(first_page).reply(200, page(""));
    kcontrol_gen::input in;
    const auto lacking = ask(f, {"as.one.com"}, in);
    REQUIRE(lacking.has_error());
    CHECK(lacking.error().message() ==
          "https://api.test:6443: no CustomResourceDefinition has the name or the group as.one.com; `kubectl get crds` "
          "lists them");

    f.net->expect(first_page).reply(403, R"({"kind":"Status","status":"Failure","reason":"Forbidden","code":403})");
    const auto refused = ask(f, {}, in);
    REQUIRE(refused.has_error());
    CHECK(refused.error() == api_errc::forbidden);

    f.net->expect(first_page).fail(errc::connection_refused, "https://api.test:6443: can't connect");
    const auto away = ask(f, {}, in);
    REQUIRE(away.has_error());
    CHECK(away.error().message() == "https://api.test:6443: can't connect");
}

TEST_CASE("a kubeconfig that is not there") {
    std::ostringstream out;
    std::ostringstream err;
    CHECK(kcontrol_gen::run({"--out", "-", "--namespace", "a", "--kubeconfig", "/no/such"}, out, err) == 1);
    CHECK(kcontrol_test::contains(err.str(), "/no/such"));
}
