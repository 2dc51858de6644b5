#include "service/live_settings.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace gpu_labeler;

TEST_CASE("settings read again: some hold at once, some wait, and none is forgotten") {
    struct row {
        const char* flag;
        const char* value;
        bool at_once;
    };
    const row rows[] = {{"--schedule", "@every 5s", true},
                        {"--sample-interval", "3s", true},
                        {"--resync-interval", "2h", true},
                        {"--keep-labels", "1s", true},
                        {"--mig-strategy", "mixed", true},
                        {"--no-timestamp", "true", true},
                        {"--machine-type-file", "/m", true},
                        {"--hostname", "h", true},
                        {"--log-level", "debug", true},
                        {"--start-jitter", "1s", false},
                        {"--output", "none", false},
                        {"--features-file", "/f", false},
                        {"--node-name", "n", false},
                        {"--namespace", "ns", false},
                        {"--kubeconfig", "/k", false},
                        {"--context", "c", false},
                        {"--listen", ":1", false},
                        {"--health-probe-bind-address", ":1", false},
                        {"--max-connections", "9", false},
                        {"--tls-cert-file", "/c", false},
                        {"--tls-private-key-file", "/k", false},
                        {"--client-ca-file", "/a", false},
                        {"--token-file", "/t", false},
                        {"--trusted-origin", "https://a.example", false},
                        {"--report-health", "true", false},
                        {"--health-unknown-after", "30s", true},
                        {"--health-known-after", "1s", true},
                        {"--health-well-after", "1m", true},
                        {"--history-file", "/h", false},
                        {"--push-url", "http://localhost/write", false},
                        {"--push-authorization-file", "/l", false},
                        {"--push-ca-file", "/p", false},
                        {"--log-format", "text", false},
                        {"--nvml", "/n", false},
                        {"--nvml-timeout", "1s", false},
                        {"--sysfs", "/s", false},
                        {"--pod-resources-socket", "/p", false}};
    for (const auto& r : rows) {
        CAPTURE(r.flag);
        const options old;
        options fresh;
        REQUIRE(set_option(fresh, r.flag, r.value));
        const auto change = change_settings(old, fresh);
        CHECK(change.taken == (r.at_once ? r.flag : ""));
        CHECK(change.left == (r.at_once ? "" : r.flag));
        // What holds is no change any more, and what waits is one each time.
        const auto again = change_settings(change.now, fresh);
        CHECK(again.taken.empty());
        CHECK(again.left == change.left);
        // Every flag that a file may hold is known here.
        CHECK(help_text().find(r.flag) != std::string_view::npos);
    }
    std::vector<std::string> known{"--dry-run", "--once",    "--cleanup", "--annotations",
                                   "--config",  "--version", "--help"};
    for (const auto& r : rows) known.emplace_back(r.flag);
    const auto help = help_text();
    for (auto at = help.find("\n  --"); at != help.npos; at = help.find("\n  --", at + 1)) {
        const auto name = help.substr(at + 3, help.find_first_of(" ,\n", at + 3) - at - 3);
        CAPTURE(std::string(name));
        CHECK(std::find(known.begin(), known.end(), name) != known.end());
    }
}

TEST_CASE("settings read again: how GPUs are shared holds at once, and several are named") {
    const options old;
    options fresh;
    sharing by_mps;
    by_mps.kind = sharing_kind::mps;
    by_mps.resources["nvidia.com/gpu"] = {4, false};
    fresh.shared(by_mps);
    fresh.strategy(mig_strategy::single);
    fresh.sysfs("/s");
    fresh.context("c");
    const auto change = change_settings(old, fresh);
    CHECK(change.taken == "--mig-strategy, sharing");
    CHECK(change.left == "--context, --sysfs");
    CHECK(change.now.shared() == fresh.shared());
    CHECK(change.now.sysfs() == "/sys");
    CHECK(change_settings(old, old).taken.empty());
}
