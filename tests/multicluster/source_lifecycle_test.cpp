// Sources of clusters are stopped, also by what they call, and started again: what is true then is told, and no more.
#include <kcontrol/multicluster/context_source.hpp>
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/multicluster/record_source.hpp>
#include <kcontrol/multicluster/secret_source.hpp>
#include <kcontrol/multicluster/union_source.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include "support/widget_world.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

const testing::group_resource secrets{"", "secrets"};

std::string kubeconfig_of(const std::string& server) {
    return "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
           "clusters: [{name: k, cluster: {server: \"https://" +
           server + "\"}}]\nusers: [{name: u, user: {token: t}}]\n";
}

// Sources, with the clusters that a test gives them.
struct directory_bench : widget_world {
    void put(const std::string& name) { env.write_file("/clusters/" + name, kubeconfig_of(name)); }
    void spoil(const std::string& name) { env.write_file("/clusters/" + name, "nonsense"); }
    void remove(const std::string& name) { env.remove_file("/clusters/" + name); }

    std::unique_ptr<cluster_source> source =
        std::make_unique<directory_source>(env, home, "/clusters", auth::trust::trusted);
};

struct secret_bench : widget_world {
    secret_bench()
        : source(std::make_unique<secret_source>(env, home, add("home").config(), network.factory(),
                                                 secret_source_options())) {}

    void put(const std::string& name) {
        json::value object{{"apiVersion", "v1"},
                           {"kind", "Secret"},
                           {"metadata",
                            {{"name", name},
                             {"namespace", "default"},
                             {"labels", {{"sigs.k8s.io/multicluster-runtime-kubeconfig", "true"}}}}},
                           {"data", {{"kubeconfig", "bm9uc2Vuc2U="}}}};  // a cluster with an error is a cluster
        (void)add("home").api.create(std::move(object)).value();
    }
    void remove(const std::string& name) { (void)add("home").api.remove(secrets, {"default", name}); }

    std::unique_ptr<cluster_source> source;
};

// Each cluster is a context, and they are in one file.
struct context_bench : widget_world {
    context_bench() { write(); }
    void put(const std::string& name) { there.insert(name), write(); }
    void remove(const std::string& name) { there.erase(name), write(); }
    void write() {
        std::string contexts;
        for (const auto& name : there) contexts += "- {name: " + name + ", context: {cluster: k, user: u}}\n";
        env.write_file("/home/config", "apiVersion: v1\nkind: Config\ncontexts:\n" + contexts +
                                           "clusters: [{name: k, cluster: {server: \"https://a\"}}]\n"
                                           "users: [{name: u, user: {token: t}}]\n");
    }

    std::set<std::string> there;
    std::unique_ptr<cluster_source> source = std::make_unique<context_source>(env, home, "/home/config");
};

// Each cluster is a record, and a bad one.
struct record_bench : widget_world {
    struct table final : cluster_records {
        result<std::optional<std::vector<cluster_record>>> poll(bool) override {
            std::vector<cluster_record> out;
            for (const auto& name : there) out.emplace_back(name);
            return std::optional(std::move(out));
        }
        std::set<std::string> there;
    };
    void put(const std::string& name) { records->there.insert(name); }
    void remove(const std::string& name) { records->there.erase(name); }

    std::shared_ptr<table> records = std::make_shared<table>();
    std::unique_ptr<cluster_source> source = std::make_unique<record_source>(env, home, records);
};

// A union of two, of which one never starts.
struct union_bench : directory_bench {
    union_bench() {
        auto all = std::make_unique<union_source>(env, home, union_source_options().separator("/"));
        (void)all->add("files", std::move(source)).value();
        (void)all->add("lost", std::make_shared<directory_source>(env, home, "/lost", auth::trust::trusted)).value();
        source = std::move(all);
    }
};

template <class Bench>
struct fixture : Bench {
    ~fixture() {
        if (this->source) this->source->stop();
        this->context.run_for(1min);
    }

    result<void> start() {
        return this->source->start([this](std::vector<desired_cluster> clusters) {
            std::string names;
            for (const auto& one : clusters) names += one.name.substr(one.name.find('/') + 1) + " ";
            told.push_back(names);
            if (then) then();
        });
    }
    // What was told since the last time, but for the time in which a source looks.
    // measures: the time of the bench, which is virtual
    std::vector<std::string> take(duration d = 5s) {
        this->context.run_for(d);
        return std::exchange(told, {});
    }
    using words = std::vector<std::string>;

    std::vector<std::string> told;
    std::function<void()> then;
};

}  // namespace

TEST_CASE_TEMPLATE("a source tells what is there after each start, and nothing after a stop", Bench, directory_bench,
                   secret_bench, context_bench, record_bench, union_bench) {
    using words = std::vector<std::string>;
    fixture<Bench> f;
    f.put("a");
    for (int i = 0; i < 3; ++i) {
        REQUIRE(f.start().has_value());
        CHECK(f.take() == words{"a "});
        f.put("b");
        CHECK(f.take() == words{"a b "});
        f.source->stop();
        f.source->stop();
        f.remove("b");
        CHECK(f.take(1min) == words{});
    }
    // In no time, too: what has not begun yet is not told twice.
    REQUIRE(f.start().has_value());
    f.source->stop();
    REQUIRE(f.start().has_value());
    CHECK(f.take() == words{"a "});
    f.put("b");
    CHECK(f.take() == words{"a b "});
}

TEST_CASE_TEMPLATE("a source that runs refuses another start", Bench, directory_bench, secret_bench, context_bench,
                   record_bench, union_bench) {
    fixture<Bench> f;
    REQUIRE(f.start().has_value());
    const auto second = f.source->start([](std::vector<desired_cluster>) { FAIL("told"); });
    REQUIRE(!second.has_value());
    CHECK(second.error() == errc::invalid_argument);
    f.put("a");
    CHECK(f.take().back() == "a ");
}

TEST_CASE_TEMPLATE("a source is stopped, restarted and destroyed inside its own call", Bench, directory_bench,
                   secret_bench, context_bench, record_bench, union_bench) {
    using words = std::vector<std::string>;
    fixture<Bench> f;
    f.put("a");
    // The function that is called must not die under its own feet: it reads what it has captured afterwards.
    const auto mark = std::make_shared<std::string>("alive");
    SUBCASE("stopped") {
        f.then = [&f, mark] {
            f.source->stop();
            CHECK(*mark == "alive");
        };
        REQUIRE(f.start().has_value());
        CHECK(f.take() == words{"a "});
        f.put("b");
        CHECK(f.take(1min) == words{});
    }
    SUBCASE("restarted") {
        int calls = 0;
        f.then = [&f, &calls, mark] {
            if (++calls > 1) return;
            f.source->stop();
            REQUIRE(f.start().has_value());
            CHECK(*mark == "alive");
        };
        REQUIRE(f.start().has_value());
        CHECK(f.take() == words{"a ", "a "});
        f.put("b");
        CHECK(f.take() == words{"a b "});
    }
    SUBCASE("destroyed") {
        f.then = [&f, mark] {
            f.source.reset();
            CHECK(*mark == "alive");
        };
        REQUIRE(f.start().has_value());
        CHECK(f.take(1min) == words{"a "});
    }
}

TEST_CASE("directory_source: what a file was before the stop is not remembered") {
    using words = std::vector<std::string>;
    fixture<directory_bench> f;
    f.put("a");
    f.put("b");
    REQUIRE(f.start().has_value());
    CHECK(f.take() == words{"a b "});
    f.source->stop();
    f.remove("b");
    f.context.run_for(1s);
    REQUIRE(f.start().has_value());
    CHECK(f.take() == words{"a "});  // and not "a b " first
}

TEST_CASE("context_source: why its file can't be read is told once, and again for another reason or once more") {
    using words = std::vector<std::string>;
    words logged;
    fixture<context_bench> f;
    f.source = std::make_unique<context_source>(
        f.env, f.home, "/home/config", context_source_options().log(logger([&logged](const log_record& r) {
            logged.push_back(std::string(r.message) + ": " + r.fields.back().value);
        })));
    REQUIRE(f.start().has_value());  // there is no context yet
    f.env.remove_file("/home/config");
    f.take(5min);
    REQUIRE(logged.size() == 1);
    CHECK(logged[0].starts_with("the kubeconfigs can't be read; the clusters stay as they are: "));
    f.env.write_file("/home/config", "nonsense");
    f.take(5min);
    REQUIRE(logged.size() == 2);
    CHECK(logged[1] != logged[0]);
    f.write();
    f.take(1min);
    f.env.write_file("/home/config", "nonsense");
    f.take(5min);
    REQUIRE(logged.size() == 3);
    CHECK(logged[2] == logged[1]);
}

TEST_CASE("directory_source: a second file of one name is told once, and again when it comes back") {
    using words = std::vector<std::string>;
    words logged;
    fixture<directory_bench> f;
    f.source = std::make_unique<directory_source>(
        f.env, f.home, "/clusters", auth::trust::trusted,
        logger([&logged](const log_record& r) { logged.push_back(r.fields.back().value); }, log_level::warning));
    f.put("a.conf");
    f.put("a.yaml");
    REQUIRE(f.start().has_value());
    CHECK(f.take(5min) == words{"a "});
    CHECK(logged == words{"/clusters/a.yaml"});
    f.put("a.zzz");
    f.take(5min);
    CHECK(logged == words{"/clusters/a.yaml", "/clusters/a.zzz"});
    f.remove("a.yaml");
    f.take();
    f.put("a.yaml");
    f.take(5min);
    CHECK(logged == words{"/clusters/a.yaml", "/clusters/a.zzz", "/clusters/a.yaml"});
    f.source->stop();
    REQUIRE(f.start().has_value());
    f.take(5min);
    CHECK(logged.size() == 5);  // what was told before a stop is told again
}

TEST_CASE("directory_source on a real directory: no descriptor is left, and changes are noticed after a restart") {
    system_environment env;
    boost::asio::io_context context;
    testing::temporary_directory dir;
    directory_source source(env, context.get_executor(), dir.path(""), auth::trust::trusted);
    for (int i = 0; i < 3; ++i) {
        std::size_t told = 0, clusters = 0;
        REQUIRE(source
                    .start([&](std::vector<desired_cluster> all) {
                        ++told;
                        clusters = all.size();
                    })
                    .has_value());
        context.restart();
        while (told < 1) context.run_one();
        const std::size_t before = clusters;
        dir.write("c" + std::to_string(i), kubeconfig_of("s"));
        while (clusters == before) context.run_one();  // long before the 30 s of a sweep
        source.stop();
        context.run();  // ends: nothing is waited for any more
    }
}
