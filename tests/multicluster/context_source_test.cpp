// Clusters from the contexts of one kubeconfig: what joins, changes and leaves as the file is edited, and what is
// wrong.
#include <kcontrol/multicluster/context_source.hpp>

#include "support/throws.hpp"
#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using words = std::vector<std::string>;

constexpr const char* path = "/home/me/.kube/config";

// One context for each pair of a name and a token; the token "" is a user that is not there.
std::string file_with(const std::map<std::string, std::string>& contexts) {
    std::string names, clusters, users;
    for (const auto& [name, token] : contexts) {
        names += "- {name: \"" + name + "\", context: {cluster: \"" + name + "\", user: \"" + name + "\"}}\n";
        clusters += "- {name: \"" + name + "\", cluster: {server: \"https://host-of-" + token + "\"}}\n";
        if (!token.empty()) users += "- {name: \"" + name + "\", user: {token: \"" + token + "\"}}\n";
    }
    return "apiVersion: v1\nkind: Config\ncontexts:\n" + names + "clusters:\n" + clusters + "users:\n" + users;
}

struct fixture : widget_world {
    explicit fixture(context_source_options o = {}) : options(std::move(o)) {}
    ~fixture() {
        source.reset();
        context.run_for(1min);
    }

    void write(const std::map<std::string, std::string>& contexts) { env.write_file(path, file_with(contexts)); }
    result<void> start() {
        if (!source) source.emplace(env, home, path, options);
        return source->start([this](std::vector<desired_cluster> clusters) {
            ++told;
            last.clear();
            for (auto& c : clusters) last.emplace(c.name, std::move(c));
        });
    }
    void settle(duration d = 3s) { context.run_for(d); }
    words names() const {
        words out;
        for (const auto& [name, c] : last) out.push_back(name);
        return out;
    }
    std::string token(const std::string& name) { return std::string(last.at(name).config->token().reveal()); }
    // Why it can't be used, or what is wrong though it can be.
    std::string why(const std::string& name) {
        const auto& c = last.at(name);
        return c.config ? c.warning : "failed: " + c.config.error().message();
    }

    context_source_options options;
    std::optional<context_source> source;
    std::map<std::string, desired_cluster> last;
    int told = 0;
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE_FIXTURE(fixture, "context_source: every context is a cluster, and the file is followed") {
    write({{"a", "1"}, {"b", "2"}});
    REQUIRE(start().has_value());
    settle();
    CHECK(told == 1);
    CHECK(names() == words{"a", "b"});
    CHECK(token("a") == "1");
    CHECK(last.at("b").config->server().host == "host-of-2");
    write({{"a", "1"}, {"b", "3"}, {"c", "4"}});
    settle();
    CHECK(names() == words{"a", "b", "c"});
    CHECK(token("b") == "3");
    write({{"a", "1"}, {"c", "4"}});
    settle();
    CHECK(names() == words{"a", "c"});
    const int before = told;
    env.write_file(path, file_with({{"a", "1"}, {"c", "4"}}) + "# a comment\n");
    settle(2min);
    CHECK(told == before);
}

TEST_CASE_FIXTURE(fixture, "context_source: a context that is bad is one cluster's affair") {
    write({{"bad", ""}, {"good", "1"}});
    REQUIRE(start().has_value());
    settle();
    CHECK(names() == words{"bad", "good"});
    CHECK(has(why("bad"), "failed: /home/me/.kube/config: "));
    CHECK(has(why("bad"), "user"));
    CHECK(why("good").empty());
    write({{"bad", "2"}, {"good", "1"}});
    settle();
    CHECK(token("bad") == "2");
    // What was good stays in use.
    write({{"bad", "2"}, {"good", ""}});
    settle();
    CHECK(token("good") == "1");
    CHECK(has(why("good"), "the configuration before it stays in use"));
    CHECK(why("bad").empty());
}

TEST_CASE_FIXTURE(fixture, "context_source: a file that is broken, or away, says nothing about the clusters") {
    write({{"a", "1"}, {"b", ""}});
    REQUIRE(start().has_value());
    settle();
    for (int round = 0; round < 2; ++round) {
        if (round == 0) {
            env.write_file(path, "half a li");
        } else {
            env.remove_file(path);
        }
        settle(500ms);
        CHECK(why("a").empty());  // it is being written
        settle(1min);
        CHECK(names() == words{"a", "b"});
        CHECK(token("a") == "1");
        CHECK(has(why("a"), "the configuration before it stays in use"));
        CHECK(has(why("b"), "failed: "));
        write({{"a", "1"}, {"b", ""}});
        settle();
        CHECK(why("a").empty());
    }
    write({});
    settle();
    CHECK(last.empty());  // a file without contexts is none that is broken
}

TEST_CASE("context_source: only the contexts that were asked for") {
    fixture f(context_source_options().contexts({"a", "typo", "a"}));
    f.write({{"a", "1"}, {"b", "2"}});
    REQUIRE(f.start().has_value());
    f.settle();
    CHECK(f.names() == words{"a", "typo"});
    CHECK(has(f.why("typo"), "failed: "));
    CHECK(has(f.why("typo"), "typo"));
    f.write({{"b", "2"}});
    f.settle(1min);
    CHECK(f.names() == words{"typo"});  // one that was there has been removed
    f.write({{"a", "3"}, {"typo", "4"}});
    f.settle();
    CHECK(f.names() == words{"a", "typo"});
    CHECK(f.token("a") == "3");
    CHECK(f.token("typo") == "4");
}

TEST_CASE("context_source: whoever wrote the file may do what the program says") {
    const std::string file =
        "apiVersion: v1\nkind: Config\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
        "clusters: [{name: k, cluster: {server: 'https://a'}}]\nusers: [{name: u, user: {tokenFile: /secret}}]\n";
    for (const bool trusted : {true, false}) {
        fixture f(context_source_options().trust(trusted ? auth::trust::trusted : auth::trust::untrusted));
        f.env.write_file(path, file);
        f.env.write_file("/secret", "t");
        REQUIRE(f.start().has_value());
        f.settle();
        CHECK(f.last.at("c").config.has_value() == trusted);
        if (!trusted) CHECK(has(f.why("c"), "may not name files"));
    }
}

TEST_CASE_FIXTURE(fixture, "context_source: without a file, or with one that is no kubeconfig, it does not start") {
    const auto gone = start();
    REQUIRE_FALSE(gone.has_value());
    CHECK(gone.error() == errc::file_failed);
    CHECK(has(gone.error().message(), path));
    env.write_file(path, "nonsense");
    const auto broken = start();
    REQUIRE_FALSE(broken.has_value());
    CHECK(broken.error() == errc::invalid_config);
    settle();
    CHECK(told == 0);
    write({{"a", "1"}});
    REQUIRE(start().has_value());
    settle();
    CHECK(names() == words{"a"});
}

TEST_CASE_FIXTURE(fixture, "context_source: a name is text that can be shown, and no secret is in a message") {
    env.write_file(path,
                   "apiVersion: v1\nkind: Config\ncontexts: [{name: \"a\\e[1m\\\\\", context: {cluster: k, user: u}}]\n"
                   "clusters: [{name: k, cluster: {server: 'https://a'}}]\n"
                   "users: [{name: u, user: {token: \"canary\\u0001\"}}]\n");
    REQUIRE(start().has_value());
    settle();
    CHECK(names() == words{"a\\x1b[1m\\x5c"});
    CHECK(has(why("a\\x1b[1m\\x5c"), "token"));
    CHECK_FALSE(has(why("a\\x1b[1m\\x5c"), "canary"));
}

TEST_CASE_FIXTURE(fixture, "context_source: started again it knows nothing of before") {
    write({{"a", "1"}, {"b", "2"}});
    REQUIRE(start().has_value());
    CHECK_FALSE(start().has_value());
    settle();
    source->stop();
    write({{"a", "3"}});
    settle(1min);
    CHECK(told == 1);
    REQUIRE(start().has_value());
    settle();
    CHECK(names() == words{"a"});
    CHECK(token("a") == "3");
}

TEST_CASE_FIXTURE(fixture, "context_source: on_change() that throws is called again") {
    write({{"a", "1"}});
    source.emplace(env, home, path);
    int calls = 0;
    REQUIRE(source
                ->start([&](std::vector<desired_cluster>) {
                    if (++calls < 3) throw_it(thrown::runtime_error);
                })
                .has_value());
    settle(10s);
    CHECK(calls == 3);
}
