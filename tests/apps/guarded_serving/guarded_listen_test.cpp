// A program of run() whose --listen is behind the guard: what it serves, to whom, and which flags it refuses.
#include "guarded_serving/guarded_listen.hpp"

#include <kcontrol/manager/run.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/temporary_directory.hpp>
#include <kcontrol/transport/client.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace kcontrol;

namespace {

constexpr const char* kubeconfig =
    "apiVersion: v1\nkind: Config\ncurrent-context: a\n"
    "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"
    "users: [{name: u, user: {}}]\n"
    "contexts: [{name: a, context: {cluster: c, user: u}}]\n";

// Runs a program whose page says "the page" until `work` is done.
class program {
public:
    explicit program(std::vector<std::string> flags) : flags_(std::move(flags)) { dir.write("config", kubeconfig); }

    // The exit status, and what it said about it.
    std::pair<int, std::string> run(std::function<awaitable<void>(manager&)> work) {
        std::vector<std::string> words{"program", "--kubeconfig", dir.path("config")};
        words.insert(words.end(), flags_.begin(), flags_.end());
        std::vector<char*> argv;
        for (auto& word : words) argv.push_back(word.data());
        guarded_serving::guarded_listen pages("program");
        run_options options(manager_options().log(logger([this](const log_record& record) {
            if (record.message != "listening") return;
            for (const auto& field : record.fields) {
                if (field.name == "url") url = field.value;
            }
        })));
        pages.add_to(options, "127.0.0.1:0");
        const auto setup = [&](manager& m) {
            pages.routes().get("/", [](const auto&) { return http::response(200, "text/plain", "the page"); });
            return m.add(runnable("work", [&m, &work](std::stop_token) -> awaitable<result<void>> {
                co_await work(m);
                co_return error(errc::stopped, "the work is done");  // ends the program
            }));
        };
        std::ostringstream said;
        auto* const before = std::cerr.rdbuf(said.rdbuf());
        const int status = kcontrol::run(static_cast<int>(argv.size()), argv.data(), setup, std::move(options));
        std::cerr.rdbuf(before);
        return {status, said.str()};
    }

    // "200 body"
    awaitable<std::string> ask(manager& m, std::string target, std::string token = {}) {
        const auto to = http::parse_base_url(url);
        if (!to) co_return to.error().message();
        const auto connect = http::make_transport_factory(m.env());
        const auto at = connect(m.get_executor(), to->endpoint, http::tls_options());
        if (!at) co_return at.error().message();
        http::request question("GET", std::move(target));
        if (!token.empty()) question.headers.set("Authorization", "Bearer " + token);
        auto answer = co_await (*at)->round_trip(std::move(question), http::exchange_options());
        (*at)->close();
        if (!answer) co_return answer.error().message();
        co_return std::to_string(answer->status) + " " + answer->body;
    }

    kcontrol::testing::temporary_directory dir;
    std::string url;

private:
    std::vector<std::string> flags_;
};

awaitable<void> nothing(manager&) { co_return; }

}  // namespace

TEST_CASE("the program's pages and the manager's endpoints at one address") {
    program p({});
    std::vector<std::string> answers;
    const auto work = [&](manager& m) -> awaitable<void> {
        for (const char* target : {"/", "/healthz", "/metrics", "/none"}) {
            auto answer = co_await p.ask(m, target);
            answers.push_back(answer.substr(0, 12));
        }
    };
    CHECK(p.run(work).first == 1);
    REQUIRE(answers.size() == 4);
    CHECK(answers[0] == "200 the page");
    CHECK(answers[1] == "200 ok");
    CHECK(answers[2].starts_with("200 # HELP"));
    CHECK(answers[3].starts_with("404"));
}

TEST_CASE("with tokens only who has one reads, but for the probes") {
    const std::string token = "0123456789abcdef-token";
    program p({});
    p.dir.write("tokens", token + "\n");
    program guarded({"--token-file=" + p.dir.path("tokens")});
    std::vector<std::string> answers;
    const auto work = [&](manager& m) -> awaitable<void> {
        auto stranger = co_await guarded.ask(m, "/");
        answers.push_back(stranger.substr(0, 3));
        auto known = co_await guarded.ask(m, "/", token);
        answers.push_back(known);
        auto metrics = co_await guarded.ask(m, "/metrics");
        answers.push_back(metrics.substr(0, 3));
        auto probe = co_await guarded.ask(m, "/healthz");
        answers.push_back(probe.substr(0, 3));
    };
    CHECK(guarded.run(work).first == 1);
    CHECK(answers == std::vector<std::string>{"401", "200 the page", "401", "200"});
}

TEST_CASE("flags that do not go together end the program with status 2 and the remedy") {
    const auto said = [](std::vector<std::string> flags) {
        const auto [status, text] = program(std::move(flags)).run(nothing);
        return std::to_string(status) + " " + text;
    };
    CHECK(said({"--listen=0.0.0.0:0"}).starts_with("2 program: --listen 0.0.0.0:0: beyond loopback this needs --tls-"));
    CHECK(said({"--tls-cert-file=/c"}) ==
          "2 program: --tls-cert-file and --tls-private-key-file go together: give both\n");
    CHECK(said({"--token-file=/none/tokens"}).starts_with("1 program: --token-file: "));
    CHECK(said({"--trusted-origins=https://a.corp,b"}).starts_with("2 program: --trusted-origins: \"b\": "));
    CHECK(said({"--listen=0", "--tls-cert-file=/c"}).starts_with("1 program: work: the work is done"));
    const auto open = said({"--listen=0.0.0.0:0", "--insecure-listen"});
    CHECK_MESSAGE(open.starts_with("1 program: work: the work is done"), open);
}
