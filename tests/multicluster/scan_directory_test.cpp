// One look at a directory of kubeconfigs.
#include <kcontrol/multicluster/scan_directory.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;

namespace {

std::string kubeconfig_of(const std::string& server) {
    return "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
           "clusters: [{name: k, cluster: {server: \"https://" +
           server + "\"}}]\nusers: [{name: u, user: {token: t}}]\n";
}

}  // namespace

TEST_CASE("scan_directory: a file is a cluster, or the reason why not; backups and second names are passed over") {
    testing::manual_environment env;
    env.files["/d/a.conf"] = kubeconfig_of("first");
    env.files["/d/a.yaml"] = kubeconfig_of("second");
    env.files["/d/b.prod.yaml"] = "nonsense: [";
    for (const char* name : {"/d/.hidden", "/d/c.yaml~", "/d/#c.yaml#"}) env.files[name] = kubeconfig_of("x");
    std::string warned;
    const logger log([&](const log_record& r) { warned += r.fields.back().value + " "; }, log_level::warning);
    const auto found = scan_directory(env, "/d", auth::trust::trusted, log);
    REQUIRE(found.has_value());
    REQUIRE(found->size() == 2);
    CHECK((*found)[0].first == "a");
    CHECK((*found)[0].second.value().server().host == "first");
    CHECK((*found)[1].first == "b.prod");
    CHECK((*found)[1].second.error().what().find("/d/b.prod.yaml") != std::string::npos);
    CHECK(warned == "/d/a.yaml ");
}
