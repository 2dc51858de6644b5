#include "apiserver/options.hpp"

#include <doctest/doctest.h>

using namespace kcontrol_apiserver;

namespace {

std::string refusal(const std::vector<std::string>& arguments) {
    const auto parsed = parse_options(arguments);
    return parsed ? "accepted" : parsed.error().message();
}

bool says(const std::vector<std::string>& arguments, std::string_view text) {
    const std::string said = refusal(arguments);
    if (said.find(text) != std::string::npos) return true;
    MESSAGE(said);
    return false;
}

}  // namespace

TEST_CASE("the flags of kcontrol-apiserver") {
    const auto none = parse_options({});
    REQUIRE(none);
    CHECK(none->listen.text() == "127.0.0.1:0");
    CHECK(none->tls);
    CHECK(none->complete);
    CHECK(!none->lenient_cel);
    CHECK(parse_options({"--lenient-cel"})->lenient_cel);
    CHECK(!none->pods);
    const auto all =
        parse_options({"--listen", "127.0.0.1:6443", "--plain-http", "--kubeconfig=k", "--load", "a", "--load", "b",
                       "--data", "d", "--controllers", "--nodes", "3", "--faults", "f", "--openapi", "o"});
    REQUIRE(all);
    CHECK(all->listen.port == 6443);
    CHECK(!all->tls);
    CHECK(all->load == std::vector<std::string>{"a", "b"});
    CHECK(all->data == "d");
    CHECK(all->garbage);
    CHECK(all->workloads);
    CHECK(all->nodes == 3);
    const auto some = parse_options({"--controllers=workloads"});
    REQUIRE(some);
    CHECK(some->pods);
    CHECK(!some->garbage);
    CHECK(parse_options({"--help"})->what == action::help);
}

TEST_CASE("a refused flag is named with its value and the remedy") {
    CHECK(says({"--listen", "here"}, R"(--listen "here" is no address: write IP:PORT)"));
    CHECK(says({"--listen", "0"}, "is no address"));
    CHECK(says({"--controllers=all"}, R"("all" is none; use a list of garbage, pods, workloads)"));
    CHECK(says({"--controllers", "--nodes", "0"}, R"(--nodes "0": use a number from 1 to 5000)"));
    CHECK(says({"--nodes", "2"}, "--nodes is of no use without --controllers"));
    CHECK(says({"--data", "a", "--data", "b"}, "--data is there twice"));
    CHECK(says({"--rbac", "--plain-http"}, "--rbac and --plain-http exclude each other"));
    CHECK(says({"--lenient-cel", "--as-written"}, "--lenient-cel is of no use beside --as-written"));
    CHECK(says({"pods.yaml"}, R"(did you mean --load "pods.yaml")"));
    CHECK(says({"--dta", "a"}, "did you mean --data?"));
    CHECK(says({"--data"}, "--data needs a value; see kcontrol-apiserver --help"));
}

TEST_CASE("a program to try, and its flags") {
    const auto o = parse_options({"--crds-of", "--rbac-of", "--for=2m", "--name", "web", "--", "./web", "--for", "--"});
    REQUIRE(o);
    CHECK(o->crds_of);
    CHECK(o->rbac_of);
    CHECK(o->trial_time == std::chrono::minutes(2));
    CHECK(o->name == "web");
    CHECK(o->command == std::vector<std::string>{"./web", "--for", "--"});
    CHECK(says({"--rbac-of"}, "a program is missing: write it last, behind --"));
    CHECK(says({"--rbac-of", "--", ""}, "name behind -- is empty"));
    CHECK(says({"--rbac-of", "./web", "--port", "1"}, "the program and its own flags stand behind --"));
    CHECK(says({"--for", "1m"}, "--for is of no use without --crds-of or --rbac-of"));
    CHECK(says({"--crds-of", "--name", "a", "--", "./web"}, "of no use without --rbac-of"));
    CHECK(says({"--rbac-of", "--plain-http", "--", "./web"}, "a certificate tells the program's requests apart"));
    for (const char* time : {"0s", "-1s", "25h", "soon"}) {
        CHECK(says({"--rbac-of", "--for", time, "--", "./web"}, "use a time up to 24h, such as 10s or 5m"));
    }
}

TEST_CASE("the help names every flag") {
    const std::string_view text = usage_text;
    for (const char* flag : {"--listen", "--plain-http", "--kubeconfig", "--load", "--data", "--controllers", "--nodes",
                             "--faults", "--rbac", "--openapi", "--as-written", "--lenient-cel", "--crds-of",
                             "--rbac-of", "--for", "--name", "--help", "--version"}) {
        CHECK(text.find(flag) != std::string_view::npos);
    }
}
