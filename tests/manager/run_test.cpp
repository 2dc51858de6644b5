// A program of run(): what it serves, and where.
#include <kcontrol/manager/run.hpp>
#include <kcontrol/testing/temporary_directory.hpp>
#include <kcontrol/transport/client.hpp>

#include <doctest/doctest.h>

#include <charconv>
#include <map>
#include <string>
#include <vector>

using namespace kcontrol;

namespace {

constexpr const char* kubeconfig =
    "apiVersion: v1\nkind: Config\ncurrent-context: a\n"
    "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"
    "users: [{name: u, user: {}}]\n"
    "contexts: [{name: a, context: {cluster: c, user: u}}]\n";

std::string field_of(const log_record& record, std::string_view name) {
    for (const auto& field : record.fields) {
        if (field.name == name) return field.value;
    }
    return {};
}

// Runs a program with these flags as long as one piece of work takes, which the test gives.
class program {
public:
    explicit program(std::vector<std::string> flags) : flags_(std::move(flags)) { dir_.write("config", kubeconfig); }

    int run(std::function<awaitable<void>(manager&)> work) {
        std::vector<std::string> words{"program", "--kubeconfig", dir_.path("config")};
        words.insert(words.end(), flags_.begin(), flags_.end());
        std::vector<char*> argv;
        for (auto& word : words) argv.push_back(word.data());
        const logger log([this](const log_record& record) {
            if (record.message == "listening") addresses[field_of(record, "flag")] = field_of(record, "address");
        });
        const auto setup = [&work](manager& m) {
            return m.add(runnable("work", [&m, &work](std::stop_token) -> awaitable<result<void>> {
                co_await work(m);
                co_return error(errc::stopped, "the work is done");  // ends the program
            }));
        };
        return kcontrol::run(static_cast<int>(argv.size()), argv.data(), setup, manager_options().log(log));
    }

    // The answer's status and body, or 0 and why there is none.
    awaitable<std::pair<int, std::string>> ask(manager& m, std::string flag, std::string target) {
        const std::string at = addresses[flag];
        std::uint16_t port = 0;
        std::from_chars(at.data() + at.rfind(':') + 1, at.data() + at.size(), port);
        const auto connect = http::make_transport_factory(m.env());
        const auto to = connect(m.get_executor(), http::endpoint("http", "127.0.0.1", port), http::tls_options());
        if (!to) co_return std::pair(0, to.error().message());
        http::request question("GET", std::move(target));
        auto answer = co_await (*to)->round_trip(std::move(question), http::exchange_options());
        (*to)->close();
        if (!answer) co_return std::pair(0, answer.error().message());
        co_return std::pair(answer->status, answer->body);
    }

    std::map<std::string, std::string> addresses;

private:
    kcontrol::testing::temporary_directory dir_;
    std::vector<std::string> flags_;
};

}  // namespace

TEST_CASE("run: health has a port of its own, and what becomes of connections at both is in the metrics") {
    program p({"--listen=127.0.0.1:0", "--health-probe-bind-address", "127.0.0.1:0"});
    std::map<std::string, int> status;
    std::string metrics;
    const auto work = [&](manager& m) -> awaitable<void> {
        for (const std::string flag : {"--listen", "--health-probe-bind-address"}) {
            for (const std::string target : {"/healthz", "/readyz", "/metrics"}) {
                const auto answer = co_await p.ask(m, flag, target);
                status[flag + " " + target] = answer.first;
                if (target == "/metrics" && answer.first == 200) metrics = answer.second;
            }
        }
    };
    CHECK(p.run(work) == 1);
    CHECK(status == std::map<std::string, int>{{"--listen /healthz", 200},
                                               {"--listen /readyz", 200},
                                               {"--listen /metrics", 200},
                                               {"--health-probe-bind-address /healthz", 200},
                                               {"--health-probe-bind-address /readyz", 200},
                                               {"--health-probe-bind-address /metrics", 404}});
    CHECK(metrics.find("kcontrol_http_connections_accepted_total{server=\"main\"} 3\n") != std::string::npos);
    CHECK(metrics.find("kcontrol_http_connections_accepted_total{server=\"health\"} 0\n") != std::string::npos);
    CHECK(p.addresses.size() == 2);
}

TEST_CASE("run: nothing is served where nothing was asked for") {
    program p({});
    CHECK(p.run([](manager&) -> awaitable<void> { co_return; }) == 1);
    CHECK(p.addresses.empty());
}
