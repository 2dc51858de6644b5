// What a kcontrol without its optional parts does where they are asked for: it works on, or names the option.
#include <kcontrol/documents/yaml.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/schema/text_checks.hpp>
#include <kcontrol/transport/client.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>

#include <cstdio>
#include <string>
#include <utility>

namespace {

int failures = 0;

void expect(bool holds, const char* what, const std::string& seen) {
    if (holds) return;
    ++failures;
    std::printf("%s: %s\n", what, seen.c_str());
}

void yaml() {
    const auto refused = kcontrol::json::parse_yaml("a: 1\n");
    expect(!refused && refused.error().what().find("KCONTROL_WITH_YAML=OFF") != std::string::npos, "YAML is refused",
           refused ? "read" : refused.error().what());
    const auto read = kcontrol::json::parse_yaml(R"({"a": 1})");
    expect(read && read->size() == 1, "JSON is read", "not read");
    const auto text = kcontrol::json::to_yaml({{"a", 1}});
    expect(text == "{\"a\":1}\n", "JSON is written", text);
}

void patterns() {
    kcontrol::text_checks checks;
    const auto problem = checks.problem_of("^a$");
    expect(problem.find("KCONTROL_WITH_RE2=OFF") != std::string::npos, "patterns are refused", problem);
    expect(!checks.matches("^a$", "a"), "no pattern matches", "it does");
}

void metrics() {
    std::string told;
    kcontrol::metrics_registry registry(
        kcontrol::logger([&told](const kcontrol::log_record& one) { told += one.fields[0].value; }));
    registry.counter("a_total", "A.").increment();
    registry.collect([](kcontrol::metrics_writer& out) { out.gauge("b", "B.", {}, 2); });
    const auto text = registry.text();
    expect(text == "# HELP b B.\n# TYPE b gauge\nb 2\n", "collectors are asked", text);
    expect(told.find("KCONTROL_WITH_PROMETHEUS=OFF") != std::string::npos, "the log tells of metrics", told);
}

kcontrol::awaitable<void> ask(kcontrol::system_environment& env, std::string host, std::string& into) {
    const auto factory = kcontrol::http::make_transport_factory(env);
    const kcontrol::http::endpoint at("http", host, 1);
    const auto ex = co_await boost::asio::this_coro::executor;
    auto transport = factory(ex, at, {});
    if (!transport) co_return;
    kcontrol::http::request request("GET", "/version");
    kcontrol::http::exchange_options options;
    const auto answer = co_await (*transport)->round_trip(std::move(request), std::move(options));
    (*transport)->close();
    into = answer ? "answered" : answer.error().what();
}

std::string answer_of(const std::string& host) {
    boost::asio::io_context context(1);
    kcontrol::system_environment env;
    std::string text;
    boost::asio::co_spawn(context, ask(env, host, text), boost::asio::detached);
    context.run();
    return text;
}

void names() {
    const auto unknown = answer_of("kcontrol.invalid");
    expect(unknown.find("KCONTROL_WITH_CARES=OFF") != std::string::npos, "an unknown name names the option", unknown);
    const auto local = answer_of("localhost");
    expect(local.find("KCONTROL_WITH_CARES") == std::string::npos, "localhost is known", local);
}

}  // namespace

int main() {
    yaml();
    patterns();
    metrics();
    names();
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
