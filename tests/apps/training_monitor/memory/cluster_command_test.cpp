#include "memory/cluster_command.hpp"

#include <kcontrol/multicluster/record_source.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "memory/kept_records.hpp"
#include "memory/memory.hpp"
#include "temporary.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace training_monitor;
using namespace training_monitor::tests;
using namespace std::chrono_literals;
namespace testing = kcontrol::testing;

namespace {

constexpr const char* kubeconfig = R"(apiVersion: v1
kind: Config
current-context: one
clusters: [{name: c, cluster: {server: "https://prod.example:6443"}}]
users: [{name: u, user: {token: hunter2}}]
contexts:
- {name: one, context: {cluster: c, user: u}}
- {name: two, context: {cluster: c, user: u}}
)";

struct fixture {
    fixture() { write_bytes(dir.path("k.yaml"), kubeconfig); }
    command_outcome run(std::vector<std::string> words) {
        std::vector<std::string_view> arguments;
        for (auto& word : words) {
            if (word.starts_with("DIR/")) word = dir.path(word.substr(4));
            arguments.push_back(word);
        }
        auto out = run_cluster_command(env, arguments);
        CHECK((out.output + out.errors).find("hunter2") == std::string::npos);
        return out;
    }
    std::vector<kept_cluster> kept() {
        return state_file::open(dir.path("s"), state_file::use::existing).value()->kept_clusters().value();
    }
    kcontrol::system_environment env;
    temporary_directory dir;
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("cluster: add by path or sealed, list, replace, remove") {
    fixture f;
    CHECK(f.run({"init-key", "DIR/key"}).status == 0);
    CHECK(f.run({"init-key", "DIR/key"}).status == 1);
    auto done = f.run({"add", "sealed", "--state", "DIR/s", "--kubeconfig", "DIR/k.yaml", "--key-file", "DIR/key"});
    CHECK(done.status == 0);
    CHECK(done.output == "added sealed\n");
    CHECK(
        f.run({"add", "path", "--state", "DIR/s", "--kubeconfig", "DIR/k.yaml", "--by-path", "--context=two"}).status ==
        0);
    CHECK(read_bytes(f.dir.path("s")).find("hunter2") == std::string::npos);
    CHECK(read_bytes(f.dir.path("s-wal")).find("hunter2") == std::string::npos);
    const auto listed = f.run({"list", "--state", "DIR/s"});
    CHECK(listed.status == 0);
    CHECK(listed.output.starts_with("NAME    KUBECONFIG"));
    CHECK(has(listed.output, "\nsealed  (sealed)"));
    CHECK(has(listed.output, "\npath    " + f.dir.path("k.yaml")));
    CHECK(has(listed.output, "two"));
    CHECK(has(listed.output, "never seen"));
    done = f.run({"add", "path", "--state", "DIR/s", "--kubeconfig", "DIR/k.yaml", "--by-path"});
    CHECK(done.status == 1);
    CHECK(has(done.errors, "already: give --replace"));
    CHECK(f.run({"add", "path", "--state", "DIR/s", "--kubeconfig", "DIR/k.yaml", "--by-path", "--replace"}).status ==
          0);
    CHECK(f.run({"remove", "path", "--state", "DIR/s"}).status == 0);
    CHECK(f.run({"remove", "path", "--state", "DIR/s"}).status == 1);
    CHECK(f.kept().size() == 1);
}

TEST_CASE("cluster: what is refused, and with which status") {
    fixture f;
    struct row {
        std::vector<std::string> words;
        int status;
        const char* why;
    };
    const row rows[] = {
        {{}, 2, "give one of init-key, add, list, remove"},
        {{"rename"}, 2, "\"rename\" is not one of"},
        {{"list"}, 2, "--state is missing"},
        {{"list", "--state"}, 2, "--state needs a value"},
        {{"list", "--state="}, 2, "--state needs a value"},
        {{"list", "x", "--state", "s"}, 2, "takes 0 argument(s)"},
        {{"list", "--stat", "s"}, 2, "unknown flag \"--stat\""},
        {{"list", "--state", "DIR/none"}, 1, "there is no such file"},
        {{"remove", "--state", "s"}, 2, "takes 1 argument(s)"},
        {{"add", "a", "--state", "DIR/s", "--kubeconfig", "DIR/k.yaml"}, 2, "either --key-file FILE or --by-path"},
        {{"add", "a", "--state", "DIR/s", "--kubeconfig", "DIR/k.yaml", "--by-path=1"}, 2, "takes no value"},
        {{"add", "a b", "--state", "DIR/s", "--kubeconfig", "DIR/k.yaml", "--by-path"}, 2, "is not a name"},
        {{"add", ".", "--state", "DIR/s", "--kubeconfig", "DIR/k.yaml", "--by-path"}, 2, "is not a name"},
        {{"add", "a", "--state", "DIR/s", "--kubeconfig", "DIR/none", "--by-path"}, 1, "--kubeconfig: "},
        {{"add", "a", "--state", "DIR/s", "--kubeconfig", "DIR/k.yaml", "--by-path", "--context", "x"}, 1, "\"x\""},
        {{"add", "a", "--state", "DIR/s", "--kubeconfig", "DIR/k.yaml", "--key-file", "DIR/none"}, 1, "key file"},
        {{"add", "a", "--state", "DIR/no/s", "--kubeconfig", "DIR/k.yaml", "--by-path"}, 1, "the directory must exist"},
    };
    for (const auto& one : rows) {
        CAPTURE(one.why);
        const auto done = f.run(one.words);
        CHECK(done.status == one.status);
        CHECK_MESSAGE(has(done.errors, one.why), done.errors);
        CHECK(done.output.empty());
    }
    CHECK(has(f.run({"--help"}).output, "usage:"));
    CHECK_FALSE(std::filesystem::exists(f.dir.path("s")));
}

TEST_CASE("kept clusters: a wrong key or a changed record is that cluster's failure only") {
    fixture f;
    f.run({"init-key", "DIR/key"});
    f.run({"init-key", "DIR/other"});
    for (const char* name : {"a", "b"}) {
        f.run({"add", name, "--state", "DIR/s", "--kubeconfig", "DIR/k.yaml", "--key-file", "DIR/key"});
    }
    auto clusters = f.kept();
    REQUIRE(clusters.size() == 2);
    const std::optional<kcontrol::result<crypto::seal_key>> key(crypto::seal_key::load(f.env, f.dir.path("key")));
    const std::optional<kcontrol::result<crypto::seal_key>> other(crypto::seal_key::load(f.env, f.dir.path("other")));
    const std::optional<kcontrol::result<crypto::seal_key>> missing(crypto::seal_key::load(f.env, f.dir.path("none")));
    const auto good = to_record(clusters[0], key);
    CHECK_FALSE(good.fault.has_value());
    CHECK(good.kubeconfig.reveal() == kubeconfig);
    const auto fault = [&](const std::optional<kcontrol::result<crypto::seal_key>>& with) {
        return to_record(clusters[0], with).fault.value().message();
    };
    CHECK(has(fault(other), "sealed with another key"));
    CHECK(has(fault(missing), "key file"));
    CHECK(has(fault(std::nullopt), "give the key with --key-file"));
    std::swap(clusters[0].sealed, clusters[1].sealed);
    CHECK(has(fault(key), "changed or moved"));
    clusters[1].sealed[40] = static_cast<char>(clusters[1].sealed[40] ^ 1);
    CHECK(to_record(clusters[1], key).fault.has_value());
}

TEST_CASE("kept clusters: a running monitor picks up what commands change, and files that change") {
    fixture f;
    testing::manual_environment env;
    env.files[f.dir.path("k.yaml")] = kubeconfig;
    boost::asio::io_context context;
    history past;
    memory kept(env, context.get_executor(), context.get_executor(),
                std::move(*state_file::open(f.dir.path("s"), state_file::use::monitor)), past, {});
    REQUIRE(kept.start().has_value());
    kcontrol::record_source source(env, context.get_executor(),
                                   std::make_shared<kept_records>(env, kept.file(), "", kcontrol::logger()),
                                   kcontrol::record_source_options().trust(kcontrol::auth::trust::trusted));
    std::vector<std::string> heard;
    REQUIRE(source
                .start([&](std::vector<kcontrol::desired_cluster> clusters) {
                    heard.emplace_back();
                    for (const auto& c : clusters) {
                        heard.back() += c.name + "=" + (c.config ? c.config->server_url() : c.config.error().message());
                    }
                })
                .has_value());
    env.advance(0s, context);
    CHECK(heard == std::vector<std::string>{""});
    f.run({"add", "a", "--state", "DIR/s", "--kubeconfig", "DIR/k.yaml", "--by-path"});
    env.advance(2s, context);
    REQUIRE(heard.size() == 2);
    CHECK(heard[1] == "a=https://prod.example:6443");
    auto& text = env.files[f.dir.path("k.yaml")];
    text.replace(text.find("prod.example"), 12, "next.example");
    env.advance(10s, context);
    REQUIRE(heard.size() == 3);
    CHECK(heard[2] == "a=https://next.example:6443");
    f.run({"remove", "a", "--state", "DIR/s"});
    env.advance(2s, context);
    REQUIRE(heard.size() == 4);
    CHECK(heard[3].empty());
    source.stop();
    f.run({"add", "a", "--state", "DIR/s", "--kubeconfig", "DIR/k.yaml", "--by-path"});
    env.advance(20s, context);
    CHECK(heard.size() == 4);
    testing::run(context, kept.stop());
}
