// A program of run(): what it serves, and where.
#include <kcontrol/api/coordination/v1.hpp>
#include <kcontrol/client/protobuf_encoding.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/manager/run.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/temporary_directory.hpp>
#include <kcontrol/transport/client.hpp>
#include <kcontrol/transport/self_signed.hpp>
#include <kcontrol/version.hpp>

#include <doctest/doctest.h>

#include <charconv>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
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
        run_options options(manager_options().log(log));
        if (treats) options.client(*treats);
        if (serves) options.serve_listen(serves).listen("127.0.0.1:0");
        return kcontrol::run(static_cast<int>(argv.size()), argv.data(), setup, std::move(options));
    }

    // The answer's status and body, or 0 and why there is none.
    awaitable<std::pair<int, std::string>> ask(manager& m, std::string flag, std::string target,
                                               std::string ca_pem = {}) {
        const std::string at = addresses[flag];
        std::uint16_t port = 0;
        std::from_chars(at.data() + at.rfind(':') + 1, at.data() + at.size(), port);
        const auto connect = http::make_transport_factory(m.env());
        http::tls_options trusted;
        trusted.ca_pem(ca_pem);
        const auto to =
            connect(m.get_executor(), http::endpoint(ca_pem.empty() ? "http" : "https", "127.0.0.1", port), trusted);
        if (!to) co_return std::pair(0, to.error().message());
        http::request question("GET", std::move(target));
        auto answer = co_await (*to)->round_trip(std::move(question), http::exchange_options());
        (*to)->close();
        if (!answer) co_return std::pair(0, answer.error().message());
        co_return std::pair(answer->status, answer->body);
    }

    std::map<std::string, std::string> addresses;
    listen_server_function serves;         // at --listen, in the place of run()
    std::optional<client_options> treats;  // how it treats its server; none: as by default

    const kcontrol::testing::temporary_directory& files() const { return dir_; }
    void add_flags(const std::vector<std::string>& more) { flags_.insert(flags_.end(), more.begin(), more.end()); }

private:
    kcontrol::testing::temporary_directory dir_;
    std::vector<std::string> flags_;
};

// What a program prints that is called so.
std::string printed_by(std::string name, std::string flag, run_options options) {
    char* argv[] = {name.data(), flag.data()};
    std::ostringstream out;
    auto* const before = std::cout.rdbuf(out.rdbuf());
    const int status = kcontrol::run(
        2, argv, [](manager&) {}, std::move(options));
    std::cout.rdbuf(before);
    return std::to_string(status) + ": " + out.str();
}

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
    // Of this very process.
    for (const char* family :
         {"process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds",
          "process_start_time_seconds", "process_virtual_memory_max_bytes", "process_network_receive_bytes_total"}) {
        CHECK_MESSAGE(metrics.find("\n" + std::string(family) + " ") != std::string::npos, family);
    }
    CHECK(p.addresses.size() == 2);
}

TEST_CASE("run: the program's client has the options that the program gives it") {
    program p({});
    int asked = 0;
    p.treats.emplace().on_request([&asked](http::request& r) -> result<void> {
        if (r.target == "/version") ++asked;
        return error(errc::invalid_argument, "not sent");
    });
    std::string why;
    const auto work = [&](manager& m) -> awaitable<void> {
        client cl = m.get_client();
        const auto answer = co_await cl.raw(http::request("GET", "/version"), http::exchange_options());
        why = answer ? "" : answer.error().message();
    };
    CHECK(p.run(work) == 1);
    CHECK(why == "not sent");
    CHECK(asked == 1);
}

TEST_CASE("run: objects travel as the command line says, unless the program says it") {
    const std::string protobuf = "application/vnd.kubernetes.protobuf,application/json", json = "application/json";
    const std::string flag = "--kube-api-content-type=application/json";
    const auto accepted = [](std::vector<std::string> flags, client_options treats) {
        program p(std::move(flags));
        std::string accept;
        treats.on_request([&accept](http::request& r) -> result<void> {
            accept = r.headers.get("Accept");
            return error(errc::invalid_argument, "not sent");
        });
        p.treats = std::move(treats);
        const auto work = [](manager& m) -> awaitable<void> {
            client live = m.get_client().live();
            const namespaced_name key("default", "l");
            const auto got = co_await live.get<api::coordination::v1::lease>(key);
            CHECK_FALSE(got.has_value());
        };
        CHECK(p.run(work) == 1);
        return accept;
    };
    CHECK(accepted({}, {}) == protobuf);
    CHECK(accepted({flag}, {}) == json);
    CHECK(accepted({}, client_options().encoding(nullptr)) == json);
    CHECK(accepted({flag}, client_options().encoding(protobuf_encoding())) == protobuf);
}

TEST_CASE("run: a program's own server serves --listen, is stopped, and its errors end the program") {
    struct own_server final : listen_server {
        explicit own_server(std::string& t) : told(t) {}
        result<void> start() override {
            told += " start";
            if (told.find("taken") != std::string::npos) return error(errc::unavailable, "the port is taken");
            return {};
        }
        awaitable<void> stop() override {
            told += " stop";
            co_return;
        }
        std::string& told;
    };
    std::string told;
    const auto run_with = [&told](std::string first, std::vector<std::string> flags, bool refuses) {
        told = std::move(first);
        program p(std::move(flags));
        p.serves = [&told, refuses](manager& m, const http::listen_address& at,
                                    const logger&) -> result<std::unique_ptr<listen_server>> {
            if (refuses) return error(errc::invalid_argument, "--listen " + at.text() + ": not so");
            told += " " + at.text() + (m.answer(http::request("GET", "/healthz")).status == 200 ? " well" : "");
            return std::unique_ptr<listen_server>(std::make_unique<own_server>(told));
        };
        const int status = p.run([&](manager&) -> awaitable<void> {
            told += " run";
            co_return;
        });
        CHECK(p.addresses.empty());
        return status;
    };
    CHECK(run_with("", {}, false) == 1);  // the work's end
    CHECK(told == " 127.0.0.1:0 well start run stop");
    CHECK(run_with("", {"--listen=[::1]:7"}, false) == 1);
    CHECK(told == " [::1]:7 well start run stop");
    CHECK(run_with("", {"--listen=0"}, false) == 1);
    CHECK(told == " run");
    CHECK(run_with("taken", {}, false) == 1);
    CHECK(told == "taken 127.0.0.1:0 well start");
    CHECK(run_with("", {}, true) == 2);
    CHECK(run_with("", {"--metrics-secure"}, false) == 2);
    CHECK(run_with("", {"--listen=nowhere"}, false) == 2);
    CHECK(told.empty());
    auto options = run_options().listen("127.0.0.1:8080");
    CHECK(command_line::usage(options).find("there; default 127.0.0.1:8080; 0: nowhere\n  --metrics-secure") !=
          std::string::npos);
    options.serve_listen(
        [](manager&, const http::listen_address&, const logger&) -> result<std::unique_ptr<listen_server>> {
            return error(errc::unavailable, "");
        });
    CHECK(command_line::usage(options).find("--metrics-") == command_line::usage(options).rfind("--metrics-bind"));
}

TEST_CASE("run: nothing is served where nothing was asked for") {
    program p({});
    CHECK(p.run([](manager&) -> awaitable<void> { co_return; }) == 1);
    CHECK(p.addresses.empty());
}

TEST_CASE(
    "run: with a certificate --listen speaks TLS and nobody gets through unasked, while health is for everybody") {
    program p({"--listen=127.0.0.1:0", "--health-probe-bind-address", "127.0.0.1:0"});
    const system_environment env;
    const http::certificate_options of_authority(env.wall_now());
    const auto authority = http::certificate_authority::create(of_authority).value();
    const auto issued = authority.issue(http::certificate_options(env.wall_now()).ip("127.0.0.1")).value();
    p.files().write("tls.crt", issued.cert_pem);
    p.files().write("tls.key", issued.key_pem.reveal());
    p.add_flags({"--metrics-cert-path", p.files().path()});
    std::map<std::string, int> status;
    const auto work = [&](manager& m) -> awaitable<void> {
        for (const std::string target : {"/healthz", "/readyz", "/metrics"}) {
            const auto secure = co_await p.ask(m, "--listen", target, authority.cert_pem());
            status["--listen " + target] = secure.first;
        }
        const auto plain = co_await p.ask(m, "--listen", "/metrics");
        status["--listen /metrics without TLS"] = plain.first;
        const auto probe = co_await p.ask(m, "--health-probe-bind-address", "/healthz");
        status["--health-probe-bind-address /healthz"] = probe.first;
    };
    CHECK(p.run(work) == 1);
    CHECK(status == std::map<std::string, int>{{"--listen /healthz", 401},
                                               {"--listen /readyz", 401},
                                               {"--listen /metrics", 401},
                                               {"--listen /metrics without TLS", 400},
                                               {"--health-probe-bind-address /healthz", 200}});
}

TEST_CASE("run: a certificate that is not there ends the program") {
    program p({"--listen=127.0.0.1:0", "--metrics-cert-path", "/nowhere"});
    bool ran = false;
    const auto work = [&](manager&) -> awaitable<void> {
        ran = true;
        co_return;
    };
    CHECK(p.run(work) == 1);
    CHECK_FALSE(ran);
    CHECK(p.addresses.empty());
}

TEST_CASE("a program prints what is derived from it, without a cluster, and ends") {
    bool wanted = false, fails = false, ran = false;
    run_options options;
    options.flag("--print-names", "prints", wanted).flag("--fail", "prints nothing", fails);
    options.print_instead([&wanted] { return wanted; },
                          [&fails](manager& m) -> result<std::string> {
                              if (fails) return error(errc::invalid_argument, "there are no names");
                              return std::string(m.get_client().default_namespace()) + "\n";
                          });
    const auto setup = [&ran](manager& m) {
        return m.add(runnable("never", [&ran](std::stop_token) -> awaitable<result<void>> {
            ran = true;
            co_return result<void>();
        }));
    };
    const auto status_of = [&](std::vector<std::string> words) {
        std::vector<char*> argv;
        for (auto& word : words) argv.push_back(word.data());
        return run(static_cast<int>(argv.size()), argv.data(), setup, options);
    };
    CHECK(status_of({"program", "--print-names"}) == 0);
    CHECK(status_of({"program", "--print-names", "--fail"}) == 1);
    CHECK_FALSE(ran);
}

TEST_CASE("a program says which it is") {
    const std::string library = " (kcontrol " KCONTROL_VERSION_STRING ")\n";
    CHECK(printed_by("/usr/bin/web-site", "--version", run_options().version("1.2.0")) ==
          "0: web-site 1.2.0" + library);
    CHECK(printed_by("web-site", "--version", {}) == "0: web-site" + library);
}
