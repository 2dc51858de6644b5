// One look at a directory of kubeconfigs.
#include <kcontrol/multicluster/scan_directory.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <vector>

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

TEST_CASE("scan_directory: what is no file is told with the reason, and never waited for") {
    system_environment env;
    testing::temporary_directory dir;
    dir.write("good.yaml", kubeconfig_of("good"));
    std::filesystem::create_directory(dir.path("folder"));
    std::filesystem::create_directory(dir.path("good"));
    std::filesystem::create_directory(dir.path("lost+found"));
    std::filesystem::create_directory(dir.path(".hidden"));
    std::filesystem::create_symlink("/dev/null", dir.path("null.yaml"));
    std::filesystem::create_symlink("nowhere", dir.path("dangling"));
    REQUIRE(::mkfifo(dir.path("pipe.yaml").c_str(), 0600) == 0);
    const auto found = scan_directory(env, dir.path(""), auth::trust::trusted);
    REQUIRE(found.has_value());
    std::string outline;
    for (const auto& [name, config] : *found) {
        outline += name + (config ? " ok" : " " + config.error().message()) + "\n";
        if (!config) CHECK(config.error() == errc::invalid_config);
    }
    CAPTURE(outline);
    REQUIRE(found->size() == 4);
    CHECK(outline.find("folder " + dir.path("folder: it is a directory, not a file")) != std::string::npos);
    CHECK(outline.find("good ok\n") != std::string::npos);
    CHECK(outline.find("null " + dir.path("null.yaml: it is a device")) != std::string::npos);
    CHECK(outline.find("pipe " + dir.path("pipe.yaml: it is a FIFO")) != std::string::npos);
}

TEST_CASE("scan_directory: a cluster's name can be shown anywhere, and is no other cluster's") {
    testing::manual_environment env;
    for (const char* name : {"a\xff", "a\xfe", "a\\xff", "esc\x1b[2J\n", "caf\u00e9"}) {
        env.files["/d/" + std::string(name) + ".yaml"] = name[0] == 'e' ? "nonsense: [" : kubeconfig_of("host");
    }
    const auto found = scan_directory(env, "/d", auth::trust::trusted);
    REQUIRE(found.has_value());
    std::vector<std::string> names;
    for (const auto& [name, config] : *found) names.push_back(name);
    std::sort(names.begin(), names.end());
    CHECK(names == std::vector<std::string>{"a\\x5cxff", "a\\xfe", "a\\xff", "caf\u00e9", "esc\\x1b[2J\\x0a"});
    for (const auto& [name, config] : *found) {
        if (!config) CHECK(config.error().message().find("/d/esc\\x1b[2J\\x0a.yaml") == 0);
    }
}
