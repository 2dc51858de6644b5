// Clusters from records: what joins, changes and leaves, what is wrong, who is trusted, and when files are read again.
#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/multicluster/record_source.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include "support/throws.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

std::string kubeconfig_of(const std::string& server, const std::string& user = "token: t") {
    return "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}, "
           "{name: d, context: {cluster: k}}]\nclusters: [{name: k, cluster: {server: \"" +
           server + "\"}}]\nusers: [{name: u, user: {" + user + "}}]\n";
}

// Records that a test sets.
class table final : public cluster_records {
public:
    void put(const std::string& name, std::string kubeconfig) {
        auto& one = rows.insert_or_assign(name, cluster_record(name)).first->second;
        one.kubeconfig = secret_string(std::move(kubeconfig));
        changed = true;
    }
    void put_path(const std::string& name, std::string path) {
        auto& one = rows.insert_or_assign(name, cluster_record(name)).first->second;
        one.path = std::move(path);
        changed = true;
    }
    void remove(const std::string& name) { rows.erase(name), changed = true; }

    result<std::optional<std::vector<cluster_record>>> poll(bool anyway) override {
        ++looks;
        if (throws) throw_it(thrown::an_int);
        if (failure) return *failure;
        if (!std::exchange(changed, false) && !anyway) return std::optional<std::vector<cluster_record>>();
        std::vector<cluster_record> out;
        for (const auto& [name, one] : rows) out.push_back(one);
        return std::optional(std::move(out));
    }

    std::map<std::string, cluster_record> rows;
    std::optional<error> failure;
    bool throws = false, changed = false;
    int looks = 0;
};

struct fixture {
    ~fixture() {
        source.reset();
        settle(1min);
    }

    result<void> start() {
        if (!source) {
            options.log(logger([this](const log_record& r) {
                for (const auto& f : r.fields) told += f.name == "error" ? f.value + "; " : "";
            }));
            source.emplace(env, context.get_executor(), records, options);
        }
        return source->start([this](std::vector<desired_cluster> clusters) {
            ++calls;
            last.clear();
            for (auto& c : clusters) last.emplace(c.name, std::move(c));
        });
    }
    void settle(duration d = 2s) { env.advance(d, context); }
    // "name=server ", "name=!why " or "name=server* " with a warning.
    std::string clusters() const {
        std::string out;
        for (const auto& [name, c] : last) {
            out += name + "=" + (c.config ? c.config->server().host : "!" + c.config.error().message());
            out += c.warning.empty() ? " " : "* ";
        }
        return out;
    }

    testing::manual_environment env;
    boost::asio::io_context context;
    std::shared_ptr<table> records = std::make_shared<table>();
    record_source_options options;
    std::optional<record_source> source;
    std::map<std::string, desired_cluster> last;
    int calls = 0;
    std::string told;
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE_FIXTURE(fixture, "record_source: records are clusters, and changes of them are followed") {
    records->put("a", kubeconfig_of("https://one"));
    REQUIRE(start().has_value());
    settle();
    CHECK(clusters() == "a=one ");
    CHECK(last.at("a").config->token().reveal() == "t");
    records->put("a", kubeconfig_of("https://other"));
    records->put("b", kubeconfig_of("https://two"));
    settle();
    CHECK(clusters() == "a=other b=two ");
    records->rows.at("b").context = "d";
    records->rows.at("b").labels = {{"team", "x"}};
    records->changed = true;
    settle();
    CHECK(last.at("b").config->token().empty());
    CHECK(last.at("b").labels == cluster_labels{{"team", "x"}});
    records->remove("a");
    settle();
    CHECK(clusters() == "b=two ");
    const int before = calls, looks = records->looks;
    records->changed = true;  // as they were
    settle(10s);
    CHECK(calls == before);
    CHECK(records->looks == looks + 10);
}

TEST_CASE_FIXTURE(fixture, "record_source: a bad record touches no other, and the log says so once") {
    records->put("a", kubeconfig_of("https://one"));
    records->put("b", "nonsense");
    records->put("c", "");
    records->put("d", std::string(auth::kubeconfig::max_bytes + 1, ' '));
    REQUIRE(start().has_value());
    settle();
    CHECK(last.at("a").config.has_value());
    CHECK(has(last.at("b").config.error().message(), "the record of cluster b"));
    CHECK(has(last.at("c").config.error().message(), "neither a kubeconfig nor the path of one"));
    CHECK(has(last.at("d").config.error().message(), "larger than 1048576 bytes"));
    CHECK(has(told, "the record of cluster b"));
    told.clear();
    records->put("a", "nonsense");
    settle(30s);
    CHECK(last.at("a").config->server().host == "one");
    CHECK(has(last.at("a").warning, "the configuration before it stays in use"));
    CHECK(has(told, "the record of cluster a"));
    CHECK_FALSE(has(told, "the record of cluster b"));
}

TEST_CASE_FIXTURE(fixture, "record_source: what others wrote may name no file, no program, and no server without TLS") {
    env.files["/k.yaml"] = kubeconfig_of("https://one");
    records->put_path("path", "/k.yaml");
    records->put("http", kubeconfig_of("http://127.0.0.1:1"));
    records->put("token", kubeconfig_of("https://one", "tokenFile: /etc/shadow"));
    records->put("good", kubeconfig_of("https://one"));
    REQUIRE(start().has_value());
    settle();
    CHECK(has(last.at("path").config.error().message(), "names a file"));
    CHECK(has(last.at("http").config.error().message(), "https"));
    CHECK_FALSE(last.at("token").config.has_value());
    CHECK(last.at("good").config.has_value());
}

TEST_CASE_FIXTURE(fixture, "record_source: files that trusted records name are read again, also at the same revision") {
    options.trust(auth::trust::trusted);
    env.files["/k.yaml"] = kubeconfig_of("https://one");
    env.files["/token"] = "first";
    records->put_path("path", "/k.yaml");
    records->put("text", kubeconfig_of("https://two", "tokenFile: /token"));
    records->rows.at("path").revision = records->rows.at("text").revision = "1";
    REQUIRE(start().has_value());
    settle();
    CHECK(clusters() == "path=one text=two ");
    env.files["/k.yaml"] = kubeconfig_of("https://three");
    settle(5s);
    CHECK(clusters() == "path=one text=two ");
    settle(6s);
    CHECK(clusters() == "path=three text=two ");
    env.files.erase("/k.yaml");
    settle(11s);
    CHECK(clusters() == "path=three* text=two ");
}

TEST_CASE_FIXTURE(fixture, "record_source: records that can't be read leave the clusters as they are, told once") {
    records->failure = error(errc::file_failed, "the disk is gone");
    REQUIRE(start().has_value());
    settle(10s);
    CHECK(calls == 0);
    CHECK(told == "the disk is gone; ");
    records->put("a", kubeconfig_of("https://one"));
    records->failure.reset();
    settle();
    CHECK(clusters() == "a=one ");
    records->throws = true;
    settle(10s);
    CHECK(clusters() == "a=one ");
    CHECK(has(told, "look() of cluster_records threw"));
    records->throws = false;
    told.clear();
    // All is told again, for who failed may have lost what had changed.
    records->rows.clear();
    settle();
    CHECK(clusters().empty());
    CHECK(told.empty());
}

TEST_CASE_FIXTURE(fixture, "record_source: an empty table is an empty set, and no second start while it runs") {
    REQUIRE(start().has_value());
    settle();
    CHECK(calls == 1);
    CHECK(last.empty());
    const auto second = source->start([](std::vector<desired_cluster>) { FAIL("told"); });
    REQUIRE_FALSE(second.has_value());
    CHECK(second.error() == errc::invalid_argument);
}

TEST_CASE_FIXTURE(fixture,
                  "record_source: look() is called on its worker, one call at a time, and the records outlive it") {
    boost::asio::io_context elsewhere;
    options.worker(elsewhere.get_executor());
    records->put("a", kubeconfig_of("https://one"));
    REQUIRE(start().has_value());
    settle(5s);
    CHECK(records->looks == 0);
    CHECK(calls == 0);
    source->stop();
    REQUIRE(start().has_value());
    settle(5s);
    elsewhere.poll();
    CHECK(records->looks == 1);  // the second start waits for the first one's call
    settle(5s);
    elsewhere.restart();
    elsewhere.poll();
    settle(1s);
    CHECK(clusters() == "a=one ");
    settle(5s);
    source.reset();
    records.reset();
    elsewhere.restart();
    elsewhere.poll();
    settle();
}
