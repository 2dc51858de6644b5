// Records of clusters in SQLite: what is written, by whomever, is there after a crash, is noticed, and can be bad.
#include <kcontrol/multicluster/record_source.hpp>
#include <kcontrol/records/sqlite_records.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include "records/other_program.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

cluster_record record(const std::string& name, const std::string& kubeconfig) {
    cluster_record out(name);
    out.kubeconfig = secret_string(kubeconfig);
    return out;
}

std::shared_ptr<sqlite_records> opened(const std::string& path, const sqlite_records_options& options = {}) {
    auto out = sqlite_records::open(path, options);
    REQUIRE_MESSAGE(out.has_value(), (out ? std::string() : out.error().what()));
    return *out;
}

std::string refusal(const std::string& path) {
    const auto out = sqlite_records::open(path);
    REQUIRE_FALSE(out.has_value());
    CHECK(out.error() == errc::file_failed);
    return out.error().message();
}

std::vector<cluster_record> all(sqlite_records& of) {
    auto out = of.poll(true);
    REQUIRE_MESSAGE(out.has_value(), (out ? std::string() : out.error().what()));
    REQUIRE(out->has_value());
    return std::move(**out);
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE(
    "sqlite_records: what was put is there, also for the next who opens the file, and can be changed and removed") {
    testing::temporary_directory dir;
    cluster_record one = record("prod", "k: 1");
    one.path = "/home/me/config";
    one.context = "c";
    one.labels = {{"team", "a \"b\""}, {"tier", "1"}};
    std::string revision;
    {
        const auto records = opened(dir.path("r.db"));
        CHECK(all(*records).empty());
        REQUIRE(records->put(one).has_value());
        REQUIRE(records->put(record("lab", "k: 2")).has_value());
        CHECK(all(*records).size() == 2);
    }
    const auto records = opened(dir.path("r.db"));
    auto found = all(*records);
    REQUIRE(found.size() == 2);
    CHECK(found[0].name == "lab");
    CHECK(found[0].labels.empty());
    CHECK(found[1].kubeconfig.reveal() == "k: 1");
    CHECK(found[1].path == one.path);
    CHECK(found[1].context == "c");
    CHECK(found[1].labels == one.labels);
    CHECK_FALSE(found[1].fault.has_value());
    one.kubeconfig = secret_string("k: 3");
    REQUIRE(records->put(one).has_value());
    const auto changed = all(*records);
    CHECK(changed[1].kubeconfig.reveal() == "k: 3");
    CHECK(changed[1].revision != found[1].revision);
    CHECK(changed[0].revision == found[0].revision);
    CHECK(*records->remove("prod"));
    CHECK_FALSE(*records->remove("prod"));
    CHECK(all(*records).size() == 1);
}

TEST_CASE("sqlite_records: what can't be a record is refused before it is written") {
    testing::temporary_directory dir;
    const auto records = opened(dir.path("r.db"));
    for (const auto& bad : {cluster_record(), cluster_record("a"), record("", "k: 1")}) {
        const auto put = records->put(bad);
        REQUIRE_FALSE(put.has_value());
        CHECK(put.error() == errc::invalid_argument);
    }
    CHECK(all(*records).empty());
}

TEST_CASE("sqlite_records: a look tells what anybody wrote since the last one, and nothing where nobody did") {
    testing::temporary_directory dir;
    const auto records = opened(dir.path("r.db")), other = opened(dir.path("r.db"));
    CHECK(records->poll(false)->has_value());  // the first
    CHECK_FALSE(records->poll(false)->has_value());
    REQUIRE(other->put(record("a", "k: 1")).has_value());
    auto seen = records->poll(false);
    REQUIRE((seen.has_value() && seen->has_value()));
    CHECK((*seen)->size() == 1);
    CHECK_FALSE(records->poll(false)->has_value());
    REQUIRE(records->put(record("b", "k: 2")).has_value());  // its own, which SQLite's number does not count
    seen = records->poll(false);
    REQUIRE((seen.has_value() && seen->has_value()));
    CHECK((*seen)->size() == 2);
    CHECK_FALSE(records->poll(false)->has_value());
    CHECK(records->poll(true)->has_value());
    // With SQLite's own shell, as it were: the file counts the revision by itself.
    const auto before = all(*records);
    execute(dir.path("r.db"), "UPDATE clusters SET kubeconfig = 'k: 3' WHERE name = 'a'");
    seen = records->poll(false);
    REQUIRE((seen.has_value() && seen->has_value()));
    CHECK((*seen)->at(0).kubeconfig.reveal() == "k: 3");
    CHECK((*seen)->at(0).revision != before[0].revision);
    CHECK((*seen)->at(1).revision == before[1].revision);
    execute(dir.path("r.db"), "INSERT INTO clusters(name, path) VALUES('c', '/k.yaml')");
    CHECK((*records->poll(false))->at(2).path == "/k.yaml");
}

TEST_CASE("sqlite_records: a row that can't be used is a record with a fault, and no other row's affair") {
    testing::temporary_directory dir;
    const auto records = opened(dir.path("r.db"));
    REQUIRE(records->put(record("good", "k: 1")).has_value());
    execute(dir.path("r.db"),
            "INSERT INTO clusters(name, kubeconfig, labels) VALUES('list', 'k', '[1]'), "
            "('number', 'k', '{\"a\": 1}'), ('torn', 'k', '{\"a\"'), (x'00ff', 'k', '{}'), "
            "('huge', zeroblob(3000000), '{}')");
    std::map<std::string, std::string> faults;
    std::size_t huge = 0;
    for (const auto& one : all(*records)) {
        faults[one.name] = one.fault ? one.fault->message() : "";
        if (one.name == "huge") huge = one.kubeconfig.reveal().size();
    }
    CHECK(faults.size() == 6);
    CHECK(faults["good"].empty());
    for (const char* name : {"list", "number", "torn"}) CHECK(has(faults[name], "no JSON object of strings"));
    CHECK(has(faults[std::string("\0\xff", 2)], "its name is no text"));
    CHECK(huge == (std::size_t{1} << 20) + 1);  // enough to be refused, and no more
}

TEST_CASE("sqlite_records: files that are something else, newer, damaged or out of reach are refused and left alone") {
    testing::temporary_directory dir;
    dir.write("text", std::string(10'000, 'x'));
    CHECK(has(refusal(dir.path("text")), "it is no SQLite database"));
    execute(dir.path("other"), "CREATE TABLE clusters(name TEXT)");
    CHECK(has(refusal(dir.path("other")), "the database of another program"));
    opened(dir.path("newer"));
    execute(dir.path("newer"), "PRAGMA user_version = 99");
    CHECK(has(refusal(dir.path("newer")), "schema 99, this one knows 1"));
    CHECK(has(refusal(dir.path("no/such/folder")), "the directory must exist"));
    CHECK(has(refusal(dir.path("")), "records of clusters in " + dir.path("")));
    {
        const auto records = opened(dir.path("damaged"));
        for (int i = 0; i < 200; ++i) {
            REQUIRE(records->put(record("c" + std::to_string(i), std::string(500, 'k'))).has_value());
        }
    }
    {
        std::fstream file(dir.path("damaged"), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(3 * 4096);
        file << std::string(4096, '\xff');
    }
    CHECK(has(refusal(dir.path("damaged")), "it is damaged"));
}

TEST_CASE("sqlite_records: the file is its owner's only, and what was removed is not in it any more") {
    testing::temporary_directory dir;
    {
        const auto records = opened(dir.path("r.db"));
        REQUIRE(records->put(record("a", "a-secret-that-goes")).has_value());
        struct stat found {};
        for (const char* name : {"r.db", "r.db-wal"}) {
            REQUIRE(::stat(dir.path(name).c_str(), &found) == 0);
            CHECK((found.st_mode & 0777) == 0600);
        }
        CHECK(*records->remove("a"));
    }
    std::ifstream file(dir.path("r.db"), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    CHECK_FALSE(has(bytes, "a-secret-that-goes"));
}

TEST_CASE("sqlite_records: another program that keeps the file locked is waited for, and named if it goes on") {
    testing::temporary_directory dir;
    const auto records = opened(dir.path("r.db"), sqlite_records_options().busy_timeout(20ms));
    const open_transaction other(dir.path("r.db"));
    const auto put = records->put(record("a", "k: 1"));
    REQUIRE_FALSE(put.has_value());
    CHECK(has(put.error().message(), "another program keeps it locked"));
    CHECK(all(*records).empty());  // who reads does not wait
}

TEST_CASE("sqlite_records: a process that is killed in the middle of writes leaves what it was told is there") {
    testing::temporary_directory dir;
    std::map<std::string, std::string> written;
    for (int round = 0; round < 5; ++round) {
        int acknowledged[2] = {};
        REQUIRE(::pipe(acknowledged) == 0);
        const pid_t writer = ::fork();
        REQUIRE(writer >= 0);
        if (writer == 0) {
            const auto records = sqlite_records::open(dir.path("r.db"));
            for (int i = 0; records; ++i) {
                const std::string name = "c" + std::to_string(i % 50);
                const std::string text = std::to_string(round) + ":" + std::to_string(i) + std::string(5000, '.');
                if (!(*records)->put(record(name, text))) break;
                if (::write(acknowledged[1], &i, sizeof i) != sizeof i) break;
            }
            ::_exit(1);
        }
        ::close(acknowledged[1]);
        int last = -1;
        while (last < 60 + 7 * round && ::read(acknowledged[0], &last, sizeof last) == sizeof last) {
        }
        ::kill(writer, SIGKILL);
        int number = 0, status = 0;
        while (::read(acknowledged[0], &number, sizeof number) == sizeof number) last = number;
        ::close(acknowledged[0]);
        REQUIRE(::waitpid(writer, &status, 0) == writer);
        REQUIRE(WIFSIGNALED(status));
        for (int i = 0; i <= last; ++i) {
            written["c" + std::to_string(i % 50)] = std::to_string(round) + ":" + std::to_string(i);
        }
        const auto records = opened(dir.path("r.db"));
        std::map<std::string, std::string> found;
        for (const auto& one : all(*records)) {
            CHECK(one.kubeconfig.reveal().ends_with("....."));
            found[one.name] = one.kubeconfig.reveal().substr(0, one.kubeconfig.reveal().find('.'));
        }
        // The write after the last that was acknowledged may have come through as well.
        found["c" + std::to_string((last + 1) % 50)] = written["c" + std::to_string((last + 1) % 50)];
        CHECK(found == written);
    }
}

TEST_CASE("sqlite_records under a record_source: joins, changes and leaves that others write") {
    const auto kubeconfig = [](const std::string& host) {
        return R"('{"apiVersion": "v1", "kind": "Config", "current-context": "c",
                    "contexts": [{"name": "c", "context": {"cluster": "k"}}],
                    "clusters": [{"name": "k", "cluster": {"server": "https://)" +
               host + R"("}}]}')";
    };
    testing::temporary_directory dir;
    testing::manual_environment env;
    boost::asio::io_context context;
    record_source source(env, context.get_executor(), opened(dir.path("r.db")));
    std::string heard;
    const auto started = source.start([&heard](std::vector<desired_cluster> clusters) {
        heard.clear();
        for (const auto& c : clusters) heard += c.name + "=" + (c.config ? c.config->server().host : "!") + " ";
    });
    REQUIRE(started.has_value());
    const auto from_elsewhere = [&](const std::string& sql) {
        execute(dir.path("r.db"), sql);
        env.advance(1s, context);
    };
    env.advance(1s, context);
    CHECK(heard.empty());
    from_elsewhere("INSERT INTO clusters(name, kubeconfig) VALUES('a', " + kubeconfig("one") + ")");
    CHECK(heard == "a=one ");
    from_elsewhere("INSERT INTO clusters(name, kubeconfig) VALUES('b', 'nonsense')");
    CHECK(heard == "a=one b=! ");
    from_elsewhere("UPDATE clusters SET kubeconfig = " + kubeconfig("two"));
    CHECK(heard == "a=two b=two ");
    from_elsewhere("DELETE FROM clusters WHERE name = 'a'");
    CHECK(heard == "b=two ");
    source.stop();
    env.advance(1min, context);
}
